"""Names of the package are found by programs and type checkers alike, and cost a hook nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import gmhooks
from gmhooks.memory.exports import HOMES

STUB = Path(gmhooks.__file__).with_suffix(".pyi").read_text(encoding="utf-8")


def test_the_stub_tells_exactly_the_names_that_resolve() -> None:
    told = {name: home for home, name in re.findall(r"^from (\S+) import (\w+) as \2$", STUB, flags=re.M)}
    assert told == HOMES


@pytest.mark.parametrize("name", sorted(HOMES))
def test_a_name_resolves_to_the_object_of_its_home(name: str) -> None:
    assert getattr(gmhooks, name).__name__ == name
    assert name in dir(gmhooks)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        gmhooks.Nonsense  # noqa: B018
    assert not hasattr(gmhooks, "HOMES")


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import gmhooks; print(sorted(set(sys.modules) - before))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(gmhooks.__file__).parents[1]
    )
    assert ran.stdout == "['gmhooks']\n"
