"""The stems are those of the published English algorithm, judged by an independent implementation."""

from __future__ import annotations

import sysconfig
from itertools import product
from pathlib import Path

import pytest

from gmhooks.text import stems
from gmhooks.text.stems import stem

_LETTERS = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalpha()})
_ENDINGS = (
    "", "s", "es", "ed", "ing", "ingly", "edly", "ly", "y", "ies", "ied", "er", "est", "ness", "fulness", "ousness",
    "ful", "fully", "less", "lessly", "al", "ally", "ational", "ation", "ator", "alism", "ality", "izer", "ize",
    "ization", "ive", "iveness", "ivity", "able", "ably", "ability", "ible", "ous", "ously", "ement", "ment",
    "ent", "ently", "ence", "ance", "ency", "ancy", "ic", "ical", "icate", "icity", "ative", "ism", "ity", "ion",
    "eed", "eedly", "ogy", "ogist", "li", "e", "l", "ll",
)  # fmt: skip
_STEMS = (
    "add", "egg", "hop", "hope", "past", "cast", "gener", "commun", "arsen", "univers", "later", "emerg", "organ",
    "inter", "proc", "exc", "succ", "inn", "out", "cann", "herr", "earr", "even", "d", "l", "t", "sk", "idl", "gentl",
    "ugl", "earl", "onl", "singl", "new", "how", "atla", "cosmo", "bia", "ande", "y", "ye", "sa", "boy", "toy", "enjo",
    "play", "bl", "at", "iz", "fall", "roll", "tax", "show", "creat", "nat", "rat", "relat", "condit", "valen",
    "digit", "oper", "feud", "decis", "form", "sens", "trip", "electr", "adjust", "irrit", "repl", "cont", "fr",
)  # fmt: skip


def _words_of_installed_packages() -> set[str]:
    """Words of the texts that come with every Python: the sources of the standard library."""
    found: set[str] = set()
    library = Path(sysconfig.get_paths()["stdlib"])
    for file in sorted([*library.glob("*.py"), *library.glob("*/*.py")]):
        text = file.read_text("utf-8", "ignore").lower()
        found.update(word for word in text.translate(_LETTERS).split() if word.isascii() and word.isalpha())
        if len(found) > 60_000:
            break
    return found


def test_every_stem_equals_the_reference_implementation() -> None:
    reference = pytest.importorskip("Stemmer", reason="PyStemmer is not installed").Stemmer("english")
    natural = sorted(_words_of_installed_packages())
    built = {first + ending for first in _STEMS + tuple(natural[:: len(natural) // 600 + 1]) for ending in _ENDINGS}
    short = {"".join(letters) + end for letters in product("aeinsdlyt", repeat=3) for end in ("", "s", "ed", "ing")}
    words = sorted({*natural, *built, *short})
    assert len(words) >= 30_000
    wrong = [(word, stem(word), reference.stemWord(word)) for word in words if stem(word) != reference.stemWord(word)]
    assert wrong == []


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("rollbacks", "rollback"),
        ("dying", "die"),
        ("added", "add"),
        ("paste", "paste"),
        ("past", "past"),
        ("proceed", "proceed"),
        ("is", "is"),
        ("generically", "generic"),
    ],
)
def test_words_known_to_be_delicate(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_a_full_memory_of_stems_is_emptied_and_gives_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stems, "_MEMO_LIMIT", 2)
    monkeypatch.setattr(stems, "_memo", {})
    words = ["tests", "running", "tables", "tests", "running"]
    assert [stem(word) for word in words] == ["test", "run", "tabl", "test", "run"]
    assert len(stems._memo) <= 2
