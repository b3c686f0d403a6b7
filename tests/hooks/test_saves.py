"""Saves, forgets and the switch, and what the user is told about them."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import threading
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

import pytest

from gmhooks.hooks import late, saves
from gmhooks.hooks.conf import Conf
from gmhooks.hooks.context import Context
from gmhooks.hooks.route import Route
from gmhooks.hooks.session import BREAKER_AT, Session
from gmhooks.hooks.usage import state_of
from gmhooks.hooks.wire import Event
from gmhooks.memory.api import Memory
from gmhooks.store.env import Store, open_read
from gmhooks.store.forgotten import last
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import META, SCHEMA, seal
from gmhooks.store.lock import try_lock, unlock
from gmhooks.store.namespaces import SHARED
from gmhooks.store.records import USER, pack_identity
from gmhooks.store.spool import pending
from gmhooks.store.trust import registered, withdraw
from gmhooks.store.writer import run, set_aside
from tests.hooks.project import NOW, Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def short(message: str) -> str:
    found = re.search(r"\[([0-9A-Z]{6,})\]", message)
    assert found is not None
    return found[1]


def made_context(project: Project, prompt: str) -> Context:
    route = Route(str(project.root), str(project.data), "cwd")
    event = Event({"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": prompt})
    return Context(event, route, Conf(), project.user_dir, NOW * 1_000_000, {}, 0)


def test_a_save_is_stored_and_told_with_its_undo(project: Project) -> None:
    answer = project.prompt("remember: use uv, not pip")
    assert project.facts() == ["use uv, not pip"]
    name = short(answer.message)
    assert answer.message == (
        f'Saved to memory [{name}]: "use uv, not pip". Undo: `forget: {name}` here or `graymatter forget {name}`.'
    )
    assert answer.context == f"GrayMatter: saved to memory [{name}]; nothing more is needed to remember it."
    assert project.receipts == ["saved"]


def test_a_recorded_save_is_stored(project: Project) -> None:
    answer = project.recorded("UserPromptSubmit.remember", cwd=str(project.root))
    assert "Saved to memory" in answer.message
    assert project.facts() == ["the deploy port is 8443"]


def test_a_shared_save_goes_to_the_shared_namespace(project: Project) -> None:
    assert "Saved to shared memory" in project.prompt("Remember Shared: ship on Mondays").message
    assert (project.facts(), project.facts(shared=True)) == ([], ["ship on Mondays"])


def test_a_long_save_is_quoted_by_its_ends_and_its_lines(project: Project) -> None:
    answer = project.prompt("remember: " + "\n".join(f"line number {n} of the note" for n in range(9)))
    assert '"line number 0 of the … number 8 of the note" (9 lines)' in answer.message


def test_a_fact_that_is_there_already_is_not_stored_twice(project: Project) -> None:
    first = short(project.prompt("remember: Deploys need a ticket").message)
    answer = project.prompt("remember:  deploys need a TICKET.")
    assert answer.message.startswith(f"Already remembered in memory [{first}]: ")
    assert len(project.facts()) == 1


def test_recall_runs_beside_a_save_but_does_not_echo_it(project: Project) -> None:
    project.add("Zeppelin hangars open at nine")
    answer = project.prompt("remember: zeppelin hangars close at five")
    assert answer.lines == ["Zeppelin hangars open at nine"]
    assert answer.context.startswith("GrayMatter: saved to memory")
    assert project.prompt("when do the zeppelin hangars close?").lines == []
    assert (
        project.prompt("when do the zeppelin hangars close?", session="s2").lines[0] == "zeppelin hangars close at five"
    )


@pytest.mark.parametrize(
    ("text", "reason", "receipt"),
    [
        ("x" * 4001, "4,001 characters; a fact holds at most 4,000", "fact_too_long"),
        ("word " * 40_000, "a fact holds at most 4,000", "fact_too_long"),
        ("", "no text to save", "empty_remember"),
        ("\u200b\u2060", "no text to save", "empty_remember"),
        ("what port?", "question mark", "question_not_saved"),
        (
            "the pass" + "word is: Hunter-FAKE-2",
            "looks like a secret (password_assignment)",
            "secret:password_assignment",
        ),
    ],
)
def test_a_refused_save_is_told_with_its_reason_and_never_its_text(
    project: Project, text: str, reason: str, receipt: str
) -> None:
    answer = project.prompt(f"remember: {text}")
    assert answer.message.startswith("Not saved: ")
    assert reason in answer.message
    assert receipt in project.receipts
    assert project.facts() == []
    if text.strip():
        assert text.split()[-1] not in answer.message.split()
        assert "Hunter" not in answer.message + (project.data / "hooks.log").read_text()


def test_private_parts_are_not_stored_and_a_lost_save_is_named(project: Project) -> None:
    project.prompt("remember: the gate code <private>1234</private> changes monthly")
    assert project.facts() == ["the gate code changes monthly"]
    assert "inside a <private> part" in project.prompt("<private>\nremember: the vault\n</private>").message
    assert b"1234" not in (project.data / "gray.mdb").read_bytes()


def test_several_lines_are_saved_in_one_go_and_told_one_by_one(project: Project) -> None:
    answer = project.prompt("remember: one\nremember: two\nremember: what?\nremember shared: three")
    assert [line.split(":")[0].partition(" [")[0] for line in answer.message.split("\n")] == [
        "Not saved",
        "Saved to memory",
        "Saved to memory",
        "Saved to shared memory",
    ]
    assert project.facts() == ["one", "two"]


def test_too_many_saves_in_one_prompt_are_refused_by_number(project: Project) -> None:
    answer = project.prompt("\n".join(f"remember: fact {n}" for n in range(13)))
    assert "Not saved: 3 more" in answer.message
    assert len(project.facts()) == 10
    assert len(answer.stdout) <= 9500


def test_too_many_forgets_in_one_prompt_are_refused_by_number(project: Project) -> None:
    fd = os.open(project.data, os.O_RDONLY)
    try:
        flock(fd, LOCK_EX)
        told = project.prompt("\n".join(f"forget: fact {n}" for n in range(12))).message.split("\n")
    finally:
        os.close(fd)
    assert told[:-1] == ["Not forgotten: memory cannot be written now (busy). Try again."] * 10
    assert told[-1] == "Not forgotten: 2 more; a prompt forgets 10."
    assert project.receipts == ["busy"] * 10 + ["too_many_forgets"]


def test_a_busy_store_takes_the_save_through_the_spool(project: Project) -> None:
    fd = os.open(project.data, os.O_RDONLY)
    try:
        flock(fd, LOCK_EX)
        answer = project.prompt("remember: the kettle is loud")
    finally:
        os.close(fd)
    assert "Saved to memory" in answer.message
    assert "the next save moves it in" in answer.message
    assert [item.text for item in pending(str(project.data))] == ["the kettle is loud"]
    assert "spooled" in project.receipts
    assert project.prompt("why is the kettle so loud?", session="s2").lines == ["the kettle is loud"]
    project.prompt("remember: the lamp is green")
    assert sorted(project.facts()) == ["the kettle is loud", "the lamp is green"]


def test_a_spooled_save_is_not_repeated_in_its_session_neither_before_nor_after_it_is_filed(project: Project) -> None:
    fd = os.open(project.data, os.O_RDONLY)
    try:
        flock(fd, LOCK_EX)
        answer = project.prompt("why is the kettle so loud?\nremember: the kettle is loud")
    finally:
        os.close(fd)
    assert "the next save moves it in" in answer.message
    assert answer.lines == []
    assert project.prompt("is that kettle loud?").lines == []
    project.add("the lamp is green")
    assert project.facts() == ["the kettle is loud", "the lamp is green"]
    assert project.prompt("was the kettle always loud?").lines == []
    assert project.start("resume", seconds_since_last_response=60.0).lines == ["the lamp is green"]
    assert project.prompt("was the kettle always loud?", session="s2").lines == ["the kettle is loud"]


def test_a_forget_that_fails_unexpectedly_leaves_the_acknowledgement_of_the_saves(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(5, "the disk")

    monkeypatch.setattr(saves, "meant", fail)
    ctx = made_context(project, "remember: one\nforget: two\nforget: three")
    told = saves.obey(ctx, Session(str(project.data), "s1"))
    assert told.messages[0].startswith("Saved to memory")
    assert [line.partition(":")[0] for line in told.messages[1:]] == ["Not forgotten"] * 2
    assert [code for code, _ in ctx.notes] == ["saved", "unexpected", "unexpected"]


def test_a_damaged_store_keeps_the_save_in_the_spool(project: Project) -> None:
    (project.data / "gray.mdb").write_bytes(b"garbage" * 9999)
    assert "moves in after `graymatter doctor --repair`" in project.prompt("remember: keep me").message
    assert [item.text for item in pending(str(project.data))] == ["keep me"]
    assert {"store_damaged", "spooled"} <= set(project.receipts)


def test_a_store_of_a_newer_version_is_named_and_left_alone(project: Project) -> None:
    def age(store: Store) -> None:
        identity = store.identity
        identity.min_writer = SCHEMA + 1
        store.put(META, IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(identity)))

    run(str(project.data), age)
    before = (project.data / "gray.mdb").read_bytes()
    assert "moves in once" in project.prompt("remember: keep me").message
    assert (project.data / "gray.mdb").read_bytes() == before
    assert [item.text for item in pending(str(project.data))] == ["keep me"]
    assert {"schema_newer", "spooled"} <= set(project.receipts)


def test_when_nothing_can_be_written_the_user_is_told(project: Project) -> None:
    (project.data / "gray.mdb").write_bytes(b"garbage" * 9999)
    (project.data / "spool").rmdir()
    (project.data / "spool").write_text("in the way")
    answer = project.prompt("remember: keep me")
    assert answer.message.startswith("Not saved: memory cannot be written")
    assert "spool_failed" in project.receipts


def test_f130_a_full_disk_is_named_and_nothing_is_acknowledged(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(saves, "save", full)
    ctx = made_context(project, "remember: keep me")
    told = saves.obey(ctx, Session(str(project.data), "s1"))
    assert told.messages == ["Not saved: memory cannot be written (No space left on device)."]
    assert (told.keys, [code for code, _ in ctx.notes]) == ([], ["spool_failed"])


def test_an_untrusted_store_takes_no_save_and_says_so(project: Project) -> None:
    withdraw(project.user_dir, str(project.data))
    answer = project.prompt("remember: use uv")
    assert answer.message.startswith("Not saved: this project's memory store is not trusted")
    assert pending(str(project.data)) == []
    assert project.facts() == []
    assert "untrusted" in project.receipts


def test_the_first_save_of_a_project_without_a_store_makes_and_trusts_one(project: Project) -> None:
    (project.data / "gray.mdb").unlink()
    (project.data / "gray.mdb-lock").unlink()
    withdraw(project.user_dir, str(project.data))
    assert "Saved to memory" in project.prompt("remember: born today").message
    assert project.facts() == ["born today"]
    assert registered(project.user_dir, str(project.data)) is not None


def test_saving_can_be_switched_off(project: Project) -> None:
    (project.data / "hooks.conf").write_text("save=off\n")
    assert "saving is switched off" in project.prompt("remember: use uv").message
    assert project.facts() == []
    assert project.receipts == ["save_off"]


def test_forget_takes_an_id_a_text_and_a_printed_line(project: Project) -> None:
    name = short(project.prompt("remember: first fact").message)
    project.add("Second fact", "two\nlines here", "Third fact")
    told = f'Forgotten [{name}]: "first fact". Undo: `graymatter undo` in a shell.'
    assert project.prompt(f"forget: {name}").message == told
    assert "Forgotten" in project.prompt("forget: second FACT.").message
    assert "Forgotten" in project.prompt("forget: two ⏎ lines here").message
    assert project.facts() == ["Third fact"]
    assert project.receipts.count("forgotten") == 3


def test_forget_never_goes_by_a_part(project: Project) -> None:
    project.add("The deploy port is 8443")
    assert project.prompt("forget: deploy port").message.startswith("Nothing forgotten")
    assert project.facts() == ["The deploy port is 8443"]
    assert "forget_not_found" in project.receipts


def test_memory_off_and_on_switch_the_project(project: Project) -> None:
    project.add("Zeppelins need helium")
    assert "off" in project.prompt("Memory off").message
    assert (project.data / "off").exists()
    assert project.prompt("do zeppelins need helium?").stdout == b""
    assert "on again" in project.prompt(" memory on ").message
    assert not (project.data / "off").exists()
    assert project.prompt("do zeppelins need helium?").lines == ["Zeppelins need helium"]
    assert "memory on" not in project.facts()


STOPPED_OPENER = """
import fcntl, os, sys
fd = os.open(sys.argv[1] + "/gray.mdb-lock", os.O_RDWR)
fcntl.lockf(fd, fcntl.LOCK_EX, 1)
os.write(1, b"holding")
sys.stdin.read()
"""


def test_a_save_that_runs_out_of_time_is_kept_and_told(project: Project) -> None:
    """Another process that stays inside its first open of the store keeps ours waiting until the watchdog ends it."""
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPED_OPENER, str(project.data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.read(7) == b"holding"
    try:
        answer = project.hook(
            project.payload("UserPromptSubmit") | {"prompt": "remember: in spite of the other one"}, limits=(0.33, 25)
        )
    finally:
        process.communicate()
    assert answer.message == "Saved to memory: 1 fact; kept safely and filed at the next write."
    assert "deadline" in project.receipts
    assert [spooled.text for spooled in pending(str(project.data))] == ["in spite of the other one"]


def test_a_save_on_a_starved_machine_is_kept_and_told_before_anything_else(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The alarm is near: neither LMDB nor recall are begun, which the user would have to wait for in vain."""
    monkeypatch.setattr(late, "_LATE_S", 2000)
    before = (project.data / "gray.mdb").read_bytes()
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        ctx = made_context(project, "remember: keep me\n\nWhat is kept here?")
        ctx.known = registered(project.user_dir, str(project.data))
        told = saves.obey(ctx, Session(str(project.data), "s1"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert "kept safely, not yet in the store: the machine is too busy" in told.messages[0]
    assert (told.query, [code for code, _ in ctx.notes]) == ("", ["spooled", "late"])
    assert [spooled.text for spooled in pending(str(project.data))] == ["keep me"]
    assert (project.data / "gray.mdb").read_bytes() == before


def test_what_a_prompt_forgot_can_be_brought_back_and_a_purge_forgets_that_too(project: Project) -> None:
    project.add("The relay is calibrated on Monday")
    assert "Forgotten" in project.prompt("forget: The relay is calibrated on Monday").message
    memory = Memory(str(project.data), str(project.user_dir))
    assert [fact.text for fact in memory.undo(["project", SHARED]).restored] == ["The relay is calibrated on Monday"]
    project.prompt("forget: The relay is calibrated on Monday", clock=NOW + 10)
    assert _kept_ids(project)
    memory.purge("The relay is calibrated on Monday", ["project"])
    assert _kept_ids(project) == []


def _kept_ids(project: Project) -> list[bytes]:
    store = open_read(str(project.data))
    try:
        return last(store)[1]
    finally:
        store.close()


@pytest.mark.parametrize(
    ("reason", "said"), [("busy", "another process holds it"), ("store_suspect", "may be damaged")]
)
def test_a_save_that_waits_says_for_what(project: Project, reason: str, said: str) -> None:
    lock = try_lock(str(project.data), 1, 0.0) if reason == "busy" else None
    if reason == "store_suspect":
        with open(project.data / "state", "r+b") as file:
            status = os.lstat(project.data / "gray.mdb")
            os.pwrite(file.fileno(), state_of(status) + bytes((2, 2, 0, 0, 0, 0, 0, 0)), BREAKER_AT)
    message = project.prompt("remember: it has to wait").message
    if lock is not None:
        unlock(lock)
    assert message.startswith("Saved to memory [")
    assert f"kept safely, not yet in the store: {'another' if reason == 'busy' else 'the store'}" in message
    assert said in message


def test_a_disk_that_does_not_answer_before_the_alarm_is_told_instead_of_a_promise(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()
    keep = late.keep

    def slow(*args: Any) -> Any:
        assert answers.wait(60)
        return keep(*args)

    aside = set_aside(str(project.data), [("app", "kept on a slow disk", USER, 0)], NOW * 1_000_000)
    monkeypatch.setattr(late, "keep", slow)
    monkeypatch.setattr(late, "getitimer", lambda which: (0.02, 0.0))
    try:
        told = json.loads(late.kept(str(project.data), aside))["systemMessage"]
    finally:
        answers.set()
    assert told.startswith("Set aside: 1 fact, to be filed at the next write. The disk did not answer in time")
    assert [spooled.text for spooled in pending(str(project.data))] == ["kept on a slow disk"]
    monkeypatch.setattr(late, "getitimer", lambda which: (0.0, 0.0))
    assert b"kept safely" in late.kept(str(project.data), aside)
