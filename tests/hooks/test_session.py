"""What a session was shown: kept in place, bounded, and never worth an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gmhooks.hooks.fields import FINISH_AT, NOTICE_AT, keep, load
from gmhooks.hooks.fork import inherit
from gmhooks.hooks.session import SETS, SHOWN, SLOT, SLOTS_AT, WAYS, Session

NOW = 1_700_000_000_000_000


def shown(folder: Path, session_id: str) -> list[int]:
    session = Session(str(folder), session_id)
    try:
        return session.shown
    finally:
        session.close()


def show(folder: Path, session_id: str, keys: list[int], now_us: int = NOW) -> None:
    session = Session(str(folder), session_id)
    session.note_shown(keys)
    session.save(now_us, b"a block")
    session.close()
    assert session.problem == ""


def test_shown_facts_are_found_again(tmp_path: Path) -> None:
    show(tmp_path, "one", [4, 6])
    show(tmp_path, "one", [6, 9])
    show(tmp_path, "two", [1])
    assert shown(tmp_path, "one") == [4, 6, 9]
    assert shown(tmp_path, "two") == [1]
    assert shown(tmp_path, "three") == []


def test_the_file_is_private_and_written_in_place(tmp_path: Path) -> None:
    old = os.umask(0o777)
    try:
        show(tmp_path, "one", [4])
    finally:
        os.umask(old)
    before = os.stat(tmp_path / "state")
    assert before.st_mode & 0o777 == 0o600
    show(tmp_path, "one", [5])
    assert os.stat(tmp_path / "state").st_ino == before.st_ino


def test_without_a_session_id_nothing_is_suppressed_and_nothing_kept(tmp_path: Path) -> None:
    show(tmp_path, "", [4])
    assert shown(tmp_path, "") == []
    assert (tmp_path / "state").stat().st_size == 0


def test_compaction_makes_everything_showable_again(tmp_path: Path) -> None:
    show(tmp_path, "one", [4])
    session = Session(str(tmp_path), "one")
    session.forget()
    session.save(NOW)
    session.close()
    assert shown(tmp_path, "one") == []


def test_the_oldest_shown_facts_are_forgotten_first(tmp_path: Path) -> None:
    show(tmp_path, "one", list(range(SHOWN)))
    show(tmp_path, "one", [9000, 9001])
    assert shown(tmp_path, "one") == [*range(2, SHOWN), 9000, 9001]


def test_an_edited_prompt_may_show_its_facts_once_more(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "one")
    session.note_prompt([1, 2, 3, 4, 5], "p1", [70, 71])
    assert session.repeatable([1, 2, 3, 4, 9], "p2") == [70, 71]
    assert session.repeatable([1, 2, 3, 8, 9], "p2") == []
    assert session.repeatable([1, 2, 3], "p2") == []
    assert session.repeatable([1, 2, 3, 4, 5], "p1") == []
    assert session.repeatable([], "p2") == []
    session.note_prompt([1, 2, 3, 4, 9], "p2", [70, 72])
    assert session.repeatable([1, 2, 3, 4, 9], "p3") == [72]
    assert session.shown == [70, 71, 72]
    assert session.prompted
    session.close()


def test_a_fork_inherits_from_the_session_resumed_at_the_same_prompt(tmp_path: Path) -> None:
    show(tmp_path, "later", [1], NOW + 9)
    session = Session(str(tmp_path), "origin")
    session.note_shown([5, 6])
    session.note_resume("prompt-7")
    session.save(NOW - 10_000_000)
    session.close()
    fork = Session(str(tmp_path), "fork")
    inherit(fork, "prompt-7", NOW + 10)
    assert fork.shown == [5, 6]
    fork.close()


def test_a_fork_without_such_a_session_inherits_from_the_one_used_last_before(tmp_path: Path) -> None:
    show(tmp_path, "old", [1], NOW - 50)
    show(tmp_path, "origin", [2], NOW - 10)
    show(tmp_path, "newer", [3], NOW + 10)
    fork = Session(str(tmp_path), "fork")
    inherit(fork, "", NOW)
    assert fork.shown == [2]
    inherit(fork, "", 0)
    assert fork.shown == [2]
    fork.close()


def test_the_session_unused_for_longest_makes_room(tmp_path: Path) -> None:
    count = 3 * WAYS * SETS
    for n in range(count):
        show(tmp_path, f"s{n}", [n], NOW + n)
    assert shown(tmp_path, f"s{count - 1}") == [count - 1]
    assert shown(tmp_path, "s0") == []


def test_shared_fields_are_kept_beside_the_slots(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "one")
    assert load(session, NOTICE_AT, 4) == b""
    assert keep(session, NOTICE_AT, b"abcd")
    assert keep(session, FINISH_AT, b"12345678")
    session.note_shown([3])
    session.save(NOW)
    assert load(session, NOTICE_AT, 4) == b"abcd"
    assert load(session, FINISH_AT, 8) == b"12345678"
    session.close()


@pytest.mark.parametrize("kind", ["directory", "fifo", "symlink", "hard link", "missing folder"])
def test_what_is_no_file_of_our_own_is_left_alone(tmp_path: Path, kind: str) -> None:
    state = tmp_path / "state"
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    folder = tmp_path
    if kind == "directory":
        state.mkdir()
    elif kind == "fifo":
        os.mkfifo(state)
    elif kind == "symlink":
        state.symlink_to(victim)
    elif kind == "hard link":
        state.hardlink_to(victim)
    else:
        folder = tmp_path / "gone"
    session = Session(str(folder), "one")
    session.note_shown([1])
    session.save(NOW)
    assert session.problem
    assert session.shown == [1]
    assert not keep(session, NOTICE_AT, b"abcd")
    session.close()
    assert victim.read_bytes() == b"precious"


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.integers(0, SLOTS_AT + 4 * SLOT))
def test_a_damaged_file_counts_as_unseen(tmp_path: Path, garbage: bytes, at: int) -> None:
    state = tmp_path / "state"
    state.write_bytes(bytes(at) + garbage)
    show(tmp_path, "one", [7])
    data = bytearray(state.read_bytes())
    assert shown(tmp_path, "one") == [7]
    slot = data.find(b"\x07\0\0\0", SLOTS_AT)
    data[slot] ^= 1
    state.write_bytes(data)
    assert shown(tmp_path, "one") == []
