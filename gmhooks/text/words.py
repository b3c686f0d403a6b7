"""Hot: the terms of one chunk of text that is a plain word; anything else goes on to `names`."""

from __future__ import annotations

from gmhooks.text.stems import stem

MAX_TERM = 64
_FIRST_UNSPACED = "\u0e00"
_EDGES = "._-/'@+#:"
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
_NOT_WORDS = "cannot dont doesnt didnt isnt arent wasnt werent wont cant shouldnt wouldnt couldnt hasnt havent hadnt"
_NEGATIONS = frozenset(_NOT_WORDS.split())
# "roll back" is also "rollback", so that either spelling finds the other.
PARTICLES = frozenset(("back", "up", "down", "out", "in", "on", "off", "over", "around"))
_VERB_WORDS = (
    "add back break build call check clean count cut drop fail fall feed follow hand hang hold kick lock log look mark "
    "opt pick play plug pop push roll scale set shut sign slow speed spin start take tear time trade turn warm work "
    "wrap write"
)
PARTICLE_VERBS = frozenset(_VERB_WORDS.split())


def analyse(chunk: str, found: list[str], stop: frozenset[str]) -> None:
    """Append the terms of one chunk, leaving out the words in `stop`."""
    if chunk in PARTICLES and found and found[-1] in PARTICLE_VERBS:
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
                _name(chunk, found, stop)
            return
    lower = chunk.casefold()
    if lower == chunk or lower[1:] == chunk[1:] or chunk.isupper():
        word_term(lower, found, stop)
    else:
        _name(chunk, found, stop)


def _name(chunk: str, found: list[str], stop: frozenset[str]) -> None:
    from gmhooks.text.names import compound

    compound(chunk, found, stop)


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


def word_term(word: str, found: list[str], stop: frozenset[str]) -> None:
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
