"""`graymatter doctor`: how this project's memory, clients and instruction files are. Reads only, runs nothing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from gmhooks import __version__
from gmhooks.context.blocks import CONTEXT, INSTRUCTIONS, Scan
from gmhooks.context.protocol import ABSENT, CURRENT, EDITED, STALE, state
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN
from gmhooks.hooks.conf import read as read_conf
from gmhooks.hooks.route import Route, prepared
from gmhooks.init import publish
from gmhooks.init.catalogue import catalogue
from gmhooks.init.clients.client import CLAUDE_MD, Client, Where
from gmhooks.init.context_file import AGENTS, imports_agents, spelled
from gmhooks.init.instruct import scan_file, text_of
from gmhooks.init.mcp_entry import REJECTED, rejected
from gmhooks.init.refusal import Refusal
from gmhooks.init.servers import present
from gmhooks.init.setup import instruction_file
from gmhooks.init.wiring import Wiring, wirings
from gmhooks.memory.api import Memory
from gmhooks.memory.former import adopting, former_id
from gmhooks.memory.places import obstacle
from gmhooks.store.errors import StoreDenied, StoreError
from gmhooks.store.guard import DATA_NAME

_IDLE_S = 24 * 3600
_STORE_FIX = {
    "store_missing": "graymatter init",
    "untrusted": "graymatter trust",
    "schema_newer": "upgrade gmhooks",
    "store_damaged": "graymatter doctor --repair",
    "permission": "chmod 700 the directory and 600 its files, or run as their owner",
    "read_only": "make the file system writable; until then recall works and saves fail",
    "busy": "end the process that writes (lsof names it), or try again",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One line: what was looked at, its state, the evidence, and what to do."""

    name: str
    status: str
    detail: str
    hint: str = ""

    def to_json(self) -> dict[str, str]:
        """The documented keys."""
        body = {"name": self.name, "status": self.status, "detail": self.detail}
        return body | ({"hint": self.hint} if self.hint else {})


def examine(route: Route, where: Where, now_s: float) -> Iterator[Check]:
    """Yield every check in order."""
    yield from _program(where)
    yield from _data_dir(route.data_dir)
    yield from _store(route, where, now_s)
    wired: list[Client] = []
    refused: list[tuple[Client, Exception]] = []
    for client in catalogue():
        try:
            if present(client, where):
                wired.append(client)
        except (Refusal, OSError) as error:
            refused.append((client, error))
    scopes = [wiring for wiring in wirings(route.root, where.user_dir) if wiring.state != "absent"]
    yield from _servers(wired, refused, where, hooked=bool(scopes))
    yield from _hooks(scopes)
    yield from _instructions(wired, route, where)
    yield from _context_blocks(route)
    conf = read_conf(route.data_dir)
    if conf.problems:
        yield Check("config", WARN, f"hooks.conf: {', '.join(conf.problems)} not understood", "graymatter config list")


def _program(where: Where) -> Iterator[Check]:
    yield Check("version", OK, f"gmhooks {__version__}, Python {sys.version.split()[0]}")
    found = shutil.which("graymatter", path=where.environ.get("PATH", os.defpath))
    ours = os.path.join(os.path.dirname(sys.executable), "graymatter")
    if found is not None and os.path.realpath(found) != os.path.realpath(ours):
        detail = f"another graymatter comes first on PATH: {found} (not run)"
        yield Check("binary", WARN, detail, "remove it, or put this one before it")
    else:
        yield Check("binary", OK, found or "graymatter is not on PATH; hooks and clients do not need it there")


def _data_dir(data_dir: str) -> Iterator[Check]:
    found = obstacle(data_dir)
    if found is not None:
        error, what = found
        away, owner = "move it away, then graymatter init", "check who owns it and the directories above it"
        yield Check("data_dir", FAIL, f"{data_dir}: {what}", owner if error is StoreDenied else away)
    elif not os.path.isdir(data_dir):
        yield Check("data_dir", WARN, f"{data_dir} does not exist", "graymatter init")
    elif os.stat(data_dir).st_mode & 0o077:
        yield Check("data_dir", WARN, f"{data_dir} is open to other users", f"chmod 700 {data_dir}")
    else:
        yield Check("data_dir", OK, data_dir)


def _store(route: Route, where: Where, now_s: float) -> Iterator[Check]:
    path = os.path.join(route.data_dir, DATA_NAME)
    if not prepared(route.data_dir):
        yield Check("store", INFO, "there is none: this project is not prepared", "graymatter init")
        return
    if not os.path.lexists(path):
        yield Check("store", INFO, "there is no store yet; the first save makes it")
        return
    if os.path.islink(path):
        yield Check("store", WARN, f"{path} is a link, which is never opened", "put the file itself in its place")
        return
    try:
        overview = Memory(route.data_dir, where.user_dir).overview(untouched=True)
    except StoreError as error:
        bad = WARN if error.code in ("untrusted", "busy", "schema_newer") else FAIL
        yield Check("store", bad, f"{error.code}: {error}", _STORE_FIX.get(error.code, ""))
        return
    if overview is None:
        yield Check("store", INFO, "there is no store yet; the first save makes it")
        return
    facts = sum(count.live for count in overview.namespaces)
    agents = sum(1 for count in overview.namespaces if count.live)
    waiting = f", {overview.pending} waiting" if overview.pending else ""
    held = f"{_counted(facts, 'fact')}, {_counted(agents, 'agent')}"
    yield Check("store", OK, f"{held}{waiting}, {overview.size_bytes:,} bytes")
    former = former_id(overview, route.agent_id)
    if former is not None:
        detail = f"no facts under {route.agent_id}, but {_counted(former.live, 'fact')} under {former.agent_id}"
        hint = f"if that is this project's former name: {adopting(route, former)}"
        yield Check("identity", WARN, detail, hint)
    marker = os.path.join(route.data_dir, "MEMORY.md")
    age = now_s - os.stat(marker).st_mtime if os.path.isfile(marker) else 0.0
    if not facts and not overview.pending and age > _IDLE_S:
        detail = "prepared more than a day ago and still empty"
        yield Check("idle", WARN, detail, "restart the client once; then graymatter hooks doctor")


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _servers(
    wired: list[Client], refused: list[tuple[Client, Exception]], where: Where, *, hooked: bool
) -> Iterator[Check]:
    for client, error in refused:
        yield Check("mcp", FAIL, f"{client.title}: {client.path(where)}: {error}", "correct the file")
    if wired:
        yield Check("mcp", OK, "registered with " + ", ".join(client.title for client in wired))
    elif not refused:
        bad, hint = (INFO, "") if hooked else (WARN, "graymatter init --only CLIENTS, for example claudecode")
        yield Check("mcp", bad, "registered with no client", hint)
    told = rejected(where.root, where.environ) if any(client.id == "claudecode" for client in wired) else None
    if told is not None:
        detail = f"{REJECTED} in {told} tells Claude Code not to start the server"
        yield Check("mcp", WARN, detail, "take graymatter out of that list, then restart Claude Code")


def _hooks(scopes: list[Wiring]) -> Iterator[Check]:
    if not scopes:
        yield Check("hooks", INFO, "no Claude Code hooks here", "graymatter init --hooks")
    for wiring in scopes:
        bad = {"installed": OK, "outdated": WARN}.get(wiring.state, FAIL)
        detail = f"{wiring.scope}: {wiring.state} {wiring.detail}".strip()
        yield Check("hooks", bad, detail, "" if bad == OK else "graymatter hooks doctor")


def _instructions(wired: list[Client], route: Route, where: Where) -> Iterator[Check]:
    files: dict[str, list[Client]] = {}
    for client in wired:
        own = client.own_file(where) if client.own_file is not None else None
        local = instruction_file(client, route.root)
        told = own if own is not None and _state(own, None) == CURRENT and _state(local, route.agent_id) == ABSENT else local
        files.setdefault(told, []).append(client)
    for path, clients in files.items():
        agent_id = route.agent_id if os.path.dirname(path) == route.root else None
        yield _told(path, clients, _state(path, agent_id))
    agents, claude = (spelled(route.root, name) for name in (AGENTS, CLAUDE_MD))
    if agents and claude and imports_agents(claude) and _has(agents, INSTRUCTIONS) and _has(claude, INSTRUCTIONS):
        detail = "CLAUDE.md imports AGENTS.md and both hold the instruction block"
        yield Check("instructions.twice", WARN, detail, "remove the block from CLAUDE.md")


def _told(path: str, clients: list[Client], found: str) -> Check:
    titles = ", ".join(client.title for client in clients)
    again = f"graymatter init --only {','.join(client.id for client in clients)} writes it"
    if found == CURRENT:
        return Check("instructions", OK, f"{path} is current ({titles})")
    if found == STALE:
        return Check("instructions", WARN, f"{path} holds the block of an older version ({titles})", again)
    if found == EDITED:
        return Check("instructions", INFO, f"{path} holds a block that was edited by hand ({titles})")
    if found == ABSENT:
        return Check("instructions", WARN, f"{path} does not tell {titles} to use the memory", again)
    return Check("instructions", INFO if found != "unreadable" else FAIL, f"{path}: {found} ({titles})")


def _state(path: str, agent_id: str | None) -> str:
    try:
        data = publish.read(publish.resolve(path)[0]).data
        return state(scan_file(data), text_of(data)[1], agent_id)
    except (OSError, Refusal):
        return "unreadable"


def _scan(path: str) -> Scan:
    try:
        return scan_file(publish.read(publish.resolve(path)[0]).data)
    except (OSError, Refusal):
        return Scan()


def _has(path: str, family: str) -> bool:
    return bool(_scan(path).of(family))


def _context_blocks(route: Route) -> Iterator[Check]:
    for path in (spelled(route.root, name) for name in (AGENTS, CLAUDE_MD)):
        blocks = _scan(path).of(CONTEXT) if path is not None else []
        if blocks and all(block.verified for block in blocks):
            yield Check("context_block", OK, f"{path}: unedited")
        elif blocks:
            yield Check("context_block", WARN, f"{path}: edited by hand", "graymatter context-sync --force replaces it")
