"""Field cases, section D: what is recalled, what goes stale, what is saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.memory.options import WriteOptions
from tests.cli.program import Place, Ran
from tests.hooks.project import Project

ORDINARY = (
    "write a haiku about rain",
    "please remember to run the linter before you push",
    "don't forget that the tests are slow",
    "what does this error mean: connection refused?",
    "I always prefer short answers",
)


def _memory(project: Project) -> Memory:
    return Memory(project.data, project.user_dir)


def test_f053_after_many_corrections_only_the_newest_answer_comes(project: Project) -> None:
    project.prompt("remember: the staging port is 5400")
    memory = _memory(project)
    for number in range(1, 31):
        old = f"the staging port is {5400 + number - 1}"
        memory.revise(old, f"the staging port is {5400 + number}", [project.root.name])
    assert project.prompt("which staging port?", session="s2").lines == ["the staging port is 5430"]


def test_f055_a_correction_settles_a_contradiction(project: Project) -> None:
    memory, agent = _memory(project), project.root.name
    memory.remember(agent, "the staging port is 5432", confidence="inferred")
    verified = WriteOptions("verified")
    memory.revise("the staging port is 5432", "the staging port is 5433", [agent], options=verified)
    assert project.prompt("which staging port?").lines == ["the staging port is 5433"]
    assert memory.list(agent)[0].confidence == "verified"


def test_f056_similar_facts_never_retire_each_other(project: Project) -> None:
    project.prompt("remember: staging db is on 5432")
    project.prompt("remember: prod db is on 5433")
    assert sorted(project.facts()) == ["prod db is on 5433", "staging db is on 5432"]


def test_f058_a_year_without_care_is_reported_defect_by_defect(place: Place) -> None:
    def on_day(day: int, *words: str) -> Ran:
        place.environ["GRAYMATTER_CLOCK"] = f"@{1_700_000_000 + day * 86_400}"
        return place.ok(*words)

    kept = "Never restart the database during a backup"
    on_day(0, "init", "--quiet")
    for text in (kept, "The port of staging is 8080", "The port of staging is 9090"):
        on_day(0, "remember", text)
    for text in ("profile of the VPN client", "profiles of the VPN clients"):
        on_day(0, "remember", f"Integration tests need the staging {text}")
    on_day(150, "consolidate")
    rotten = on_day(150, "doctor", "--health", "--json").data["checks"]
    named = {check["name"] for check in rotten if check["status"] != "ok"}
    assert named == {"health.contradictions", "health.duplicates", "health.fading", "health.unseen"}
    assert all(check["hint"] for check in rotten if check["status"] == "warn")

    on_day(151, "pin", kept)
    on_day(365, "consolidate")
    assert [fact["text"] for fact in on_day(365, "list", "--json").data["facts"]] == [kept]
    left = on_day(365, "doctor", "--health", "--json").data["checks"]
    assert [check["name"] for check in left if check["status"] not in ("ok", "info")] == []


def test_f059_f061_ordinary_prompts_save_nothing(project: Project) -> None:
    for number in range(20):
        project.prompt(f"{ORDINARY[number % len(ORDINARY)]} ({number})", session=f"s{number}")
    assert (project.facts(), project.facts(shared=True)) == ([], [])


@pytest.mark.parametrize(
    ("prompt", "saved"),
    [
        pytest.param("this yaml fails:\n```\nremember: true\n```\nwhy?", [], id="F061-in-a-fence"),
        pytest.param("this yaml fails:\n  remember: true\nwhy?", [], id="F061-indented-yaml"),
        pytest.param("remember: true is a string in our yaml", ["true is a string in our yaml"], id="F061-at-column-0"),
        pytest.param("remember: かならず pnpm を使う", ["かならず pnpm を使う"], id="F062-any-language"),
        pytest.param("do you remember: what port?", [], id="F062-in-a-sentence"),
    ],
)
def test_only_a_line_that_begins_with_the_word_saves(project: Project, prompt: str, saved: list[str]) -> None:
    project.prompt(prompt)
    assert project.facts() == saved


def test_f064_one_number_of_an_address_is_no_match(project: Project) -> None:
    project.add("db host 10.1.2.3", "frontend runs on vercel", "deploys go through argo")
    assert project.prompt("why is step 3 slow?").stdout == b""
    assert project.prompt("what runs on 10.1.2.3?", session="s2").lines == ["db host 10.1.2.3"]


def test_f065_the_parts_of_a_name_find_it(project: Project) -> None:
    project.add("getUserProfile caches for 60s", "deploys go through argo")
    assert project.prompt("is there a user profile cache?").lines == ["getUserProfile caches for 60s"]


def test_f068_many_sessions_without_a_save_get_a_hint(bare_status: dict[str, object]) -> None:
    assert bare_status["writes_7d"] == 0
    assert "Nothing was saved in 7 days" in str(bare_status["hints"])


@pytest.fixture
def bare_status(project: Project, tmp_path: Path) -> dict[str, object]:
    """`graymatter status --json` of a project with sessions and no recent save."""
    from tests.cli.program import Place

    project.add("An old fact about zebras", age_s=30 * 86_400)
    for number in range(6):
        assert project.start(session=f"s{number}").stdout
    home = tmp_path / "home"
    (home / ".local/share").mkdir(parents=True)
    Path(project.user_dir).rename(home / ".local/share/gmhooks")
    place = Place(home, project.root, {"GRAYMATTER_CLOCK": "@1780000100"})
    status: dict[str, object] = json.loads(place.ok("status", "--json").out)
    return status
