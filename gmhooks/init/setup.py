"""Wiring clients in two phases: everything is looked at first, and only if all of it can be done is anything written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gmhooks.context.blocks import INSTRUCTIONS
from gmhooks.context.protocol import block
from gmhooks.init import mcp_launcher, publish
from gmhooks.init.clients.client import CLAUDE_MD, Client, Where
from gmhooks.init.context_file import AGENTS, imports_agents, spelled
from gmhooks.init.filereport import FileReport
from gmhooks.init.instruct import Wish, settle
from gmhooks.init.refusal import Refusal
from gmhooks.init.servers import register

SATISFIED = ("created", "updated", "unchanged", "preserved")
DONE, PREFLIGHT = "apply", "preflight"


@dataclass(slots=True)
class Action:
    """One file. ``status``: created, updated, unchanged, preserved, skipped, skipped_dependency or failed."""

    id: str
    kind: str
    path: str
    client: str | None = None
    status: str = "skipped"
    changed: bool = False
    error_code: str | None = None
    message: str = ""
    warnings: list[str] = field(default_factory=list)
    before: bytes | None = None
    after: bytes | None = None

    def to_json(self) -> dict[str, object]:
        """The documented keys."""
        return {
            "id": self.id, "kind": self.kind, "client": self.client, "path": self.path, "selected": True,
            "required": True, "changed": self.changed, "status": self.status, "error_code": self.error_code,
            "warnings": self.warnings,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """What to wire: clients, whether with instruction blocks, also in the files for all projects, over what is there."""

    clients: Sequence[Client]
    agent_id: str
    instructions: bool = True
    own_files: bool = False
    replace: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    action: Action
    carry_out: Callable[[bool], FileReport]
    needs: frozenset[str] = frozenset()


class Setup:
    """The steps of one choice; `preflight` writes nothing, `apply` carries them out in order."""

    def __init__(self, where: Where, choice: Choice) -> None:
        self.where = where
        self.choice = choice
        self.phase = PREFLIGHT
        self.steps = [*self._servers(), *(self._instructions() if choice.instructions else [])]

    @property
    def actions(self) -> list[Action]:
        """Every action in order."""
        return [step.action for step in self.steps]

    @property
    def failed(self) -> list[Action]:
        """Those that could not be done."""
        return [action for action in self.actions if action.status in ("failed", "skipped_dependency")]

    @property
    def partial(self) -> bool:
        """Whether writing had begun when something failed."""
        return self.phase == DONE and bool(self.failed)

    @property
    def changed(self) -> bool:
        """Whether anything differs now (after `preflight`: would)."""
        return any(action.changed for action in self.actions)

    def to_json(self) -> dict[str, object]:
        """The documented keys of one setup."""
        errors = [
            {"action_id": each.id, "code": each.error_code or each.status, "message": each.message} for each in self.failed
        ]
        return {
            "phase": self.phase,
            "complete": not errors and self.phase == DONE,
            "effects_uncertain": False,
            "actions": [action.to_json() for action in self.actions],
            "errors": errors,
        }

    def preflight(self) -> bool:
        """Find out whether everything can be done."""
        for step in self.steps:
            _note(step.action, step.carry_out(True))
        self._refuse_doubles()
        return not self.failed

    def apply(self) -> bool:
        """Do it, whatever can be done; whether that was everything."""
        self.phase = DONE
        try:
            if any(step.action.kind == "mcp" and step.action.status != "preserved" for step in self.steps):
                mcp_launcher.write(self.where.user_dir)
        except Refusal as refusal:
            first = self.steps[0].action
            first.status, first.error_code, first.message = "failed", refusal.code, refusal.sentence(first.path)
            return False
        for step in self.steps:
            if step.needs and not any(each.id in step.needs and each.status in SATISFIED for each in self.actions):
                step.action.status, step.action.changed = "skipped_dependency", False
                continue
            _note(step.action, step.carry_out(False))
        return not self.failed

    def _servers(self) -> list[_Step]:
        return [self._server(client) for client in self.choice.clients]

    def _server(self, client: Client) -> _Step:
        action = Action(f"mcp:{client.id}", "mcp", client.path(self.where), client.id)

        def carry_out(dry_run: bool) -> FileReport:
            if client.known_elsewhere is not None and client.known_elsewhere(self.where):
                return FileReport(action.path, "preserved", warnings=["registered_elsewhere"])
            return register(client, self.where, replace=self.choice.replace, dry_run=dry_run)

        return _Step(action, carry_out)

    def _instructions(self) -> list[_Step]:
        needs: dict[str, set[str]] = {}
        for client in self.choice.clients:
            needs.setdefault(instruction_file(client, self.where.root), set()).add(f"mcp:{client.id}")
        steps = [self._block(f"instructions:{os.path.basename(path)}", path, self.choice.agent_id, ids)
                 for path, ids in needs.items()]  # fmt: skip
        if self.choice.own_files:
            own = [(client.id, client.own_file(self.where)) for client in self.choice.clients if client.own_file]
            steps += [self._block(f"global:{number}", path, None, {f"mcp:{id}"}) for number, (id, path) in enumerate(own, 1)]
        return steps

    def _block(self, name: str, path: str, agent_id: str | None, needs: set[str]) -> _Step:
        wish = Wish(INSTRUCTIONS, block(agent_id), force=self.choice.replace, keep=True)

        def carry_out(dry_run: bool) -> FileReport:
            return settle(path, wish, self.where.user_dir, dry_run=dry_run)

        kind = name.partition(":")[0]
        return _Step(Action(name, kind, path), carry_out, frozenset(needs))

    def _refuse_doubles(self) -> None:
        """Two clients whose entries would go into one physical file get in each other's way."""
        seen: dict[str, str] = {}
        for action in self.actions:
            if action.kind != "mcp" or action.status == "failed":
                continue
            target = publish.resolve(action.path)[0]
            if target in seen:
                action.status, action.error_code, action.changed = "failed", "duplicate_destination", False
                action.message = f"{action.path}: duplicate_destination: {seen[target]} is the same file"
            seen[target] = action.path


def instruction_file(client: Client, root: str) -> str:
    """The file in the project that the client loads. Claude Code loads AGENTS.md where there is no CLAUDE.md, or one that
    imports it; a CLAUDE.md of ours must not hide somebody's AGENTS.md."""
    agents, claude = spelled(root, AGENTS), spelled(root, CLAUDE_MD)
    if client.instructions != CLAUDE_MD:
        return agents or os.path.join(root, AGENTS)
    if claude is None:
        return agents or os.path.join(root, CLAUDE_MD)
    shared = agents is not None and (os.path.realpath(agents) == os.path.realpath(claude) or imports_agents(claude))
    return agents if agents is not None and shared else claude


def _note(action: Action, report: FileReport) -> None:
    action.status = "failed" if report.refused else report.outcome
    action.changed = report.changed
    action.error_code, action.message, action.warnings = report.reason, report.message, report.warnings
    action.before, action.after = report.before, report.after
