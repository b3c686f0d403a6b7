"""Hot: which facts a prompt calls for, before it is known which of them the session has seen."""

from __future__ import annotations

from gmhooks.recall.engine import recall
from gmhooks.recall.gate import DEPTH, STRONG, choose
from gmhooks.store.namespaces import SHARED, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gmhooks.recall.engine import Hit, Ranked
    from gmhooks.recall.spelling import Correction
    from gmhooks.store.pages import Reader
    from gmhooks.store.spool import Spooled

_MOST_SPELT = 16  # terms; longer prompts are tasks or pasted text, whose other words tell enough


def weigh(
    store: Reader, agent_id: str, query: str, terms: list[str], spooled: Sequence[Spooled], now_us: int
) -> tuple[tuple[int, list[Hit], list[Hit]], list[Ranked]]:  # fmt: skip
    """What the gate decides (see `choose`), and the rankings of the project's and of shared memory that it decides on. Words
    that neither knows are read as known ones only where the evidence is not strong without that."""
    agents = (agent_id, SHARED)
    namespaces = [find(store, owner) for owner in agents]
    for ns in namespaces:
        if ns is not None and ns.aliases:
            from gmhooks.store.aliases import expand

            terms = expand(store, ns, terms)

    def ask(terms: list[str], corrected: Sequence[Correction]) -> list[Ranked]:
        return [
            recall(
                store, ns, terms, now_us, DEPTH, fill=False, corrected=corrected,
                spooled=[item for item in spooled if item.agent_id == owner] if spooled else (),
            )
            for owner, ns in zip(agents, namespaces, strict=True)
        ]  # fmt: skip

    asked = ask(terms, ())
    unheard = len(terms) <= _MOST_SPELT and len({term.name for each in asked for term in each.terms if term.df}) < len(terms)
    if unheard:
        from gmhooks.recall.compounds import other_spellings

        more = other_spellings(store, query, asked)
        if more:
            terms = terms + more
            asked = ask(terms, ())
    found = choose(*asked)
    if unheard and found[0] < STRONG:
        from gmhooks.recall.spelling import corrections

        corrected = corrections(store, query, asked)
        if corrected:
            asked = ask(terms, corrected)
            found = choose(*asked)
    return found, asked
