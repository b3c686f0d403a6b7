"""Hot: what a hook may inject. A gate on top of recall: it drops and reorders hits, it never changes their scores.

Every parameter is in this file; docs/ranking.md says how each was chosen. Three questions decide about a fact:

- Does it share a *telling* term with the prompt? Words that steer a conversation (run, fix, add, file, thanks …) do not,
  neither do single letters and numbers below 100, nor words that a good part of the facts hold.
- How much of the prompt's weight does it cover? A term weighs its rarity in the store, a steering word a fifth of that.
- Or, for long prompts: would so many rare terms meet in one fact by chance?
"""

from __future__ import annotations

from gmhooks.recall.logarithm import ln
from gmhooks.recall.merge import without_repeats
from gmhooks.store.records import CLI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.recall.engine import Hit, Ranked

SILENT, WEAK, STRONG = range(3)

# How many facts a hook asks of each namespace, and how many it may show of each per tier.
DEPTH = 4
SHOWN = (0, 1, 3)
# Share of the prompt's weight that a fact must cover.
STRONG_COVER = 0.2
WEAK_COVER = 0.1
# Weight of a steering word beside an equally rare telling one.
STEERING = 0.2
# Rarity, 0 (in every fact) to 1 (in none), below which a term tells nothing.
RARITY = 0.5
# A single matched term is strong evidence only if at most so many facts hold it.
FEW = 4
# Facts that cover less than this part of the best one's weight stay out.
NEAR_BEST = 0.55
# Rarity is judged as if the store held at least so many facts.
SMALL_STORE = 200

# As the analyzer writes them, blanks around each; one string loads faster than a set.
_STEERING_WORDS = (
    " "
    "abov add again anoth anyth as ask awesom back begin below better bit bug bye chang check clear close "
    "code come comment commit con continu convert cool copi correct creat das de del delet der describ di die "
    "differ do du edit el els en error et everyth exampl excel execut explain fail far file find fine first "
    "fix forget function generat get give go good great guess hello help here hey hi how il implement improv "
    "issu ist it job keep know la las last le les let like line link list log long look los lot make mani "
    "match me mean meant minut modifi moment more morn move much name need new next nice no nope not noth now "
    "ok okay old one open os other para part perfect plan pleas point por print problem proceed project push "
    "put que quick read redo refactor rememb remov renam repeat rerun revert review rewrit right run same say "
    "se second see seem set short shorter show si simpl someth sorri sound start step stop stuff summar "
    "summaris sure talk tell test thank that thing think this time today tri two um uma un una und understand "
    "understood undo updat use veri verifi wait want way welcom what when where whi which who work write "
    "wrong yeah yep yes you "
)


def steers(term: str) -> bool:
    """Whether a term says how to work rather than what about."""
    return f" {term} " in _STEERING_WORDS or len(term) == 1 or (len(term) == 2 and term.isdigit())


def worth_asking(terms: list[str]) -> bool:
    """Tier 0, before the store is touched: a prompt of steering words alone gets nothing."""
    return not all(map(steers, terms))


class _Prompt:
    """Weights of the prompt's terms over both namespaces together."""

    __slots__ = ("by_chance", "facts", "rarities", "tells", "total", "weights", "widths")

    def __init__(self, agent: Ranked, shared: Ranked) -> None:
        self.facts = max(agent.live + shared.live, SMALL_STORE)
        most = ln((self.facts + 1) / 0.5)
        self.tells = [not steers(term.name) for term in agent.terms]
        self.widths = [mine.df + theirs.df for mine, theirs in zip(agent.terms, shared.terms, strict=True)]
        self.rarities = [ln((self.facts + 1) / (width + 0.5)) / most for width in self.widths]
        self.weights = [
            rarity if tells else rarity * STEERING for rarity, tells in zip(self.rarities, self.tells, strict=True)
        ]
        self.total = sum(self.weights)
        known = sum([tells and width > 0 for tells, width in zip(self.tells, self.widths, strict=True)])
        self.by_chance = (ln(max(known, 1)) / most, ln(self.facts) / most)


def _judge(prompt: _Prompt, hit: Hit) -> tuple[int, float]:
    """(tier, weight covered) of one fact."""
    told = [at for at in hit.matched if prompt.tells[at]]
    rarity = sum([prompt.rarities[at] for at in told])
    if rarity < RARITY:
        return SILENT, 0.0
    weight = sum([prompt.weights[at] for at in hit.matched])
    cover = weight / prompt.total
    each, all_facts = prompt.by_chance
    if len(told) > 1 and (cover >= STRONG_COVER or rarity - each * len(told) >= all_facts):
        return STRONG, weight
    if cover >= STRONG_COVER and prompt.widths[told[0]] <= FEW:
        return STRONG, weight
    return (WEAK if cover >= WEAK_COVER else SILENT), weight


def choose(agent: Ranked, shared: Ranked) -> tuple[int, list[Hit], list[Hit]]:
    """(tier, the project's facts, shared facts) to inject. Both rankings answer the same terms, without fillers."""
    mine = own_first(agent.hits)
    theirs = own_first(without_repeats(agent.hits, shared.hits))
    prompt = _Prompt(agent, shared)
    judged = {id(hit): _judge(prompt, hit) for hit in mine + theirs}
    tier, _ = max(judged.values(), default=(SILENT, 0.0))
    floor = NEAR_BEST * max([weight for found, weight in judged.values() if found], default=0.0)

    def pick(hits: list[Hit]) -> list[Hit]:
        return [hit for hit in hits if judged[id(hit)][0] and judged[id(hit)][1] >= floor][: SHOWN[tier]]

    return tier, pick(mine), pick(theirs)


def own_first(hits: list[Hit]) -> list[Hit]:
    """Hits in order, except that among neighbours of equal keyword score those the user wrote come first."""
    ordered: list[Hit] = []
    start = 0
    while start < len(hits):
        end = start + 1
        while end < len(hits) and hits[end].keyword == hits[start].keyword:
            end += 1
        ordered += sorted(hits[start:end], key=lambda hit: hit.fact.source > CLI)
        start = end
    return ordered
