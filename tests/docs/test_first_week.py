"""The first-week guide names only verbs and settings that exist, and its figures are the program's."""

from __future__ import annotations

import re
from pathlib import Path

from gmhooks.cli.table import NAMES, SAME
from gmhooks.cli.verbs.config import KEYS
from gmhooks.hooks.conf import Conf
from gmhooks.store.decay import FLOOR, HALF_LIFE_H, decayed

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "first-week.md").read_text(encoding="utf-8")


def test_every_command_exists() -> None:
    named = set(re.findall(r"graymatter ([a-z-]+)", PAGE)) - {"memory"}
    assert named <= {*NAMES, *SAME}
    assert set(re.findall(r"config set ([a-z_]+)", PAGE)) <= set(KEYS)


def test_budgets_and_the_time_to_fade_are_those_of_the_program() -> None:
    conf = Conf()
    assert f"{conf.prompt_budget:,} bytes a prompt and {conf.start_budget:,} at" in PAGE
    days = int(re.findall(r"about (\d+) days", PAGE)[0])
    hour = 3_600_000_000
    assert HALF_LIFE_H == 720
    assert decayed(1.0, (days + 1) * 24 * hour) < FLOOR < decayed(1.0, (days - 1) * 24 * hour)


def test_links_lead_to_pages_that_exist() -> None:
    for target in re.findall(r"\]\(([a-z-]+\.md)\)", PAGE):
        assert (Path(__file__).resolve().parents[2] / "docs" / target).is_file()
