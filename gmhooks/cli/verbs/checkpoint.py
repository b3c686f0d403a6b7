"""`graymatter checkpoint list|resume|save`: where sessions stopped."""

from __future__ import annotations

import argparse
import json

from gmhooks.cli.errors import DONE, Fault, UsageFault
from gmhooks.cli.options import check_agent_id
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import is_known, locate, memory_of, require_known
from gmhooks.hooks.route import Route
from gmhooks.memory.outcomes import CheckpointView
from gmhooks.store.ids import SHORT

_EXAMPLE = """graymatter checkpoint save '{"next": "ship it"}'"""
_GIST = 120


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their words."""
    parser.usage = (
        "graymatter checkpoint [options] list [agent_id]\n"
        "       graymatter checkpoint [options] resume [agent_id] [ID]\n"
        "       graymatter checkpoint [options] save [agent_id] [STATE]"
    )
    parser.add_argument("action", choices=("list", "resume", "save"))
    parser.add_argument("words", nargs="*", metavar="WORD", help="agent id, checkpoint id, or a JSON object")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="list: at most N (default: 20)")


def run(args: argparse.Namespace, out: Out) -> int:
    """Carry out the action."""
    route = locate(args)
    if args.action == "list":
        return _list(args, route, out)
    return _resume(args, route, out) if args.action == "resume" else _save(args, route, out)


def _list(args: argparse.Namespace, route: Route, out: Out) -> int:
    if len(args.words) > 1 or args.limit < 1:
        raise UsageFault("checkpoint list takes at most one agent id and a limit above 0")
    agent_id = check_agent_id(args.words[0]) if args.words else route.agent_id
    found = memory_of(route).checkpoints(agent_id, args.limit)
    if not found and not out.as_json:
        out.note(f"No checkpoints under {shown(agent_id)}.")
    payload = {"agent_id": agent_id, "checkpoints": [_object(point) for point in found], "count": len(found)}
    out.answer(payload, [f"{point.created_at[:16]}Z [{point.short_id}] {_gist(point)}" for point in found])
    return DONE


def _resume(args: argparse.Namespace, route: Route, out: Out) -> int:
    agent_id, wanted = _resumed(args.words, route.agent_id)
    found = memory_of(route).checkpoints(agent_id)
    fitting = [point for point in found if not wanted or point.id.endswith(wanted.strip("[]").upper())]
    if not fitting:
        what = f"no checkpoint {shown(wanted)}" if wanted else "no checkpoint"
        raise Fault("not_found", f"{what} under {shown(agent_id)}", then="graymatter checkpoint list")
    point = fitting[0]
    if out.as_json:
        out.answer({"agent_id": agent_id, **_object(point)}, ())
    else:
        out.line(json.dumps(_object(point), indent=2))
    return DONE


def _resumed(words: list[str], own: str) -> tuple[str, str]:
    """(agent id, checkpoint id or "") of `[agent_id] [ID]`; a single word that looks like an id is one."""
    if len(words) > 2:
        raise UsageFault("checkpoint resume takes an agent id and a checkpoint id at most")
    if len(words) == 2:
        return check_agent_id(words[0]), words[1]
    if words and len(words[0].strip("[]")) >= SHORT and words[0].strip("[]").isalnum() and words[0].isupper():
        return own, words[0]
    return (check_agent_id(words[0]) if words else own), ""


def _save(args: argparse.Namespace, route: Route, out: Out) -> int:
    if len(args.words) > 2:
        raise UsageFault("checkpoint save takes an agent id and one JSON object at most", then=_EXAMPLE)
    words, memory = list(args.words), memory_of(route)
    agent_id = route.agent_id
    if len(words) == 2 or (words and is_known(memory, words[0])):
        agent_id = check_agent_id(words.pop(0))
    state = _state(words[0]) if words else {}
    begin = "; graymatter remember AGENT_ID TEXT begins one"
    require_known(memory, agent_id, route, "and a checkpoint begins none", begin)
    point = memory.save_checkpoint(agent_id, state)
    payload = {"agent_id": agent_id, "checkpoint_id": point.id, "created_at": point.created_at}
    out.confirm(payload, [f"Saved checkpoint [{point.short_id}] for {shown(agent_id)}."])
    return DONE


def _state(text: str) -> dict[str, object]:
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageFault("the state is not a JSON object", then=_EXAMPLE)
    return found


def _no_constant(name: str) -> object:
    """NaN and the infinities, which Python reads and JSON does not know."""
    raise ValueError(name)


def _object(point: CheckpointView) -> dict[str, object]:
    return {"id": point.id, "short_id": point.short_id, "created_at": point.created_at, **point.body}


def _gist(point: CheckpointView) -> str:
    """Who saved it and the beginning of what it says, as one line."""
    about = point.body.get("metadata")
    source = about.get("event") or about.get("source") if isinstance(about, dict) else None
    state = point.body.get("state")
    said = state.get("prompt") if isinstance(state, dict) else None
    text = said if isinstance(said, str) and said else json.dumps(state)
    line = shown(f"{source or 'unknown'}: {text}")
    return line if len(line) <= _GIST else line[: _GIST - 1] + "…"
