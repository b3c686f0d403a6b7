"""Hot: English stems by the Porter2 algorithm, for lower-case ASCII words."""

from __future__ import annotations

_VOWELS = "aeiouy"
_CONSONANTS = "bcdfghjklmnpqrstvwxzY"
_WHOLE = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli",
    "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
    "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}  # fmt: skip
_FIXED_R1 = ("gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter")
_KEEP_ING = ("inn", "out", "cann", "herr", "earr", "even")
_KEEP_EED = ("proc", "exc", "succ")
_STEP2 = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize",
    "ization": "ize", "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al",
    "alli": "al", "fulness": "ful", "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive",
    "biliti": "ble", "bli": "ble", "ogi": "og", "ogist": "og", "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
_LETTERS = "abcdefghijklmnopqrstuvwxyzY"
_BEFORE = {"ogi": "l", "li": "cdeghkmnrt"}
_STEP3 = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic",
    "ful": "", "ness": "", "ative": "",
}  # fmt: skip
_STEP4 = frozenset(
    ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ism", "ate", "iti",
     "ous", "ive", "ize", "ion")
)  # fmt: skip
_ENDS2, _ENDS3, _ENDS4 = tuple(_STEP2), tuple(_STEP3), tuple(_STEP4)
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
    if len(word) < 3:
        return word
    if word in _WHOLE:
        return _WHOLE[word]
    if "y" in word:
        word = _mark_consonant_y(word)
    r1, r2 = _regions(word)
    if word[-1] == "s" or word.endswith("ied"):
        word = _plural(word)
    word = _past_and_ing(word, r1)
    if word[-1] in "yY" and len(word) > 2 and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    size = len(word)
    if size > r1:
        if size - r1 > 1:
            word = _derived(word, r1, r2)
        word = _final(word, r1, r2)
    return word.lower()


def _mark_consonant_y(word: str) -> str:
    """Write a y that begins the word or follows a vowel as Y."""
    letters = list(word)
    for index, letter in enumerate(letters):
        if letter == "y" and (not index or letters[index - 1] in _VOWELS):
            letters[index] = "Y"
    return "".join(letters)


def _after_vowel_group(word: str) -> int:
    """Return the index behind the first consonant that follows a vowel, or the length."""
    rest = word.lstrip(_CONSONANTS).lstrip(_VOWELS)
    return len(word) - len(rest) + 1 if rest else len(word)


def _regions(word: str) -> tuple[int, int]:
    """Return where the regions R1 and R2 begin."""
    r1 = 0
    if word.startswith(_FIXED_R1):
        for prefix in _FIXED_R1:
            if word.startswith(prefix):
                r1 = len(prefix)
    else:
        r1 = _after_vowel_group(word)
    return r1, r1 + _after_vowel_group(word[r1:])


def _has_vowel(part: str) -> bool:
    return bool(part.lstrip(_CONSONANTS))


def _short_end(part: str) -> bool:
    """Tell whether the part ends in a short syllable."""
    size = len(part)
    if size < 2 or part[-1] in _VOWELS or part[-2] not in _VOWELS:
        return part.endswith("past")
    return size == 2 or (part[-1] not in "wxY" and part[-3] not in _VOWELS)


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ies", "ied")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word[-2] in "us" or not _has_vowel(word[:-2]):
        return word
    return word[:-1]


def _past_and_ing(word: str, r1: int) -> str:
    """Drop -ed, -ing and their adverbs, and mend what is left."""
    base = word[:-2] if word.endswith("ly") else word
    if base.endswith("eed"):
        if len(base) - 3 >= r1 and base[:-3] not in _KEEP_EED:
            return base[:-1]
        return word
    if base.endswith("ing"):
        part = base[:-3]
        if base is word:
            if part in _KEEP_ING:
                return word
            if len(part) == 2 and part[1] == "y" and part[0] not in _VOWELS:
                return part[0] + "ie"
    elif base.endswith("ed"):
        part = base[:-2]
    else:
        return word
    if not _has_vowel(part):
        return word
    if part.endswith(("at", "bl", "iz")):
        return part + "e"
    if part[-1] in "bdfgmnprt" and part[-2:-1] == part[-1]:
        return part if len(part) == 3 and part[0] in "aeo" else part[:-1]
    return part + "e" if len(part) <= r1 and _short_end(part) else part


def _ending(word: str, table: dict[str, str] | frozenset[str]) -> str:
    """Return the longest ending of the word that the table holds; it holds one, of at most 7 letters."""
    ending = word[-7:]
    while ending not in table:
        ending = ending[1:]
    return ending


def _derived(word: str, r1: int, r2: int) -> str:
    """Reduce derivational endings: -ization, -fulness, -ical, -ative and the like."""
    if word.endswith(_ENDS2):
        ending = _ending(word, _STEP2)
        if len(word) - len(ending) >= r1:
            before = word[-len(ending) - 1 : -len(ending)]
            if before in _BEFORE.get(ending, _LETTERS):
                word = word[: -len(ending)] + _STEP2[ending]
    if word.endswith(_ENDS3):
        ending = _ending(word, _STEP3)
        if len(word) - len(ending) >= (r2 if ending == "ative" else r1):
            word = word[: -len(ending)] + _STEP3[ending]
    return word


def _final(word: str, r1: int, r2: int) -> str:
    """Drop the last endings: -ance, -ment, -ion and the like, final e, double l."""
    if len(word) > r2 and word.endswith(_ENDS4):
        ending = _ending(word, _STEP4)
        rest = word[: -len(ending)]
        if len(rest) >= r2 and (ending != "ion" or rest[-1:] in ("s", "t")):
            word = rest
    if word[-1] == "e":
        start = len(word) - 1
        if start >= r2 or (start >= r1 and not _short_end(word[:-1])):
            return word[:-1]
    elif word[-2:] == "ll" and len(word) > r2:
        return word[:-1]
    return word
