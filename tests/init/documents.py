"""Generated settings documents: values of every kind in layouts of every kind, with foreign hooks."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import strategies as st

from gmhooks.init.settings import EVENTS

_text = st.text(st.characters(codec="utf-8"), max_size=8)
_scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _text
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_text, inner, max_size=4),
    max_leaves=8,
)
_handlers = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["echo hi", "/opt/a b/run --x", "gmhooks-hook"])}
)
_groups = st.lists(st.fixed_dictionaries({"hooks": st.lists(_handlers, max_size=2)}) | _values, max_size=3)
_hooks = st.dictionaries(st.sampled_from([*EVENTS, "Stop", "Später"]), _groups, max_size=4)


@st.composite
def settings_values(draw: st.DrawFn) -> dict[str, Any]:
    """A settings object; mostly with hooks of others in it."""
    members = draw(st.dictionaries(_text.filter(lambda key: key != "hooks"), _values, max_size=4))
    items: list[tuple[str, Any]] = list(members.items())
    if draw(st.integers(0, 3)):
        items.insert(draw(st.integers(0, len(items))), ("hooks", draw(_hooks)))
    return dict(items)


@st.composite
def settings_bytes(draw: st.DrawFn) -> bytes:
    """The bytes of such an object in some layout, with or without BOM and final line end."""
    value = draw(settings_values())
    eol = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    kind = draw(st.sampled_from(["pretty", "flat", "tight", "wild"]))
    if kind == "pretty":
        indent = draw(st.sampled_from([1, 2, 4, "\t"]))
        text = json.dumps(value, indent=indent, ensure_ascii=draw(st.booleans())).replace("\n", eol)
    elif kind == "wild":
        text = scattered(value, random.Random(draw(st.integers(0, 2**32))), eol)
    else:
        text = json.dumps(value, separators=(",", ":") if kind == "tight" else None)
    text = draw(st.sampled_from(["", eol, " "])) + text + draw(st.sampled_from(["", eol, eol * 2]))
    return (draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))) + text.encode()


def scattered(value: Any, chance: random.Random, eol: str, *, comments: bool = False) -> str:
    """JSON text with blanks (and comments) strewn between all tokens."""

    def gap() -> str:
        blanks = ["", "", " ", "\t", eol, eol + "  ", " " + eol]
        return chance.choice([*blanks, f"// a, b{eol}", "/* {c} */"] if comments else blanks)

    def write(each: Any) -> str:
        if isinstance(each, dict):
            parts = [f"{json.dumps(key)}{gap()}:{gap()}{write(inner)}" for key, inner in each.items()]
        elif isinstance(each, list):
            parts = [write(inner) for inner in each]
        else:
            return json.dumps(each)
        inside = f"{gap()},{gap()}".join(parts)
        if comments and parts and chance.random() < 0.3:
            inside += gap() + ","
        left, right = "{}" if isinstance(each, dict) else "[]"
        return left + gap() + inside + gap() + right

    return write(value)
