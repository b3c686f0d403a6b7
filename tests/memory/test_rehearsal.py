from __future__ import annotations

import json

import pytest

from gmhooks.memory.api import Memory
from tests.hooks.project import Project

FACTS = ("Alembic migrations run nightly", "Use pnpm, never npm", "Deploys go through argo")


@pytest.fixture
def project(tmp_path) -> Project:
    made = Project(tmp_path)
    made.add(*FACTS)
    made.add("Alembic is pinned to 1.13", shared=True)
    return made


def rehearse(project: Project, prompt: str):
    return Memory(project.data, project.user_dir).rehearse(project.root.name, prompt)


@pytest.mark.parametrize("policy", ["native", "lexical"])
@pytest.mark.parametrize("prompt", ["when do the migrations run", "alembci", "write a haiku about rain", "thanks"])
def test_the_block_is_what_the_hook_prints(project: Project, prompt: str, policy: str) -> None:
    (project.data / "hooks.conf").write_text(f"packet_policy={policy}\n")
    expected = rehearse(project, prompt).block
    printed = project.prompt(prompt).stdout
    said = json.loads(printed)["hookSpecificOutput"]["additionalContext"] if printed else ""
    assert said == expected


def test_it_says_which_terms_and_facts_decided(project: Project) -> None:
    found = rehearse(project, "run the migratons")
    assert (found.tier, [fact.text for fact in found.facts if fact.shown]) == ("strong", [FACTS[0]])
    terms = {term.term: term for term in found.terms}
    assert (terms["migrat"].typed, terms["migrat"].df, terms["run"].tells) == ("migratons", 1, False)
    assert json.loads(json.dumps(found.payload()))["thresholds"]["weak_cover"] == 0.1


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("thanks, go on", "every word of the prompt says how to work, none what about"),
        ("kafka partitions", "no fact holds a word of the prompt"),
    ],
)
def test_silence_has_its_reason(project: Project, prompt: str, reason: str) -> None:
    found = rehearse(project, prompt)
    assert (found.block, found.tier, found.reason) == ("", "silent", reason)


def test_switched_off_it_says_so(project: Project) -> None:
    (project.data / "hooks.conf").write_text("inject=off\n")
    assert rehearse(project, "alembic migrations").reason == "injecting is switched off"


def test_nothing_counts_as_shown(project: Project) -> None:
    rehearse(project, "alembic migrations")
    assert not (project.data / "access.log").exists() or (project.data / "access.log").read_bytes() == b""
