"""What is measured: scratch projects, filled through the library and asked through it or through the prompt hook."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from gmhooks.bench.data import BadData, Fact
from gmhooks.bench.hook import hook_answer
from gmhooks.bench.surroundings import surroundings
from gmhooks.hooks.admit import MOST_CHARS
from gmhooks.hooks.route import DIRECTORY, agent_id
from gmhooks.init.prepare import prepare_project
from gmhooks.memory.api import Memory
from gmhooks.memory.injections import injections
from gmhooks.memory.options import RecallOptions, WriteOptions
from gmhooks.memory.transfer import Malformed
from gmhooks.store.ids import encode
from gmhooks.text.clean import equal_key

PADDING = "\0padding "
_SOURCE = "user"
_COUNTER_BITS = 80
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Subject:
    """Namespaces in projects of their own below `folder`.

    `padding`: texts that each project holds besides, older than everything; they are found like others, under ids of ours
    that begin with `PADDING`. `neighbours`: the library is asked with neighbour smoothing; the hook has none.
    """

    def __init__(self, folder: str, padding: Sequence[str] = (), *, neighbours: bool = False) -> None:
        self._folder = folder
        self._neighbours = neighbours
        self._padding = padding
        self._projects: dict[str, _Project] = {}
        self._made = 0

    def ingest(self, space: str, facts: Sequence[Fact]) -> None:
        """Write facts, given oldest first, with their own times; one that supersedes others is written as their revision.
        BadData for a fact that the product refuses."""
        self.drop(space)
        self._made += 1
        project = self._projects[space] = _Project(self._folder, f"p{self._made}")
        first = min((fact.at for fact in facts), default=_EPOCH)
        begin = first - timedelta(seconds=len(self._padding))
        waiting = [(f"{PADDING}{at}", text, begin + timedelta(seconds=at)) for at, text in enumerate(self._padding)]
        for fact in facts:
            pieces = _pieces(fact.text)
            project.most_pieces = max(project.most_pieces, len(pieces))
            if fact.supersedes:
                project.import_all(waiting)
                project.revise(fact, pieces)
                waiting, pieces = [], pieces[1:]
            waiting += [(fact.id, piece, fact.at) for piece in pieces]
            project.now = max(project.now, fact.at + timedelta(days=1))
        project.import_all(waiting)

    def recall(self, space: str, text: str, top_k: int) -> list[str]:
        """Ids of at most `top_k` facts that the library recalls, best first."""
        return self._of(space).recall(text, top_k, neighbours=self._neighbours)

    def inject(self, space: str, text: str) -> list[str]:
        """Ids of the facts that the prompt hook shows a new session."""
        return self._of(space).inject(text)

    def drop(self, space: str) -> None:
        """Delete a namespace's project; none may be there."""
        project = self._projects.pop(space, None)
        if project is not None:
            shutil.rmtree(project.root)

    def _of(self, space: str) -> _Project:
        if space not in self._projects:
            raise BadData(f"the namespace {space!r} was not ingested")
        return self._projects[space]


class _Project:
    """One prepared project, and which of the data's ids each of its facts stands for."""

    def __init__(self, folder: str, name: str) -> None:
        self.root = os.path.join(os.path.realpath(folder), name)
        self.now = _EPOCH
        self.most_pieces = 1
        self._data_dir, self._user_dir = self.root + DIRECTORY, os.path.join(folder, "user")
        self._owner = agent_id(self.root)
        self._names: dict[str, str] = {}
        self._ids: dict[str, list[str]] = {}
        self._entered = self._asked = 0
        os.makedirs(self.root)
        prepare_project(self._data_dir, self._user_dir)
        self._memory = Memory(self._data_dir, self._user_dir)

    def import_all(self, rows: Sequence[tuple[str, str, datetime]]) -> None:
        """Enter (id, text, time) rows; a text that the store holds already goes by its newest id."""
        if not rows:
            return
        made = [self._next_id(at) for _, _, at in rows]
        lines = [self._line(new, text, at) for new, (_, text, at) in zip(made, rows, strict=True)]
        with surroundings(self.root, rows[-1][2]):
            try:
                done = self._memory.import_lines(lines)
            except Malformed as error:
                number, reason = error.problems[0]
                raise BadData(f"the fact {rows[number - 1][0]!r} cannot be stored: {reason}") from None
            if done.duplicates:
                there = {equal_key(fact.text): fact.id for fact in self._memory.list(self._owner)}
                made = [there.get(equal_key(text), new) for new, (_, text, _) in zip(made, rows, strict=True)]
        for new, (name, _, _) in zip(made, rows, strict=True):
            self._name(new, name)

    def revise(self, fact: Fact, pieces: Sequence[str]) -> None:
        """Replace every fact that this one supersedes and that is still live by its first piece."""
        options = WriteOptions(source=_SOURCE)
        old = [own for name in fact.supersedes for own in self._ids.pop(name, ())]
        if not old:
            self.import_all([(fact.id, pieces[0], fact.at)])
        with surroundings(self.root, fact.at):
            for own in old:
                done = self._memory.revise(own, pieces[0], [self._owner], options=options)
                self._name(done.fact.id, fact.id)

    def recall(self, text: str, top_k: int, *, neighbours: bool) -> list[str]:
        """See Subject. A fact in several pieces is found by its best one."""
        options = RecallOptions(top_k * self.most_pieces, neighbours=neighbours)
        with surroundings(self.root, self.now):
            found = self._memory.recall(self._owner, text, options=options)
        return self._named([fact.id for fact in found.facts])[:top_k]

    def inject(self, text: str) -> list[str]:
        """See Subject."""
        self._asked += 1
        session = f"bench {self._asked}"
        with surroundings(self.root, self.now):
            printed = (
                injections(self._data_dir, session) if hook_answer(self.root, self._user_dir, text, session) else []
            )
            shown = self._memory.facts_shown(self._owner, printed)
        return self._named([own for facts in shown for short, _ in facts for own in self._names if own.endswith(short)])

    def _name(self, own: str, name: str) -> None:
        self._names[own] = name
        if own not in self._ids.setdefault(name, []):
            self._ids[name].append(own)

    def _named(self, found: Sequence[str]) -> list[str]:
        return list(dict.fromkeys(self._names[own] for own in found))

    def _next_id(self, at: datetime) -> str:
        self._entered += 1
        return encode((max((at - _EPOCH) // _MILLISECOND, 0) << _COUNTER_BITS | self._entered).to_bytes(16, "big"))

    def _line(self, own: str, text: str, at: datetime) -> bytes:
        body = {"agent_id": self._owner, "id": own, "text": text, "created_at": at.isoformat(), "source": _SOURCE}
        return json.dumps(body).encode()


def _pieces(text: str) -> list[str]:
    """A text in parts that a fact may hold, cut at blanks: what is too long for one fact is to be saved as several."""
    pieces = []
    rest = text
    while len(rest) > MOST_CHARS:
        cut = rest.rfind(" ", 1, MOST_CHARS + 1)
        cut = cut if cut > 0 else MOST_CHARS
        pieces.append(rest[:cut])
        rest = rest[cut:].lstrip()
    return [*pieces, rest]
