from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gmhooks.store import learning
from gmhooks.store.check import verify
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import add
from gmhooks.store.layout import META
from gmhooks.store.learning import Evidence, Miss
from gmhooks.store.namespaces import ensure
from gmhooks.store.records import USER
from gmhooks.store.repair import repair
from gmhooks.store.writer import run

NOW = 1_800_000_000_000_000
SOME = Evidence(Miss(NOW, ("authn",), ("flow",)), {("authn", "authentication"): (1, NOW)})

words = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
times = st.integers(0, 1 << 62)
evidence = st.builds(
    Evidence,
    st.none() | st.builds(Miss, times, st.lists(words, max_size=3).map(tuple), st.lists(words, max_size=3).map(tuple)),
    st.dictionaries(st.tuples(words, words), st.tuples(st.integers(1, 9), times), max_size=4),
)


def look(folder: str, what: Callable[[Store], object]) -> object:
    store = open_read(folder)
    try:
        return what(store)
    finally:
        store.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=evidence, number=st.integers(1, (1 << 32) - 1))
def test_what_is_written_is_read_again_and_only_there(shared_folder: str, kept: Evidence, number: int) -> None:
    run(shared_folder, lambda store: learning.write(store, number, kept))
    assert look(shared_folder, lambda store: learning.read(store, number)) == kept
    assert look(shared_folder, lambda store: learning.read(store, number ^ 1)) == Evidence()
    assert look(shared_folder, learning.numbers) == ([number] if kept != Evidence() else [])
    run(shared_folder, lambda store: learning.drop(store, number))
    assert look(shared_folder, learning.numbers) == []


def test_a_damaged_record_counts_as_none_and_the_check_names_it(folder: str) -> None:
    def work(store: Store) -> None:
        learning.write(store, 1, SOME)
        key = learning.PREFIX + (2).to_bytes(4, "big")
        store.put(META, key, b"\1 no record")

    run(folder, work)
    assert verify(folder) == ["learning: 1 damaged"]
    assert look(folder, lambda store: learning.read(store, 2)) == Evidence()
    run(folder, lambda store: learning.drop(store, 2))
    assert verify(folder) == []


def test_a_repair_keeps_the_evidence(folder: str, user_dir: str) -> None:
    def work(store: Store) -> None:
        add(store, ensure(store, "app"), "a fact", NOW, USER)
        learning.write(store, 1, SOME)
        store.put(META, learning.PREFIX + (2).to_bytes(4, "big"), b"\1 no record")

    run(folder, work)
    assert repair(folder, user_dir).problems == ("learning: 1 damaged",)
    assert look(folder, lambda store: learning.read(store, 1)) == SOME
    assert look(folder, learning.numbers) == [1]
