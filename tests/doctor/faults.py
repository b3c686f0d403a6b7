"""The faults to plant: name, the check that must find it, and what breaks a healthy set-up."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.doctor.setup import Setup
from tests.init.packed_copy import INTERPRETER

PROMPT = "UserPromptSubmit"
EVENTS = ("SessionStart", PROMPT, "PreCompact", "SessionEnd")
_DROP_STORE = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from gmhooks.store.trust import withdraw
assert withdraw(sys.argv[1], sys.argv[2])
"""
_NEWER = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import lmdb
env = lmdb.open(sys.argv[1], subdir=False, max_dbs=24, lock=False, lib_version=0)
IDENTITY_KEY = b"identity"
from gmhooks.store.layout import META, seal, unseal
from gmhooks.store.records import pack_identity, unpack_identity
with env.begin(write=True) as txn:
    meta = env.open_db(META, txn=txn, create=False)
    identity = unpack_identity(unseal(IDENTITY_KEY, txn.get(IDENTITY_KEY, db=meta)))
    identity.schema = identity.min_reader = identity.min_writer = 99
    txn.put(IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(identity)), db=meta)
env.close()
"""


def relaunch(machine: Setup, old: str, new: str) -> None:
    text = machine.launcher.read_text()
    assert old in text
    machine.launcher.write_text(text.replace(old, new))


def log(machine: Setup, code: str) -> None:
    with (machine.data / "hooks.log").open("a") as file:
        stamp = "2199-01-01T00:00:00Z"
        file.write(json.dumps({"ts": stamp, "event": "user-prompt", "code": code, "ms": 3, "detail": ""}) + "\n")


def replaced(machine: Setup, make: Callable[[Path], object]) -> None:
    """Something else under the data directory's name."""
    shutil.rmtree(machine.data)
    make(machine.data)


def second_copy(machine: Setup) -> None:
    """The same hooks once more, by a plugin."""
    plugin = machine.home / "plugin"
    machine.edit(lambda body: body.update(json.loads(machine.settings.read_text())), plugin / "hooks" / "hooks.json")
    installs = {"version": 2, "plugins": {"memory@shop": [{"scope": "user", "installPath": str(plugin)}]}}
    config = machine.home / ".claude"
    machine.edit(lambda body: body.update(installs), config / "plugins" / "installed_plugins.json")
    machine.edit(lambda body: body.update(enabledPlugins={"memory@shop": True}), config / "settings.json")


def repeated(machine: Setup) -> None:
    machine.edit(lambda body: body["hooks"][PROMPT].append(body["hooks"][PROMPT][0]))


def renamed_event(machine: Setup) -> None:
    machine.edit(lambda body: body["hooks"].update({"userpromptsubmit": body["hooks"].pop(PROMPT)}))


def wrong_list(machine: Setup) -> None:
    machine.edit(lambda body: body["hooks"].update(Stop={"hooks": []}))


def old_path(machine: Setup) -> None:
    for event in EVENTS:
        machine.entry(event, command="/opt/old/gmhooks/gmhooks-hook")


def all_gone(machine: Setup) -> None:
    machine.settings.write_text('{"model": "opus"}\n')


def slow_python(machine: Setup) -> None:
    shim = machine.home / ".pyenv/shims/python3"
    shim.parent.mkdir(parents=True)
    shim.write_text(f'#!/bin/sh\nexec {INTERPRETER} "$@"\n')
    shim.chmod(0o755)
    relaunch(machine, INTERPRETER, str(shim))


def wrong_python(machine: Setup) -> None:
    """An interpreter that runs, but has no LMDB for it: another version's build lies beside the package."""
    fake = machine.home / "python3.10"
    fake.write_text(f'#!/bin/sh\nexec {INTERPRETER} "$@"\n')
    fake.chmod(0o755)
    (machine.site.site / "lmdb").unlink()
    (machine.site.site / "lmdb").mkdir()
    (machine.site.site / "lmdb" / "__init__.py").write_text("from lmdb import cpython\n")


def truncated_store(machine: Setup) -> None:
    os.truncate(machine.data / "gray.mdb", 5000)


def damaged_record(machine: Setup) -> None:
    path = machine.data / "gray.mdb"
    raw = path.read_bytes()
    assert b"corp-eu" in raw
    path.write_bytes(raw.replace(b"corp-eu", b"corp-us"))


def suspect_store(machine: Setup) -> None:
    script = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
from gmhooks.hooks.session import BREAKER_AT
from gmhooks.hooks.usage import state_of
fd = os.open(sys.argv[1] + "/state", os.O_RDWR)
os.pwrite(fd, state_of(os.lstat(sys.argv[1] + "/gray.mdb")) + bytes((2, 1, 0, 0, 0, 0, 0, 0)), BREAKER_AT)
"""
    machine.inside(script, str(machine.data))


def waiting_saves(machine: Setup) -> None:
    script = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from gmhooks.store.spool import Spooled, put
put(sys.argv[1], Spooled(bytes(16), 1, "my-app", "a fact on its way", 0, 0))
"""
    machine.inside(script, str(machine.data))
    (waiting,) = (machine.data / "spool").glob("*.fact")
    os.utime(waiting, (1_700_000_000, 1_700_000_000))


def unreadable_save(machine: Setup) -> None:
    (machine.data / "spool" / "00000000000000000000000000.fact").write_bytes(b"torn")


def stale_bytecode(machine: Setup) -> None:
    source = machine.site.package / "hooks" / "conf.py"
    held = source.stat()
    source.write_text(source.read_text().replace("1_536", "1_537"))
    os.utime(source, ns=(held.st_atime_ns, held.st_mtime_ns))


def stale_pack(machine: Setup) -> None:
    (pack,) = (machine.site.package / "hooks" / "__pycache__").glob("hot.*.pack")
    os.utime(pack, (1, 1))


def damaged_pack(machine: Setup) -> None:
    (pack,) = (machine.site.package / "hooks" / "__pycache__").glob("hot.*.pack")
    raw = bytearray(pack.read_bytes())
    raw[100] ^= 1
    pack.write_bytes(raw)


def missing_shim(machine: Setup) -> None:
    machine.site.shim.rename(machine.site.shim.with_name("gone.py"))


def own_hooks_line(machine: Setup, line: str) -> None:
    (machine.data / "hooks.conf").write_text(line + "\n")


def home_is_a_project(machine: Setup) -> None:
    machine.inside(
        "import sys; sys.path.insert(0, sys.argv.pop(1)); from gmhooks.store.create import prepare; prepare(*sys.argv[1:])",
        str(machine.home / ".graymatter"), str(machine.user_dir),
    )  # fmt: skip
    machine.edit(
        lambda body: body.update(json.loads(machine.settings.read_text())), machine.home / ".claude/settings.json"
    )


def untrusted_folder(machine: Setup) -> None:
    machine.edit(
        lambda body: body["projects"][str(machine.project)].update(hasTrustDialogAccepted=False),
        machine.home / ".claude.json",
    )


def rejected_server(machine: Setup) -> None:
    no_server(machine)
    (machine.project / ".mcp.json").write_text('{"mcpServers": {"graymatter": {"command": "x"}}}')
    machine.edit(lambda body: body.update(disabledMcpjsonServers=["other", "graymatter"]))


def no_server(machine: Setup) -> None:
    from gmhooks.init.settings import TOOL

    machine.edit(lambda body: body["hooks"].update({PROMPT: [{"hooks": [TOOL]}]}))


FAULTS: dict[str, tuple[str, Callable[[Setup], object]]] = {
    "torn settings": ("settings.json", lambda m: m.settings.write_text('{\n  "hooks": {\n')),
    "comment in settings": ("settings.json", lambda m: m.settings.write_text("// mine\n" + m.settings.read_text())),
    "settings in UTF-16": ("settings.file", lambda m: m.settings.write_bytes(m.settings.read_text().encode("utf-16"))),
    "event that is no list": ("settings.shape", wrong_list),
    "misspelt event": ("settings.unknown_event", renamed_event),
    "all hooks disabled": ("client.hooks_disabled", lambda m: m.edit(lambda body: body.update(disableAllHooks=True))),
    "safe mode": ("client.safe_mode", lambda m: m.environ.update(CLAUDE_CODE_SAFE_MODE="1")),
    "untrusted folder": ("client.trust", untrusted_folder),
    "one event missing": ("hook.registered", lambda m: m.edit(lambda body: body["hooks"].pop("PreCompact"))),
    "settings written back without our hooks": ("hook.vanished", all_gone),
    "plugin and settings": ("hook.duplicate", second_copy),
    "entry twice in one file": ("hook.duplicate", repeated),
    "argument of another event": ("hook.event", lambda m: m.entry(PROMPT, args=["session-end"])),
    "entry under another event": (
        "hook.event",
        lambda m: m.edit(lambda body: body["hooks"].update(Stop=body["hooks"].pop("SessionEnd"))),
    ),
    "old path": ("hook.path", old_path),
    "milliseconds": ("hook.timeout_absurd", lambda m: m.entry(PROMPT, timeout=2000)),
    "timeout as text": ("hook.timeout", lambda m: m.entry(PROMPT, timeout="5")),
    "shell form": (
        "hook.shell_form",
        lambda m: m.entry(PROMPT, command=f"{m.launcher} user-prompt", args=None),
    ),
    "console script": (
        "hook.command",
        lambda m: m.entry(PROMPT, command="graymatter", args=["hooks", "run", "user-prompt"]),
    ),
    "tool without its server": ("hook.server", no_server),
    "tool of a rejected server": ("hook.server", rejected_server),
    "matcher that leaves out sources": (
        "hook.options",
        lambda m: m.edit(lambda body: body["hooks"]["SessionStart"][0].update(matcher="start")),
    ),
    "asynchronous prompt hook": ("hook.options", lambda m: m.entry(PROMPT, **{"async": True})),
    "launcher missing": ("launcher.present", lambda m: m.launcher.unlink()),
    "launcher is a link": ("launcher.present", lambda m: (m.launcher.unlink(), m.launcher.symlink_to("/bin/true"))),
    "launcher not executable": ("launcher.mode", lambda m: m.launcher.chmod(0o600)),
    "launcher open to others": ("launcher.mode", lambda m: m.launcher.chmod(0o755)),
    "launcher with a fourth line": (
        "launcher.text",
        lambda m: m.launcher.write_text(m.launcher.read_text() + "exit 1\n"),
    ),
    "dead interpreter": ("launcher.interpreter", lambda m: relaunch(m, INTERPRETER, "/opt/python3.9/bin/python3")),
    "version manager's shim": ("launcher.slow_python", slow_python),
    "another user's directory": (
        "launcher.user_dir",
        lambda m: relaunch(m, f"--user-dir={m.user_dir}", f"--user-dir={m.home / 'other'}"),
    ),
    "store untrusted": (
        "store.untrusted",
        lambda m: m.inside(_DROP_STORE, str(m.user_dir), str(m.data)),
    ),
    "store truncated": ("store.damaged", truncated_store),
    "record damaged": ("store.damaged", damaged_record),
    "store of a newer version": ("store.newer", lambda m: m.inside(_NEWER, str(m.data / "gray.mdb"))),
    "hooks died at the store": ("store.suspect", suspect_store),
    "store gone": ("store.missing", lambda m: shutil.rmtree(m.data)),
    "data directory is a file": ("store.not_a_directory", lambda m: replaced(m, lambda path: path.write_text("mine"))),
    "data directory is a FIFO": ("store.not_a_directory", lambda m: replaced(m, os.mkfifo)),
    "data directory open to others": ("store.access", lambda m: m.data.chmod(0o755)),
    "state is a link": (
        "store.files",
        lambda m: ((m.data / "state").unlink(), (m.data / "state").symlink_to("/dev/null")),
    ),
    "saves that wait": ("spool.stuck", waiting_saves),
    "save that cannot be read": ("spool.stuck", unreadable_save),
    "home is a project": ("scope.guard", home_is_a_project),
    "paused": ("switch.paused", lambda m: (m.data / "off").write_text("")),
    "switched off by the shell": ("switch.environment", lambda m: m.environ.update(GRAYMATTER_DISABLE="1")),
    "switched off by the settings": (
        "switch.environment",
        lambda m: m.edit(lambda body: body.update(env={"GRAYMATTER_DISABLE": "1"})),
    ),
    "inject and save off": ("switch.config", lambda m: own_hooks_line(m, "inject=off\nsave=off")),
    "misspelt setting": ("config.lines", lambda m: own_hooks_line(m, "injekt=off")),
    "budget above the cap": ("config.budget", lambda m: own_hooks_line(m, "prompt_budget=20000")),
    "failing hooks": ("log.failures", lambda m: log(m, "deadline")),
}
PACKAGE_FAULTS: dict[str, tuple[str, Callable[[Setup], object]]] = {
    "missing shim": ("launcher.shim", missing_shim),
    "LMDB of another Python": ("launcher.python", wrong_python),
    "stale bytecode": ("package.bytecode", stale_bytecode),
    "stale pack": ("package.pack", stale_pack),
    "damaged pack": ("package.pack", damaged_pack),
}
