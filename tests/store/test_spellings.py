from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gmhooks.store import spellings
from gmhooks.store.check import verify
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import add, erase, find_equal, retire
from gmhooks.store.layout import SPELLINGS
from gmhooks.store.namespaces import ensure, find
from gmhooks.store.pages import Pages
from gmhooks.store.records import USER
from gmhooks.store.repair import repair
from gmhooks.store.spellings import fold, words
from gmhooks.store.writer import run
from tests.store.fixtures.make import path_of

NOW = 1_800_000_000_000_000
TEXTS = ("Alembic migrations run nightly", "Never run alembic by hand", "Rabbit queues are durable")


def write(folder: str, *texts: str) -> None:
    def work(store: Store) -> None:
        for text in texts:
            add(store, ensure(store, "app"), text, NOW, USER)

    run(folder, work)


def known(folder: str, letters: str, agent_id: str = "app") -> set[str]:
    """Words by these letters, read both ways."""
    store, pages = open_read(folder), Pages(f"{folder}/gray.mdb")
    try:
        found = []
        for reader in (store, pages):
            ns = find(reader, agent_id)
            assert ns is not None
            found.append(words(reader, ns, set(letters)))
    finally:
        store.close()
        pages.close()
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("folded", [False, True])
def test_the_words_of_facts_are_found_by_their_first_letter(folder: str, folded: bool) -> None:
    write(folder, *TEXTS)
    if folded:
        run(folder, fold)
    assert known(folder, "a") == {"alembic"}
    assert known(folder, "mn") == {"migrations", "nightly", "never"}
    assert known(folder, "z") == set()
    assert verify(folder) == []


def test_facts_written_after_the_last_fold_count_too(folder: str) -> None:
    write(folder, TEXTS[0])
    run(folder, fold)
    write(folder, TEXTS[2])
    assert known(folder, "rm") == {"rabbit", "migrations"}


def test_of_facts_never_folded_only_the_youngest_are_read(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spellings, "_YOUNGEST", 1)
    write(folder, *TEXTS)
    assert known(folder, "rm") == {"rabbit"}


@pytest.mark.parametrize("live", [True, False])
def test_an_erased_fact_takes_its_words_along_unless_others_hold_them(folder: str, live: bool) -> None:
    write(folder, *TEXTS)
    run(folder, fold)

    def work(store: Store) -> None:
        ns = ensure(store, "app")
        fact = find_equal(store, ns, TEXTS[0])
        assert fact is not None
        if not live:
            retire(store, ns, fact)
        erase(store, ns, fact)

    run(folder, work)
    assert known(folder, "amn") == {"alembic", "never"}
    assert verify(folder) == []


def test_a_damaged_record_is_noticed_and_a_repaired_store_has_all_words(folder: str) -> None:
    write(folder, *TEXTS)
    run(folder, fold)

    def spoil(store: Store) -> None:
        cursor = store.cursor(SPELLINGS)
        assert cursor.first()
        store.put(SPELLINGS, cursor.key(), cursor.value()[:-1] + b"?")

    run(folder, spoil)
    assert verify(folder) == ["spellings: 1 damaged"]
    assert known(folder, "a") == set()
    assert repair(folder, str(Path(folder).parent / "user")).problems == ("spellings: 1 damaged",)
    assert known(folder, "amr") == {"alembic", "migrations", "rabbit"}


def test_a_store_from_before_words_were_kept_is_read_and_gets_them(tmp_path: Path) -> None:
    shutil.copy(path_of(1), tmp_path / "gray.mdb")
    folder = str(tmp_path)
    before = known(folder, "f", "fixture")
    assert "fixture" in before
    run(folder, fold)
    assert known(folder, "f", "fixture") == before
    assert verify(folder) == []
