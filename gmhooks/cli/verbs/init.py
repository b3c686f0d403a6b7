"""`graymatter init`: prepare this project and, when asked to, wire Claude Code or other clients and show that it works."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict, replace

from gmhooks.cli.conffile import FILE, POLICIES, set_key
from gmhooks.cli.difference import safe_lines
from gmhooks.cli.errors import DONE, REFUSED, WRITABLE, Fault, UsageFault, complain
from gmhooks.cli.out import Out, shown
from gmhooks.cli.place import locate
from gmhooks.cli.program import path_hint, runnable
from gmhooks.cli.setup import add_client_options, asked_for, note_setup, setup_fault, setup_lines, setup_of
from gmhooks.cli.verbs.config import unusual
from gmhooks.cli.verbs.hooks import POLICY_HELP, note_codes, note_warnings, policy_line, refusal_fault
from gmhooks.doctor.mounts import network_kind
from gmhooks.hooks.route import DIRECTORY, Route, RouteError
from gmhooks.init.prepare import Preparation, prepare_project, route_here, want_graph
from gmhooks.memory.places import user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.init.install import InstallReport
    from gmhooks.init.mcp_entry import EntryReport
    from gmhooks.init.proof import Proof
    from gmhooks.init.setup import Setup

SCOPES = ("local", "project", "user", "global")
_MARKER = "MEMORY.md"
_ALLOW = "Its tools ask before they run; to allow them in this project: graymatter init --mcp {scope} --allow-tools"


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("--hooks", action="store_true", help="install the Claude Code hooks and prove that they work")
    parser.add_argument("--scope", choices=SCOPES, help="whose settings get the hooks (default: local)")
    parser.add_argument("--packet-policy", choices=POLICIES, help=f"{POLICY_HELP} (with --hooks)")
    parser.add_argument("--mcp", nargs="?", const="project", choices=("project", "user"), help="register the MCP server")
    parser.add_argument("--allow-tools", action="store_true", help="let its tools run without a question (with --mcp)")
    parser.add_argument("--store-only", action="store_true", help="make the store and touch nothing else")
    parser.add_argument("--kg", action="store_true", help="note that a knowledge graph is wanted, for when there is one")
    parser.add_argument("--here", action="store_true", help="make exactly this directory the project, whatever it is")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done and do nothing")
    add_client_options(parser)


def run(args: argparse.Namespace, out: Out) -> int:
    """Prepare, install, prove; each step only after the one before it."""
    _check(args)
    route = _route(args)
    setup = setup_of(args, route)
    steps = _Steps(route, Preparation("not_prepared", changed=False), setup)
    if not _may_be_done(steps, args):
        return _end(steps, args, out)
    made = _prepared(route, args)
    _warn_of_network(route, out)
    _warn_of_settings(route, made, out)
    if args.store_only:
        return _answer_store_only(route, made, out)
    steps = _Steps(route, made, setup)
    if args.kg:
        steps.note_graph(dry_run=args.dry_run)
    if setup is not None and not args.dry_run and not steps.failure:
        steps.wire(best_effort=args.best_effort)
    if args.mcp and not steps.failure:
        steps.register(args.mcp, allow=args.allow_tools, dry_run=args.dry_run)
    if args.hooks and not steps.failure:
        steps.install(args.scope or "local", dry_run=args.dry_run)
        if args.packet_policy and not steps.failure:
            steps.settle(args.packet_policy, dry_run=args.dry_run)
        if not args.dry_run and not steps.failure:
            steps.prove()
    return _end(steps, args, out)


def _may_be_done(steps: _Steps, args: argparse.Namespace) -> bool:
    """Whether every file can be edited; nothing is written before that is known."""
    ready = steps.setup is None or steps.setup.preflight()
    if ready and args.mcp:
        steps.register(args.mcp, allow=args.allow_tools, dry_run=True)
    if ready and args.hooks and not steps.failure:
        steps.install(args.scope or "local", dry_run=True)
    return ready and not steps.failure


def _end(steps: _Steps, args: argparse.Namespace, out: Out) -> int:
    if steps.setup is not None:
        steps.failure = steps.failure or setup_fault(steps.setup, best_effort=args.best_effort)
        note_setup(steps.setup, out)
    if steps.report is not None:
        note_warnings(steps.report, out)
    elif args.allow_tools and not steps.failure:
        from gmhooks.init.install import exposed

        note_codes(exposed(steps.route.root), out)
    out.answer(steps.payload(), [] if out.quiet else steps.lines(hooks=args.hooks, dry_run=args.dry_run))
    if steps.failure:
        out.flush()
        complain(f"graymatter: {shown(steps.failure.line())}")
        return REFUSED
    return DONE


def _check(args: argparse.Namespace) -> None:
    if args.store_only and (args.hooks or args.scope or args.packet_policy or args.mcp or args.kg or asked_for(args)):
        raise UsageFault("--store-only makes the store alone", then="leave out every other option but --here and --dry-run")
    if args.allow_tools and not args.mcp:
        raise UsageFault("--allow-tools allows the tools of the MCP server", then="add --mcp")
    if args.scope and not args.hooks:
        raise UsageFault("--scope says where hooks go", then="add --hooks")
    if args.packet_policy and not args.hooks:
        raise UsageFault("--packet-policy says what hooks show", then="add --hooks")
    if args.dir is not None and args.hooks:
        raise UsageFault(f"hooks use the project's own {DIRECTORY[1:]}", then="leave out --dir or --hooks")


def _route(args: argparse.Namespace) -> Route:
    if args.here:
        return route_here(os.getcwd(), args.dir)
    try:
        return locate(args)
    except RouteError as error:
        if error.code != "not_a_project":
            raise
        raise Fault(
            error.code, str(error), then="change to your project, or add --here if you mean this very directory"
        ) from None


def _warn_of_network(route: Route, out: Out) -> None:
    kind = network_kind(route.data_dir)
    if kind:
        out.note(
            f"{route.data_dir} lies on {kind}, where locks and memory maps are not reliable: "
            "move the project to a local disk, or mount a local directory there"
        )


def _warn_of_settings(route: Route, made: Preparation, out: Out) -> None:
    """Settings that lay here before the store was made: until now a hook obeyed only its switches, from now on all of it."""
    brought = [] if made.status == "already_prepared" else unusual(route.data_dir)
    if brought:
        out.note(
            f"{os.path.join(route.data_dir, FILE)} was here already and counts from now on: {', '.join(brought)}. "
            + runnable("A setting you did not choose goes with: graymatter config unset KEY")
        )


def _prepared(route: Route, args: argparse.Namespace) -> Preparation:
    try:
        made = prepare_project(route.data_dir, user_dir(os.environ), dry_run=args.dry_run)
    except OSError as error:
        what = f"the store could not be made ({error.strerror})"
        where = str(error.filename or route.data_dir)
        raise Fault("io_error", what, where=where, then="make sure that you may write there") from None
    if made.status == "untrusted":
        raise Fault(
            "untrusted",
            "a store is here already, but it was not made by you on this machine",
            where=route.data_dir,
            then="graymatter trust shows its facts and lets you decide; then run graymatter init again",
        )
    return made


def _answer_store_only(route: Route, made: Preparation, out: Out) -> int:
    payload = {
        "schema_version": 1,
        "mode": "store-only",
        "data_dir": route.data_dir,
        "status": made.status,
        "marker": os.path.join(route.data_dir, _MARKER),
        "runtime_verified": False,
    }
    out.confirm(payload, [_store_line(route, made)])
    return DONE


def _store_line(route: Route, made: Preparation) -> str:
    words = {
        "created": "Prepared",
        "already_prepared": "Already prepared, nothing to change:",
        "would_create": "Would prepare",
    }
    return f"{words[made.status]} {shown(route.data_dir)} (agent id {shown(route.agent_id)})"


class _Steps:
    """What `init` did so far, and how it is told."""

    def __init__(self, route: Route, made: Preparation, setup: Setup | None) -> None:
        self.route = route
        self.made = made
        self.setup = setup
        self.report: InstallReport | None = None
        self.proof: Proof | None = None
        self.failure: Fault | None = None
        self.entries: list[EntryReport] = []
        self.scope = "project"
        self.graph: str | None = None
        self.policy: str | None = None
        self.policy_changed = False

    @property
    def begun(self) -> bool:
        """Whether this went beyond finding out that every file can be edited."""
        return self.made.status != "not_prepared"

    def note_graph(self, *, dry_run: bool) -> None:
        """Keep the wish for a knowledge graph in the data directory."""
        try:
            self.graph = "created" if want_graph(self.route.data_dir, dry_run=dry_run) else "unchanged"
        except OSError as error:
            what = f"the wish for a knowledge graph could not be noted ({error.strerror})"
            self.failure = Fault("io_error", what, where=self.route.data_dir, then=WRITABLE)

    def wire(self, *, best_effort: bool) -> None:
        """Wire the clients; what could not be done becomes the failure unless the rest was asked for."""
        assert self.setup is not None
        self.setup.apply()
        self.failure = setup_fault(self.setup, best_effort=best_effort)

    def register(self, scope: str, *, allow: bool, dry_run: bool) -> None:
        """Register the MCP server and, if asked to, the rule that allows its tools; a refusal becomes the failure."""
        from gmhooks.init import mcp_entry, rule

        root, own = self.route.root, user_dir(os.environ)
        self.scope = scope
        self.entries.append(mcp_entry.register(scope, root, own, dry_run=dry_run))
        foreign = self.entries[0].outcome == "preserved"
        if allow and foreign:
            note = f"{rule.RULE} is not allowed: it would let that other server run without a question"
            self.entries[0] = replace(self.entries[0], note=note)
        elif allow and not self.entries[0].refused:
            self.entries.append(mcp_entry.allow(root, own, dry_run=dry_run))
        for entry in self.entries:
            if entry.refused:
                self.failure = Fault(entry.reason or "refused", entry.message)

    def install(self, scope: str, *, dry_run: bool) -> None:
        """Install the hooks; a refusal becomes the failure."""
        from gmhooks.init.install import install

        self.report = install(scope, self.route.root, user_dir(os.environ), dry_run=dry_run)
        if self.report.refused:
            self.failure = refusal_fault(self.report)

    def settle(self, policy: str, *, dry_run: bool) -> None:
        """Choose the packet policy; a file that cannot be written becomes the failure."""
        try:
            self.policy_changed = set_key(self.route.data_dir, "packet_policy", policy, dry_run=dry_run)
            self.policy = policy
        except Fault as fault:
            self.failure = fault

    def prove(self) -> None:
        """Run the recorded command on a private copy; a proof that fails becomes the failure."""
        from gmhooks.init.proof import ProofFailed, prove, recorded_command

        assert self.report is not None
        command = recorded_command(self.report.path, user_dir(os.environ))
        try:
            self.proof = prove(self.route.data_dir, self.route.root, command)
        except ProofFailed as failed:
            self.failure = Fault(
                "proof_failed", f"installed, but the proof failed: {failed}", where=command[0], then=failed.then
            )

    def _hooks_installed(self) -> bool:
        from gmhooks.init.wiring import wirings

        return any(each.state in ("installed", "outdated") for each in wirings(self.route.root, user_dir(os.environ)))

    def payload(self) -> dict[str, object]:
        """The one JSON object."""
        changed = self.made.changed or (self.report is not None and self.report.outcome == "changed")
        changed = changed or self.policy_changed or self.graph == "created"
        changed = changed or any(entry.outcome in ("created", "updated") for entry in self.entries)
        changed = changed or (self.setup is not None and self.setup.phase != "preflight" and self.setup.changed)
        body: dict[str, object] = {
            "schema_version": 1,
            "mode": "setup",
            "status": "failed" if self.failure else "complete",
            "changed": changed and self.begun,
            "root": self.route.root,
            "data_dir": self.route.data_dir,
            "agent_id": self.route.agent_id,
            "store": self.made.status,
            "runtime_verified": self.proof is not None,
        }
        if self.graph is not None:
            body["kg"] = self.graph
        if self.setup is not None:
            body |= self.setup.to_json()
        if self.entries:
            body["mcp"] = [asdict(entry) for entry in self.entries]
        if self.report is not None:
            body["hooks"] = self.report.to_json()
        if self.policy is not None:
            body |= {"packet_policy": self.policy, "policy_changed": self.policy_changed}
        if self.proof is not None:
            body["proof"] = {
                "prompt": self.proof.prompt,
                "block": self.proof.block,
                "ratio": round(self.proof.ratio, 2),
            }
        body |= self.failure.as_object() if self.failure else {}
        if self.setup is not None and self.setup.partial:
            body["status"] = "partial"
        return body

    def lines(self, *, hooks: bool, dry_run: bool) -> list[str]:
        """The same for people."""
        lines = [_store_line(self.route, self.made)] if self.begun else []
        if self.graph is not None:
            lines.append("A knowledge graph is noted as wanted; this version has none and does not read the note.")
        if self.setup is not None:
            lines += setup_lines(self.setup, dry_run=dry_run)
        before = "Would do: " if dry_run else ""
        for entry in self.entries:
            if self.begun and not entry.refused:
                lines.append(f"{before}{shown(entry.message)}")
                lines += safe_lines(entry.diff) if dry_run else []
                lines += [f"Note: {shown(entry.note)}"] if entry.note else []
        if len(self.entries) == 1 and self.entries[0].outcome != "preserved" and not self.failure:
            lines.append(runnable(_ALLOW.format(scope=self.scope)))
        if self.report is not None and not self.report.refused:
            lines.append(f"{before}{shown(self.report.message)}")
            lines += safe_lines(self.report.diff) if dry_run else []
        if self.policy is not None:
            lines.append(policy_line(self.route.data_dir, self.policy, dry_run=dry_run))
        if self.proof is not None:
            lines += [
                "",
                f"Proof, on a private copy with one sample fact. Prompt: {self.proof.prompt}",
                "The model gets:",
            ]
            lines += [f"  {shown(line)}" for line in self.proof.block.splitlines()]
            lines.append(
                f"Cost: {self.proof.ratio:.2f} x an empty Python program (median of {self.proof.runs} runs in turn)."
            )
        elif not (hooks or dry_run or self.failure or self.setup or self._hooks_installed()):
            lines.append(runnable("Wire Claude Code: graymatter init --hooks"))
        if not self.failure and not dry_run:
            lines.append(runnable('Next: graymatter remember "Integration tests need the staging VPN"'))
            hint = path_hint()
            lines += [hint] if hint else []
        return lines
