"""Every example of docs/library.md runs, in order, in a fresh project, and prints what the page says."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

from gmhooks import Memory
from gmhooks.memory.upkeep import Upkeep
from gmhooks.store.create import prepare

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.M | re.S)


def test_examples_print_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "my-app"
    project.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(project)
    prepare(str(project / ".graymatter"), str(tmp_path / ".local/share/gmhooks"))
    names: dict[str, object] = {}
    failures: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    for number, text in enumerate(EXAMPLES):
        if not text.startswith(">>>"):
            exec(text, names)
            continue
        test = doctest.DocTestParser().get_doctest(text, names, f"example {number}", None, None)
        runner.run(test, out=failures.append, clear_globs=False)
        names.update(test.globs)
    assert runner.tries > 20
    assert failures == []


def test_every_method_is_on_the_page() -> None:
    methods = {name for kind in (Memory, Upkeep) for name, _ in inspect.getmembers(kind, inspect.isfunction)}
    public = {name for name in methods if not name.startswith("_")}
    told = set(re.findall(r"[.`]([a-z_]+)\(", PAGE)) | set(re.findall(r"`([a-z_]+)`", PAGE))
    assert public - told == {"facts_shown"}
