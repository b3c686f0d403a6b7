"""`graymatter status`: whether memory is on, every reason why not, and what the store holds."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict

from gmhooks.cli.errors import DONE
from gmhooks.cli.known import NEXT_STEPS
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of
from gmhooks.cli.program import runnable
from gmhooks.cli.switch import off_until
from gmhooks.hooks.conf import paused, read
from gmhooks.hooks.route import Route, prepared
from gmhooks.init.mcp_entry import registered as registered_server
from gmhooks.init.wiring import Wiring, launcher_ready, wirings
from gmhooks.memory.activity import Activity, activity
from gmhooks.memory.clock import clock_us
from gmhooks.memory.places import user_dir
from gmhooks.memory.views import NamespaceCount, Overview
from gmhooks.recall.receipt import written_at
from gmhooks.store.errors import StoreError
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.namespaces import SHARED
from gmhooks.store.trust import registered

_SESSIONS = 20
_MANY_SESSIONS = 5
_SWITCHED_OFF = {"inject": "no facts are shown (inject off)", "save": "prompts save nothing (save off)"}
_NOTHING_WRITTEN = "Nothing was saved in 7 days of sessions. `remember: …` in a prompt saves a fact."


def build(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond the shared options."""


def run(args: argparse.Namespace, out: Out) -> int:
    """Print the state; a state that can be told is a success, also when memory is off."""
    route = locate(args)
    overview, reasons = _store_state(route)
    wired = wirings(route.root, user_dir(os.environ))
    reasons += _switch_reasons(route) + _wiring_reasons(wired, route.root)
    conf = read(route.data_dir)
    done = activity(route.data_dir, clock_us())
    writes = sum(count.written_7_days for count in overview.namespaces) if overview else 0
    idle = overview is not None and not writes and done.sessions_7_days > _MANY_SESSIONS
    hints = [_NOTHING_WRITTEN] if idle else []
    payload: dict[str, object] = {
        "root": route.root,
        "store": route.data_dir,
        "agent_id": route.agent_id,
        "memory": "off" if reasons else "on",
        "reasons": reasons,
        "inject": conf.inject,
        "save": conf.save,
        "config_problems": conf.problems,
        "hooks": [asdict(wiring) for wiring in wired],
        "writes_7d": writes,
        "recalls": sum(count.recalls for count in overview.namespaces) if overview else 0,
        "injected": {
            "today_blocks": done.today_blocks,
            "today_bytes": done.today_bytes,
            "sessions": [asdict(session) for session in done.sessions[:_SESSIONS]],
        },
        "last_fired": done.last_fired,
        "hints": hints,
        "contents": asdict(overview) if overview else None,
    }
    out.answer(payload, [*_lines(payload, reasons, overview, wired), *_activity_lines(done), *hints])
    return DONE


def _reason(code: str, message: str, then: str) -> dict[str, str]:
    return {"code": code, "message": message, "next": then}


def _store_state(route: Route) -> tuple[Overview | None, list[dict[str, str]]]:
    """What the store holds, or why it cannot be used."""
    try:
        overview = memory_of(route).overview()
    except StoreError as error:
        return None, [_reason(error.code, str(error), NEXT_STEPS.get(error.code, ""))]
    if overview is None and registered(user_dir(os.environ), route.data_dir) is not None:
        then = "graymatter restore brings the newest backup back; graymatter init makes an empty store"
        return None, [_reason("store_missing", f"{os.path.join(route.data_dir, DATA_NAME)} is gone", then)]
    return overview, []


def _switch_reasons(route: Route) -> list[dict[str, str]]:
    found = []
    if os.environ.get("GRAYMATTER_DISABLE") == "1":
        found.append(_reason("disabled", "GRAYMATTER_DISABLE=1 is set in this environment", "unset GRAYMATTER_DISABLE"))
    if prepared(route.data_dir) and paused(route.data_dir, clock_us()):
        until = off_until(route.data_dir)
        end = f" until {written_at(until * 1_000_000)[:16]}Z" if until else ""
        found.append(_reason("paused", f"memory is paused{end}", "graymatter resume, or the prompt `memory on`"))
    conf = read(route.data_dir)
    if not conf.inject and not conf.save:
        found.append(_reason("switched_off", "inject and save are both off", "graymatter config set inject on"))
    return found


def _wiring_reasons(wired: list[Wiring], root: str) -> list[dict[str, str]]:
    states = {wiring.state for wiring in wired}
    if "refused" in states and not states & {"installed", "outdated"}:
        paths = ", ".join(wiring.path for wiring in wired if wiring.state == "refused")
        message = f"whether Claude Code calls the hooks here cannot be told: {paths} cannot be read as settings"
        return [_reason("settings_unusable", message, "graymatter hooks doctor says why")]
    if not states & {"installed", "outdated"}:
        return [_reason("hooks_not_installed", "Claude Code does not call the hooks here", "graymatter init --hooks")]
    if not launcher_ready(user_dir(os.environ)):
        return [_reason("launcher_missing", "the installed hook command is gone", "graymatter hooks install")]
    if any(wiring.via == "mcp" for wiring in wired) and not registered_server(root):
        then = "graymatter init --mcp, or graymatter hooks install --via command"
        return [_reason("server_missing", "prompts go to the MCP server, which is not registered", then)]
    return []


def _headline(payload: dict[str, object]) -> str:
    """On or off, and what of it is off."""
    off = [text for name, text in _SWITCHED_OFF.items() if not payload[name]]
    but = f", but {' and '.join(off)}" if off and payload["memory"] == "on" else ""
    return f"Memory is {payload['memory']}{but}."


def _lines(
    payload: dict[str, object], reasons: list[dict[str, str]], overview: Overview | None, wired: list[Wiring]
) -> list[str]:
    lines = [_headline(payload)]
    lines += [f"  {shown(reason['message'])}. Next: {runnable(shown(reason['next']))}" for reason in reasons]
    lines += [f"{name + ':':<10}{shown(str(payload[name]))}" for name in ("root", "store", "agent_id")]
    switches = [f"{name} {'on' if payload[name] else 'off'}" for name in ("inject", "save")]
    lines.append(f"{'switches:':<10}{', '.join(switches)}")
    problems = payload["config_problems"]
    if isinstance(problems, list) and problems:
        lines.append(f"{'config:':<10}hooks.conf, {', '.join(problems)}: not understood and ignored")
    used = [f"{wiring.scope} {wiring.state}" for wiring in wired if wiring.state != "absent"]
    lines.append(f"{'hooks:':<10}{', '.join(used) or 'not installed'}")
    if overview is not None:
        lines.append(f"{'size:':<10}{overview.size_bytes:,} bytes, {counted(overview.pending, 'save')} waiting")
        lines += [f"{'facts:':<10}{_count(count)}" for count in overview.namespaces]
        if not overview.namespaces:
            lines.append(f"{'facts:':<10}none yet")
    return lines


def _activity_lines(done: Activity) -> list[str]:
    blocks = counted(done.today_blocks, "block")
    lines = [f"{'injected:':<10}{counted(done.today_bytes, 'byte')} in {blocks} today"]
    if done.sessions:
        newest = done.sessions[0]
        lines.append(
            f"{'session:':<10}{counted(newest.size, 'byte')} in {counted(newest.blocks, 'block')}, the newest one"
        )
    fired = [f"{event} {at or 'never'}" for event, at in done.last_fired.items()]
    return [*lines, f"{'last:':<10}{', '.join(fired)}"]


def _count(count: NamespaceCount) -> str:
    often = {0: "never recalled", 1: "recalled once"}.get(count.recalls, f"recalled {count.recalls:,} times")
    name = "shared" if count.agent_id == SHARED else shown(count.agent_id)
    return (
        f"{name}: {count.live} live, {count.retired} retired, {count.pinned} pinned, "
        f"{count.written_7_days} written in the last 7 days, {often}"
    )
