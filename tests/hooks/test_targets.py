"""What a correction names: an id, a stored text, the line as it was shown; never a part of a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gmhooks.hooks.tame import tame
from gmhooks.hooks.targets import meant, retire_all
from gmhooks.store.aliases import add as add_alias
from gmhooks.store.aliases import expand
from gmhooks.store.env import Store
from gmhooks.store.facts import add, by_suffix, retire, short_id
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import SHARED, ensure
from gmhooks.store.records import USER, Namespace
from gmhooks.store.writer import run
from tests.hooks.project import Project

AGENT = "project"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def _ask(project: Project, look: Callable[[Store, list[Namespace]], object]) -> object:
    def work(store: Store) -> object:
        return look(store, [ensure(store, AGENT), ensure(store, SHARED)])

    return run(str(project.data), work)


def _texts(project: Project, target: str, most: int = 2000) -> list[list[str]]:
    found = _ask(
        project, lambda store, spaces: [[f.text for f in facts] for _, facts in meant(store, spaces, target, most)]
    )
    assert isinstance(found, list)
    return found


def _listed(short: str) -> tuple[str, ...]:
    return f"[{short}] Deploy on Fridays", f"2026-11-30 [{short}] (pinned, via mcp) Deploy on [some] Fridays"


def test_an_id_in_any_dress_names_its_fact(project: Project) -> None:
    (fact,) = project.add("Deploy on Fridays")
    name = encode(fact.id)
    dressed = f"[{name[-6:]}]", f"`{name[-7:].lower()}`", f"- Deploy on Fr… [{name[-6:]}]"
    for target in (name, name[-6:], *dressed, *_listed(name[-6:])):
        assert _texts(project, target) == [["Deploy on Fridays"]]


@pytest.mark.parametrize(
    ("stored", "target"),
    [
        ("Deploy on Fridays", "  deploy  ON fridays. "),
        ("first\nsecond", "- first ⏎ second (via mcp)"),
        ("use the <b> tag", "use the ‹b> tag"),
        ("Deploy on Fridays", "- Deploy on Fridays (via mcp)"),
        ("tab\there", "tab here"),
    ],
)
def test_a_text_is_found_as_stored_and_as_shown(project: Project, stored: str, target: str) -> None:
    project.add(stored)
    assert _texts(project, target) == [[stored]]


def test_a_stored_text_wins_over_a_line_that_looks_like_it(project: Project) -> None:
    (other,) = project.add("Something else")
    line = f"Ends like a name [{encode(other.id)[-6:]}]"
    project.add(line)
    assert _texts(project, line) == [[line]]


def test_a_part_of_a_text_names_nothing(project: Project) -> None:
    project.add("Deploy on Fridays")
    assert [_texts(project, target) for target in ("Deploy", "Fridays", "", " - ", "[]")] == [[], [], [], [], []]


def test_all_copies_come_together_and_the_other_space_stays(project: Project) -> None:
    first, second = project.add("Twice told", "twice told.")
    project.add("Twice told", shared=True)
    assert _texts(project, encode(second.id)) == [["twice told.", "Twice told"]]
    assert _texts(project, "TWICE TOLD") == [["Twice told", "twice told."]]
    assert first.ns == second.ns


def test_only_the_newest_facts_are_compared_as_shown(project: Project) -> None:
    project.add("use <b> here", "newer")
    assert _texts(project, "use ‹b> here", most=1) == []
    assert _texts(project, "use ‹b> here", most=2) == [["use <b> here"]]
    assert tame("use <b> here")[0] == "use ‹b> here"


def test_an_ending_that_fits_two_facts_gives_two_groups(project: Project) -> None:
    def twins(store: Store, spaces: list[Namespace]) -> None:
        for first in (1, 2):
            add(store, spaces[0], f"Twin {first}", 0, USER, fact_id=bytes([first]) + b"\7" * 15)

    _ask(project, twins)
    ending = encode(b"\1" + b"\7" * 15)[-6:]
    assert sorted(_texts(project, ending)) == [["Twin 1"], ["Twin 2"]]
    answer = project.prompt(f"forget: {ending}")
    assert answer.message.startswith("Nothing forgotten: that fits [")
    assert len(project.facts()) == 2


def test_a_retired_fact_is_not_meant(project: Project) -> None:
    def gone(store: Store, spaces: list[Namespace]) -> str:
        fact = add(store, spaces[0], "Old news", 0, USER)
        retire(store, spaces[0], fact)
        return short_id(store, fact)

    name = _ask(project, gone)
    assert (_texts(project, str(name)), _texts(project, "Old news")) == ([], [])


def test_a_retired_alias_stops_expanding_at_once(project: Project) -> None:
    def work(store: Store, spaces: list[Namespace]) -> tuple[list[str], list[str]]:
        add_alias(store, spaces[0], "alias: db = database", 0, USER)
        before = expand(store, spaces[0], ["db"])
        ((ns, facts),) = meant(store, spaces, "alias: db = database")
        retire_all(store, ns, facts)
        return before, expand(store, spaces[0], ["db"])

    assert _ask(project, work) == (["db", "databas"], ["db"])


def test_a_forget_line_retires_every_copy_and_tells_each(project: Project) -> None:
    project.add("Twice told", "twice told.")
    answer = project.prompt("forget: twice told")
    assert answer.message.count("Forgotten [") == 2
    assert project.facts() == []


def test_a_save_is_told_by_an_id_that_names_only_it(project: Project) -> None:
    answer = project.prompt("remember: the lamp is green")
    name = answer.message.partition("[")[2].partition("]")[0]
    found = _ask(project, lambda store, spaces: [fact.text for fact in by_suffix(store, name)])
    assert found == ["the lamp is green"]
