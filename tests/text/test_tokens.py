"""One analyzer for writing and asking: what a text becomes, and what a prompt asks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.text import tokens
from gmhooks.text.fold import fold
from gmhooks.text.tokens import query_terms, terms

ROOT = Path(__file__).resolve().parents[2]
PRINTABLE = st.text(st.characters(min_codepoint=0, max_codepoint=127), max_size=60)


def test_plain_words_lose_stop_words_and_endings() -> None:
    assert terms("Integration tests need the staging VPN profile.") == [
        "integr", "test", "need", "stage", "vpn", "profil",
    ]  # fmt: skip


def test_terms_keep_their_order_and_repetitions() -> None:
    assert terms("cache the cache, then the log") == ["cach", "cach", "log"]


@pytest.mark.parametrize("text", ["what is the", "The Who", "to be or to be"])
def test_a_text_of_stop_words_keeps_them(text: str) -> None:
    assert terms(text)[0] == text.split()[0].lower()
    assert len(terms(text)) == len(text.split())


@pytest.mark.parametrize("text", ["", "   ", "...", "-- / ::", "\n\t", "→ ✓ 🎉"])
def test_a_text_without_a_word_has_no_terms(text: str) -> None:
    assert terms(text) == []
    assert query_terms(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("don't push", ["not", "push"]),
        ("Don’t push", ["not", "push"]),
        ("dont push", ["not", "push"]),
        ("can't push", ["not", "push"]),
        ("won't push", ["not", "push"]),
        ("cannot push", ["not", "push"]),
        ("isn't it pushed", ["not", "push"]),
        ("never push", ["never", "push"]),
        ("no push without review", ["no", "push", "without", "review"]),
    ],
)
def test_negations_stay_visible(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("integración teléfono", "integracion TELEFONO"),
        ("Straße", "strasse"),
        ("ＡＰＩ", "api"),
        ("ﬁle", "file"),
        ("pass\u200bword", "password"),
        ("cafe\u0301", "café"),
        ("user’s guide", "users guide"),
        ("the user's", "user"),
        ("٣٤ servers", "34 servers"),
        ("Проекты", "проектов"),
        ("الكتاب", "كتاب"),
        ("がぎ", "か\u3099き\u3099"),
    ],
)
def test_spellings_of_one_text_have_the_same_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("roll back", "Rollbacks are run by hand"),
        ("rollback", "To roll back, re-run the job"),
        ("roll-back", "rollBack(version)"),
        ("log in", "the login page"),
        ("utf8", "files are UTF-8"),
        ("http2", "http2_server"),
        ("user name", "getUserName"),
        ("retry count", "MAX_RETRY_COUNT=5"),
        ("token.py", "see src/auth/token.py"),
        ("v2", "api.v2.example.com"),
        ("email", "e-mail"),
        ("日本", "東京は日本の首都"),
    ],
)
def test_a_question_shares_a_term_with_the_fact(asked: str, written: str) -> None:
    assert set(query_terms(asked)) & set(terms(written))


def test_scripts_without_spaces_become_pairs() -> None:
    assert terms("日本語") == ["日本", "本語"]
    assert terms("値") == ["値"]
    assert terms("タワーは333メートル") == ["タワ", "ワー", "ーは", "333", "メー", "ート", "トル"]
    assert terms("Web検索API") == ["web", "検索", "api"]
    assert terms("한국어") == ["한국", "국어"]


def test_accents_of_scripts_that_need_them_stay() -> None:
    assert terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


@given(PRINTABLE)
def test_ascii_text_gives_the_same_terms_through_the_general_path(text: str) -> None:
    assert fold(text).translate(tokens._WORDS).split() == tokens.chunks_of(text)


@given(st.text(max_size=80))
def test_any_text_has_short_terms_and_the_question_asks_for_all_of_them(text: str) -> None:
    found = terms(text)
    assert all(0 < len(term) <= 64 for term in found)
    asked = query_terms(text)
    assert len(asked) == len(set(asked)) <= 64
    assert set(asked) <= set(found)


@given(st.lists(st.from_regex(r"[a-z]{2,6}[._-][a-z]{2,6}[0-9]?|[0-9]{1,3}(\.[0-9]{1,3}){1,3}", fullmatch=True)))
def test_whole_identifiers_survive_another_analysis(words: list[str]) -> None:
    wholes = set(words) - {word for word in words if word.isalpha()}
    assert wholes <= set(terms(" ".join(terms(" ".join(words)))))


def test_terms_do_not_depend_on_the_hash_seed() -> None:
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from gmhooks.text.tokens import query_terms as q; "
    program += (
        "print(q('getUserName, roll back 10.0.0.1:8443 no-verify integración 日本語 ' + 'word12 other-part ' * 90))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(answers) == 1


def test_a_prompt_asks_for_each_term_once_in_order() -> None:
    assert query_terms("How do I run the tests and the other tests?") == ["run", "test"]


def test_a_long_prompt_asks_for_its_first_and_last_terms() -> None:
    words = [f"w{chr(97 + number // 26)}{chr(97 + number % 26)}x" for number in range(300)]
    assert query_terms(" ".join(words), limit=10) == [*words[:5], *words[-5:]]


def test_a_short_prompt_with_many_parts_is_cut_to_the_limit_from_both_ends() -> None:
    names = " ".join(f"alpha{letter}.beta{letter}.gamma{letter}" for letter in "bcdfghjkmn")
    asked = query_terms(names, limit=8)
    every = list(dict.fromkeys(terms(names)))
    assert asked == every[:4] + every[-4:]


def test_hashes_are_left_out_of_long_prompts_only() -> None:
    commit = "3f786850e387550fdab836ed7e6dc881de23001b"
    assert query_terms(f"what is commit {commit}") == ["commit", commit]
    filler = " ".join(f"q{chr(97 + number)}z" for number in range(20))
    assert commit not in query_terms(f"{commit} {filler}", limit=10)


def test_what_lies_between_the_windows_of_a_pasted_text_is_not_read() -> None:
    text = "begin " + "x " * 5000 + "middle " + "x " * 5000 + "finish"
    assert query_terms(text) == ["begin", "x", "finish"]


@pytest.mark.parametrize("text", ["a'" * 2000, "aA" * 2000, "a-b" * 1300, "a/b." * 1000, "值" * 4000, "'" * 4000])
def test_degenerate_texts_are_analysed(text: str) -> None:
    assert all(len(term) <= 64 for term in terms(text))
    assert len(query_terms(text * 20)) <= 64


def test_ascii_text_loads_nothing_but_the_analyzer() -> None:
    program = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
before = set(sys.modules)
from gmhooks.text.tokens import query_terms, terms
terms("plain words only"); query_terms("how do I run them")
print(sorted(set(sys.modules) - before))
terms("getUserName it's 1.2.3")
print(sorted(set(sys.modules) - before))
"""
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    plain = ["__future__", "gmhooks", "gmhooks.text", "gmhooks.text.stems", "gmhooks.text.tokens", "gmhooks.text.words"]
    assert ran.stdout.splitlines() == [str(plain), str(sorted([*plain, "gmhooks.text.names"]))]


@pytest.mark.parametrize("code", range(128))
def test_each_character_of_ascii_is_part_of_a_word_or_parts_two(code: int) -> None:
    char = chr(code)
    assert tokens._WORDS[code] in (char, "/" if char == "\\" else " ")
    parts = char.isspace() or char in '\0!"$%&()*,;<=>?[]^`{|}~'
    assert (len(tokens.chunks_of(f"one{char}two")) == 2) == parts
