"""The state of what is stored: rules over facts, each with its threshold. Reads one store, writes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gmhooks.doctor.finding import FAIL, INFO, OK, WARN
from gmhooks.doctor.similar import pairs
from gmhooks.store.decay import outlook
from gmhooks.store.env import Store
from gmhooks.store.facts import everything, get, short_id
from gmhooks.store.namespaces import listed
from gmhooks.store.records import IMPORT, KIND_ALIAS, LIVE, RETIRED, Fact, Namespace
from gmhooks.store.touches import of, unfolded
from gmhooks.text.tokens import terms

BURST, BURST_S = 20, 60
NEAR_PRUNE = 0.05
NEAR_SAME = 0.8
MANY_SAME = 0.2
UNSEEN_DAYS = 90
SHOWN = 5
_DAY_US = 86_400_000_000
_CRITICAL = re.compile(
    r"\b(never|always|must|required?|critical|important|do not|don't|forbidden|production|security|backup|deadline)\b",
    re.IGNORECASE,
)
_NEGATION = frozenset(("not", "no", "never", "don", "dont", "without", "cannot", "cant", "isn", "aren", "doesn", "won"))
_CHANGING = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Health:
    """What one rule found: "ok", "info", "warn" or "fail", how often, evidence and what to do."""

    name: str
    status: str
    count: int
    detail: str
    hint: str = ""

    def to_json(self) -> dict[str, object]:
        """The documented keys."""
        body: dict[str, object] = {
            "name": self.name, "status": self.status, "count": self.count, "detail": self.detail,
        }  # fmt: skip
        return body | ({"hint": self.hint} if self.hint else {})


@dataclass(frozen=True, slots=True)
class _Space:
    store: Store
    ns: Namespace
    facts: list[Fact]
    now_us: int
    shown: dict[tuple[int, int], list[int]]

    @property
    def live(self) -> list[Fact]:
        """Live facts, aliases left out."""
        return [fact for fact in self.facts if fact.live and fact.kind != KIND_ALIAS]


_Rule = Callable[[_Space], list[str]]


def examine(store: Store, data_dir: str, now_us: int) -> list[Health]:
    """Every rule over every namespace."""
    shown = unfolded(data_dir)
    spaces = [_Space(store, ns, list(everything(store, ns)), now_us, shown) for ns in listed(store)]
    return [_judged(name, spaces) for name in _RULES]


def _judged(name: str, spaces: list[_Space]) -> Health:
    rule, state, calm, hint = _RULES[name]
    found = [text for space in spaces for text in rule(space)]
    if not found:
        return Health(name, OK, 0, calm)
    more = f"; and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
    return Health(name, state, len(found), "; ".join(found[:SHOWN]) + more, hint)


def _loops(space: _Space) -> list[str]:
    """Chains of successors that come back to themselves, each named once by its oldest fact."""
    by_id = {fact.id: fact for fact in space.facts}
    found = []
    settled: set[bytes] = set()
    for fact in sorted(space.facts, key=lambda each: each.id):
        chain: list[bytes] = []
        at: Fact | None = fact
        while at is not None and at.id not in settled and at.id not in chain:
            chain.append(at.id)
            at = by_id.get(at.superseded_by) if at.superseded_by not in (LIVE, RETIRED) else None
        if at is not None and at.id in chain:
            found.append(f"[{short_id(space.store, at)}] is superseded by itself in {len(chain) - chain.index(at.id)} steps")
        settled.update(chain)
    return found


def _bursts(space: _Space) -> list[str]:
    """Many facts in a minute, imports left out: somebody dumped text instead of conclusions."""
    times = sorted(fact.created_us for fact in space.live if fact.source != IMPORT)
    found, at = [], 0
    while at < len(times):
        end = at
        while end < len(times) and times[end] - times[at] <= BURST_S * 1_000_000:
            end += 1
        if end - at >= BURST:
            found.append(f"{end - at} facts of {space.ns.agent_id} within {BURST_S} s")
            at = end
        else:
            at += 1
    return found


def _fading(space: _Space) -> list[str]:
    """Facts that read as if they mattered and will soon be erased."""
    return [
        f"[{short_id(space.store, fact)}] keeps {after:.0%} of its weight"
        for fact, _, after in outlook(space.store, space.ns, space.now_us)
        if fact.live and after < NEAR_PRUNE and _CRITICAL.search(fact.text)
    ]


def _similar(space: _Space, key: Callable[[Fact], frozenset[object]], least: float) -> Iterator[tuple[Fact, Fact]]:
    live = space.live
    for one, other, _ in pairs([key(fact) for fact in live], least):
        yield live[one], live[other]


def _duplicates(space: _Space) -> list[str]:
    """Pairs that say nearly the same, where they are more than a fifth of the facts."""
    found = list(_similar(space, lambda fact: frozenset(terms(fact.text)), NEAR_SAME))
    if len({fact.doc for pair in found for fact in pair}) <= MANY_SAME * len(space.live):
        return []
    return [f"[{_name(space, one)}] and [{_name(space, other)}]" for one, other in found]


def _contradictions(space: _Space) -> list[str]:
    """Pairs that differ only in a number or a negation."""
    found = []
    for one, other in _similar(space, lambda fact: frozenset(_subject(fact.text)), 1.0):
        if _claims(one.text) != _claims(other.text):
            found.append(f"[{_name(space, one)}] and [{_name(space, other)}]")
    return found


def _subject(text: str) -> list[str]:
    kept = [word for word in terms(text) if not _CHANGING.search(word) and word not in _NEGATION]
    return kept if len(kept) > 1 else []


def _claims(text: str) -> list[str]:
    return sorted({word for word in terms(text) if _CHANGING.search(word) or word in _NEGATION})


def _unseen(space: _Space) -> list[str]:
    """Old facts that no recall ever showed."""
    before = space.now_us - UNSEEN_DAYS * _DAY_US
    return [
        f"[{_name(space, fact)}]"
        for fact in space.live
        if fact.created_us < before
        and not fact.pinned
        and not of(space.store, space.ns.number, fact.doc)[0]
        and (space.ns.number, fact.doc) not in space.shown
    ]


def _damaged(space: _Space) -> list[str]:
    """Facts whose record cannot be read."""
    held = {fact.doc for fact in space.facts}
    lost = space.ns.next_doc - space.ns.erased - len(held)
    unreadable = [doc for doc in held if get(space.store, space.ns.number, doc) is None]
    return [f"{lost + len(unreadable)} facts of {space.ns.agent_id}"] if lost > 0 or unreadable else []


def _name(space: _Space, fact: Fact) -> str:
    return short_id(space.store, fact)


_RULES: dict[str, tuple[_Rule, str, str, str]] = {
    "health.damaged": (_damaged, FAIL, "every fact can be read", "graymatter doctor --repair"),
    "health.loops": (
        _loops, FAIL, "no fact is superseded by itself",
        "graymatter forget the fact, then save it again",
    ),
    "health.bursts": (
        _bursts, WARN, f"never {BURST} facts within {BURST_S} s",
        "store conclusions, one sentence each; graymatter list shows them, graymatter forget retires them",
    ),
    "health.fading": (
        _fading, WARN, "nothing that reads important is about to fade",
        "graymatter pin ID keeps one for good",
    ),
    "health.duplicates": (
        _duplicates, WARN, f"fewer than {MANY_SAME:.0%} of the facts repeat another",
        "graymatter forget one of each pair",
    ),
    "health.contradictions": (
        _contradictions, WARN, "no two facts differ only in a number or a negation",
        "graymatter forget the one that no longer holds, or graymatter revise it",
    ),
    "health.unseen": (
        _unseen, INFO, f"every fact older than {UNSEEN_DAYS} days was shown once",
        "they fade by themselves; graymatter pin keeps one",
    ),
}  # fmt: skip
"""Name → the rule, how bad a hit is, what to say without one, what to do."""
