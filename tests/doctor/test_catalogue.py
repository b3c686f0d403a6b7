"""The catalogue, the checks' code and the page for users name the same checks."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import gmhooks.doctor
from gmhooks.doctor.catalogue import CHECKS

PACKAGE = Path(gmhooks.doctor.__file__).parent
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "hooks.md").read_text(encoding="utf-8")
_ID = re.compile(r"[a-z]+(\.[a-z_]+)?")


def named_in_code() -> set[str]:
    """Every text of the checks' code that is a check's id."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        if path.name != "catalogue.py":
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in CHECKS:
                    found.add(node.value)
    return found


def test_every_check_of_the_catalogue_exists_in_the_code() -> None:
    assert named_in_code() == set(CHECKS)


def test_ids_are_a_subject_and_a_fault() -> None:
    assert [check for check in CHECKS if not _ID.fullmatch(check)] == []


def test_the_page_lists_each_check_with_its_meaning_and_remedy() -> None:
    section = PAGE.split("## When something is wrong\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([a-z._]+)` \| (.*) \| (.*) \|$", section, flags=re.M)
    assert [
        (check, meaning, remedy.strip("`") if remedy.count("`") == 2 else remedy) for check, meaning, remedy in rows
    ] == [
        (check, meaning, remedy.strip("`") if remedy.count("`") == 2 else remedy)
        for check, (meaning, remedy) in CHECKS.items()
    ]
