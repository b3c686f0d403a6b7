"""What the prompt hook would show a new session for a prompt, and why: its own code, up to the printed block."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from gmhooks.hooks.blockfmt import MEMORY, SHARED_MEMORY, block
from gmhooks.hooks.choice import weigh
from gmhooks.hooks.conf import Conf
from gmhooks.hooks.grammar import strip_wrappers
from gmhooks.hooks.packet import repack
from gmhooks.hooks.prompt import MOST_TERMS
from gmhooks.recall.engine import Hit, Ranked
from gmhooks.recall.gate import FEW, NEAR_BEST, RARITY, SILENT, STRONG_COVER, WEAK_COVER, Prompt, judge, worth_asking
from gmhooks.store.env import Store
from gmhooks.store.facts import short_id
from gmhooks.store.namespaces import SHARED
from gmhooks.store.spool import pending
from gmhooks.text.tokens import query_terms

TIERS = ("silent", "weak", "strong")
THRESHOLDS = {
    "rarity": RARITY, "weak_cover": WEAK_COVER, "strong_cover": STRONG_COVER, "near_best": NEAR_BEST, "few": FEW,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TermSeen:
    """One term of the prompt: in how many facts of both namespaces it is, its rarity (0 in all, 1 in none), and whether it
    tells what the prompt is about; `typed` when another word was typed."""

    term: str
    df: int
    rarity: float
    tells: bool
    typed: str | None


@dataclass(frozen=True, slots=True)
class FactSeen:
    """One fact that was looked at: its tier by itself, the share of the prompt's weight it covers, whether it is shown."""

    text: str
    shared: bool
    tier: str
    cover: float
    keyword_rank: int
    terms: tuple[str, ...]
    shown: bool


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """`block` is what would be printed, "" for nothing; `reason` says why in a sentence."""

    block: str
    tier: str
    reason: str
    terms: tuple[TermSeen, ...] = ()
    facts: tuple[FactSeen, ...] = ()

    def payload(self) -> dict[str, object]:
        """As a JSON object, with the thresholds."""
        return {**asdict(self), "thresholds": dict(THRESHOLDS)}


def rehearse(store: Store | None, data_dir: str, agent_id: str, prompt: str, conf: Conf, now_us: int) -> Rehearsed:
    """Run the hook's choice for a prompt. Nothing counts as shown."""
    if not (conf.inject and conf.prompt_budget):
        return Rehearsed("", TIERS[SILENT], "injecting is switched off")
    query = strip_wrappers(prompt)
    terms = query_terms(query, MOST_TERMS)
    if not worth_asking(terms):
        return Rehearsed("", TIERS[SILENT], "every word of the prompt says how to work, none what about")
    if store is None:
        return Rehearsed("", TIERS[SILENT], "nothing is stored yet")
    (tier, *chosen), asked = weigh(store, agent_id, query, terms, pending(data_dir), now_us)
    if tier and conf.packet_policy != "native":
        chosen, _ = repack(store, query, asked, chosen)
    shown = [hits[: conf.top_k] for hits in chosen]
    text, _ = block(
        agent_id, store.identity.secret,
        [
            (heading, [(hit.fact.text, hit.fact.source, hit.fact, number) for number, hit in enumerate(hits)])
            for heading, hits in zip((MEMORY, SHARED_MEMORY), shown, strict=True)
        ],
        conf.prompt_budget, lambda fact: short_id(store, fact),
    )  # fmt: skip
    seen = Prompt(*asked)
    facts = tuple(
        _fact(seen, ranked, hit, hit.doc in {other.doc for other in picked})
        for ranked, picked in zip(asked, shown, strict=True)
        for hit in {hit.doc: hit for hit in (*ranked.hits, *picked)}.values()
    )
    return Rehearsed(text, TIERS[tier], _reason(tier, facts), _terms(seen, *asked), facts)


def _reason(tier: int, facts: tuple[FactSeen, ...]) -> str:
    if tier != SILENT:
        count = sum(fact.shown for fact in facts)
        return f"the evidence is {TIERS[tier]}: {count} of {len(facts)} facts looked at are shown"
    if not facts:
        return "no fact holds a word of the prompt"
    return "the words that facts share with the prompt are too common, or too small a part of it"


def _terms(seen: Prompt, agent: Ranked, shared: Ranked) -> tuple[TermSeen, ...]:
    typed = {correction.known_term: correction.typed for correction in agent.corrected}
    rows = zip(agent.terms, shared.terms, seen.rarities, seen.tells, strict=True)
    return tuple(
        TermSeen(mine.name, mine.df + theirs.df, round(rarity, 3), tells, typed.get(mine.name))
        for mine, theirs, rarity, tells in rows
    )


def _fact(seen: Prompt, ranked: Ranked, hit: Hit, shown: bool) -> FactSeen:
    tier, weight = judge(seen, hit)
    return FactSeen(
        hit.fact.text, ranked.ns.agent_id == SHARED, TIERS[tier], round(weight / seen.total, 3), hit.keyword_rank,
        tuple(ranked.terms[at].name for at in hit.matched), shown,
    )  # fmt: skip
