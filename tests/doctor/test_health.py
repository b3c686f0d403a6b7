"""Rules over stored facts: each finds what was planted and nothing in a sound store (F058)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gmhooks.doctor.health import examine
from gmhooks.memory.access import changing, reading
from gmhooks.memory.api import Memory
from gmhooks.store.env import Store
from gmhooks.store.facts import add, retire
from gmhooks.store.namespaces import ensure
from gmhooks.store.records import CLI, IMPORT, Namespace
from gmhooks.store.weights import set_weight

NOW = 1_800_000_000_000_000
DAY = 86_400_000_000


def plant(memory: Memory, work: Callable[[Store, Namespace], object]) -> None:
    changing(memory.data_dir, memory.user_dir, lambda store: work(store, ensure(store, "app")))


def hits(memory: Memory, now_us: int = NOW) -> dict[str, tuple[str, int]]:
    with reading(memory.data_dir, memory.user_dir) as store:
        assert store is not None
        return {each.name: (each.status, each.count) for each in examine(store, memory.data_dir, now_us) if each.count}


def test_a_sound_store_has_no_hit(memory: Memory) -> None:
    def work(store: Store, ns: Namespace) -> None:
        for n, text in enumerate(["Never deploy on Friday", "The port of staging is 8080", "Tests need the VPN"]):
            add(store, ns, text, NOW - n * DAY, CLI)

    plant(memory, work)
    assert hits(memory) == {}


def test_a_loop_of_successors_fails_and_is_named_once(memory: Memory) -> None:
    def work(store: Store, ns: Namespace) -> None:
        one, two, three = (add(store, ns, text, NOW, CLI) for text in ("first", "second", "third"))
        retire(store, ns, one, two.id)
        retire(store, ns, two, one.id)
        retire(store, ns, three, one.id)

    plant(memory, work)
    assert hits(memory) == {"health.loops": ("fail", 1)}


def test_a_burst_is_seen_unless_it_was_an_import(memory: Memory) -> None:
    def work(source: int, first: int) -> Callable[[Store, Namespace], None]:
        def put(store: Store, ns: Namespace) -> None:
            for n in range(20):
                add(store, ns, f"unlike {first + n} {'abcdefghijklmnopqrst'[n] * 4}", NOW, source)

        return put

    plant(memory, work(IMPORT, 0))
    assert "health.bursts" not in hits(memory)
    plant(memory, work(CLI, 100))
    assert hits(memory)["health.bursts"] == ("warn", 1)


def test_an_important_fact_about_to_fade_is_named(memory: Memory) -> None:
    def work(store: Store, ns: Namespace) -> None:
        for text in ("Never restart the database during a backup", "The logo is blue"):
            fact = add(store, ns, text, NOW, CLI)
            set_weight(store, ns.number, fact.doc, 0.03)

    plant(memory, work)
    assert hits(memory) == {"health.fading": ("warn", 1)}


def test_facts_that_repeat_each_other_count_once_they_are_many(memory: Memory) -> None:
    def work(store: Store, ns: Namespace) -> None:
        add(store, ns, "Integration tests need the staging profile of the VPN client", NOW, CLI)
        add(store, ns, "The integration tests need the staging profile of the VPN clients", NOW, CLI)

    plant(memory, work)
    assert hits(memory) == {"health.duplicates": ("warn", 1)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port of the staging server is 8080", "The port of the staging server is 9090"),
        ("Deploys on Friday are allowed", "Deploys on Friday are not allowed"),
    ],
)
def test_facts_that_differ_in_a_number_or_a_negation_contradict(memory: Memory, one: str, other: str) -> None:
    plant(memory, lambda store, ns: [add(store, ns, text, NOW, CLI) for text in (one, other)])

    assert hits(memory)["health.contradictions"] == ("warn", 1)


def test_an_old_fact_that_was_never_shown_is_told(memory: Memory) -> None:
    plant(memory, lambda store, ns: add(store, ns, "Old and unseen", NOW - 100 * DAY, CLI))
    plant(memory, lambda store, ns: add(store, ns, "Fresh", NOW, CLI))

    assert hits(memory) == {"health.unseen": ("info", 1)}
