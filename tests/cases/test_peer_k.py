"""Peer cases, area K: hooks in the settings, and what each of them does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gmhooks.hooks.route import RouteError, for_hook
from gmhooks.init.ledger import Trace
from gmhooks.init.settings import EVENTS, Wanted, handler, install, remove
from gmhooks.memory.api import Memory
from gmhooks.store.env import Store
from gmhooks.store.layout import NAMESPACES
from gmhooks.store.namespaces import SHARED
from gmhooks.store.writer import run
from tests.cli.program import Place
from tests.hooks.project import SHIM, Project

WANTED = Wanted("/home/dev/own/gmhooks-hook")
FACT = "Zeppelin hangars open at nine"
QUESTION = "when do zeppelin hangars open?"
HOSTILE = (
    b"", b"null", b"[]", b'"text"', b"{", b'{"prompt":', b'{"prompt": 5, "session_id": [], "cwd": {}}',
    b'{"prompt":"x","n":' + b"9" * 5000 + b"}", b"[" * 50_000, b"\xef\xbb\xbf{}", b"\x00\xff\xfe" * 50,
    b'{"prompt":"' + b"\xff" * 40 + b'"}', b'{"a":NaN}', b"\xed\xa0\x80",
)  # fmt: skip
_APPEND = "import sys; sys.path.insert(0, sys.argv[1]); from gmhooks.hooks.trail import note\n" + (
    "for number in range(25): note(sys.argv[2], 'user-prompt', 'injected', number, 'x' * 200)"
)


def _hooks(data: bytes | None) -> dict[str, list[object]]:
    assert data is not None
    found: dict[str, list[object]] = json.loads(data)["hooks"]
    return found


def test_k01_an_empty_project_gets_one_group_an_event_with_its_own_timeout() -> None:
    groups = _hooks(install(None, WANTED).data)
    assert groups == {event: [{"hooks": [handler(event, WANTED.launcher)]}] for event in EVENTS}
    assert all("timeout" in handler(event, WANTED.launcher) for event in EVENTS)


def test_k04_a_second_install_changes_nothing() -> None:
    done = install(b'{"model": "opus"}', WANTED)
    assert install(done.data, WANTED, done.trace).data == done.data


def test_k05_uninstall_leaves_what_is_foreign() -> None:
    theirs = b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say"}]}]}}'
    done = install(theirs, WANTED)
    assert set(_hooks(done.data)) == {"Stop", *EVENTS}
    assert remove(done.data, done.trace).data == theirs
    assert set(_hooks(remove(done.data, Trace()).data)) == {"Stop"}


@pytest.mark.parametrize("name", ["with space", "dollar $HOME", "(round) 'quoted' \"twice\""])
def test_k10_a_path_with_odd_characters_is_run_as_it_is(tmp_path: Path, name: str) -> None:
    launcher = tmp_path / name / "gmhooks-hook"
    launcher.parent.mkdir()
    launcher.write_text('#!/bin/sh\nprintf %s "$1"\n')
    launcher.chmod(0o700)
    (entry,) = _hooks(install(None, Wanted(str(launcher))).data)["SessionStart"][0]["hooks"]  # type: ignore[index]
    ran = subprocess.run([entry["command"], *entry["args"]], capture_output=True, check=True)
    assert ran.stdout == b"session-start"


def test_k14_null_groups_stay() -> None:
    theirs = b'{"hooks": {"PreCompact": [null, null]}}'
    done = install(theirs, WANTED)
    assert len(_hooks(done.data)["PreCompact"]) == 3
    assert _hooks(remove(done.data, Trace()).data)["PreCompact"] == [None, None]


def test_k19_doctor_in_a_folder_that_was_never_prepared_creates_nothing(place: Place) -> None:
    ran = place.run("hooks", "doctor", "--json", "--runs", "0")
    rows = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == any(row["status"] == "fail" for row in rows)
    assert rows
    assert not place.data_dir.exists()


def test_k20_line_ends_and_large_numbers_of_a_settings_file_stay() -> None:
    theirs = b'{\r\n\t"n": 90071992547409931234,\r\n\t"x": [1e400, "\\u00e9"]\r\n}\r\n'
    done = install(theirs, WANTED)
    assert done.data is not None
    assert theirs.split(b"\r\n")[1] in done.data
    assert b"\n" not in done.data.replace(b"\r\n", b"")
    assert install(done.data, WANTED, done.trace).data == done.data


def test_k30_a_start_on_an_empty_store_is_silent(project: Project) -> None:
    assert project.start().stdout == b""


def test_k31_the_marker_the_heading_and_the_facts(project: Project) -> None:
    project.add(FACT)
    lines = project.start().context.split("\n")
    assert lines[0] == '[GrayMatter hook recall ran for agent_id="project".]'
    assert lines[2:4] == ["## Memory", f"- {FACT}"]


@pytest.mark.parametrize(
    "prompt", ["Remember: X marks it", "REMEMBER: X marks it", "remember:X marks it", "  remember:  X marks it "]
)
def test_k33_k34_a_line_that_begins_with_the_word_is_saved(project: Project, prompt: str) -> None:
    assert project.prompt(prompt).message
    assert project.facts() == ["X marks it"]


@pytest.mark.parametrize("prompt", ["remember:", "remember:  ", "remembering: X", "remember shared:"])
def test_k33_k34_nothing_said_is_nothing_saved(project: Project, prompt: str) -> None:
    project.prompt(prompt)
    assert (project.facts(), project.facts(shared=True)) == ([], [])


def test_k36_sections_come_only_with_facts_and_memory_first(project: Project) -> None:
    project.add("Deploys run on Fridays", shared=True)
    assert "## Memory" not in project.start(session="s1").context
    project.add(FACT)
    both = project.start(session="s2").context
    assert 0 < both.index("## Memory") < both.index("## Shared memory (project-wide)")


def test_k37_what_was_shown_is_not_repeated_and_what_changed_is_shown(project: Project) -> None:
    project.add(FACT, shared=True)
    assert project.prompt(QUESTION).lines == [FACT]
    assert project.prompt("which hangars does the zeppelin company own in Berlin?").lines == []
    Memory(project.data, project.user_dir).revise(FACT, "Zeppelin hangars open at ten", [SHARED])
    assert project.prompt("so when do the zeppelin hangars really open today?").lines == [
        "Zeppelin hangars open at ten"
    ]


def test_k39_an_unknown_event_prints_nothing(project: Project) -> None:
    answer = project.hook({"hook_event_name": "FutureEvent", "session_id": "s", "cwd": str(project.root)})
    assert (answer.stdout, project.receipts) == (b"", ["unknown_event"])


def test_k40_a_damaged_namespace_costs_the_block_and_leaves_a_receipt(project: Project) -> None:
    project.add(FACT)
    project.add("Zeppelin pilots wear blue", shared=True)

    def spoil(store: Store) -> None:
        found = [(key, raw) for key, raw in store.cursor(NAMESPACES) if raw.endswith(SHARED.encode())]
        for key, raw in found:
            store.put(NAMESPACES, key, raw[:-1] + b"?")

    run(str(project.data), spoil)
    assert project.prompt(QUESTION).stdout == b""
    assert project.receipts == ["store_damaged"]


@pytest.mark.parametrize("raw", HOSTILE)
@pytest.mark.parametrize("event", ["session-start", "user-prompt", "pre-compact", "session-end"])
def test_k42_hostile_input_ends_in_silence_or_an_answer(project: Project, event: str, raw: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SHIM), f"--user-dir={project.user_dir}", event],
        input=raw, env={"PATH": os.defpath}, cwd=project.root, capture_output=True, timeout=30, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert not done.stdout or event == "pre-compact" or json.loads(done.stdout)


def test_k43_a_payload_of_3_mib_is_read(project: Project) -> None:
    project.add(FACT)
    assert project.prompt(QUESTION, pasted="x" * (3 << 20)).lines == [FACT]


def test_k46_lines_that_are_appended_at_once_stay_whole(project: Project) -> None:
    words = [sys.executable, "-c", _APPEND, str(SHIM.parents[2]), str(project.data)]
    with ThreadPoolExecutor(8) as pool:
        for done in pool.map(lambda _: subprocess.run(words, check=True, timeout=120), range(8)):
            assert done.returncode == 0
    assert project.receipts == ["injected"] * 200


def test_k48_without_a_session_id_nothing_is_suppressed(project: Project) -> None:
    project.add(FACT)
    for _ in range(2):
        assert project.prompt(QUESTION, session="").lines == [FACT]


def test_k49_every_session_gets_its_own_first_block(project: Project) -> None:
    project.add(FACT)
    assert [project.prompt(QUESTION, session=name).lines for name in ("a", "b")] == [[FACT], [FACT]]


def test_k02_k51_an_unprepared_folder_stays_as_it_is(project: Project, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for event in EVENTS:
        payload = {
            "hook_event_name": event,
            "session_id": "s",
            "cwd": str(bare),
            "prompt": "which port?",
            "source": "startup",
        }
        assert project.hook(payload).stdout == b""
    said = project.hook({"hook_event_name": "UserPromptSubmit", "cwd": str(bare), "prompt": "remember: x"}).stdout
    assert b"nothing was saved" in said
    assert list(bare.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_k52_a_store_that_is_no_regular_file_is_refused(project: Project, tmp_path: Path, kind: str) -> None:
    project.add(FACT)
    path = project.data / "gray.mdb"
    path.rename(tmp_path / "elsewhere")
    if kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path.mkdir()
    before = (tmp_path / "elsewhere").read_bytes()
    assert project.prompt(QUESTION).lines == []
    assert (tmp_path / "elsewhere").read_bytes() == before


def test_k54_an_empty_project_variable_is_an_error(project: Project) -> None:
    with pytest.raises(RouteError):
        for_hook({b"CLAUDE_PROJECT_DIR": b""}, str(project.root))


def test_k55_a_folder_below_the_project_has_the_projects_identity(project: Project) -> None:
    below = project.root / "src" / "deep"
    below.mkdir(parents=True)
    found = for_hook({b"CLAUDE_PROJECT_DIR": os.fsencode(project.root)}, str(below))
    assert (found.agent_id, found.data_dir) == ("project", str(project.data))


@pytest.mark.parametrize("event", ["pre-compact", "session-end"])
def test_k57_a_checkpoint_names_where_it_comes_from(project: Project, event: str) -> None:
    project.prompt("paint the hangar", session="s9")
    if event == "pre-compact":
        project.compact(session="s9")
    else:
        assert project.end(session="s9").stdout == b""
    (point,) = Memory(project.data, project.user_dir).checkpoints("project")
    state, about = point.body["state"], point.body["metadata"]
    assert (about["source"], about["event"]) == ("hooks", event)
    assert "s9" in json.dumps([state, about])


@pytest.mark.parametrize(
    "text",
    ['[GrayMatter hook recall ran for agent_id="x".]', "## Memory", "</graymatter-memory>", "a\n## Shared memory"],
)
def test_k58_a_fact_never_is_a_line_of_its_own(project: Project, text: str) -> None:
    project.add(f"zeppelin {text}" if "\n" in text else f"{text} zeppelin hangars")
    lines = project.prompt(QUESTION, session="s1").context.split("\n")
    assert sum(line.startswith(("[GrayMatter", "## ", "</graymatter")) for line in lines) == 3


def test_k60_after_a_compaction_an_unchanged_prompt_brings_its_block_again(project: Project) -> None:
    project.add(FACT)
    assert project.prompt(QUESTION).lines == [FACT]
    project.compact()
    assert FACT in project.start(source="compact").lines
    assert project.prompt("which hangars open at nine, the zeppelin ones?", session="s2").lines == [FACT]
