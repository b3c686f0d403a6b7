"""hooks.conf: absent means defaults, a bad line costs nothing but itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.hooks.conf import Conf, paused, read


def test_a_place_that_is_not_trusted_may_bring_silence_and_nothing_else(tmp_path: Path) -> None:
    lines = ("prompt_budget=9500", "top_k=50", "worktree=isolated", "packet_policy=lexical", "save=off")
    (tmp_path / "hooks.conf").write_text("\n".join(lines))
    wanted = fields(Conf()) | {"save": False}
    assert fields(read(str(tmp_path), trusted=False)) == wanted
    assert fields(read(str(tmp_path))) != wanted


def fields(conf: Conf) -> dict[str, object]:
    return {name: getattr(conf, name) for name in Conf.__slots__}


DEFAULTS = {
    "inject": True,
    "save": True,
    "worktree": "shared",
    "top_k": 3,
    "prompt_budget": 1536,
    "start_budget": 4096,
    "packet_policy": "native",
    "learn_aliases": "off",
    "problems": [],
}


def test_an_absent_file_means_the_defaults(tmp_path: Path) -> None:
    assert fields(read(str(tmp_path))) == DEFAULTS


def test_every_setting_is_read(tmp_path: Path) -> None:
    (tmp_path / "hooks.conf").write_text(
        "# switches\ninject=false\n save = off\r\nworktree=isolated\ntop_k=5\n\nprompt_budget=900\n"
        "start_budget=0\npacket_policy=lexical\nlearn_aliases=any\n"
    )
    assert fields(read(str(tmp_path))) == {
        "inject": False,
        "save": False,
        "worktree": "isolated",
        "top_k": 5,
        "prompt_budget": 900,
        "start_budget": 0,
        "packet_policy": "lexical",
        "learn_aliases": "any",
        "problems": [],
    }


@pytest.mark.parametrize(
    "line",
    [
        "inject",
        "inject=maybe",
        "worktree=mine",
        "packet_policy=other",
        "top_k=0",
        "top_k=51",
        "top_k=-1",
        "top_k=٣",
        "prompt_budget=9501",
        "worktree=x",
        "nonsense=1",
        "=",
    ],
)
def test_a_bad_line_is_listed_and_changes_nothing(tmp_path: Path, line: str) -> None:
    (tmp_path / "hooks.conf").write_text(f"top_k=4\n{line}\n")
    assert fields(read(str(tmp_path))) == DEFAULTS | {"top_k": 4, "problems": ["line 2"]}


@given(st.binary(max_size=400))
def test_no_content_stops_a_hook(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("conf")
    (folder / "hooks.conf").write_bytes(content)
    conf = read(str(folder))
    assert 1 <= conf.top_k <= 50
    assert conf.worktree in ("shared", "isolated")


@pytest.mark.parametrize("special", ["fifo", "folder", "dangling"])
def test_something_that_is_no_file_means_the_defaults(tmp_path: Path, special: str) -> None:
    path = tmp_path / "hooks.conf"
    if special == "fifo":
        os.mkfifo(path)
    elif special == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere")
    assert fields(read(str(tmp_path))) == DEFAULTS


@pytest.mark.parametrize(
    ("content", "expected"),
    [(None, False), (b"", True), (b"\n", True), (b"2000", True), (b"1000", False), (b" 1999.5\n", True), (b"x", True)],
)
def test_the_off_switch_holds_for_good_or_until_its_time(tmp_path: Path, content: bytes | None, expected: bool) -> None:
    if content is not None:
        (tmp_path / "off").write_bytes(content)
    assert paused(str(tmp_path), 1_500_000_000) is expected
