"""Runs the cases of one corpus against one installed program."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from tests.corpus import fact_cases, file_cases, hook_cases, mounts
from tests.corpus.cases import Case, CorpusError, MachineLacks, NotRun, Unknown, Verdict, load
from tests.corpus.report import Report
from tests.corpus.world import World
from tests.installed import Program

_KINDS: dict[str, tuple[Callable[[World], None], Callable[[Case, World], list[str]]]] = {
    "hook-stdin": (hook_cases.fill, hook_cases.judge),
    "facts": (fact_cases.fill, fact_cases.judge),
    "settings": (file_cases.fill, file_cases.judge),
    "instructions": (file_cases.fill_with_fact, file_cases.judge),
}


def run_corpus(kind: str, folder: Path, only: Sequence[str], program: Program) -> Report:
    """Judge every case of the corpus, or those of the categories `only`; CorpusError for an unknown category."""
    return run_cases(chosen(load(kind, folder), only), program)


def chosen(cases: list[Case], only: Sequence[str]) -> list[Case]:
    """The cases of these categories; all if none is named."""
    unknown = set(only) - {case.cat for case in cases}
    if unknown:
        raise CorpusError(f"no such category: {', '.join(sorted(unknown))}")
    return [case for case in cases if not only or case.cat in only]


def run_cases(cases: Iterable[Case], program: Program, *, until_failure: bool = False) -> Report:
    """Judge these cases, all of one kind, in one world that every case finds fresh. ``until_failure``: of each category only
    as many as it takes to find one that fails."""
    cases = list(cases)
    if not cases:
        return Report()
    fill, judge = _KINDS[cases[0].kind]
    base = Path(tempfile.mkdtemp(prefix="gm-corpus-")).resolve()
    try:
        world = World(program, base)
        try:
            world.prepare(fill)
        except (AssertionError, OSError) as error:
            return Report([Verdict(case, [f"the project could not be set up: {error}"]) for case in cases])
        verdicts: list[Verdict] = []
        for case in cases:
            if not (until_failure and any(each.problems and each.case.cat == case.cat for each in verdicts)):
                verdicts.append(_verdict(case, judge, world))
        return Report(verdicts)
    finally:
        mounts.undo_mounts(base)
        with suppress(OSError):
            shutil.rmtree(base)


def _verdict(case: Case, judge: Callable[[Case, World], list[str]], world: World) -> Verdict:
    problems = [f"case key {key!r} is not known" for key in case.unknown_keys()]
    try:
        return Verdict(case, problems + judge(case, world))
    except NotRun as reason:
        lacks = isinstance(reason, MachineLacks)
        return Verdict(case, problems, None if problems else str(reason), machine_lacks=lacks)
    except (AssertionError, Unknown, OSError, ValueError, KeyError) as error:
        return Verdict(case, [*problems, f"could not be judged: {type(error).__name__}: {error}"])
