"""The project's own switches and settings, saves on their way, and what the hooks wrote into their log."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from gmhooks.doctor.checks.client import disabling_place
from gmhooks.doctor.finding import INFO, WARN, Finding
from gmhooks.doctor.view import View
from gmhooks.hooks.clock import now_us
from gmhooks.hooks.conf import paused, read
from gmhooks.hooks.route import prepared
from gmhooks.hooks.wire import NAMES
from gmhooks.memory.places import home
from gmhooks.memory.regular import content
from gmhooks.store.spool import FOLDER, pending

CAP = 9_500
_WAITED_S = 600
_RECENT_S = 86_400
_TAIL = 256 << 10
_FAILURES = (
    "unexpected deadline output_failed answer_too_long event_mismatch unknown_event bad_input too_large stdin_timeout "
    "bad_project_dir bad_cwd untrusted store_missing store_suspect store_damaged schema_newer permission read_only "
    "disk_full busy spool_failed state_unusable recall_failed switch_failed spawn_failed"
)
FAILURES = frozenset(_FAILURES.split())


def check(view: View) -> Iterator[Finding]:
    """Why a prepared project may be silent though its hooks run."""
    if view.at.refusal:
        yield Finding("project.root", WARN, view.at.refusal)
    place = disabling_place(view)
    if place:
        yield Finding("switch.environment", WARN, f"GRAYMATTER_DISABLE=1 in {place}")
    yield from _guard(view)
    data_dir = view.at.route.data_dir
    if not prepared(data_dir):
        return
    if paused(data_dir, now_us({os.fsencode(k): os.fsencode(v) for k, v in view.at.environ.items()})):
        yield Finding("switch.paused", WARN, f"{data_dir}/off is there")
    yield from _conf(data_dir)
    yield from _spool(data_dir)
    yield from _log(data_dir)


def _guard(view: View) -> Iterator[Finding]:
    """Hooks of the user's scope act in every prepared directory, so the home directory should not be one."""
    own = home(view.at.environ)
    everywhere = any(each.file.scope == "user" for each in view.handlers)
    if everywhere and prepared(os.path.join(own, ".graymatter")) and os.path.realpath(own) != view.at.route.root:
        yield Finding("scope.guard", WARN, f"{own} is prepared, and hooks are installed for every directory")


def _conf(data_dir: str) -> Iterator[Finding]:
    conf = read(data_dir)
    off = [name for name in ("inject", "save") if not getattr(conf, name)]
    if off:
        yield Finding("switch.config", WARN if len(off) == 2 else INFO, f"{' and '.join(off)} off")
    lines = content(os.path.join(data_dir, "hooks.conf"), _TAIL, linked=True).decode("utf-8", "replace").split("\n")
    for problem in conf.problems:
        number = int(problem.removeprefix("line "))
        line = lines[number - 1] if number <= len(lines) else ""
        key, _, value = (part.strip() for part in line.partition("="))
        if key.endswith("_budget") and value.isdigit() and int(value) > CAP:
            yield Finding("config.budget", WARN, f"hooks.conf, {problem}: {key} is {int(value):,} bytes")
        else:
            yield Finding("config.lines", WARN, f"hooks.conf, {problem}")


def _spool(data_dir: str) -> Iterator[Finding]:
    folder = os.path.join(data_dir, FOLDER)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".fact"))
        oldest = min((os.lstat(os.path.join(folder, name)).st_mtime for name in names), default=0.0)
    except OSError:
        return
    waiting = pending(data_dir)
    if len(waiting) < len(names):
        yield Finding(
            "spool.stuck", WARN, f"{len(names) - len(waiting)} of {len(names)} files in {folder} cannot be read"
        )
    elif names and time.time() - oldest > _WAITED_S:
        hours = (time.time() - oldest) / 3600
        yield Finding("spool.stuck", WARN, f"{_saves(names)} in {folder}, the first for {hours:.1f} hours")
    elif names:
        yield Finding("spool.stuck", INFO, f"{_saves(names)} in {folder} for the next writer")


def _saves(names: list[str]) -> str:
    return "1 save waits" if len(names) == 1 else f"{len(names):,} saves wait"


def _log(data_dir: str) -> Iterator[Finding]:
    lines = _receipts(os.path.join(data_dir, "hooks.log"))
    since = datetime.fromtimestamp(time.time() - _RECENT_S, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    recent = Counter(line["code"] for line in lines if line["ts"] >= since and line["code"] in FAILURES)
    if recent:
        told = ", ".join(f"{code} {'once' if count == 1 else f'{count} times'}" for code, count in recent.most_common(5))
        yield Finding("log.failures", WARN, f"{told} in the last 24 hours")
    last = {line["event"]: line["ts"] for line in lines}
    if last:
        seen = [f"{event} {last.get(event, 'never')}" for event in NAMES.values() if event in last]
        yield Finding("log.last_seen", INFO, ", ".join(seen) or "no event yet")


def _receipts(path: str) -> list[dict[str, str]]:
    """The last receipts that are whole lines."""
    found = []
    for line in content(path, _TAIL, from_end=True).splitlines():
        try:
            receipt = json.loads(line)
            found.append({key: str(receipt[key]) for key in ("ts", "event", "code")})
        except (ValueError, TypeError, KeyError):
            continue
    return found
