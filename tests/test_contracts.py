"""The tools' verdicts are tests: layers, types and lint have no separate gate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
TOOLS = {
    "layers and import contracts": ("lint-imports", "--no-cache"),
    "types": ("mypy", "--strict", "--cache-dir", os.devnull),
    "lint": ("ruff", "check", "--no-cache", "."),
}


@pytest.mark.parametrize("words", [pytest.param(words, id=what) for what, words in TOOLS.items()])
def test_the_tool_finds_nothing_to_complain_about(words: tuple[str, ...]) -> None:
    tool = Path(sys.executable).with_name(words[0])

    ran = subprocess.run([tool, *words[1:]], cwd=CHECKOUT, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"
