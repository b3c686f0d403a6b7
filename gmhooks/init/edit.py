"""Edits of JSON text by splices at known offsets, in the file's own layout.

Text in, text out, no I/O. Appending and then removing the same slot gives the same text back; the one
exception is a container that was empty, whose former inside the caller keeps and puts back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gmhooks.init.jsonc import Node

_COLONS = (": ", ":", " : ")
_UNIT = "  "


@dataclass(frozen=True, slots=True)
class Style:
    """Line end, one step of indentation, text between key and value, and after an inline comma."""

    eol: str = "\n"
    unit: str = _UNIT
    colon: str = ": "
    gap: str = " "


def style_of(text: str, root: Node) -> Style:
    """Return the layout that most of ``text`` uses."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    eol = max(counts, key=lambda end: counts[end]) if any(counts.values()) else "\n"
    first = next((slot for slot in root.slots if slot.key is not None), None)
    colon = text[first.key_end : first.value.start] if first else ": "
    colon = colon if colon in _COLONS else ": "
    return Style(eol, _unit(text, root), colon, "" if colon == ":" else " ")


def splice(text: str, *cuts: tuple[int, int, str]) -> str:
    """Replace each ``(start, end, new)``; the cuts do not overlap."""
    for start, end, new in sorted(cuts, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def append(text: str, root: Node, box: Node, value: object, *, key: str | None = None) -> str:
    """Add a member (with ``key``) or an item at the end of ``box``, laid out like its neighbours."""
    style = style_of(text, root)
    if not box.slots:
        return _fill(text, root, box, value, key, style)
    last = box.slots[-1]
    indent = _own_indent(text, last.start)
    if indent is None and box.open:
        indent = _line_indent(text, box.start) + style.unit
    new = style.gap if indent is None else style.eol + indent
    new += _slot(value, key, style, indent)
    if last.comma is not None:
        return splice(text, (box.tail, box.tail, new + ","))
    if box.tail == last.value.end:
        return splice(text, (box.tail, box.tail, "," + new))
    return splice(text, (last.value.end, last.value.end, ","), (box.tail, box.tail, new))


def remove(text: str, box: Node, index: int) -> str:
    """Take out one slot with its comma and the blanks before it; comments stay."""
    slot = box.slots[index]
    before = box.slots[index - 1].comma if index else None
    end, cuts = slot.value.end, []
    if slot.comma is not None:
        if text[end : slot.comma].strip():
            cuts.append((slot.comma, slot.comma + 1, ""))
        else:
            end = slot.comma + 1
    elif before is not None and slot.lead != before + 1:
        cuts.append((before, before + 1, ""))
    start = before if slot.comma is None and before is not None and not cuts else slot.lead
    kept = _first_end(text[slot.lead : slot.start]) if slot.open and not _first_end(_blank_after(text, end)) else ""
    return splice(text, *cuts, (start, end, kept))


def replace(text: str, root: Node, node: Node, value: object) -> str:
    """Put ``value`` in the place of ``node``, laid out for the line it begins on."""
    style = style_of(text, root)
    flat = not _breaks(text, node)
    return splice(text, (node.start, node.end, render(value, style, None if flat else _line_indent(text, node.start))))


def render(value: object, style: Style, indent: str | None) -> str:
    """Return JSON text; ``indent`` None gives one line, else the indentation of the line it begins on."""
    if isinstance(value, dict):
        parts = [_slot(inner, str(key), style, _deeper(style, indent)) for key, inner in value.items()]
        return _brackets("{", parts, "}", style, indent)
    if isinstance(value, list):
        parts = [render(inner, style, _deeper(style, indent)) for inner in value]
        return _brackets("[", parts, "]", style, indent)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _slot(value: object, key: str | None, style: Style, indent: str | None) -> str:
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + style.colon
    return name + render(value, style, indent)


def _deeper(style: Style, indent: str | None) -> str | None:
    return None if indent is None else indent + style.unit


def _brackets(left: str, parts: list[str], right: str, style: Style, indent: str | None) -> str:
    if not parts:
        return left + right
    if indent is None:
        return left + ("," + style.gap).join(parts) + right
    line = style.eol + indent + style.unit
    return left + line + ("," + line).join(parts) + style.eol + indent + right


def _fill(text: str, root: Node, box: Node, value: object, key: str | None, style: Style) -> str:
    """Put the first slot into an empty container; a comment inside stays before it."""
    if box is not root and not _breaks(text, root):
        indent = None
        new, end = _slot(value, key, style, indent), ""
    else:
        base = _line_indent(text, box.start)
        new = style.eol + base + style.unit + _slot(value, key, style, base + style.unit)
        end = style.eol + base
    if box.tail == box.start + 1:
        return splice(text, (box.tail, box.end - 1, new + end))
    if not new.startswith(style.eol) and box.open:
        new = style.eol + new
    return splice(text, (box.tail, box.tail, new + ("" if _breaks_at(text, box.tail, box.end) else end)))


def _unit(text: str, root: Node) -> str:
    """Return one indentation step: the first container whose first slot is indented deeper than itself."""
    for box in _containers(root):
        inner = _own_indent(text, box.slots[0].start) if box.slots else None
        outer = _line_indent(text, box.start)
        if inner is not None and inner.startswith(outer) and inner != outer:
            return inner[len(outer) :]
    return _UNIT


def _containers(node: Node) -> Iterator[Node]:
    if node.kind in ("object", "array"):
        yield node
        for slot in node.slots:
            yield from _containers(slot.value)


def _own_indent(text: str, offset: int) -> str | None:
    """Return the blanks before ``offset`` if it is the first thing on its line, else None."""
    blank = text[_line_start(text, offset) : offset]
    return None if blank.strip(" \t") else blank


def _line_indent(text: str, offset: int) -> str:
    """Return the blanks that begin the line of ``offset``."""
    line = text[_line_start(text, offset) : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_start(text: str, offset: int) -> int:
    return 1 + max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))


def _blank_after(text: str, offset: int) -> str:
    rest = text[offset:]
    return rest[: len(rest) - len(rest.lstrip(" \t\r\n"))]


def _first_end(blank: str) -> str:
    """Return the first line end in ``blank``, "" if there is none."""
    found = re.search(r"\r\n|\r|\n", blank)
    return found.group() if found else ""


def _breaks(text: str, node: Node) -> bool:
    return _breaks_at(text, node.start, node.end)


def _breaks_at(text: str, start: int, end: int) -> bool:
    return "\n" in text[start:end] or "\r" in text[start:end]
