"""Hot by layer, loaded only to explain: why each fact of a ranking stands where it stands, in the published shape."""

from __future__ import annotations

from time import gmtime, strftime

from gmhooks.recall.fuse import EFFECTIVE, POLICY, K
from gmhooks.store.days import DAY_US
from gmhooks.store.facts import everything
from gmhooks.store.ids import encode
from gmhooks.store.records import CONFIDENCES, LIVE, RETIRED
from gmhooks.store.weights import weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.recall.engine import Hit, Ranked
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Fact


def explain(
    store: Reader, ranked: Ranked, *, options_used: bool = False, smoothed: dict[int, dict[str, float]] | None = None
) -> list[dict[str, Any]]:
    """One receipt a hit, in order. `ranking` is present when search options were used or confidence weighs; `smoothed`: of
    what keyword scores are made, by fact number."""
    ns = ranked.ns
    history = ranked.hits and ns.next_doc > ns.live + ns.aliases
    replaced = _replaced(store, ranked) if history else {}
    with_ranking = options_used or ranked.confidence_weight != 0
    receipts = [
        _receipt(hit, ranked, weight(store, hit.fact.ns, hit.fact.doc) if hit.doc >= 0 else 1.0, replaced, with_ranking)
        for hit in ranked.hits
    ]
    for hit, receipt in zip(ranked.hits, receipts, strict=True):
        if smoothed and hit.doc in smoothed:
            receipt["smoothed"] = smoothed[hit.doc]
    return receipts


def written_at(created_us: int) -> str:
    """RFC 3339 in UTC, with as many decimals as the time has."""
    seconds, micros = divmod(created_us, 1_000_000)
    fraction = f".{micros:06}".rstrip("0") if micros else ""
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds)) + fraction + "Z"


def _receipt(
    hit: Hit, ranked: Ranked, left: float, replaced: dict[bytes, list[bytes]], with_ranking: bool
) -> dict[str, Any]:
    fact = hit.fact
    receipt: dict[str, Any] = {
        "text": fact.text,
        "weight": left,
        "age_days": round((ranked.now_us - fact.created_us) / DAY_US, 2),
        "ranks": {
            "vector_rank": hit.vector_rank,
            "keyword_rank": hit.keyword_rank,
            "recency_rank": hit.recency_rank,
            "fused_score": hit.base,
            "k": K,
        },
        "provenance": _provenance(fact, _supersedes(fact, replaced)) | _similar(hit, ranked),
    }
    read_as = {
        correction.typed: correction.known
        for correction in ranked.corrected
        if any(ranked.terms[at].name == correction.known_term for at in hit.matched)
    }
    if read_as:
        receipt["read_as"] = read_as
    if with_ranking:
        receipt["ranking"] = {
            "base_score": hit.base,
            "final_score": hit.final,
            "factor": hit.factor,
            "effective_confidence": EFFECTIVE[fact.confidence],
            "confidence_weight": ranked.confidence_weight,
            "policy": POLICY,
        }
    return receipt


def _provenance(fact: Fact, supersedes: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"fact_id": encode(fact.id), "written_at": written_at(fact.created_us)}
    if fact.confidence:
        found["confidence"] = CONFIDENCES[fact.confidence]
    if fact.pinned:
        found["pinned"] = True
    if supersedes:
        found["supersedes"] = supersedes
    return found


def _similar(hit: Hit, ranked: Ranked) -> dict[str, list[str]]:
    """The hits that may have replaced this one, and those that it may have replaced, though nobody said so."""
    newer = [encode(other.fact.id) for other in ranked.newer.get(hit.doc, ())]
    older = [encode(other.fact.id) for other in ranked.hits if hit in ranked.newer.get(other.doc, ())]
    found = {"possibly_superseded_by": newer, "possibly_supersedes": older}
    return {name: ids for name, ids in found.items() if ids}


def _replaced(store: Reader, ranked: Ranked) -> dict[bytes, list[bytes]]:
    """Ids of the facts that each fact of the namespace replaced directly, newest first."""
    found: dict[bytes, list[bytes]] = {}
    for fact in everything(store, ranked.ns):
        if fact.superseded_by not in (LIVE, RETIRED):
            found.setdefault(fact.superseded_by, []).append(fact.id)
    return found


def _supersedes(fact: Fact, replaced: dict[bytes, list[bytes]]) -> list[str]:
    """Every fact that this one replaced, directly or through others, nearest first."""
    seen: dict[bytes, None] = {}
    waiting = [fact.id]
    for owner in waiting:
        for victim in replaced.get(owner, ()):
            if victim not in seen and victim != fact.id:
                seen[victim] = None
                waiting.append(victim)
    return [encode(victim) for victim in seen]
