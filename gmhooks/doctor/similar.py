"""Pairs of sets that are nearly the same, without comparing every set with every other.

Two sets of Jaccard similarity t or more share at least one of the rarest few members of each, so only sets that meet there
are compared. Exact, and near-linear in the total size unless most sets are alike."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence


def pairs(sets: Sequence[frozenset[Hashable]], least: float) -> list[tuple[int, int, float]]:
    """(earlier, later, Jaccard) of every pair with at least ``least`` (above 0), in order; empty sets match nothing."""
    counts = Counter(member for each in sets for member in each)
    rank = {member: at for at, member in enumerate(sorted(counts, key=lambda member: (counts[member], repr(member))))}
    index: dict[Hashable, list[int]] = defaultdict(list)
    found = []
    for later, each in enumerate(sets):
        shared_at_least = math.ceil(least * len(each) - 1e-9)
        rare = sorted(each, key=lambda member: rank[member])[: len(each) - shared_at_least + 1]
        met = {earlier for member in rare for earlier in index[member]}
        for earlier in sorted(met):
            shared = len(each & sets[earlier])
            value = shared / (len(each) + len(sets[earlier]) - shared)
            if value >= least:
                found.append((earlier, later, value))
        for member in rare:
            index[member].append(later)
    return sorted(found)
