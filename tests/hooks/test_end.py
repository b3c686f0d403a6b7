"""The end of a session is silent, keeps a checkpoint, and hands slow work to a process that outlives it."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest

from gmhooks.hooks import finish as finishing
from gmhooks.hooks.finish import finish
from gmhooks.hooks.spawn import detach
from gmhooks.store.bitmaps import MADE, fold
from gmhooks.store.env import open_read
from gmhooks.store.meta import counter
from gmhooks.store.touches import of
from tests.hooks.project import NOW, Project
from tests.hooks.test_compact import checkpoints


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def until(path: Path, there: bool = True) -> None:
    """Wait, within a bound far above the usual, until a detached process has done its work."""
    end = time.monotonic() + 30
    while path.exists() != there:
        assert time.monotonic() < end
        os.sched_yield()


@pytest.mark.parametrize("name", ["clear", "logout", "other", "prompt_input_exit", "resume"])
def test_recorded_ends_are_silent_and_keep_a_checkpoint(project: Project, name: str) -> None:
    assert project.recorded(f"SessionEnd.{name}").stdout == b""
    assert len(checkpoints(project)) == 1


def test_a_session_without_a_prompt_leaves_no_checkpoint(project: Project) -> None:
    assert project.recorded("SessionEnd.no-turn").stdout == b""
    assert checkpoints(project) == []


def test_a_prompt_seen_by_the_hook_is_enough_for_a_checkpoint(project: Project) -> None:
    project.prompt("tell me about zeppelins")
    project.end()
    assert len(checkpoints(project)) == 1


def test_the_journal_is_folded_by_the_detached_process(project: Project) -> None:
    (fact,) = project.add("Zeppelins need helium")
    project.prompt("what do zeppelins need, helium?")
    project.end()
    until(project.data / "access.log", there=False)
    until(project.data / "access.folding", there=False)
    store = open_read(str(project.data))
    try:
        assert of(store, fact.ns, fact.doc) == (1, NOW * 1_000_000)
    finally:
        store.close()


def test_detached_work_is_started_at_most_every_ten_minutes(project: Project) -> None:
    project.end()
    until(project.data / "access.log", there=False)
    (project.data / "access.log").write_text("")
    project.end(clock=NOW + 500)
    assert (project.data / "access.log").exists()
    project.end(clock=NOW + 700)
    until(project.data / "access.log", there=False)


def test_a_spooled_save_is_drained_at_once(project: Project) -> None:
    project.end()
    until(project.data / "access.log", there=False)
    good = (project.data / "gray.mdb").read_bytes()
    (project.data / "gray.mdb").write_bytes(b"garbage" * 9999)
    project.prompt("remember: on its way")
    (project.data / "gray.mdb").write_bytes(good)
    (spooled,) = (project.data / "spool").iterdir()
    (project.data / "hooks.conf").write_text("save=off\n")
    project.end(clock=NOW + 1)
    until(spooled, there=False)
    assert project.facts() == ["on its way"]


def test_one_finisher_works_at_a_time(project: Project) -> None:
    from fcntl import LOCK_EX, flock

    fd = os.open(project.data / "spool", os.O_RDONLY)
    try:
        flock(fd, LOCK_EX)
        assert finish(str(project.data), project.user_dir) == "running"
    finally:
        os.close(fd)
    assert finish(str(project.data), project.user_dir) == "done"


def test_a_finisher_clears_up_after_saves_that_were_cut_short(project: Project) -> None:
    spool = project.data / "spool"
    for name, age_s in (("OLD.fact.tmp", 7200), ("NEW.fact.tmp", 60), ("FOREIGN", 7200)):
        (spool / name).write_text("half a rec")
        os.utime(spool / name, (time.time() - age_s,) * 2)
    assert finish(str(project.data), project.user_dir) == "done"
    assert sorted(path.name for path in spool.iterdir()) == ["FOREIGN", "NEW.fact.tmp"]


def test_a_finisher_leaves_untrusted_and_missing_stores_alone(project: Project, tmp_path: Path) -> None:
    assert finish(str(project.data), str(tmp_path / "nobody")) == "untrusted"
    assert finish(str(tmp_path / "gone"), project.user_dir) == "store_missing"
    (project.data / "gray.mdb").write_bytes(b"garbage" * 9999)
    assert finish(str(project.data), project.user_dir) == "store_damaged"


def test_detached_work_has_another_session_no_parent_and_no_descriptors(tmp_path: Path) -> None:
    report = tmp_path / "report"

    def work() -> None:
        seen = f"{os.getsid(0) != parent_session} {os.getcwd()} {sorted(os.listdir('/proc/self/fd'))[:4]}"
        (tmp_path / "new").write_text(seen)
        (tmp_path / "new").rename(report)

    parent_session = os.getsid(0)
    detach(work)
    until(report)
    assert report.read_text().startswith("True / ['0', '1', '2', ")


def test_the_days_work_chooses_the_terms_that_have_bitmaps(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finishing, "fold_bitmaps", partial(fold, exact_up_to=2))
    project.add(*[f"redis number {word}" for word in ("one", "two", "three")])
    monkeypatch.setenv("GRAYMATTER_CLOCK", f"@{NOW + 40 * 86_400}")

    assert finish(str(project.data), project.user_dir) == "done"
    store = open_read(str(project.data))
    assert counter(store, MADE) == len({"redi", "number", "one", "two", "three"})
    store.close()
