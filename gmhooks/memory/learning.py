"""Learning aliases from use: who asks in vain, asks again in other words and is answered, shows which words mean the same.

Off unless `learn_aliases` in hooks.conf says otherwise. A weak recall leaves one pending miss for its agent: the words that
no fact holds. The next strong recall within `MISS_US` pairs each of them with each of its own words that found something
and that the first question did not have. A pair seen `TIMES` times, never more than `PAIR_US` apart, becomes an alias.
Unless the setting is `any`, both words must begin with the same `AFFINITY` characters: two questions in a row may as well be
about two things.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile

from gmhooks.hooks.admit import Refused, admit
from gmhooks.hooks.conf import read as read_conf
from gmhooks.memory.adding import Draft
from gmhooks.memory.aliasing import add_alias, alias_text
from gmhooks.memory.feedback import is_weak, question_terms
from gmhooks.recall.engine import Ranked
from gmhooks.store.aliases import expand
from gmhooks.store.env import Store
from gmhooks.store.errors import StoreError
from gmhooks.store.facts import everything
from gmhooks.store.learning import Evidence, Miss, numbers, read, write
from gmhooks.store.namespaces import ensure
from gmhooks.store.records import CONSOLIDATION, KIND_ALIAS, Namespace
from gmhooks.text.tokens import terms

MISS_US = 10 * 60 * 1_000_000
PAIR_US = 30 * 86_400 * 1_000_000
TIMES = 2
AFFINITY = 3
MOST_WORDS = 8
MOST_PAIRS = 200
_SETTINGS = {"on": AFFINITY, "any": 0}


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one recall says: words of the question that no fact holds, that facts hold, and that a returned fact holds."""

    agent_id: str
    at_us: int
    weak: bool
    missed: tuple[str, ...]
    known: tuple[str, ...]
    found: tuple[str, ...]
    affinity: int


def lesson(store: Store, data_dir: str, ranked: Ranked, query: str) -> Lesson | None:
    """What is to be learned from a ranking of the whole namespace; None when nothing is, or nothing may be."""
    affinity = _SETTINGS.get(read_conf(data_dir).learn_aliases)
    if affinity is None or not (ranked.hits and ranked.terms and ranked.ns.number):
        return None
    words = _words(query)
    indexed = {term.name: bool(term.df or term.gains) for term in ranked.terms}
    held = {ranked.terms[at].name for hit in ranked.hits for at in hit.matched}
    missed = _chosen(word for word, term in words.items() if indexed.get(term) is False)
    known = _chosen(word for word, term in words.items() if indexed.get(term))
    found = _chosen(word for word, term in words.items() if term in held)
    weak = is_weak(ranked)
    useful = missed if weak else read(store, ranked.ns.number).miss
    owner = ranked.ns.agent_id
    return Lesson(owner, ranked.now_us, weak, missed, known, found, affinity) if useful else None


def take_in(taught: Lesson | None, change: Callable[[Callable[[Store], None]], None]) -> None:
    """Learn by a write that does not wait."""
    if taught is None:
        return
    try:
        change(lambda store: learn(store, taught))
    except StoreError:
        # A store that cannot be written at this moment costs the lesson, never the answer.
        return


def learn(store: Store, taught: Lesson) -> None:
    """Keep a miss, or pair what was missed before with what is found now; what was seen often enough becomes an alias
    (write)."""
    ns = ensure(store, taught.agent_id)
    evidence = _fresh(read(store, ns.number), taught.at_us)
    if taught.weak:
        evidence.miss = Miss(taught.at_us, taught.missed, taught.known)
    elif evidence.miss is not None:
        for pair in pairs(evidence.miss, taught.found, taught.affinity):
            seen = evidence.pairs.get(pair, (0, 0))[0] + 1
            evidence.pairs[pair] = seen, taught.at_us
            if seen >= TIMES:
                del evidence.pairs[pair]
                _promote(store, ns, pair, taught.at_us)
        evidence.miss = None
    newest = sorted(evidence.pairs.items(), key=lambda each: (-each[1][1], each[0]))[:MOST_PAIRS]
    write(store, ns.number, Evidence(evidence.miss, dict(newest)))


def prune(store: Store, now_us: int) -> None:
    """Drop what came too long ago, in every namespace (write)."""
    for number in numbers(store):
        write(store, number, _fresh(read(store, number), now_us))


def move(store: Store, old: Namespace, new: Namespace) -> None:
    """Give the evidence of one namespace to another, which keeps its own pending miss (write)."""
    mine, theirs = read(store, new.number), read(store, old.number)
    write(store, new.number, Evidence(mine.miss or theirs.miss, theirs.pairs | mine.pairs))
    write(store, old.number, Evidence())


def pairs(miss: Miss, found: Iterable[str], affinity: int) -> list[tuple[str, str]]:
    """(missed word, found word) that may mean the same."""
    fresh = [word for word in found if word not in miss.known and word not in miss.missed]
    return [(missed, word) for missed in miss.missed for word in fresh if _alike(missed, word) >= affinity]


def _alike(one: str, other: str) -> int:
    """Length of the common beginning."""
    return sum(1 for _ in takewhile(lambda each: each[0] == each[1], zip(one, other, strict=False)))


def _fresh(evidence: Evidence, now_us: int) -> Evidence:
    miss = evidence.miss if evidence.miss is not None and now_us - evidence.miss.at_us <= MISS_US else None
    recent = {pair: seen for pair, seen in evidence.pairs.items() if now_us - seen[1] <= PAIR_US}
    return Evidence(miss, recent)


def _words(query: str) -> dict[str, str]:
    """The words of a question that are one term each and say what it is about, with that term; none of a question that
    could not be stored, for example because it holds a secret."""
    try:
        text = admit(query).text
    except Refused:
        return {}
    words = {}
    for written in text.split():
        word = written.strip(".,;:!?()[]{}\"'`").casefold()
        made = terms(word)
        if len(made) == 1 and made[0] not in question_terms() and not any(mark in word for mark in "=,"):
            words[word] = made[0]
    return words


def _chosen(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(words)[:MOST_WORDS]


def _promote(store: Store, ns: Namespace, pair: tuple[str, str], now_us: int) -> None:
    """Store a learned alias, unless there is one already or somebody has forgotten it."""
    text = alias_text(pair[0], [pair[1]])
    if terms(pair[1])[0] in expand(store, ns, terms(pair[0])):
        return
    if any(fact.kind == KIND_ALIAS and fact.text == text for fact in everything(store, ns)):
        return
    add_alias(store, Draft(ns.agent_id, text, CONSOLIDATION, 0, now_us))
