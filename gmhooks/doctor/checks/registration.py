"""Whether each of the four events calls us, once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from gmhooks.doctor.clientfiles import PLUGIN, SettingsFile
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN, Finding
from gmhooks.doctor.handlers import Handler
from gmhooks.doctor.view import View
from gmhooks.hooks.route import prepared
from gmhooks.init import ledger, publish
from gmhooks.init.refusal import Refusal
from gmhooks.init.settings import EVENTS


def check(view: View) -> Iterator[Finding]:
    """Entries that are gone, missing or doubled."""
    vanished = [file for file in view.settings if _vanished(view, file)]
    for file in vanished:
        yield Finding("hook.vanished", FAIL, f"{file.path} was given our entries and holds none")
    yield from _registered(view, expected=not vanished)
    yield from _duplicates(view)


def _vanished(view: View, file: SettingsFile) -> bool:
    if file.fault is not None or any(each.file is file for each in view.handlers):
        return False
    try:
        target = publish.resolve(file.path)[0]
    except (Refusal, OSError):
        return False
    return ledger.load(view.at.user_dir, target) is not None


def _registered(view: View, *, expected: bool) -> Iterator[Finding]:
    present = {each.event for each in view.handlers} | {each.argument for each in view.handlers}
    missing = [event for event in EVENTS if event not in present]
    unreadable = [file.path for file in view.files if file.fault is not None]
    if not missing:
        scopes = sorted({each.file.scope for each in view.handlers})
        yield Finding("hook.registered", OK, f"all four events call us ({', '.join(scopes)})")
    elif unreadable:
        yield Finding("hook.registered", INFO, f"cannot be told while {unreadable[0]} is unreadable")
    elif len(missing) < len(EVENTS):
        yield Finding("hook.registered", FAIL, f"no entry of ours for {', '.join(missing)}")
    elif not expected:
        yield Finding("hook.registered", INFO, "no entry of ours is left")
    else:
        state = WARN if prepared(view.at.route.data_dir) else INFO
        yield Finding("hook.registered", state, f"no entry of ours in {', '.join(file.path for file in view.settings)}")


def _duplicates(view: View) -> Iterator[Finding]:
    """The client runs equal commands of all settings files once; a plugin's, and differing ones, run again."""
    runs: dict[str, dict[str, list[Handler]]] = defaultdict(lambda: defaultdict(list))
    for each in view.handlers:
        if each.state:
            runs[each.event][_run_key(each)].append(each)
    for event, keys in runs.items():
        if len(keys) > 1 and _overlap([same[0] for same in keys.values()]):
            files = ", ".join(sorted({each.file.path for same in keys.values() for each in same}))
            yield Finding("hook.duplicate", WARN, f"{event} calls us {len(keys)} times: {files}")
        for same in keys.values():
            repeated = [each for each in same if each.file is same[0].file and each.matcher == same[0].matcher]
            if len(repeated) > 1:
                yield Finding(
                    "hook.duplicate", WARN, f"{len(repeated)} equal entries for {same[0].place}; new clients run one"
                )


def _run_key(each: Handler) -> str:
    owner = each.file.scope if each.file.scope.startswith(PLUGIN) else ""
    return owner + json.dumps([each.words, "args" in each.entry])


def _overlap(different: list[Handler]) -> bool:
    """Whether two of these can run at one event: entries with different matchers take turns."""
    matchers = [each.matcher for each in different]
    return len(set(matchers)) < len(matchers) or bool({"", "*"} & set(matchers))
