"""docs/cli.md says what the program's help says: same verbs in the same order, same options, same settings. (F197)"""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from pathlib import Path

import pytest

from gmhooks.cli.options import Parser, add_shared_options
from gmhooks.cli.table import NAMES, module_of

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def _sections() -> dict[str, str]:
    parts = re.split(r"^## `graymatter ([a-z-]+)`\n", PAGE, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _options(parser: argparse.ArgumentParser) -> set[str]:
    return {word for action in parser._actions for word in action.option_strings if word.startswith("--")}


def _parser(verb: str) -> Parser:
    parser = Parser(f"graymatter {verb}", "")
    import_module(module_of(verb)).build(parser)
    return parser


def test_page_has_one_section_a_verb_in_the_order_of_the_help() -> None:
    assert tuple(_sections()) == NAMES


@pytest.mark.parametrize("verb", NAMES)
def test_options_table_of_a_verb_lists_exactly_its_options(verb: str) -> None:
    rows = re.findall(r"^\| `(--[a-z-]+)", _sections()[verb], flags=re.M)
    assert sorted(rows) == sorted(_options(_parser(verb)) - {"--help"})


@pytest.mark.parametrize("verb", NAMES)
def test_prose_of_a_verb_mentions_no_option_that_does_not_exist(verb: str) -> None:
    shared = Parser("graymatter", "")
    add_shared_options(shared)
    every = _options(shared).union(*(_options(_parser(name)) for name in NAMES))
    assert set(_OPTION.findall(_sections()[verb])) <= every


def test_shared_options_are_listed() -> None:
    parser = Parser("graymatter", "")
    add_shared_options(parser)
    assert all(f"`{option}" in PAGE.split("## `graymatter")[0] for option in _options(parser) - {"--help"})


def test_settings_table_lists_exactly_the_settings() -> None:
    from gmhooks.cli.verbs.config import KEYS

    assert re.findall(r"^\| `([a-z_]+)` \|", _sections()["config"], flags=re.M) == list(KEYS)


def test_exit_codes_are_those_of_the_program() -> None:
    from gmhooks.cli import errors

    codes = {errors.DONE, errors.REFUSED, errors.USAGE, errors.UNEXPECTED, errors.INTERRUPTED}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, flags=re.M)} == codes


def test_the_changelog_names_every_verb() -> None:
    text = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    listed = re.split(r"[ ,().]+", text.split("- Verbs: ", 1)[1].split("\n- ", 1)[0].replace("\n", " "))
    assert set(NAMES) <= set(listed)


@pytest.mark.parametrize("verb", ["hooks", "mcp"])
def test_help_of_a_verb_with_actions_says_what_each_does(verb: str) -> None:
    parser = _parser(verb)
    (actions,) = [action.choices for action in parser._actions if action.dest == "action"]
    assert actions is not None
    assert all(re.search(rf"^  {action} +\w", parser.epilog or "", flags=re.M) for action in actions)
