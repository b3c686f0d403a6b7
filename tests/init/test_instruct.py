"""Managed blocks in files: one atomic edit, undone to the byte, never over something a person typed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gmhooks.context import blocks
from gmhooks.context.blocks import CONTEXT, INSTRUCTIONS
from gmhooks.init import publish
from gmhooks.init.instruct import BlockReport, Wish, settle

OLD = blocks.render(CONTEXT, "## Memory\n- old", facts=1)
NEW = blocks.render(CONTEXT, "## Memory\n- new", facts=1)
EDITED = OLD.replace("- old", "- old\n- I typed this line")


@pytest.fixture
def own(tmp_path: Path) -> str:
    return str(tmp_path / "home" / "gmhooks")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir()
    return tmp_path / "project" / "AGENTS.md"


def version(file: Path) -> tuple[int, int]:
    """Which file it is and when it was last written."""
    held = file.stat()
    return held.st_ino, held.st_mtime_ns


def put(file: Path, own: str, block: str = NEW, *, force: bool = False, keep: bool = False) -> BlockReport:
    return settle(str(file), Wish(CONTEXT, block, force=force, keep=keep, beside=True), own)


def take(file: Path, own: str, *, force: bool = False) -> BlockReport:
    return settle(str(file), Wish(CONTEXT, None, force=force, beside=True), own)


def test_a_file_made_for_the_block_goes_with_it(file: Path, own: str) -> None:
    assert put(file, own).outcome == "created"
    assert file.read_text() == NEW + "\n"

    assert take(file, own).outcome == "removed"
    assert not file.exists()


def test_an_empty_file_of_the_user_stays(file: Path, own: str) -> None:
    file.write_bytes(b"")
    put(file, own)

    take(file, own)

    assert file.read_bytes() == b""


def test_removal_gives_the_former_bytes_and_takes_the_backup_along(file: Path, own: str) -> None:
    file.write_bytes(b"\xef\xbb\xbf# Mine\r\n\r\nlast line")
    put(file, own)
    assert (file.parent / "AGENTS.md.bak").read_bytes() == b"\xef\xbb\xbf# Mine\r\n\r\nlast line"

    take(file, own)

    assert file.read_bytes() == b"\xef\xbb\xbf# Mine\r\n\r\nlast line"
    assert os.listdir(file.parent) == ["AGENTS.md"]


def test_a_second_run_writes_nothing(file: Path, own: str) -> None:
    file.write_text("# Mine\n")
    put(file, own)
    held = version(file)

    report = put(file, own)

    assert (report.outcome, report.backup, version(file)) == ("unchanged", None, held)


def test_a_hand_edit_is_refused_kept_or_replaced_with_a_backup(file: Path, own: str) -> None:
    file.write_text(f"mine\n{EDITED}\n")

    refused = put(file, own)
    assert (refused.reason, refused.line, refused.edited) == ("hand_edited", 2, True)
    assert "AGENTS.md, line 2: hand_edited" in refused.message
    assert put(file, own, keep=True).outcome == "preserved"
    assert file.read_text() == f"mine\n{EDITED}\n"

    forced = put(file, own, force=True)
    assert forced.outcome == "updated"
    assert "hand_edited" in forced.warnings
    assert "I typed this line" in Path(forced.backup or "").read_text()
    assert file.read_text() == f"mine\n{NEW}\n"


def test_two_edited_blocks_are_refused(file: Path, own: str) -> None:
    file.write_text(f"{OLD}\nmine\n{EDITED}\n")

    assert put(file, own).reason == "two_blocks"


def test_both_names_of_one_file_stay_one_file(file: Path, own: str) -> None:
    file.write_text("# Mine\n")
    claude = file.parent / "CLAUDE.md"
    os.link(file, claude)

    assert put(file, own).outcome == "updated"
    assert os.path.samefile(file, claude)
    assert sorted(os.listdir(file.parent)) == ["AGENTS.md", "AGENTS.md.bak", "CLAUDE.md"]
    assert settle(str(claude), Wish(CONTEXT, NEW), own).outcome == "unchanged"


def test_a_second_name_elsewhere_is_refused(file: Path, own: str, tmp_path: Path) -> None:
    file.write_text("# Mine\n")
    os.link(file, tmp_path / "elsewhere.md")

    assert put(file, own).reason == "hardlink"


def test_a_link_is_followed_and_kept(file: Path, own: str) -> None:
    real = file.parent / "real.md"
    real.write_text("# Mine\n")
    file.symlink_to("real.md")

    report = put(file, own)

    assert report.warnings == ["symlink"]
    assert (file.is_symlink(), real.read_text()) == (True, f"# Mine\n\n{NEW}\n")


def test_a_backup_name_that_is_a_link_is_refused_and_its_target_untouched(file: Path, own: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    file.write_text("# Mine\n")
    (file.parent / "AGENTS.md.bak").symlink_to(victim)

    assert put(file, own).reason == "not_regular"
    assert (victim.read_text(), file.read_text()) == ("precious", "# Mine\n")
    assert sorted(os.listdir(file.parent)) == ["AGENTS.md", "AGENTS.md.bak"]


def test_mode_is_kept_and_the_backup_has_it_too(file: Path, own: str) -> None:
    file.write_text("# Mine\n")
    file.chmod(0o600)

    report = put(file, own)

    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in (file, Path(report.backup or ""))]
    assert modes == [0o600, 0o600]


def test_an_edit_between_reading_and_writing_survives(file: Path, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("# Mine\n")
    real, reads = publish.read, []

    def read(target: str) -> publish.Snapshot:
        seen = real(target)
        reads.append(target)
        if len(reads) == 2:
            file.write_text("# Mine\nnew line\n")
        return seen

    monkeypatch.setattr(publish, "read", read)

    assert put(file, own).outcome == "updated"
    assert file.read_text() == f"# Mine\nnew line\n\n{NEW}\n"


def test_two_families_share_a_file_and_go_one_by_one(file: Path, own: str) -> None:
    other = blocks.render(INSTRUCTIONS, "use the memory")
    settle(str(file), Wish(INSTRUCTIONS, other), own)
    put(file, own)
    assert file.read_text() == f"{other}\n\n{NEW}\n"

    settle(str(file), Wish(INSTRUCTIONS, None), own)
    assert take(file, own).after is None
    assert not file.exists()


def test_a_dry_run_tells_and_writes_nothing(file: Path, own: str) -> None:
    report = settle(str(file), Wish(CONTEXT, NEW), own, dry_run=True)

    assert (report.outcome, report.after, file.exists(), os.path.exists(own)) == (
        "created",
        f"{NEW}\n".encode(),
        False,
        False,
    )
