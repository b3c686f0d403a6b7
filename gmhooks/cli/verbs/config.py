"""`graymatter config`: read and change `hooks.conf`, the one settings file a hook reads."""

from __future__ import annotations

import argparse
import os
import tempfile

from gmhooks.cli.conffile import FILE, publish, set_key
from gmhooks.cli.errors import DONE, USAGE, UsageFault, complain
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.hooks.conf import Conf, read
from gmhooks.memory.access import require_prepared

KEYS = {
    "inject": "on or off: show facts in sessions",
    "save": "on or off: save `remember:` lines of prompts",
    "worktree": "shared or isolated: whether linked git worktrees use the main checkout's memory",
    "top_k": "1 to 50: facts of a section shown for one prompt at most",
    "prompt_budget": "0 to 9500: bytes of a prompt's block at most",
    "packet_policy": "native or lexical: how the facts of a prompt's block are chosen",
    "learn_aliases": "off, on or any: whether recalls on purpose teach which words mean the same",
    "start_budget": "0 to 9500: bytes of a session start's block at most",
}
_WORDS = {"list": 0, "get": 1, "set": 2, "unset": 1}
_SWITCHED = {True: "on", False: "off"}


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the words and describe the keys."""
    parser.usage = "graymatter config [options] [list | [get] KEY | [set] KEY VALUE | unset KEY]"
    parser.epilog = "keys:\n" + "\n".join(f"  {key:<14} {text}" for key, text in KEYS.items())
    parser.add_argument("words", nargs="*", metavar="WORD", help="list, get KEY, set KEY VALUE or unset KEY")


def run(args: argparse.Namespace, out: Out) -> int:
    """Carry out the action; exit 2 when hooks.conf holds lines that hooks cannot read."""
    action, words = _action(args.words)
    data_dir = locate(args).data_dir
    require_prepared(data_dir)
    if action in ("set", "unset"):
        _change(data_dir, words[0], words[1] if action == "set" else None, out)
    else:
        _show(data_dir, words or list(KEYS), out, bare=action == "get")
    return _judge(data_dir)


def unusual(data_dir: str) -> list[str]:
    """The settings that differ from the defaults, as `config` lists them: what a folder from elsewhere may bring along."""
    conf, usual = read(data_dir), Conf()
    return [f"{key}={_value(conf, key)}" for key in KEYS if getattr(conf, key) != getattr(usual, key)]


def _action(words: list[str]) -> tuple[str, list[str]]:
    """The action and its words; without an action, KEY reads and KEY VALUE writes."""
    if not words or words[0] in _WORDS:
        action, rest = (words[0], words[1:]) if words else ("list", [])
    else:
        action, rest = "get" if len(words) == 1 else "set", words
    if len(rest) != _WORDS[action]:
        raise UsageFault(f"config {action} takes {counted(_WORDS[action], 'word')}, got {len(rest)}")
    if rest and rest[0] not in KEYS:
        raise UsageFault(f"there is no setting {shown(rest[0])!r}", then=f"one of {', '.join(KEYS)}")
    return action, rest


def _show(data_dir: str, keys: list[str], out: Out, *, bare: bool) -> None:
    conf = read(data_dir)
    lines = [_value(conf, key) if bare else f"{key}={_value(conf, key)}" for key in keys]
    out.answer({key: getattr(conf, key) for key in keys}, lines)


def _value(conf: Conf, key: str) -> str:
    value = getattr(conf, key)
    return _SWITCHED[value] if isinstance(value, bool) else str(value)


def _change(data_dir: str, key: str, value: str | None, out: Out) -> None:
    if value is not None:
        _check(key, value)
    changed = set_key(data_dir, key, value)
    conf = read(data_dir)
    out.confirm({key: getattr(conf, key), "changed": changed}, [f"{key}={_value(conf, key)}"])


def _check(key: str, value: str) -> None:
    """UsageFault unless a hook would understand the value: it is read back the way a hook reads it."""
    problems = True
    if "\n" not in value and "\r" not in value:
        with tempfile.TemporaryDirectory() as folder:
            publish(os.path.join(folder, FILE), f"{key}={value}\n")
            problems = bool(read(folder).problems)
    if problems:
        raise UsageFault(f"{key} cannot be {shown(value)!r}", then=f"{key} is {KEYS[key]}")


def _judge(data_dir: str) -> int:
    problems = read(data_dir).problems
    if not problems:
        return DONE
    complain(
        f"graymatter: {FILE} holds lines that are not settings and are ignored: {', '.join(problems)} "
        f"({shown(os.path.join(data_dir, FILE))}). Next: correct or remove them"
    )
    return USAGE
