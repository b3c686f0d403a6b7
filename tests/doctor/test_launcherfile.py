"""The launcher is read back exactly, and only if it is ours to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.doctor.launcherfile import Launcher, parse
from gmhooks.init.launcher import NAME, text

PATHS = st.text(st.characters(exclude_characters="\0\n", exclude_categories=("Cs",)), min_size=1).map(lambda t: "/" + t)


@given(PATHS, PATHS, PATHS)
def test_what_is_written_is_read_back(python: str, shim: str, user_dir: str) -> None:
    assert parse(text(user_dir, python, shim), f"/u/{NAME}") == Launcher(python, shim, user_dir)


GOOD = text("/u", "/usr/bin/python3", "/opt/gmhooks/hooks/shim.py")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        GOOD + b"\n",
        GOOD.replace(b"#!/bin/sh", b"#!/bin/bash"),
        GOOD.replace(b" -I -S", b" -S"),
        GOOD.replace(b"exit 0\n", b"exit 0"),
        GOOD.replace(b"'/usr", b"/usr"),
        GOOD.replace(b"--user-dir=", b"--dir="),
    ],
)
def test_any_other_text_is_none(data: bytes) -> None:
    assert parse(data, f"/u/{NAME}") is None


def test_a_package_is_the_folder_above_the_hooks() -> None:
    found = parse(GOOD, f"/u/{NAME}")
    assert found is not None
    assert found.package == "/opt/gmhooks"
