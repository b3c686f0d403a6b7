"""Auditing instruction files: what is found, what is not, and how old lines are."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gmhooks.context import blocks
from gmhooks.context.blocks import CONTEXT, begin, end
from gmhooks.doctor.audit import FileAudit, audit_file, targets

NOW = 1_800_000_000.0
DAY = 86_400
WORDS = [f"{first}{second}" for first in ("al", "be", "ga", "de") for second in ("pha", "ta", "mma", "lta", "psi")]


def audit(tmp_path: Path, text: str | bytes) -> FileAudit:
    file = tmp_path / "AGENTS.md"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return audit_file(str(file), NOW)


def found(done: FileAudit) -> list[tuple[str, str]]:
    return [(finding.check, finding.severity) for finding in done.findings]


def test_n16_one_planted_paragraph_gives_one_finding(tmp_path: Path) -> None:
    paragraph = " ".join(WORDS)
    done = audit(tmp_path, f"# A\n\n{paragraph}\n\nother words stand here in between them all\n\n{paragraph.upper()}.\n")

    assert found(done) == [("audit.duplicate", "warn")]
    assert done.to_json()["near_duplicates"] == [{"a_line": 3, "b_line": 7, "jaccard": 1.0}]


def test_n19_the_threshold_is_four_fifths_and_short_lines_never_count(tmp_path: Path) -> None:
    base = " ".join(WORDS[:19])
    assert found(audit(tmp_path, f"{base}\n\n{base} upsilon omega\n")) == [("audit.duplicate", "warn")]
    assert found(audit(tmp_path, f"{base}\n\n{base} a b c d e f\n")) == []
    assert found(audit(tmp_path, "see the docs\n\nsee the docs\n\nsee the docs\n")) == []


@pytest.mark.parametrize(("count", "severity"), [(500, None), (600, "warn"), (1_600, "fail")])
def test_n17_size(tmp_path: Path, count: int, severity: str | None) -> None:
    done = audit(tmp_path, "x\n" * count)

    assert found(done) == ([("audit.size", severity)] if severity else [])
    assert (done.lines, done.tokens) == (count, int(count * 1.33))


def test_markers(tmp_path: Path) -> None:
    block = blocks.render(CONTEXT, "## Memory")
    assert found(audit(tmp_path, f"{block}\n")) == []
    assert found(audit(tmp_path, f"{begin(CONTEXT)}\n")) == [("audit.markers", "fail")]
    assert found(audit(tmp_path, f"{end(CONTEXT)}\n")) == [("audit.markers", "fail")]
    assert found(audit(tmp_path, f"{block}\n\n{block}\n")) == [("audit.blocks", "warn")]
    assert found(audit(tmp_path, block.replace("## Memory", "## Mine"))) == [("audit.edited", "warn")]
    nested = f"{begin('instructions')}\n{block}\n{end('instructions')}\n"
    assert found(audit(tmp_path, nested)) == [("audit.markers", "fail")]


def test_n22_markers_in_a_code_fence_are_no_finding_and_a_file_outside_git_has_no_age(tmp_path: Path) -> None:
    done = audit(tmp_path, f"```\n{begin(CONTEXT)}\n```\n")

    assert found(done) == []
    assert done.to_json()["staleness"] == {"available": False, "reason_if_unavailable": "not in a git repository"}


def test_a_secret_is_named_by_line_and_rule_and_never_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "FAKEEXAMPLE" * 3 + "abc"
    done = audit(tmp_path, f"# A\ntoken {secret}\n")

    assert found(done) == [("audit.secret", "fail")]
    assert "line 2" in done.findings[0].detail
    assert secret not in str(done.findings[0].to_json())


def test_what_is_no_text_is_a_finding(tmp_path: Path) -> None:
    assert found(audit(tmp_path, b"\xff\xfeA\0")) == [("audit.readable", "fail")]
    assert found(audit_file(str(tmp_path / "absent.md"), NOW)) == [("audit.readable", "fail")]


def test_a_directory_means_its_two_files_and_one_file_with_two_names_counts_once(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("a")
    assert targets(str(tmp_path)) == [str(tmp_path / "AGENTS.md")]
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert targets(str(tmp_path)) == [str(tmp_path / "AGENTS.md")]


def git(folder: Path, *words: str, when: float = NOW) -> None:
    env = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": f"{int(when)} +0000", "GIT_COMMITTER_DATE": f"{int(when)} +0000",
    }  # fmt: skip
    names = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *names, *words], cwd=folder, env=env, check=True, capture_output=True)


def test_n20_lines_are_counted_by_age_and_uncommitted_ones_apart(tmp_path: Path) -> None:
    file = tmp_path / "AGENTS.md"
    git(tmp_path, "init", "-q")
    text = ""
    for age, rows in ((2_000, 5), (60, 2), (10, 1)):
        text += "".join(f"line {age} {n}\n" for n in range(rows))
        file.write_text(text)
        git(tmp_path, "add", "AGENTS.md")
        git(tmp_path, "commit", "-q", "-m", "x", when=NOW - age * DAY)
    file.write_text(text + "not committed\n")

    done = audit_file(str(file), NOW)

    assert found(done) == [("audit.stale", "warn")]
    assert done.to_json()["staleness"] == {
        "available": True,
        "lines_le_30d": 1,
        "lines_31_90d": 2,
        "lines_gt_90d": 5,
        "lines_uncommitted": 1,
        "median_age_days": 2_000.0,
    }
    (tmp_path / "CLAUDE.md").write_text("new\n")
    assert audit_file(str(tmp_path / "CLAUDE.md"), NOW).age.reason == "the file is not tracked by git"
