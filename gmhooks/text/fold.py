"""Hot, for non-ASCII text only: width, accents, invisible characters, and scripts written without spaces."""

from __future__ import annotations

from unicodedata import category, decimal, normalize

_LETTERS = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH", "ı": "i", "’": "'", "‘": "'", "ʼ": "'",
    "‐": "-", "‑": "-", "ـ": "", "ى": "ي",
}  # fmt: skip
# Scripts without spaces between words: Thai to Burmese, Khmer, kana to Han, Hangul, the Han supplements.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF), (0x3005, 0x3007),
    (0x3040, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF), (0x20000, 0x323AF),
)  # fmt: skip
_ARABIC_FRONT = ("وال", "بال", "كال", "فال", "لل", "ال")
_ARABIC_BACK = ("ها", "ان", "ات", "ون", "ين", "يه", "ية", "ه", "ة", "ي")
_CYRILLIC_STEM = 5
# Stands on both sides of every character of such a script; where two meet they vanish.
_BORDER = "\x1f"
# Spelling variants of one word: Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowels.
_ACCENTS = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x064B, 0x065F), (0x0670, 0x0670))


class _Characters(dict[int, str]):
    """A translation table that works out each character when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = category(character)
        if kind == "Cf" or _within(code, _ACCENTS):
            answer = ""
        elif character in _LETTERS:
            answer = _LETTERS[character]
        elif kind == "Nd":
            answer = str(decimal(character))
        elif character == _BORDER:
            answer = " "
        elif code < 128 or kind[0] in "LMN":
            answer = character
        else:
            answer = " "
        if answer == character and _within(code, _UNSPACED):
            answer = _BORDER + character + _BORDER
        self[code] = answer
        return answer


_characters = _Characters()


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def fold(text: str) -> str:
    """Return the text in compatibility form without accents and invisible characters; case is kept.

    Runs of a script that is written without spaces are set off by spaces.
    """
    text = normalize("NFKD", text).translate(_characters)
    return normalize("NFC", text.replace(_BORDER + _BORDER, "").replace(_BORDER, " "))


def light_stem(word: str) -> str:
    """Return a folded, casefolded word without the endings of its script: Cyrillic and Arabic are known."""
    if "\u0400" <= word[0] < "\u0530":
        return word[:_CYRILLIC_STEM]
    if "\u0620" <= word[0] < "\u0700":
        for front in _ARABIC_FRONT:
            if word.startswith(front) and len(word) > len(front) + 2:
                word = word[len(front) :]
                break
        for back in _ARABIC_BACK:
            if word.endswith(back) and len(word) > len(back) + 2:
                return word[: -len(back)]
    return word


def is_unspaced(run: str) -> bool:
    """Tell whether a run set off by `fold` belongs to a script written without spaces."""
    return _within(ord(run[0]), _UNSPACED)


def caseless(text: str) -> str:
    """Return the text in compatibility form without case."""
    for _ in range(2):
        text = normalize("NFKC", text).casefold()
    return normalize("NFKC", text)


def is_mark(character: str) -> bool:
    """Tell whether a character combines with the one before it."""
    return category(character)[0] == "M"


def compatible(text: str) -> str:
    """Return the text with full-width and other compatibility characters as plain ones."""
    return normalize("NFKC", text)
