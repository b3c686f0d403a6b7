"""Hot: reciprocal rank fusion and the confidence factor, as published: receipts reproduce every score from ranks."""

from __future__ import annotations

K = 60
VECTOR = 1.0
KEYWORD = 1.0
RECENCY = 0.5

POLICY = "confidence-v1"
EFFECTIVE = ("inferred", "unverified", "inferred", "verified")
_STEP = (0.0, -1.0, 0.0, 1.0)
_UNBOUNDED = 1 << 60
_SLACK = 1e-12


def base(vector_rank: int, keyword_rank: int, recency_rank: int) -> float:
    """Fused score of three 1-based ranks; rank 0 = signal absent."""
    total = VECTOR / (K + vector_rank) if vector_rank else 0.0
    if keyword_rank:
        total += KEYWORD / (K + keyword_rank)
    return total + RECENCY / (K + recency_rank) if recency_rank else total


def factor(confidence: int, weight: float) -> float:
    """1 + weight·c with c = -1 unverified, 0 inferred or unlabelled, +1 verified."""
    return 1.0 + weight * _STEP[confidence]


def level(confidence: int) -> int:
    """Effective level of a stored confidence: 0 unverified, 1 inferred or unlabelled, 2 verified."""
    return int(_STEP[confidence]) + 1


def reach(count: int, buckets: int) -> int:
    """The last keyword rank that can still be among the `count` best.

    The fact at keyword rank `count` has at least KEYWORD/(K+count) + RECENCY/(K+buckets); a fact further down gains at most
    RECENCY/(K+1) from its age.
    """
    least = KEYWORD / (K + count) + RECENCY / (K + buckets) - RECENCY / (K + 1) - _SLACK
    return int(KEYWORD / least) - K if least > 0 else _UNBOUNDED
