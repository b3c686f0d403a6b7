"""Hot, for texts that are too long: which lines a block has room for, and where a text may be cut."""

from __future__ import annotations

from gmhooks.hooks.blockfmt import FACT_CHARS, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gmhooks.hooks.blockfmt import Draft
    from gmhooks.store.records import Fact

CUT_BYTES = 200  # the least room for which a line is cut


def fit(drafts: list[tuple[str, list[Draft]]], room: int, name: Callable[[Fact], str]) -> list[tuple[str, list[Draft]]]:
    """The sections cut down to `room` bytes: lines that fit whole, one cut where 200 bytes or more are left.

    The very first line always gets in. Each section after the first may keep a quarter of the room.
    """
    fitted: list[tuple[str, list[Draft]]] = []
    quarter = room // 4
    costs = [len(heading) + 2 + sum([size(draft[0]) for draft in lines]) for heading, lines in drafts]
    for i, (heading, lines) in enumerate(drafts):
        left = room - sum([min(cost, quarter) for cost in costs[i + 1 :]]) - len(heading) - 2
        taken: list[Draft] = []
        for draft in lines:
            line = _whole(draft, name)
            if size(line) > left:
                if left < CUT_BYTES and (fitted or taken):
                    continue
                line = _cut_line(draft, name, max(left, CUT_BYTES))
            left -= size(line)
            taken.append((line, *draft[1:]))
        if taken:
            fitted.append((heading, taken))
            room -= len(heading) + 2 + sum([size(draft[0]) for draft in taken])
    return fitted


def _whole(draft: Draft, name: Callable[[Fact], str]) -> str:
    return draft[0] if len(draft[1]) <= FACT_CHARS else _cut_line(draft, name, 4 * FACT_CHARS)


def _cut_line(draft: Draft, name: Callable[[Fact], str], most: int) -> str:
    """The line cut to `most` bytes and 1,000 characters, with its id."""
    _, text, tail, fact, _ = draft
    tail += " [" + name(fact) + "]" if fact else ""
    return "- " + shorten(text, FACT_CHARS - len(tail) - 2, max(most - len(tail) - 3, 4)) + tail + "\n"


def shorten(text: str, chars: int, most: int) -> str:
    """`text` cut to `chars` characters and `most` UTF-8 bytes, the closing ellipsis included."""
    if len(text) <= chars and size(text) <= most:
        return text
    fitting = text[:chars].encode("utf-8", "replace")[: max(most - 3, 1)].decode("utf-8", "ignore")
    return cut(text, min(len(fitting), chars - 1)).rstrip() + "…"


def cut(text: str, most: int) -> str:
    """At most `most` characters of `text`, never ending inside what is seen as one character."""
    if most >= len(text):
        return text
    at = most
    while at > 0:
        flags = 0
        if "\U0001f1e6" <= text[at] <= "\U0001f1ff":
            while flags < at and "\U0001f1e6" <= text[at - 1 - flags] <= "\U0001f1ff":
                flags += 1
        if not flags & 1 and not _joins(text[at - 1], text[at]):
            return text[:at]
        at -= 1
    return text[:most]


def _joins(before: str, after: str) -> bool:
    """Whether no cut may fall between two neighbouring characters (regional pairs aside)."""
    if after < "\u0300":
        return before == "\u200d"
    a, b = ord(before), ord(after)
    if before == "\u200d" or after == "\u200d" or 0xFE00 <= b <= 0xFE0F or 0x1F3FB <= b <= 0x1F3FF:
        return True
    if 0xE0020 <= b <= 0xE01EF or 0x20D0 <= b <= 0x20F0 or 0x488 <= b <= 0x489 or 0xA670 <= b <= 0xA672:
        return True
    if 0x1160 <= b <= 0x11FF or 0xD7B0 <= b <= 0xD7FB:
        return True
    if 0x1100 <= a <= 0x115F or 0xA960 <= a <= 0xA97C:
        return 0x1100 <= b <= 0x115F or 0xA960 <= b <= 0xA97C or 0xAC00 <= b <= 0xD7A3
    # continues an identifier but cannot start one: a combining mark (digits aside)
    return ("a" + after).isidentifier() and not after.isidentifier() and not after.isdecimal()
