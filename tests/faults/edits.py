"""P8, P9: generated files that our verbs edit and give back, by the functions that the verbs call and by the command."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from unittest.mock import patch

from gmhooks.context import blocks
from gmhooks.context.blocks import CONTEXT, INSTRUCTIONS
from gmhooks.context.protocol import block
from gmhooks.init import install, launcher, rule
from gmhooks.init.catalogue import catalogue
from gmhooks.init.clients.client import Client, Where
from gmhooks.init.instruct import Wish, settle
from gmhooks.init.refusal import Refusal
from gmhooks.init.servers import register, unregister
from tests.faults.documents import json_file, jsonc_file, markdown_file, toml_file
from tests.faults.ground import Ground
from tests.faults.outcome import Outcome

_CLIENTS = {client.id: client for client in catalogue()}
_FACTS = blocks.render(CONTEXT, "## Memory context (GrayMatter)\n\n- one fact", facts=1)
_STEPS = 2000


@dataclass(frozen=True)
class Edit:
    """One file that we edit: where it is, what may be in it, how ours goes in and out (each says whether it was refused),
    and the verbs that do the same."""

    path: Callable[[Where], str]
    document: Callable[[Random], bytes]
    put: Callable[[Where], bool]
    take: Callable[[Where], bool]
    verbs: tuple[tuple[str, ...], tuple[str, ...]]


def configs(ground: Ground, count: int, seed: int = 1) -> Outcome:
    """`count` JSON, JSONC and TOML files."""
    return _all(ground, count, seed, CONFIGS)


def markdown(ground: Ground, count: int, seed: int = 1) -> Outcome:
    """`count` instruction files."""
    return _all(ground, count, seed, MARKDOWN)


def _all(ground: Ground, count: int, seed: int, edits: dict[str, Edit]) -> Outcome:
    outcome = Outcome()
    for name in ("files", "edited", "refused or kept", "not given back", "written twice", "by the command"):
        outcome.count(name, 0)
    chance = Random(seed)
    names = list(edits)
    with _scratch(ground) as folder, without_launcher():
        where = Where(f"{folder}/home/project", f"{folder}/home/own", f"{folder}/home")
        os.makedirs(where.root)
        for number in range(count):
            name = names[number % len(names)]
            edit = edits[name]
            data = edit.document(chance)
            _round(outcome, f"{name}, file {number} of seed {seed}", Path(edit.path(where)), data,
                   lambda edit=edit: edit.put(where), lambda edit=edit: edit.take(where))  # fmt: skip
            if number % _STEPS == _STEPS - 1:
                shutil.rmtree(where.user_dir, ignore_errors=True)
    for number in range(max(2, count // 200)):
        name = names[number % len(names)]
        _through_the_command(
            ground, outcome, f"{name}, by the command, file {number} of seed {seed}", edits[name], chance
        )
    return outcome


def _scratch(ground: Ground) -> tempfile.TemporaryDirectory[str]:
    """A folder in memory where there is one: whether a sync reaches the disk is not the question here."""
    shm = "/dev/shm"
    return tempfile.TemporaryDirectory(prefix="gm-edits-", dir=shm if os.access(shm, os.W_OK) else ground.base)


@contextmanager
def without_launcher() -> Iterator[None]:
    """Leave out launcher and pack, which are our own files and take most of the time."""
    with patch.object(launcher, "write", return_value=False), patch.object(install, "_build_pack", return_value=True):
        yield


def _through_the_command(ground: Ground, outcome: Outcome, name: str, edit: Edit, chance: Random) -> None:
    where = Where(str(ground.project), str(ground.user_dir), str(ground.home))
    put, take = edit.verbs
    path = Path(edit.path(where))

    def ran(words: tuple[str, ...]) -> bool:
        return ground.program.cli(*words, cwd=ground.project, home=ground.home).returncode != 0

    ground.program.cli("uninstall", "--global", "--force", cwd=ground.project, home=ground.home)
    outcome.count("by the command")
    _round(outcome, name, path, edit.document(chance), lambda: ran(put), lambda: ran(take))
    path.unlink(missing_ok=True)


def _round(
    outcome: Outcome, name: str, path: Path, data: bytes, put: Callable[[], bool], take: Callable[[], bool]
) -> None:
    """In twice, out once; the file's bytes, and its time where nothing may be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    names, held = sorted(os.listdir(path.parent)), _version(path)
    outcome.count("files")
    refused = put()
    first = _version(path)
    outcome.count("refused or kept" if first == held else "edited")
    if refused and first != held:
        outcome.fail(f"{name}: refused and written: {data!r}")
    put()
    if _version(path) != first:
        outcome.count("written twice")
        outcome.fail(f"{name}: the second run wrote: {data!r}")
    take()
    given = path.read_bytes() if path.exists() else None
    if given != data or (first == held and _version(path) != held):
        outcome.count("not given back")
        outcome.fail(f"{name}: not given back: {data!r}")
    if sorted(os.listdir(path.parent)) != names:
        outcome.fail(f"{name}: files left beside it: {os.listdir(path.parent)}")


def _version(path: Path) -> tuple[int, int, bytes] | None:
    """Which file it is, when it was last written, and its bytes."""
    if not path.exists():
        return None
    held = path.stat()
    return held.st_ino, held.st_mtime_ns, path.read_bytes()


def _hooks(scope: str) -> Edit:
    return Edit(
        path=lambda where: install.settings_path(scope, where.root),
        document=json_file,
        put=lambda where: install.install(scope, where.root, where.user_dir).refused,
        take=lambda where: install.uninstall(scope, where.root, where.user_dir).refused,
        verbs=(("hooks", "install", "--scope", scope), ("hooks", "uninstall", "--scope", scope)),
    )


def _server(client: Client) -> Edit:
    return Edit(
        path=client.path,
        document={"json": json_file, "jsonc": jsonc_file, "toml": toml_file}[client.dialect],
        put=lambda where: register(client, where).refused,
        take=lambda where: unregister(client, where).refused,
        verbs=(("init", "--only", client.id, "--skip-instructions"), ("uninstall", "--only", client.id)),
    )


def _rule(where: Where, *, remove: bool) -> bool:
    try:
        rule.Job(where.root, where.user_dir, remove=remove).run(dry_run=False)
    except Refusal:
        return True
    return False


def _rule_and_hooks(where: Where) -> bool:
    if install.install("local", where.root, where.user_dir, dry_run=True).refused or _rule(where, remove=False):
        return True
    return install.install("local", where.root, where.user_dir).refused


def _neither(where: Where) -> bool:
    return _rule(where, remove=True) or install.uninstall("local", where.root, where.user_dir).refused


def _block(*families: str) -> Edit:
    texts = {CONTEXT: _FACTS, INSTRUCTIONS: block("project")}

    def path(where: Where) -> str:
        return where.in_project("AGENTS.md")

    def put(where: Where) -> bool:
        done = [settle(path(where), Wish(each, texts[each], keep=True), where.user_dir) for each in families]
        return all(report.refused for report in done)

    def take(where: Where) -> bool:
        done = [settle(path(where), Wish(each, None, keep=True), where.user_dir) for each in families]
        return any(report.refused for report in done)

    put_verb = ("init", "--only", "cursor") if families[0] == INSTRUCTIONS else ("context-sync", "--file", "AGENTS.md")
    return Edit(path, markdown_file, put, take, (put_verb, ("uninstall", "--only", "cursor")))


CONFIGS = {
    "hooks": _hooks("local"),
    "hooks of the project": _hooks("project"),
    "rule and hooks": Edit(
        path=lambda where: rule.path_in(where.root), document=json_file, put=_rule_and_hooks, take=_neither,
        verbs=(("init", "--hooks", "--mcp", "--allow-tools"), ("uninstall",)),
    ),
    **{name: _server(_CLIENTS[name]) for name in ("claudecode", "opencode", "codex", "cursor", "opencode", "codex")},
}  # fmt: skip
MARKDOWN = {
    "instructions": _block(INSTRUCTIONS),
    "facts": _block(CONTEXT),
    "instructions and facts": _block(INSTRUCTIONS, CONTEXT),
}
