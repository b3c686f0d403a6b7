"""Differences of files, as `patch` reads them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gmhooks.init.unified import unified


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\n\tb  c\r\nd\n", b"a\n\tb  c\r\ne\n"),
        (b"no end", b"no end\nmore\n"),
        (b"one\n", b"one\ntwo"),
        (b"page\x0cbreak\x85\n", b"page\x0cbreak\x85\nnext\n"),
    ],
)
@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch program here")
def test_patch_makes_of_the_old_text_exactly_the_new_one(tmp_path: Path, before: bytes, after: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(before)
    diff = unified(before, after, str(file)).encode("utf-8", "surrogateescape")

    subprocess.run(["patch", "--binary", "-s", str(file)], input=diff, check=True, cwd=tmp_path)

    assert file.read_bytes() == after


def test_a_file_that_is_not_there_is_dev_null() -> None:
    assert unified(None, b"x\n", "f").startswith("--- /dev/null\n+++ f\n")
    assert unified(b"x\n", None, "f").startswith("--- f\n+++ /dev/null\n")


def test_equal_texts_have_no_difference() -> None:
    assert unified(b"x", b"x", "f") == unified(None, None, "f") == ""
