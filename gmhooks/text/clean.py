"""Hot: what a text looks like when it is stored, and when two texts are the same."""

from __future__ import annotations

MAX_MARKS = 8
_ASCII = dict.fromkeys([*range(9), *range(14, 32), 127])
_ASCII[11] = _ASCII[12] = 10
_LINE_ENDS = "\v\f\x85\u2028\u2029"
_ZWNJ, _ZWJ, _VS15, _VS16, _KEYCAP = "\u200c", "\u200d", "\ufe0e", "\ufe0f", "\u20e3"
_CONTEXTUAL = frozenset((_ZWNJ, _ZWJ, _VS15, _VS16))
# Controls, fillers, soft hyphen, bidi controls, invisible operators, variation selectors, noncharacters, tags.
_DROPPED = (
    (0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160),
    (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200B), (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xFDD0, 0xFDEF), (0xFE00, 0xFE0D), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Scripts whose letters join or stack, where ZWJ and ZWNJ change the reading.
_JOINING = (
    (0x0600, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x18AF), (0x1900, 0x1CFF), (0xA800, 0xA9FF), (0xAA60, 0xABFF),
    (0xFB50, 0xFDCF), (0xFE70, 0xFEFC), (0x10A00, 0x11FFF), (0x1E900, 0x1E95F),
)  # fmt: skip
_EMOJI = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2190, 0x21FF), (0x2300, 0x23FF), (0x24C2, 0x24C2), (0x25A0, 0x27BF), (0x2900, 0x297F), (0x2B00, 0x2BFF),
    (0x3030, 0x3030), (0x303D, 0x303D), (0x3297, 0x3299), (0x1F000, 0x1FAFF),
)  # fmt: skip


class _Stored(dict[int, str]):
    """A translation table that works out each character when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in _LINE_ENDS:
            answer = "\n"
        elif 0xD800 <= code < 0xE000:
            answer = "\ufffd"
        elif code == 0x2800:
            answer = " "
        else:
            answer = "" if (code & 0xFFFE) == 0xFFFE or _within(code, _DROPPED) else character
        self[code] = answer
        return answer


_stored = _Stored()


def clean(text: str) -> tuple[str, bool]:
    """Return the text as it is stored, and whether invisible characters were removed.

    Line ends become `\\n`, surrogates U+FFFD, outer blanks go. Controls, bidi controls, tags, fillers and
    zero-width characters go, except joiners and variation selectors where a script or an emoji needs them.
    """
    if text.isascii():
        if text.isprintable():
            return text.strip(), False
        lines = _line_ends(text)
        kept = lines.translate(_ASCII)
    else:
        lines = _line_ends(text)
        kept = _in_context(lines.translate(_stored))
    return kept.strip(), len(kept) < len(lines)


def equal_key(text: str) -> str:
    """Return a key that is the same for texts that differ only in case, width, blanks or a final full stop."""
    if text.isascii():
        return " ".join(text.lower().split()).rstrip(" .")
    from gmhooks.text.fold import caseless

    return " ".join(caseless(text).split()).rstrip(" .。")


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    for first, last in ranges:
        if code <= last:
            return code >= first
    return False


def _in_context(text: str) -> str:
    """Drop joiners and selectors that join or select nothing, and combining marks beyond eight."""
    if _CONTEXTUAL.isdisjoint(text) and not _may_stack(text):
        return text
    from gmhooks.text.fold import is_mark

    kept: list[str] = []
    marks = 0
    for at, character in enumerate(text):
        if character in (_ZWJ, _ZWNJ):
            following = text[at + 1 : at + 2]
            if not kept or not following or not _joins(kept, character, following):
                continue
            if marks >= MAX_MARKS and is_mark(following):
                continue
        elif character in (_VS15, _VS16):
            if not kept or not _selectable(kept[-1], text[at + 1 : at + 2]):
                continue
        elif is_mark(character):
            marks += 1
            if marks > MAX_MARKS:
                continue
        else:
            marks = 0
        kept.append(character)
    return "".join(kept)


def _may_stack(text: str) -> bool:
    """Tell whether the text could hold more combining marks in a row than allowed."""
    run = 0
    for character in text:
        if character < "\u0300" or character.isalnum():
            run = 0
        else:
            run += 1
            if run > MAX_MARKS:
                return True
    return False


def _joins(kept: list[str], joiner: str, following: str) -> bool:
    before = kept[-1]
    if _within(ord(before), _JOINING):
        return _within(ord(following), _JOINING)
    if before == _VS16 and len(kept) > 1:
        before = kept[-2]
    return joiner == _ZWJ and _within(ord(before), _EMOJI) and _within(ord(following), _EMOJI)


def _selectable(before: str, following: str) -> bool:
    return _within(ord(before), _EMOJI) or (before in "#*0123456789" and following == _KEYCAP)
