"""After two deaths at one state of a store hooks leave it alone, until a check, a commit or a new file ends that."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gmhooks.hooks.breaker import collect, judge, settle
from gmhooks.hooks.recheck import recheck
from gmhooks.hooks.session import BREAKER_AT, SLOT, SLOTS_AT, USE_AT, Session
from gmhooks.hooks.usage import enter, enter_first, state_of
from gmhooks.store.errors import StoreSuspect
from gmhooks.store.spool import pending
from tests.hooks.project import NOW, Answer, Project

QUESTION = "where does the deploy key of the billing service live?"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add("the deploy key of the billing service lives in the vault")
    return made


def dead_process() -> int:
    ended = subprocess.Popen([sys.executable, "-I", "-S", "-c", "pass"])
    ended.wait()
    return ended.pid


def die_at(project: Project, session_id: str = "s1") -> None:
    """Leave what a hook of that session leaves that dies while it uses LMDB."""
    session = Session(str(project.data), session_id)
    mark = state_of(os.lstat(project.data / "gray.mdb")) + dead_process().to_bytes(4, "little")
    os.pwrite(session.fd, mark, SLOTS_AT + session.index * SLOT + USE_AT)
    session.close()


def again(project: Project, number: int) -> Answer:
    """A hook of that session that goes through LMDB; the runs lie too far apart to count as one."""
    return project.start("compact", clock=NOW + 10 * number)


def record(project: Project) -> bytes:
    return (project.data / "state").read_bytes()[BREAKER_AT : BREAKER_AT + 12]


def until_settled(project: Project) -> None:
    """Wait, within a bound far above the usual, for the detached check."""
    end = time.monotonic() + 60
    while record(project)[5] == 1:
        assert time.monotonic() < end
        os.sched_yield()


def until_logged(project: Project, code: str) -> None:
    """Wait likewise for the receipt of the check."""
    end = time.monotonic() + 60
    while code not in project.receipts:
        assert time.monotonic() < end
        os.sched_yield()
    (line,) = [line for line in (project.data / "hooks.log").read_text().splitlines() if f'"{code}"' in line]
    assert '"event":"recheck"' in line


def test_one_death_changes_nothing_that_is_shown(project: Project) -> None:
    die_at(project)
    assert again(project, 0).lines
    assert record(project)[4] == 1


def test_two_deaths_close_the_store_and_a_clean_check_opens_it(project: Project) -> None:
    for number in range(2):
        die_at(project)
        answer = again(project, number)
    assert answer.lines == []
    assert "store_suspect" in project.receipts
    until_settled(project)
    assert record(project) == bytes(12)
    assert again(project, 2).lines
    until_logged(project, "clean")


def test_a_prompt_reads_a_suspect_store_without_lmdb(project: Project) -> None:
    for _ in range(2):
        die_at(project)
    assert project.prompt(QUESTION).lines
    assert "store_suspect" not in project.receipts


def test_sessions_that_end_after_their_deaths_are_counted_by_the_next_start(project: Project) -> None:
    die_at(project, "gone")
    die_at(project, "gone too")
    assert project.start(session="new").lines == []
    assert "store_suspect" in project.receipts


def test_a_save_to_a_suspect_store_waits_in_the_spool_until_it_is_sound(project: Project) -> None:
    status = os.lstat(project.data / "gray.mdb")
    with open(project.data / "state", "r+b") as file:
        os.pwrite(file.fileno(), state_of(status) + bytes((2, 2, 0, 0, 0, 0, 0, 0)), BREAKER_AT)
    answer = project.prompt("remember: kept aside")
    assert "kept safely" in answer.message
    assert "Not forgotten" in project.prompt("forget: kept aside").message
    assert [spooled.text for spooled in pending(str(project.data))] == ["kept aside"]
    assert os.lstat(project.data / "gray.mdb").st_mtime_ns == status.st_mtime_ns
    with open(project.data / "state", "r+b") as file:
        settle(file.fileno(), state_of(status), damaged=False)
    assert "Saved" in project.prompt("remember: another", clock=NOW + 5).message
    assert project.facts()[1:] == ["kept aside", "another"]


def test_a_commit_ends_what_was_known_of_the_file(project: Project) -> None:
    die_at(project)
    again(project, 0)
    project.add("a commit")
    die_at(project)
    assert again(project, 1).lines
    assert record(project)[4] == 1


def test_a_damaged_store_stays_closed(project: Project) -> None:
    data = bytearray((project.data / "gray.mdb").read_bytes())
    at = data.index(b"lives in the vault")
    data[at : at + 5] = b"LIVES"
    (project.data / "gray.mdb").write_bytes(data)
    for number in range(2):
        die_at(project)
        assert project.prompt(f"{QUESTION} {number}").lines == []
        told = again(project, number).message
    until_settled(project)
    until_logged(project, "damaged")
    assert record(project)[5] == 2
    assert "graymatter doctor --repair" in told
    assert project.start(session="new").lines == []


def test_a_check_says_what_it_found(project: Project) -> None:
    (project.data / "state").touch()
    assert recheck(str(project.data)) == "clean"
    os.truncate(project.data / "gray.mdb", 8192)
    assert recheck(str(project.data)) == "damaged"


def test_a_living_process_is_not_counted(project: Project, tmp_path: Path) -> None:
    session = Session(str(project.data), "s1")
    status = os.lstat(project.data / "gray.mdb")
    for _ in range(3):
        enter(session, status)
    other = Session(str(project.data), "s1")
    enter(other, status)
    enter_first(other, status)
    assert record(project) in (b"", bytes(12))
    assert collect(other, os.pread(other.fd, SLOT * 64, SLOTS_AT)) == []
    session.close()
    other.close()


def test_a_check_that_died_is_started_again_after_a_minute(project: Project) -> None:
    state = bytes(range(1, 5))
    marks = [state + dead_process().to_bytes(4, "little")] * 2
    with open(project.data / "state", "r+b") as file:
        fd = file.fileno()
        due = []
        for started in (0, None, 0):
            if started is not None:
                os.pwrite(fd, bytes(4), BREAKER_AT + 8)
            with pytest.raises(StoreSuspect) as caught:
                judge(fd, state, marks)
            due.append(caught.value.check_due)
    assert due == [True, False, True]
