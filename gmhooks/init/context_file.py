"""Which instruction file a project's agents really load, and bringing its context block up to date."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from gmhooks.context import blocks
from gmhooks.context.blocks import CONTEXT
from gmhooks.context.facts import best_first
from gmhooks.context.render import Chosen, choose
from gmhooks.init import publish
from gmhooks.init.instruct import BlockReport, Wish, scan_file, settle, text_of
from gmhooks.init.refusal import Refusal

AGENTS, CLAUDE = "AGENTS.md", "CLAUDE.md"
BUDGET = 512
LEAST_BUDGET = 64
_IMPORTS = re.compile(r"(?m)^[ \t]*@(?:\./)?AGENTS\.md\s*$")


@dataclass(slots=True)
class SyncReport:
    """What `sync` did, and what it put in."""

    block: BlockReport
    chosen: Chosen
    warnings: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        """The documented keys, and codes of what a person should know."""
        return {
            "file": self.block.path,
            "outcome": self.block.outcome,
            "changed": self.block.changed,
            "backup_created": self.block.backup is not None,
            "facts_selected": self.chosen.selected,
            "facts_considered": self.chosen.considered,
            "tokens_used": self.chosen.tokens,
            "manual_edit_detected": self.block.edited,
            "warnings": self.warnings + self.block.warnings,
            "block": self.chosen.block,
        }


def spelled(root: str, name: str) -> str | None:
    """The path of the file called `name` in `root`, spelled as it is on disk; None if there is none."""
    path = os.path.join(root, name)
    if not os.path.lexists(path):
        return None
    names = os.listdir(root)
    if name in names:
        return path
    return next((os.path.join(root, each) for each in names if each.casefold() == name.casefold()), path)


def target(root: str) -> tuple[str, list[str]]:
    """(the file to write, warnings): AGENTS.md where agents load it, else CLAUDE.md, else a new AGENTS.md.

    Claude Code loads AGENTS.md only where there is no CLAUDE.md, or one that imports it."""
    agents, claude = spelled(root, AGENTS), spelled(root, CLAUDE)
    if claude is None:
        return agents or os.path.join(root, AGENTS), []
    if agents is None:
        return claude, []
    if _one_file(agents, claude) or imports_agents(claude):
        return agents, []
    return claude, ["agents_not_loaded"]


def imports_agents(claude: str) -> bool:
    """Whether a CLAUDE.md takes in the AGENTS.md beside it."""
    try:
        return _IMPORTS.search(text_of(publish.read(publish.resolve(claude)[0]).data)[1]) is not None
    except (OSError, Refusal):
        return False


def sync(
    path: str, data_dir: str, user_dir: str, *, agent_id: str | None, budget: int, force: bool, dry_run: bool
) -> SyncReport:
    """Put the facts that fit into the file's context block. StoreError if the store may not be used."""
    chosen = choose(best_first(data_dir, user_dir, agent_id), budget)
    warnings = ["shadows_agents"] if shadows(path) else []
    wish = Wish(CONTEXT, chosen.block, force=force, beside=True, store=data_dir)
    return SyncReport(settle(path, wish, user_dir, dry_run=dry_run), chosen, warnings)


def remove(path: str, user_dir: str, *, force: bool, dry_run: bool) -> BlockReport:
    """Take the context block out again."""
    return settle(path, Wish(CONTEXT, None, force=force, beside=True), user_dir, dry_run=dry_run)


def check(path: str) -> tuple[bool, int, str]:
    """(verified, facts, body) of the file's one context block; (False, 0, "") if there is none. Raises Refusal."""
    try:
        found = scan_file(publish.read(publish.resolve(path)[0]).data).of(CONTEXT)
    except OSError as error:
        raise Refusal("io_error", error.strerror or str(error), path=path) from None
    if len(found) != 1:
        return False, 0, ""
    facts = sum(line.startswith("- ") for line in blocks.lines(found[0].body))
    return found[0].verified, facts, found[0].body


def shadows(path: str) -> bool:
    """Whether making this file would keep Claude Code from loading the AGENTS.md beside it."""
    folder, name = os.path.split(os.path.abspath(path))
    return name == CLAUDE and not os.path.lexists(path) and os.path.isfile(os.path.join(folder, AGENTS))


def _one_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
