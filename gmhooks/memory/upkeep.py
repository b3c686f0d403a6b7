"""The library's rarer calls: export and import, consolidation, renamed projects, checkpoints, erasing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from gmhooks.hooks.conf import read as read_conf
from gmhooks.memory.access import changing, reading, require_usable
from gmhooks.memory.adopting import adopt
from gmhooks.memory.agents import checked_agent_id
from gmhooks.memory.checkpointing import save_checkpoint
from gmhooks.memory.clock import clock_us
from gmhooks.memory.errors import Ambiguous, NotFound
from gmhooks.memory.filtering import filtered
from gmhooks.memory.guarded import ONE_AT_A_TIME
from gmhooks.memory.importing import Imported, enter_rows, under_new_ids
from gmhooks.memory.injections import Injection, facts_of
from gmhooks.memory.learning import prune as prune_evidence
from gmhooks.memory.outcomes import CheckpointView, Consolidated, Purged
from gmhooks.memory.purging import OUT_OF_REACH, Erased, erase_all, remove_copies, scrub_files, told_elsewhere
from gmhooks.memory.rehearsal import Rehearsed, rehearse
from gmhooks.memory.transfer import parse, rows, to_line
from gmhooks.memory.underway import alone
from gmhooks.memory.views import view
from gmhooks.recall.receipt import written_at
from gmhooks.store.backup import FOLDER as BACKUPS
from gmhooks.store.backup import make as make_backup
from gmhooks.store.bitmaps import fold as fold_bitmaps
from gmhooks.store.checkpoints import KEPT, newest
from gmhooks.store.compact import compact
from gmhooks.store.decay import HALF_LIFE_H, settle_one
from gmhooks.store.env import Store
from gmhooks.store.ids import SHORT, encode
from gmhooks.store.namespaces import find, listed
from gmhooks.store.spellings import fold as fold_spellings
from gmhooks.store.touches import fold, folded, merge, unfolded

T = TypeVar("T")


class _Tried(Exception):
    """Carries the outcome of work whose transaction is given up."""


class Upkeep:
    """What `Memory` inherits; see there."""

    data_dir: str
    user_dir: str

    def export(self, agent_id: str | None = None) -> list[str]:
        """Every fact of one agent or (None) of all as JSON lines, retired ones and aliases too, in the order of time."""
        with reading(self.data_dir, self.user_dir) as store:
            return [to_line(row) for row in rows(store, self.data_dir, agent_id)]

    def import_lines(
        self, lines: Iterable[bytes], *, renamed: Mapping[str, str] | None = None, dry_run: bool = False
    ) -> Imported:
        """Enter exported lines, all or none: known ids only take over what happened to them; a second time changes
        nothing. `renamed`: the facts of these agent ids are entered under others (NotFound for one that no line has).
        Malformed names the lines that cannot be entered."""
        numbered = under_new_ids(parse(lines), renamed or {})

        def work(store: Store) -> Imported:
            outcome = enter_rows(store, numbered)
            if outcome.added:
                fold_bitmaps(store)
                fold_spellings(store)
            return outcome

        return self._folding(work, dry_run=dry_run)

    def consolidate(
        self, agent_id: str | None = None, *, half_life_hours: float = HALF_LIFE_H, dry_run: bool = False
    ) -> list[Consolidated]:
        """Decay the weights of one agent's facts or (None) of all, and erase what weighs less than 0.01; pinned facts and
        aliases stay. weight = min(weight, exp(-ln 2 / half-life * hours since the last recall))."""
        if not half_life_hours > 0:
            raise ValueError("the half-life must be a number of hours above 0")
        now = clock_us()

        def work(store: Store) -> list[Consolidated]:
            done = []
            for ns in listed(store):
                if agent_id in (None, ns.agent_id):
                    lighter, pruned = settle_one(store, ns, now, half_life_hours)
                    gone = tuple(view(fact, ns.agent_id, encode(fact.id)[-SHORT:]) for fact in pruned)
                    done.append(Consolidated(ns.agent_id, lighter, gone))
            prune_evidence(store, now)
            fold_bitmaps(store)
            fold_spellings(store)
            return done

        return self._folding(work, dry_run=dry_run)

    def adopt(self, old_id: str, agent_id: str, *, dry_run: bool = False) -> tuple[int, int]:
        """Move the facts and checkpoints of a renamed project's id to another id; (facts, checkpoints) moved, (0, 0) the
        second time. NotFound for an id that never stored anything."""
        new_id = checked_agent_id(agent_id)
        return self._folding(lambda store: adopt(store, old_id, new_id), dry_run=dry_run)

    def purge(self, target: str, agent_ids: Sequence[str], *, ids_anywhere: bool = False) -> Purged:
        """Erase the fact that `target` means, live or retired, with all copies and every trace that can be reached: index,
        spool, journal, session state, receipts, checkpoints and audit entries that quote it, free pages of the store. What
        an earlier purge left undone is done too."""
        require_usable(self.data_dir, self.user_dir)
        removed: list[str] = []

        def work(store: Store) -> Erased:
            # Before the commit: when a copy cannot be removed the fact is still there to be named again.
            erased = erase_all(store, target, agent_ids, ids_anywhere=ids_anywhere)
            scrub_files(self.data_dir, erased)
            removed.extend(remove_copies(self.data_dir, erased))
            return erased

        with alone(self.data_dir) as mark:
            try:
                erased = self._folding(work)
            except (NotFound, Ambiguous) as error:
                if mark.unfinished:
                    self._finish_purge(None, None)
                    mark.done = True
                    raise type(error)(f"{error}; what an earlier purge had left undone is done now") from None
                mark.done = True
                raise
            saved = self._finish_purge(erased, None if mark.unfinished else removed)
            mark.done = True
        left = told_elsewhere(self.user_dir, erased)
        return Purged(
            tuple(view(fact, erased.agent_id, short) for fact, short in erased.facts),
            tuple(removed),
            erased.also_at, (*left, *OUT_OF_REACH), saved, erased.changed,
        )  # fmt: skip

    def _finish_purge(self, erased: Erased | None, removed: list[str] | None) -> int:
        """What follows the commit of a purge: bytes saved. None: what an earlier one did, which was cut short."""
        scrub_files(self.data_dir, erased)
        with ONE_AT_A_TIME:
            saved = compact(self.data_dir)
            if removed is None or any(os.path.dirname(path) == os.path.join(self.data_dir, BACKUPS) for path in removed):
                make_backup(self.data_dir, clock_us() / 1e6)
        return saved

    def rehearse(self, agent_id: str, prompt: str) -> Rehearsed:
        """What the prompt hook would show a new session for a prompt, and why. Nothing counts as shown."""
        owner = checked_agent_id(agent_id)
        with reading(self.data_dir, self.user_dir) as store:
            return rehearse(store, self.data_dir, owner, prompt, read_conf(self.data_dir), clock_us())

    def facts_shown(self, agent_id: str, found: Sequence[Injection]) -> list[list[tuple[str, str]]]:
        """For each printed block the (short id, text) of its facts that the store still holds, as they read now."""
        with reading(self.data_dir, self.user_dir) as store:
            return [facts_of(store, agent_id, each) if store is not None else [] for each in found]

    def checkpoints(self, agent_id: str, limit: int = KEPT) -> list[CheckpointView]:
        """The newest checkpoints of an agent, newest first. Damaged ones are left out."""
        with reading(self.data_dir, self.user_dir) as store:
            ns = find(store, checked_agent_id(agent_id)) if store is not None else None
            found = newest(store, ns, limit) if store is not None and ns is not None else []
        return [
            CheckpointView(encode(made), encode(made)[-SHORT:], written_at(created_us), _object(body))
            for made, created_us, _, body in found
        ]

    def save_checkpoint(self, agent_id: str, state: dict[str, object], source: str = "cli") -> CheckpointView:
        """Keep where work stands, as a JSON object; the newest 50 of an agent stay. Secrets in it, keys too, are
        withheld. Refused when it is nested deeper than 50 levels."""
        owner, now = checked_agent_id(agent_id), clock_us()
        body: dict[str, object] = {"state": filtered(state)[0], "metadata": {"source": source}}
        raw = json.dumps(body).encode()
        made = changing(self.data_dir, self.user_dir, lambda store: save_checkpoint(store, owner, raw, now))
        return CheckpointView(encode(made), encode(made)[-SHORT:], written_at(now), body)

    def _folding(self, work: Callable[[Store], T], *, dry_run: bool = False) -> T:
        """Fold the access journal, then do `work`, in one transaction; a dry run gives it up and leaves every file alone."""
        found: list[T] = []

        def real(store: Store) -> T:
            fold(store, self.data_dir)
            return work(store)

        def tried(store: Store) -> None:
            merge(store, unfolded(self.data_dir))
            found.append(work(store))
            raise _Tried

        if not dry_run:
            outcome = changing(self.data_dir, self.user_dir, real)
            folded(self.data_dir)
            return outcome
        try:
            changing(self.data_dir, self.user_dir, tried)
        except _Tried:
            pass
        return found[-1]


def _object(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
