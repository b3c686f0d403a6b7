"""Cold: what was not recalled for long weighs less, and what weighs next to nothing goes.

weight = min(weight, exp(-ln 2 / half-life * hours since the last recall)); a fact that was never recalled counts from its
creation. Below 0.01, after 6.64 half-lives, a fact may be erased: by `graymatter consolidate`, never by work that nobody
asked for. Pinned facts and aliases are left alone.
"""

from __future__ import annotations

from math import exp, log

from gmhooks.store.days import day
from gmhooks.store.facts import erase, everything
from gmhooks.store.meta import bump, counter
from gmhooks.store.namespaces import listed
from gmhooks.store.records import KIND_ALIAS
from gmhooks.store.touches import of
from gmhooks.store.weights import set_weight, weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact, Namespace

HALF_LIFE_H = 720.0
FLOOR = 0.01
_HOUR_US = 3_600_000_000
_SETTLED = "settled_day"


def decayed(before: float, idle_us: int, half_life_h: float = HALF_LIFE_H) -> float:
    """What is left of a weight after that long without a recall; a time in the future changes nothing."""
    return min(before, exp(-log(2) / half_life_h * max(idle_us, 0) / _HOUR_US))


def outlook(
    store: Store, ns: Namespace, now_us: int, half_life_h: float = HALF_LIFE_H
) -> Iterator[tuple[Fact, float, float]]:
    """(fact, weight now, weight after consolidation) of every fact that may decay, retired ones too."""
    for fact in everything(store, ns):
        if not fact.pinned and fact.kind != KIND_ALIAS:
            last_us = max(fact.created_us, of(store, ns.number, fact.doc)[1])
            before = weight(store, ns.number, fact.doc)
            yield fact, before, decayed(before, now_us - last_us, half_life_h)


def settle_daily(store: Store, now_us: int) -> int:
    """Decay, once a UTC day: every fact is written again, too much work for each session that ends. Erases nothing; how many
    facts weigh less now (write)."""
    today = day(now_us)
    since = today - counter(store, _SETTLED)
    if not since:
        return 0
    bump(store, _SETTLED, since)
    return sum(settle_one(store, ns, now_us, prune=False)[0] for ns in listed(store))


def settle_one(
    store: Store, ns: Namespace, now_us: int, half_life_h: float = HALF_LIFE_H, *, prune: bool = True
) -> tuple[int, list[Fact]]:
    """Decay and prune one namespace; (facts that weigh less now, facts that were erased) (write)."""
    lighter = 0
    pruned = []
    for fact, before, after in list(outlook(store, ns, now_us, half_life_h)):
        if after < FLOOR and prune:
            pruned.append(fact)
            erase(store, ns, fact)
        elif after < before:
            lighter += 1
            set_weight(store, ns.number, fact.doc, after)
    return lighter, pruned
