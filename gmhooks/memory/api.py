"""The library: save, find and correct the facts of one store. Every call opens the store, does its work and closes it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from types import TracebackType

from gmhooks.hooks.admit import Admitted, admit
from gmhooks.hooks.route import for_cli
from gmhooks.hooks.targets import retire_all
from gmhooks.memory.access import changing, reading, require_usable
from gmhooks.memory.adding import Draft
from gmhooks.memory.agents import checked_agent_id
from gmhooks.memory.aliasing import add_alias, alias_text
from gmhooks.memory.clock import clock_us
from gmhooks.memory.correcting import require_pinnable, update
from gmhooks.memory.guarded import save_guarded
from gmhooks.memory.learning import take_in
from gmhooks.memory.listing import list_facts
from gmhooks.memory.options import RecallOptions, WriteOptions
from gmhooks.memory.outcomes import Revised, Undone
from gmhooks.memory.places import user_dir as default_user_dir
from gmhooks.memory.ranking import TOP_K, Question, ask_both, ask_many, ask_one
from gmhooks.memory.survey import survey
from gmhooks.memory.targets import find_targets
from gmhooks.memory.undoing import bring_back, newer_save, undo
from gmhooks.memory.upkeep import Upkeep
from gmhooks.memory.views import Batch, FactView, Overview, Recalled, Remembered, view
from gmhooks.store.env import Store, translate
from gmhooks.store.errors import StoreDenied, StoreError, StoreFull
from gmhooks.store.facts import pin, short_id
from gmhooks.store.forgotten import note as note_forgotten
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import SHARED
from gmhooks.store.records import SOURCES, Fact, Namespace

OnPut = Callable[[Remembered], object]
OnRecall = Callable[[str, str, int, float], object]

_OUTCOMES = {"saved": "stored"}
_NOTES = {
    "invisible_removed": "Invisible characters were removed before saving.",
    "private_removed": "The parts marked <private> were not saved.",
}


class Memory(Upkeep):
    """The facts in one data directory.

    Every method may raise StoreError (missing, untrusted, damaged, newer, busy, full, denied: see its `code`), and
    ValueError for an argument that can never be right. Nothing stays open between calls, so one object may be kept.
    `on_put` is called with every fact that a call saved; `on_recall` with the agent id, the question, the number of facts
    found and the seconds it took. What they raise reaches the caller; the save or recall has happened then.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str],
        user_dir: str | os.PathLike[str],
        *,
        on_put: OnPut | None = None,
        on_recall: OnRecall | None = None,
    ) -> None:
        self.data_dir = os.path.abspath(data_dir)
        self.user_dir = os.path.abspath(user_dir)
        self._on_put = on_put
        self._on_recall = on_recall

    @classmethod
    def of_project(
        cls,
        folder: str | os.PathLike[str] = ".",
        *,
        on_put: OnPut | None = None,
        on_recall: OnRecall | None = None,
    ) -> Memory:
        """The memory of the project that a folder belongs to, found as the command line finds it. RouteError if none may."""
        route = for_cli(os.path.abspath(folder), None)
        return cls(route.data_dir, default_user_dir(os.environ), on_put=on_put, on_recall=on_recall)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to do: no call leaves anything open. Here so that callers may treat it like any resource."""

    def remember(
        self,
        agent_id: str,
        text: str,
        *,
        shared: bool = False,
        confidence: str | None = None,
        source: str = "cli",
        options: WriteOptions | None = None,
    ) -> Remembered:
        """Save one fact durably. Refused (with its code) for an empty, too long or secret text. `options` stand for the
        single ones."""
        wanted = options or WriteOptions(confidence, shared, source)
        owner = SHARED if wanted.shared else checked_agent_id(agent_id)
        admitted = admit(text)
        require_usable(self.data_dir, self.user_dir)
        entry = (owner, admitted.text, SOURCES.index(wanted.source), wanted.level)
        try:
            saved = save_guarded(self.data_dir, [entry], clock_us(), self.user_dir)[0]
        except OSError as error:
            raise _not_saved(error, self.data_dir) from None
        outcome = _OUTCOMES.get(saved.outcome, saved.outcome)
        put = Remembered(
            outcome, encode(saved.id), saved.short_id, owner, admitted.text, _notes(admitted), saved.reason
        )
        if self._on_put is not None and outcome != "duplicate":
            self._on_put(put)
        return put

    def recall(
        self,
        agent_id: str,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
        options: RecallOptions | None = None,
    ) -> Recalled:
        """Up to `top_k` facts (0 or less: 8) of one agent, best first; an empty query gives the newest. `options` stand for
        the single ones."""
        wanted = options or RecallOptions(top_k, min_confidence, confidence_weight)
        return self._ask(checked_agent_id(agent_id), query, wanted, receipts=False)

    def recall_shared(
        self,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
        options: RecallOptions | None = None,
    ) -> Recalled:
        """Like recall, over the facts every agent shares."""
        wanted = options or RecallOptions(top_k, min_confidence, confidence_weight)
        return self._ask(SHARED, query, wanted, receipts=False)

    def recall_all(
        self,
        agent_id: str,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
        options: RecallOptions | None = None,
    ) -> Recalled:
        """Like recall, over the agent's and the shared facts, fused by rank."""
        wanted = options or RecallOptions(top_k, min_confidence, confidence_weight)
        owner, began = checked_agent_id(agent_id), monotonic()
        with reading(self.data_dir, self.user_dir) as store:
            found = ask_both(store, self.data_dir, owner, _question(query, wanted))
        self._tell(owner, query, len(found.facts), began)
        return found

    def recall_explain(
        self,
        agent_id: str,
        query: str,
        top_k: int = TOP_K,
        *,
        min_confidence: str | None = None,
        confidence_weight: float | None = None,
        options: RecallOptions | None = None,
    ) -> Recalled:
        """Like recall, with one receipt a fact: ranks, scores, factor, provenance."""
        wanted = options or RecallOptions(top_k, min_confidence, confidence_weight)
        return self._ask(checked_agent_id(agent_id), query, wanted, receipts=True)

    def recall_batch(self, agent_id: str, queries: Sequence[str], options: RecallOptions | None = None) -> Batch:
        """The facts of several questions: each question's own, and all of them merged by their best position."""
        wanted = options or RecallOptions()
        owner, began = checked_agent_id(agent_id), monotonic()
        with reading(self.data_dir, self.user_dir) as store:
            found = ask_many(store, self.data_dir, owner, [_question(query, wanted) for query in queries])
        for query, facts in zip(queries, found.per_query, strict=True):
            self._tell(owner, query, len(facts), began)
        return found

    def revise(
        self,
        target: str,
        text: str,
        agent_ids: Sequence[str],
        *,
        ids_anywhere: bool = False,
        options: WriteOptions | None = None,
    ) -> Revised:
        """Replace the fact that `target` means (found as `forget` finds it) by a new text, in one transaction. Without a
        confidence the new fact gets the weakest of the old ones, at most inferred; it is never pinned. AliasMeant when
        a fact would replace an alias."""
        wanted, admitted, now = options or WriteOptions(), admit(text), clock_us()

        def work(store: Store) -> Revised:
            ns, facts = find_targets(store, target, agent_ids, ids_anywhere=ids_anywhere)
            named = {fact.id: short_id(store, fact) for fact in facts}
            draft = Draft(ns.agent_id, admitted.text, SOURCES.index(wanted.source), wanted.level, now)
            first_new = ns.next_doc
            made, old = update(store, encode(facts[0].id), draft)
            if made.doc < first_new:  # it was there before: no save that `undo` could find
                note_forgotten(store, ns, old, now)
            replaced = tuple(view(fact, ns.agent_id, named.get(fact.id, encode(fact.id))) for fact in old)
            return Revised(view(made, ns.agent_id, short_id(store, made)), replaced, _notes(admitted))

        done = changing(self.data_dir, self.user_dir, work)
        if self._on_put is not None:
            fact = done.fact
            self._on_put(Remembered("stored", fact.id, fact.short_id, fact.agent_id, fact.text, done.notes))
        return done

    def forget(self, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool = False) -> Sequence[FactView]:
        """Retire the fact that `target` (id, whole text, text as shown) means in the first of these namespaces that has
        it, with every copy of its text; `ids_anywhere`: an id counts in any namespace. NotFound or Ambiguous."""
        now = clock_us()

        def work(store: Store) -> list[FactView]:
            ns, facts = find_targets(store, target, agent_ids, ids_anywhere=ids_anywhere)
            names = [short_id(store, fact) for fact in facts]
            retire_all(store, ns, facts)
            note_forgotten(store, ns, facts, now)
            return [view(fact, ns.agent_id, name) for fact, name in zip(facts, names, strict=True)]

        return changing(self.data_dir, self.user_dir, work)

    def undo(self, agent_ids: Sequence[str] | None = None) -> Undone:
        """Take back the last save by prompt or command line in these namespaces or (None) in all; what it had replaced
        lives again. If `forget` came after it, that is taken back instead. NotFound when there is neither, or when the
        save was retired or revised since."""

        def seen(store: Store, ns: Namespace, fact: Fact) -> FactView:
            return view(fact, ns.agent_id, short_id(store, fact))

        def work(store: Store) -> Undone:
            found = bring_back(store, agent_ids)
            if found is not None:
                ns, facts = found
                return Undone(None, tuple(seen(store, ns, fact) for fact in facts))
            newer = newer_save(store, agent_ids)
            ns, fact, restored = undo(store, agent_ids)
            back = tuple(seen(store, ns, old) for old in restored)
            return Undone(seen(store, ns, fact), back, seen(store, *newer) if newer else None)

        return changing(self.data_dir, self.user_dir, work)

    def pin(self, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool = False, on: bool = True) -> FactView:
        """Pin (or unpin) the fact that `target` means, found as `forget` finds it."""
        return self.set_pin(target, agent_ids, ids_anywhere=ids_anywhere, on=on)[0]

    def set_pin(
        self, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool = False, on: bool = True
    ) -> tuple[FactView, bool]:
        """Like pin; also whether that changed anything."""
        when = clock_us() if on else 0

        def work(store: Store) -> tuple[FactView, bool]:
            ns, facts = find_targets(store, target, agent_ids, ids_anywhere=ids_anywhere)
            require_pinnable(facts[0])
            changed = facts[0].pinned != on
            if on or changed:
                pin(store, facts[0], when)
            return view(facts[0], ns.agent_id, short_id(store, facts[0])), changed

        return changing(self.data_dir, self.user_dir, work)

    def alias(self, agent_id: str, term: str, equivalents: Sequence[str], *, source: str = "cli") -> FactView:
        """Let questions with `term` also find facts with the equivalent words, and the other way when both are one word."""
        words = [word.strip() for word in equivalents if word.strip()]
        if not term.strip() or not words:
            raise ValueError("an alias needs a term and at least one equivalent")
        if any(mark in term + "".join(words) for mark in "=,"):
            raise ValueError("a term or equivalent holds no = and no comma")
        admitted = admit(alias_text(term, words))
        draft = Draft(checked_agent_id(agent_id), admitted.text, SOURCES.index(source), 0, clock_us())

        def work(store: Store) -> FactView:
            made = add_alias(store, draft)
            return view(made, draft.agent_id, short_id(store, made))

        return changing(self.data_dir, self.user_dir, work)

    def aliases(self, agent_id: str) -> Sequence[FactView]:
        """Live aliases of an agent, newest first."""
        with reading(self.data_dir, self.user_dir) as store:
            return list_facts(store, self.data_dir, checked_agent_id(agent_id), retired=False, limit=None, aliases=True)

    def overview(self, *, untouched: bool = False) -> Overview | None:
        """Counts of every namespace; None for a prepared project without a store yet."""
        with reading(self.data_dir, self.user_dir, untouched=untouched) as store:
            return survey(store, self.data_dir, clock_us()) if store is not None else None

    def list(
        self, agent_id: str | None = None, *, retired: bool = False, limit: int | None = None
    ) -> Sequence[FactView]:
        """Facts newest first, of one agent or (None) of all; live ones, and with `retired` the others too."""
        with reading(self.data_dir, self.user_dir) as store:
            owner = None if agent_id is None else checked_agent_id(agent_id)
            return list_facts(store, self.data_dir, owner, retired=retired, limit=limit)

    def _ask(self, owner: str, query: str, wanted: RecallOptions, *, receipts: bool) -> Recalled:
        began = monotonic()
        with reading(self.data_dir, self.user_dir) as store:
            found, taught = ask_one(store, self.data_dir, owner, _question(query, wanted), receipts=receipts)
        take_in(taught, partial(changing, self.data_dir, self.user_dir, patient=False))
        self._tell(owner, query, len(found.facts), began)
        return found

    def _tell(self, owner: str, query: str, count: int, began: float) -> None:
        if self._on_recall is not None:
            self._on_recall(owner, query, count, monotonic() - began)


def _not_saved(error: OSError, data_dir: str) -> StoreError:
    """The typed error for a save that reached neither the store nor the spool."""
    if error.errno == errno.EROFS:
        return translate(error, data_dir)
    kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreDenied
    return kind(f"{data_dir}: not saved ({error.strerror})")


def _notes(admitted: Admitted) -> tuple[str, ...]:
    return tuple(_NOTES.get(code, code) for code in admitted.notes)


def _question(query: str, wanted: RecallOptions) -> Question:
    limits = wanted.top_k, wanted.min_confidence, wanted.confidence_weight
    return Question(query, *limits, clock_us(), wanted.neighbours)
