"""Hot: several rankings into one list: a project's own and its shared memory, or the queries of a batch."""

from __future__ import annotations

from gmhooks.recall.fuse import K

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.recall.engine import Hit

_ABSENT = 1 << 60


def without_repeats(hits: list[Hit], others: list[Hit]) -> list[Hit]:
    """`others` without the texts that `hits` hold."""
    texts = {hit.fact.text for hit in hits}
    return [hit for hit in others if hit.fact.text not in texts]


def recall_all(agent: list[Hit], shared: list[Hit], top_k: int) -> list[Hit]:
    """The best `top_k` texts of two rankings, fused by 1/(60 + position); a text in both adds up and is the agent's.

    Facts that match come first; fillers are fused only after the last of them, and add nothing to a match. Ties: agent facts
    first, then by agent position, shared facts, shared position, text.
    """
    found: dict[str, Hit] = {}
    matches: dict[str, list[int]] = {}
    fillers: dict[str, list[int]] = {}
    for scope, hits in enumerate((agent, shared)):
        for position, hit in enumerate(hits, 1):
            text = hit.fact.text
            found.setdefault(text, hit)
            places = matches if hit.keyword_rank or hit.vector_rank else fillers
            places.setdefault(text, [_ABSENT, _ABSENT])[scope] = position
    order = [*_fused(matches), *[text for text in _fused(fillers) if text not in matches]]
    return [found[text] for text in order[: max(top_k, 0)]]


def _fused(places: dict[str, list[int]]) -> list[str]:
    def key(text: str) -> tuple[float, int, int, str]:
        score = sum([1.0 / (K + position) for position in places[text] if position != _ABSENT])
        return (-score, *places[text], text)  # type: ignore[return-value]

    return sorted(places, key=key)


def batch(rankings: list[list[Hit]]) -> list[Hit]:
    """Distinct texts of several queries' rankings: best rank anywhere, then number of queries hit, then first seen."""
    best: dict[str, int] = {}
    times: dict[str, int] = {}
    found: dict[str, Hit] = {}
    for hits in rankings:
        for position, hit in enumerate(hits):
            text = hit.fact.text
            best[text] = min(best.get(text, _ABSENT), position)
            times[text] = times.get(text, 0) + 1
            found.setdefault(text, hit)
    return [found[text] for text in sorted(found, key=lambda text: (best[text], -times[text]))]
