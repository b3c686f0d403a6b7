"""The argument parser every verb gets, and the options all of them share."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from gmhooks.cli.errors import UsageFault
from gmhooks.cli.out import counted, shown

_MISSING = "the following arguments are required:"
_EXPECTED = "words are missing: expected"
_FORM = re.compile(r"(?m)^ *graymatter [\w-]+ \[options\] (.+)$")
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

    def parse_args(self, args: Sequence[str], namespace: Any = None) -> Any:  # type: ignore[override]
        """As usual, but an unknown option is named before anything that is missing because of it."""
        for word in args:
            if word == "--":
                break
            if self._is_unknown(word):
                told = f"text that begins with - follows --; see {self.prog} --help"
                raise UsageFault(f"unknown option {shown(word.partition('=')[0])}", then=told)
        return super().parse_args(args, namespace)

    def _is_unknown(self, word: str) -> bool:
        known, name = self._option_string_actions, word.partition("=")[0]
        if len(word) < 2 or word[0] != "-" or " " in word or self._negative_number_matcher.match(word):
            return False
        return name not in known and (word.startswith("--") or word[:2] not in known)

    def error(self, message: str) -> NoReturn:
        """Raise UsageFault instead of ending the process; what is missing is named as the usage line has it."""
        forms = _FORM.findall(self.usage or "") if message.startswith(_MISSING) else []
        told = f"words are missing: expected {' or '.join(forms)}" if forms else message.replace(_MISSING, _EXPECTED)
        raise UsageFault(shown(told), then=f"see {self.prog} --help")


def add_shared_options(parser: argparse.ArgumentParser) -> None:
    """Add `--dir`, `--json` and `--quiet`; absent ones keep what was given before the verb."""
    absent = argparse.SUPPRESS
    told = "use the store in DIR (default: the project's .graymatter)"
    parser.add_argument("--dir", metavar="DIR", default=absent, help=told)
    parser.add_argument("--json", action="store_true", default=absent, help="answer with one JSON object")
    parser.add_argument("--quiet", action="store_true", default=absent, help="print only data and problems")


def split_owner(words: list[str], what: str, *, shared: bool = False) -> tuple[str | None, str]:
    """Like split_agent, where facts will be stored under the id."""
    agent_id, text = split_agent(words, what, shared=shared)
    return agent_id if agent_id is None else check_owner(agent_id), text


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
        got = counted(len(words), "word")
        raise UsageFault(f"expected [agent_id] and one {named}, got {got}", then=f"quote the {what[-1]}")
    if shared:
        raise UsageFault("--shared takes no agent id", then=f"give only the {named}")
    return check_agent_id(words[0]), words[1:]


def check_owner(agent_id: str) -> str:
    """Return an agent id that facts will be stored under; UsageFault also for one that is a prompt's words by mistake."""
    if agent_id.endswith(":") or agent_id == "remember":
        what = f"{shown(agent_id)!r} looks like a word of a prompt, not like an agent id"
        raise UsageFault(what, then="quote the text alone; --shared saves for every agent of this project")
    return check_agent_id(agent_id)


def check_agent_id(agent_id: str, then: str = "leave it out to use this project's own id") -> str:
    """Return an explicit agent id unchanged; raise UsageFault when it is blank or longer than 4,096 bytes."""
    from gmhooks.memory.agents import checked_agent_id

    try:
        return checked_agent_id(agent_id)
    except ValueError as error:
        raise UsageFault(str(error), then=then) from None
