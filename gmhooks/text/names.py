"""Hot: the terms of one chunk of text: a word, an identifier, a path, a version."""

from __future__ import annotations

from gmhooks.text.stems import stem

MAX_TERM = 64
_PATH_MARKS = frozenset("/:@")
_FIRST_UNSPACED = "\u0e00"
_EDGES = "._-/'@+#:"
_DIGITS = "0123456789"
_STOP_WORDS = (
    "a about after again all also am an and any are as at be because been before being between both but "
    "by can could did do does doing down during each few for from further had has have having he her here "
    "hers him his how i if in into is it its itself just me more most my myself of off on once only or "
    "other our ours out over own same shall she should so some such than that the their theirs them then "
    "there these they this those through to too under until up very was we were what when where which "
    "while who whom why will with would you your yours may might must e.g i.e etc"
)
NO_WORDS: frozenset[str] = frozenset()
STOP = frozenset(_STOP_WORDS.split())
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_NEGATIONS = {
    "cannot": "not", "dont": "not", "doesnt": "not", "didnt": "not", "isnt": "not", "arent": "not",
    "wasnt": "not", "werent": "not", "wont": "not", "cant": "not", "shouldnt": "not", "wouldnt": "not",
    "couldnt": "not", "hasnt": "not", "havent": "not", "hadnt": "not", "mustnt": "not",
}  # fmt: skip
# "roll back" is also "rollback", so that either spelling finds the other.
_PARTICLES = frozenset(("back", "up", "down", "out", "in", "on", "off", "over", "around"))
_PARTICLE_VERBS = frozenset(
    ("add", "back", "break", "build", "call", "check", "clean", "count", "cut", "drop", "fail", "fall", "feed",
     "follow", "hand", "hang", "hold", "kick", "lock", "log", "look", "mark", "opt", "pick", "play", "plug", "pop",
     "push", "roll", "scale", "set", "shut", "sign", "slow", "speed", "spin", "start", "take", "tear", "time",
     "trade", "turn", "warm", "work", "wrap", "write")
)  # fmt: skip


def analyse(chunk: str, found: list[str], stop: frozenset[str]) -> None:
    """Append the terms of one chunk, leaving out the words in `stop`."""
    if chunk in _PARTICLES and found and found[-1] in _PARTICLE_VERBS:
        found.append(found[-1] + chunk)
    if chunk[0] >= _FIRST_UNSPACED:
        from gmhooks.text.fold import is_unspaced

        if is_unspaced(chunk):
            found.extend([chunk[at : at + 2] for at in range(len(chunk) - 1)] or [chunk])
            return
    if not chunk.isalpha():
        chunk = _trim(chunk)
        if not chunk.isalpha():
            if chunk:
                _compound(chunk, found, stop)
            return
    lower = chunk.casefold()
    if lower == chunk or lower[1:] == chunk[1:] or chunk.isupper():
        _word(lower, found, stop)
    else:
        _compound(chunk, found, stop)


def _trim(chunk: str) -> str:
    """Drop punctuation around a chunk, except what makes it another name: .env @scope --flag C++ C#."""
    core = chunk.strip(_EDGES)
    if core.isalpha() and chunk[0] == core[0] and chunk[-1] not in "+#":
        return core
    if not core:
        return ""
    start = chunk.index(core)
    front = chunk[:start]
    back = chunk[start + len(core) :]
    if front not in (".", "@", "--"):
        front = ""
    marks = back[: len(back) - len(back.lstrip("+#"))] if len(core) < 3 or back.startswith("++") else ""
    return front + core + marks


def _word(word: str, found: list[str], stop: frozenset[str]) -> None:
    """Append the term of one casefolded word of letters."""
    if word in stop:
        return
    if word in _NEGATIONS:
        found.append("not")
    else:
        found.append((stem(word) if word.isascii() else _foreign(word))[:MAX_TERM])


def _foreign(word: str) -> str:
    from gmhooks.text.fold import light_stem

    return light_stem(word)


def _compound(chunk: str, found: list[str], stop: frozenset[str]) -> None:
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
            _word(segment.casefold(), found, stop)
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
            _word(joined, found, stop)
        elif not joined.isdigit():
            found.append(joined[:MAX_TERM])
    for part in parts:
        if len(part) > 1 or not part.isalpha():
            _cased(part, found, stop)


def _cased(word: str, found: list[str], stop: frozenset[str]) -> None:
    """Append a name of letters and digits: the whole and its camelCase and digit parts."""
    lower = word.casefold()
    if lower.isalpha():
        _word(lower, found, stop)
    else:
        found.append(lower[:MAX_TERM])
    parts = [lower] if word == lower or word.isupper() else _humps(word)
    for part in parts:
        if part.isalpha():
            if len(parts) > 1 and len(part) > 1:
                _word(part, found, stop)
            continue
        if len(parts) > 1:
            found.append(part)
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
            _word(letters, found, stop)
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
    first, _, rest = chunk.partition("'")
    ending = rest.casefold()
    if ending == "t" and first[-1:] in "nN":
        base = first[:-1].casefold()
        analyse(_NEGATED.get(base, base), found, stop)
        found.append("not")
        return
    analyse(first, found, stop)
    if ending not in ("s", "ll", "re", "ve", "m", "d", "t", ""):
        analyse(rest, found, stop)
