"""Compaction keeps a checkpoint and hears in fixed sentences and ids what memory brings back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gmhooks.hooks.checkpoint import save
from gmhooks.hooks.conf import Conf
from gmhooks.hooks.context import Context
from gmhooks.hooks.route import for_hook
from gmhooks.hooks.transcript import Standing
from gmhooks.hooks.wire import Event
from gmhooks.store import writer
from gmhooks.store.checkpoints import newest
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreBusy
from gmhooks.store.ids import encode
from gmhooks.store.namespaces import find
from gmhooks.store.trust import withdraw
from tests.hooks.project import NOW, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def checkpoints(project: Project) -> list[tuple[str, dict[str, dict[str, object]]]]:
    store = open_read(str(project.data))
    try:
        ns = find(store, "project")
        found = newest(store, ns, 50) if ns is not None else []
        return [(encode(made), json.loads(body)) for made, _, _, body in found]
    finally:
        store.close()


def test_the_text_names_ids_and_the_checkpoint_and_no_fact(project: Project) -> None:
    (fact,) = project.add("Zeppelins need helium")
    project.start()
    text = project.compact().stdout.decode()
    ((made, body),) = checkpoints(project)
    assert text == (
        "Project memory (GrayMatter) lives outside this conversation and is injected again after the compaction: "
        "its facts need not be repeated in the summary. "
        f"Facts shown in this session: {encode(fact.id)[-6:]}. A checkpoint of this session was saved: {made}."
    )
    assert body["metadata"] == {"source": "hooks", "event": "pre-compact", "session_id": "s1", "why": "manual"}
    assert project.receipts == ["injected", "checkpointed"]


def test_the_text_stays_within_1024_bytes(project: Project) -> None:
    project.add(*[f"fact {n}" for n in range(60)])
    project.start()
    assert 600 < len(project.compact().stdout) <= 1024


def test_an_empty_project_only_says_that_a_checkpoint_was_saved(project: Project) -> None:
    assert (
        project.compact()
        .stdout.decode()
        .endswith(f" A checkpoint of this session was saved: {checkpoints(project)[0][0]}.")
    )


def test_compacting_again_without_progress_keeps_one_checkpoint(project: Project) -> None:
    project.add("a fact")
    assert project.compact().stdout == project.compact(trigger="auto").stdout
    assert len(checkpoints(project)) == 1


def test_the_checkpoint_holds_prompt_files_todos_and_no_secret(project: Project) -> None:
    secret = "gh" + "p_" + "FAKE" * 9
    todos = [
        {"content": f"use {secret}", "status": "pending"},
        {"content": "ship <private>x</private>it", "status": "pending"},
    ]
    calls = [
        {"type": "tool_use", "id": "1", "name": "Write", "input": {"file_path": str(project.root / "src" / "a.py")}},
        {"type": "tool_use", "id": "2", "name": "Edit", "input": {"file_path": "/etc/hosts"}},
        {"type": "tool_use", "id": "3", "name": "TodoWrite", "input": {"todos": todos}},
    ]
    path = project.home / "t.jsonl"
    records = [
        {"type": "user", "message": {"content": "fix it " + "é" * 600}},
        {"type": "assistant", "message": {"content": calls}},
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    project.compact(transcript_path=str(path))
    state = checkpoints(project)[0][1]["state"]
    assert state["prompt"] == "fix it " + "é" * 493
    assert state["files"] == ["src/a.py", "/etc/hosts"]
    assert state["todos"] == ["(withheld: secret)", "ship it"]
    assert secret.encode() not in (project.data / "gray.mdb").read_bytes()


@pytest.mark.parametrize("name", ["auto", "manual", "manual.no-instructions"])
def test_recorded_compactions_never_block(project: Project, name: str) -> None:
    project.add("a fact")
    text = project.recorded(f"PreCompact.{name}").stdout.decode()
    assert text.startswith("Project memory (GrayMatter)")
    assert len(checkpoints(project)) == 1


def test_switches_hold_for_compaction(project: Project) -> None:
    project.add("a fact")
    (project.data / "hooks.conf").write_text("save=off\n")
    assert b"checkpoint" not in project.compact().stdout
    assert checkpoints(project) == []
    (project.data / "hooks.conf").write_text("inject=off\n")
    assert project.compact(trigger="auto").stdout == b""
    assert len(checkpoints(project)) == 1


def test_an_untrusted_store_gets_no_checkpoint(project: Project) -> None:
    withdraw(project.user_dir, str(project.data))
    assert project.compact().stdout == b""
    assert checkpoints(project) == []
    assert project.receipts == ["untrusted"]


def test_a_checkpoint_waits_for_a_writer_that_is_soon_done(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = 5
    real = writer.run

    def run(folder: str, work: Callable[[Store], object]) -> object:
        nonlocal busy
        busy -= 1
        if busy >= 0:
            raise StoreBusy(f"{folder}: another process is writing")
        return real(folder, work)

    monkeypatch.setattr(writer, "run", run)
    event = Event(project.payload("PreCompact") | {"trigger": "manual"})
    ctx = Context(event, for_hook({}, str(project.root)), Conf(), project.user_dir, NOW * 1_000_000, {}, 0)
    assert encode(save(ctx, Standing())) == checkpoints(project)[0][0]
    busy = 1000
    with pytest.raises(StoreBusy):
        save(ctx, Standing())
