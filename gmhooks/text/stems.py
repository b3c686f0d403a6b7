"""Hot: English stems by the Porter2 algorithm, for lower-case ASCII words."""

from __future__ import annotations

_VOWELS = "aeiouy"
_CONSONANTS = "bcdfghjklmnpqrstvwxzY"
_WHOLE = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli",
    "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
    "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
_LETTERS = "abcdefghijklmnopqrstuvwxyzY"
# By the last letter of a word that is not its own stem: what may stand before it.
_ENDS = {
    "s": _LETTERS, "e": _LETTERS, "y": _LETTERS, "i": _LETTERS, "d": "e", "g": "n", "r": "eo", "n": "o", "l": "alu",
    "t": "ns", "c": "i", "m": "s",
}  # fmt: skip
_FIXED_R1 = {
    "gene": "gener", "comm": "commun", "arse": "arsen", "past": "past", "univ": "univers", "late": "later",
    "emer": "emerg", "orga": "organ", "inte": "inter",
}  # fmt: skip
_KEEP_ING = ("inn", "out", "cann", "herr", "earr", "even")
_KEEP_EED = ("proc", "exc", "succ")
# Endings by their last two letters, longest first, and what takes their place.
_STEP2 = {
    "al": (("ational", "ate"), ("tional", "tion")),
    "ci": (("enci", "ence"), ("anci", "ance")),
    "er": (("izer", "ize"),),
    "gi": (("ogi", "og"),),
    "li": (
        ("lessli", "less"), ("entli", "ent"), ("ousli", "ous"), ("fulli", "ful"), ("abli", "able"), ("alli", "al"),
        ("bli", "ble"), ("li", ""),
    ),
    "on": (("ization", "ize"), ("ation", "ate")),
    "or": (("ator", "ate"),),
    "sm": (("alism", "al"),),
    "ss": (("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive")),
    "st": (("ogist", "og"),),
    "ti": (("biliti", "ble"), ("aliti", "al"), ("iviti", "ive")),
}  # fmt: skip
_BEFORE = {"ogi": "l", "li": "cdeghkmnrt"}
_STEP3 = {
    "al": (("ational", "ate"), ("tional", "tion"), ("ical", "ic")),
    "ss": (("ness", ""),),
    "te": (("icate", "ic"),),
    "ti": (("iciti", "ic"),),
    "ul": (("ful", ""),),
    "ve": (("ative", ""),),
    "ze": (("alize", "al"),),
}
_STEP4 = {
    "al": ("al",), "ce": ("ance", "ence"), "er": ("er",), "ic": ("ic",), "le": ("able", "ible"),
    "nt": ("ement", "ment", "ent", "ant"), "on": ("ion",), "sm": ("ism",), "te": ("ate",), "ti": ("iti",),
    "us": ("ous",), "ve": ("ive",), "ze": ("ize",),
}  # fmt: skip
_MEMO_LIMIT = 8192
_memo: dict[str, str] = {}


def stem(word: str) -> str:
    """Return the Porter2 stem of a word made of a–z only; words of one or two letters stay."""
    known = _memo.get(word)
    if known is None:
        if len(_memo) >= _MEMO_LIMIT:
            _memo.clear()
        known = _memo[word] = _stem(word)
    return known


def _stem(word: str) -> str:
    if len(word) < 3 or word[-2] not in _ENDS.get(word[-1], ""):
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    if "y" in word:
        word = _mark_consonant_y(word)
    whole = word
    rest = word.lstrip(_CONSONANTS)
    vowel = len(word) - len(rest)
    last = word[-1]
    if last == "s" or (last == "d" and word[-3] == "i"):
        word = _plural(word, vowel)
        last = word[-1]
        if word[-2] not in _ENDS.get(last, ""):
            return word.lower()
    r1 = _region(whole, rest)
    if last in "dgy":
        word = _past_and_ing(word, vowel, r1)
        if word[-1] == "y" and len(word) > 2 and word[-2] not in _VOWELS:
            word = word[:-1] + "i"
        if word[-2:-1] not in _ENDS.get(word[-1], ""):
            return word.lower()
    if len(word) > r1:
        r2 = r1 + _after_vowel_group(whole[r1:])
        word = _final(_derived(word, r1, r2), r1, r2)
    return word.lower()


def _mark_consonant_y(word: str) -> str:
    """Write a y that begins the word or follows a vowel as Y."""
    letters = list(word)
    for index, letter in enumerate(letters):
        if letter == "y" and (not index or letters[index - 1] in _VOWELS):
            letters[index] = "Y"
    return "".join(letters)


def _region(word: str, rest: str) -> int:
    """Return where the region R1 begins; `rest` is the word from its first vowel on."""
    fixed = _FIXED_R1.get(word[:4])
    if fixed is not None and word.startswith(fixed):
        return len(fixed)
    rest = rest.lstrip(_VOWELS)
    return len(word) - len(rest) + 1 if rest else len(word)


def _after_vowel_group(part: str) -> int:
    """Return the index behind the first consonant that follows a vowel, or the length."""
    rest = part.lstrip(_CONSONANTS).lstrip(_VOWELS)
    return len(part) - len(rest) + 1 if rest else len(part)


def _short_end(part: str) -> bool:
    """Tell whether the part ends in a short syllable."""
    size = len(part)
    if size < 2 or part[-1] in _VOWELS or part[-2] not in _VOWELS:
        return part.endswith("past")
    return size == 2 or (part[-1] not in "wxY" and part[-3] not in _VOWELS)


def _plural(word: str, vowel: int) -> str:
    """Drop -s, and the end of -ied; `vowel`: where the first one is."""
    before = word[-2]
    if before == "e":
        if word[-3] == "i":
            return word[:-2] if len(word) > 4 else word[:-1]
        if word[-4:] == "sses":
            return word[:-2]
    if before in "us" or vowel >= len(word) - 2:
        return word
    return word[:-1]


def _past_and_ing(word: str, vowel: int, r1: int) -> str:
    """Drop -ed, -ing and their adverbs, and mend what is left."""
    base = word[:-2] if word[-2:] == "ly" else word
    ending = base[-3:]
    if ending == "eed":
        if len(base) - 3 >= r1 and base[:-3] not in _KEEP_EED:
            return base[:-1]
        return word
    if ending == "ing":
        part = base[:-3]
        if base is word:
            if part in _KEEP_ING:
                return word
            if len(part) == 2 and part[1] == "y" and part[0] not in _VOWELS:
                return part[0] + "ie"
    elif ending[1:] == "ed":
        part = base[:-2]
    else:
        return word
    if vowel >= len(part):
        return word
    if part[-2:] in ("at", "bl", "iz"):
        return part + "e"
    if part[-1] in "bdfgmnprt" and part[-2:-1] == part[-1]:
        return part if len(part) == 3 and part[0] in "aeo" else part[:-1]
    return part + "e" if len(part) <= r1 and _short_end(part) else part


def _derived(word: str, r1: int, r2: int) -> str:
    """Reduce derivational endings: -ization, -fulness, -ical, -ative and the like."""
    for ending, mended in _STEP2.get(word[-2:], ()):
        if word.endswith(ending):
            size = len(word) - len(ending)
            if size >= r1 and (ending not in _BEFORE or word[size - 1] in _BEFORE[ending]):
                word = word[:size] + mended
            break
    for ending, mended in _STEP3.get(word[-2:], ()):
        if word.endswith(ending):
            size = len(word) - len(ending)
            if size >= (r2 if ending == "ative" else r1):
                word = word[:size] + mended
            break
    return word


def _final(word: str, r1: int, r2: int) -> str:
    """Drop the last endings: -ance, -ment, -ion and the like, final e, double l."""
    if len(word) > r2:
        for ending in _STEP4.get(word[-2:], ()):
            if word.endswith(ending):
                size = len(word) - len(ending)
                if size >= r2 and (ending != "ion" or word[size - 1] in "st"):
                    word = word[:size]
                break
    if word[-1] == "e":
        start = len(word) - 1
        if start >= r2 or (start >= r1 and not _short_end(word[:-1])):
            return word[:-1]
    elif len(word) > r2 and word[-1] == word[-2] == "l":
        return word[:-1]
    return word
