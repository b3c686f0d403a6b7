"""The text that goes with each structured answer: one sanitised line a fact, in the same order."""

from __future__ import annotations

from gmhooks.hooks.tame import tame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gmhooks.memory.searching import Found

_EXEMPT = "it is exempt from decay, pruning and summaries, and session starts show it first"


def line(text: str) -> str:
    """A stored text as one line that can neither steer a terminal nor imitate structure."""
    return tame(text)[0]


def numbered(texts: list[str] | tuple[str, ...]) -> list[str]:
    """`1. …` lines."""
    return [f"{position}. {line(text)}" for position, text in enumerate(texts, 1)]


def searched(agent_id: str, query: str, found: Found) -> str:
    """Facts, or receipts, of one search."""
    if not found.texts:
        said = [f"No memories found for agent {line(agent_id)!r} and query {line(query)[:200]!r}."]
    else:
        said = [f"Found {len(found.texts)} for agent {line(agent_id)!r}:"]
    if found.receipts:
        for position, receipt in enumerate(found.receipts, 1):
            said += _receipt(position, receipt)
    else:
        said += numbered(found.texts)
    if found.feedback:
        said.append(found.feedback)
    return "\n".join(said + policy(found.retrieval))


def _receipt(position: int, receipt: dict[str, Any]) -> list[str]:
    ranks, origin = receipt["ranks"], receipt["provenance"]
    said = [
        f"{position}. {line(receipt['text'])}",
        f"   score {ranks['fused_score']:.4f} (vector rank {ranks['vector_rank']}, keyword rank {ranks['keyword_rank']}, "
        f"recency rank {ranks['recency_rank']}, k {ranks['k']}), weight {receipt['weight']:.3f}, "
        f"age {receipt['age_days']:.1f} d, written {origin['written_at'][:10]}",
        f"   fact_id {origin['fact_id']}",
    ]
    said += [f"   read {typed} as {known}" for typed, known in receipt.get("read_as", {}).items()]
    ranking = receipt.get("ranking")
    if ranking:
        said.append(
            f"   final score {ranking['final_score']:.8f} = {ranking['base_score']:.8f} x {ranking['factor']:.4f} "
            f"(confidence {ranking['effective_confidence']})"
        )
    if origin.get("supersedes"):
        ids = ", ".join(origin["supersedes"])
        said.append(f"   supersedes {len(origin['supersedes'])} earlier version(s): {ids}")
    for name in ("possibly_supersedes", "possibly_superseded_by"):
        if origin.get(name):
            said.append(f"   {name.replace('_', ' ')}: {', '.join(origin[name])}")
    return said


def policy(retrieval: dict[str, object] | None) -> list[str]:
    """The confidence options that took part, as one line."""
    if retrieval is None:
        return []
    return ["retrieval: " + ", ".join(f"{name} {value}" for name, value in retrieval.items())]


def searched_all(agent_id: str, merged: list[str], rows: list[dict[str, Any]], retrieval: dict[str, object] | None) -> str:
    """Facts of several questions: merged, then each question with the positions of its facts."""
    places = {text: position for position, text in enumerate(merged, 1)}
    said = [f"Found {len(merged)} for agent {line(agent_id)!r} in {len(rows)} queries:", *numbered(merged)]
    for row in rows:
        numbers = ", ".join(str(places[text]) for text in row["facts"])
        said.append(f"- {line(row['query'])[:200]}: {row.get('error') or numbers or 'nothing'}")
    return "\n".join(said + policy(retrieval))


def reflected(action: str, agent_id: str, texts: list[str], new: str = "") -> str:
    """What a correction did."""
    whose = f"agent {line(agent_id)!r}"
    shown = "; ".join(line(text)[:200] for text in texts)
    if action == "add":
        return f"Remembered for {whose}: {line(new)[:200]}"
    if action == "update":
        return f"Updated for {whose}: {shown} -> {line(new)[:200]}"
    if action == "forget":
        return f"Forgotten for {whose}: {shown}"
    if action == "link":
        return f"Linked for {whose}: {shown}"
    return f"Pinned for {whose}: {shown}; {_EXEMPT}" if action == "pin" else f"Unpinned for {whose}: {shown}"
