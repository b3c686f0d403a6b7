"""Hot: the terms of a name made of parts: an identifier, a path, a version, a word with an apostrophe."""

from __future__ import annotations

from gmhooks.text.words import MAX_TERM, analyse, word_term

_PATH_MARKS = frozenset("/:@")
_DIGITS = "0123456789"
_ENDINGS = ("s", "t", "ll", "re", "ve", "m", "d")
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}


def compound(chunk: str, found: list[str], stop: frozenset[str]) -> None:
    """Append the terms of a name made of parts: the whole, its segments and their parts."""
    if "'" in chunk:
        _apostrophe(chunk, found, stop)
        return
    segments = [chunk]
    if not _PATH_MARKS.isdisjoint(chunk):
        segments = chunk.replace(":", "/").replace("@", "/").split("/")
        found.append(chunk.casefold()[:MAX_TERM])
    for segment in segments:
        segment = segment.strip("-_+#") if len(segments) > 1 else segment
        if segment.isalpha() and (segment.islower() or segment[1:].islower() or segment.isupper()):
            word_term(segment.casefold(), found, stop)
        elif segment:
            _segment(segment, found, stop)


def _segment(segment: str, found: list[str], stop: frozenset[str]) -> None:
    """Append a name without slashes: the whole, the joined form of two parts, and the parts."""
    pieces = segment
    for mark in "._-+#":
        if mark in pieces:
            pieces = pieces.replace(mark, " ")
    parts = pieces.split()
    if len(parts) == 1 and parts[0] == segment:
        _cased(segment, found, stop)
        return
    lower = segment.casefold()
    if lower in stop:
        return
    found.append(lower[:MAX_TERM])
    if len(parts) == 2 and "." not in segment:
        joined = "".join(parts).casefold()
        if joined.isalpha():
            word_term(joined, found, stop)
        elif not joined.isdigit():
            found.append(joined[:MAX_TERM])
    for part in parts:
        if len(part) > 1 or not part.isalpha():
            _cased(part, found, stop)


def _cased(word: str, found: list[str], stop: frozenset[str]) -> None:
    """Append a name of letters and digits: the whole and its camelCase and digit parts."""
    lower = word.casefold()
    if lower.isalpha():
        word_term(lower, found, stop)
    else:
        found.append(lower[:MAX_TERM])
    parts = [lower] if word == lower or word.isupper() else _humps(word)
    for part in parts:
        if part.isalpha():
            if len(parts) > 1 and len(part) > 1:
                word_term(part, found, stop)
            continue
        if len(parts) > 1:
            found.append(part[:MAX_TERM])
        _digit_parts(part, found, stop)


def _digit_parts(part: str, found: list[str], stop: frozenset[str]) -> None:
    """Append letters and digits of http2, v2, 10ms; anything more mixed is an id and stays whole."""
    letters = part.rstrip(_DIGITS)
    digits = part[len(letters) :]
    if not digits:
        letters = part.lstrip(_DIGITS)
        digits = part[: len(part) - len(letters)]
    if digits and letters.isalpha():
        if len(letters) > 1:
            word_term(letters, found, stop)
        found.append(digits[:MAX_TERM])


def _humps(word: str) -> list[str]:
    """Return the casefolded parts of a camelCase word: HTTPServer2 is http and server2."""
    parts = []
    start = 0
    last = len(word) - 1
    for at in range(1, len(word)):
        if word[at].isupper() and (not word[at - 1].isupper() or (at < last and word[at + 1].islower())):
            parts.append(word[start:at].casefold())
            start = at
    parts.append(word[start:].casefold())
    return parts


def _apostrophe(chunk: str, found: list[str], stop: frozenset[str]) -> None:
    """Append the terms around apostrophes: a possessive is dropped, a contracted not is kept."""
    pieces = chunk.split("'")
    for at, piece in enumerate(pieces):
        if piece[-1:] in ("n", "N") and pieces[at + 1 : at + 2] in (["t"], ["T"]):
            base = piece[:-1].casefold()
            if base:
                analyse(_NEGATED.get(base, base), found, stop)
            found.append("not")
        elif piece and not (at and piece.casefold() in _ENDINGS):
            analyse(piece, found, stop)
