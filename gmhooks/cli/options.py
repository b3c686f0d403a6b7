"""The argument parser every verb gets, and the options all of them share."""

from __future__ import annotations

import argparse
from typing import NoReturn

from gmhooks.cli.errors import UsageFault
from gmhooks.cli.out import shown

CONFIDENCES = ("verified", "inferred", "unverified")


class Parser(argparse.ArgumentParser):
    """argparse, with errors raised as UsageFault and no abbreviated options."""

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        """Raise UsageFault instead of ending the process."""
        raise UsageFault(shown(message), then=f"see {self.prog} --help")


def add_shared_options(parser: argparse.ArgumentParser) -> None:
    """Add `--dir`, `--json` and `--quiet`; absent ones keep what was given before the verb."""
    absent = argparse.SUPPRESS
    parser.add_argument("--dir", metavar="DIR", default=absent, help="use the store in DIR (default: .graymatter)")
    parser.add_argument("--json", action="store_true", default=absent, help="answer with one JSON object")
    parser.add_argument("--quiet", action="store_true", default=absent, help="print only data and problems")


def split_agent(words: list[str], what: str, *, shared: bool = False) -> tuple[str | None, str]:
    """Split `[agent_id] TEXT` into (agent id or None, text); raise UsageFault for any other number of words."""
    agent_id, (text,) = split_words(words, what, shared=shared)
    return agent_id, text


def split_words(words: list[str], *what: str, shared: bool = False) -> tuple[str | None, list[str]]:
    """Split `[agent_id]` and one word for each of `what` into (agent id or None, words); UsageFault for another number."""
    named = " and one ".join(what)
    if len(words) == len(what):
        return None, words
    if len(words) != len(what) + 1:
        raise UsageFault(f"expected [agent_id] and one {named}, got {len(words)} words", then=f"quote the {what[-1]}")
    if shared:
        raise UsageFault("--shared takes no agent id", then=f"give only the {named}")
    return check_agent_id(words[0]), words[1:]


def check_agent_id(agent_id: str) -> str:
    """Return an explicit agent id unchanged; raise UsageFault when it is blank or longer than 4,096 bytes."""
    from gmhooks.memory.agents import checked_agent_id

    try:
        return checked_agent_id(agent_id)
    except ValueError as error:
        raise UsageFault(str(error), then="leave it out to use this project's own id") from None
