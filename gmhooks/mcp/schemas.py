"""Pieces of JSON Schema that several tools use, as plain data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

LABELS = ("verified", "inferred", "unverified")
ACTIONS = ("add", "update", "forget", "link", "pin", "unpin")
WEIGHT_TOP = 0.5
TOP_K = 8


def text(description: str = "", **more: object) -> Schema:
    """A string."""
    return {"type": "string", **({"description": description} if description else {}), **more}


def texts(description: str = "") -> Schema:
    """A list of strings."""
    return {"type": "array", "items": {"type": "string"}, **({"description": description} if description else {})}


def number(description: str = "", **more: object) -> Schema:
    """A number."""
    return {"type": "number", **({"description": description} if description else {}), **more}


def closed(properties: Schema, required: tuple[str, ...]) -> Schema:
    """An object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def rows(item: Schema) -> Schema:
    """A list of such values."""
    return {"type": "array", "items": item}


INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
LABEL: Schema = {"type": "string", "enum": list(LABELS)}

AGENT_ID = text("Whose memory: the project's agent id, or __shared__ for what concerns every agent.")
TOP = number(f"At most this many facts (default {TOP_K}).", default=TOP_K)
LEAST = text("Leave out facts below this confidence.", enum=list(LABELS))
WEIGHT = number("How much confidence moves the order, 0 (default) to 0.5.", minimum=0, maximum=WEIGHT_TOP)
CONFIDENCE = text("How well founded the fact is: you verified it, inferred it, or neither.", enum=list(LABELS))

RANKS = closed(
    {"vector_rank": INTEGER, "keyword_rank": INTEGER, "recency_rank": INTEGER, "fused_score": NUMBER, "k": INTEGER},
    ("vector_rank", "keyword_rank", "recency_rank", "fused_score", "k"),
)
PROVENANCE = closed(
    {
        "fact_id": TEXT,
        "written_at": TEXT,
        "superseded_by": TEXT,
        "confidence": TEXT,
        "pinned": BOOLEAN,
        "supersedes": rows(TEXT),
        "possibly_supersedes": rows(TEXT),
        "possibly_superseded_by": rows(TEXT),
    },
    ("fact_id", "written_at"),
)
RANKING = closed(
    {
        "base_score": NUMBER,
        "final_score": NUMBER,
        "factor": NUMBER,
        "effective_confidence": TEXT,
        "confidence_weight": NUMBER,
        "policy": TEXT,
    },
    ("base_score", "final_score", "factor", "effective_confidence", "confidence_weight", "policy"),
)
EXPLAINED = closed(
    {
        "text": TEXT,
        "weight": NUMBER,
        "age_days": NUMBER,
        "ranks": RANKS,
        "provenance": PROVENANCE,
        "kg_links": rows(TEXT),
        "ranking": RANKING,
        "read_as": {"type": "object", "additionalProperties": TEXT},
    },
    ("text", "weight", "age_days", "ranks", "provenance"),
)
RETRIEVAL = closed(
    {"min_confidence": LABEL, "confidence_weight": NUMBER, "policy": TEXT, "kg": TEXT},
    ("confidence_weight", "policy", "kg"),
)
