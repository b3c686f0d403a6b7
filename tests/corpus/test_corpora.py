"""The handed corpora against the installed program, category by category; and the loader against broken programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus.cases import KINDS, load
from tests.corpus.plants import PLANTS, Plant
from tests.corpus.runner import run_corpus
from tests.corpus.selftest import ignored_words, uncaught
from tests.installed import Program
from tests.shared_material import SHARED, needs_shared

MUST_PASS = {
    "hook-stdin": ("json", "size", "shape", "path", "remember", "proc", "env", "store"),
    "facts": ("fence", "instruction", "unicode", "size", "secret", "benign", "agent-id"),
    "settings": ("format", "refuse", "hooks", "ours", "wrongtype", "edge", "jsonc", "fs", "mcp", "toml"),
    "instructions": ("plain", "eol", "encoding", "marker", "edit", "fs", "size"),
}

pytestmark = needs_shared


def folder(kind: str) -> Path:
    assert SHARED is not None
    return SHARED / "corpora" / kind


@pytest.mark.parametrize(("kind", "cat"), [(kind, cat) for kind, cats in MUST_PASS.items() for cat in cats])
def test_every_case_of_the_category_passes(kind: str, cat: str, program: Program) -> None:
    report = run_corpus(kind, folder(kind), [cat], program)

    assert not report.failed, "\n" + "\n".join(report.lines())
    assert all(verdict.machine_lacks for verdict in report.not_run), "\n".join(report.lines())


def test_no_category_is_left_out() -> None:
    handed = {kind: {case.cat for case in load(kind, folder(kind))} for kind in KINDS}

    assert {kind: set(cats) for kind, cats in MUST_PASS.items()} == handed


@pytest.mark.parametrize(
    ("plant", "kind"),
    [pytest.param(plant, kind, id=f"{plant.name}-{kind}") for plant in PLANTS for kind in plant.catches],
)
def test_a_broken_program_fails_its_categories(plant: Plant, kind: str, program: Program) -> None:
    assert list(uncaught(plant, kind, folder(kind), program)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_the_loader_does_not_know_fails_its_case(kind: str, program: Program) -> None:
    assert list(ignored_words(kind, folder(kind), program)) == []
