"""`graymatter export`: every fact as a line of JSON, or the live ones as Markdown."""

from __future__ import annotations

import argparse
import os

from gmhooks.cli.errors import DONE, Fault, UsageFault
from gmhooks.cli.options import check_agent_id
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate, memory_of, require_known
from gmhooks.context.notes import is_written_out, written_out
from gmhooks.hooks.route import DIRECTORY
from gmhooks.init.own import write_own
from gmhooks.memory.transfer import is_export

FORMATS = ("jsonl", "markdown")
_ELSEWHERE = "name another file"


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--format", choices=FORMATS, default="jsonl", help="jsonl: everything (default); markdown: live facts as a list"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="write this file, readable only by you (default, and -: standard output)"
    )
    parser.add_argument("--force", action="store_true", help="replace FILE whatever it holds")
    parser.add_argument("--agent", metavar="ID", help="only this agent's facts (default: every agent's in this store)")


def run(args: argparse.Namespace, out: Out) -> int:
    """Write the file and say how much is in it, or print the lines."""
    owner = None if args.agent is None else check_agent_id(args.agent, "leave --agent out to export every agent's facts")
    if args.out == "":
        raise UsageFault("--out is empty", then="name a file or leave --out out")
    if args.format == "markdown" and out.as_json and args.out in (None, "-"):
        raise UsageFault("Markdown is no JSON", then="leave out --json or --format, or name a file with --out")
    route = locate(args)
    memory = memory_of(route)
    if owner is not None:
        require_known(memory, owner, route, "so there is nothing to export", "")
    lines = memory.export(owner) if args.format == "jsonl" else written_out(memory.list(owner))
    if args.out in (None, "-"):
        for line in lines:
            text = line if args.format == "jsonl" else "\n".join(_shown(row) for row in line.split("\n"))
            # What is read back must not depend on the terminal's encoding.
            out.exact(f"{text}\n".encode())
        return DONE
    _check_place(args.out, route.data_dir)
    _check_target(args.out, force=args.force)
    try:
        write_own(args.out, "".join(f"{line}\n" for line in lines).encode())
    except OSError as error:
        what = f"the export cannot be written ({error.strerror})"
        raise Fault("io_error", what, where=args.out, then=_ELSEWHERE) from None
    count = len(lines) if args.format == "jsonl" else sum(line.startswith("- ") for line in lines)
    payload = {"format": args.format, "file": args.out, "count": count}
    out.confirm(payload, [f"Exported {counted(count, 'fact')} to {shown(args.out)}."])
    return DONE


def _check_place(path: str, data_dir: str) -> None:
    """Fault when the file lies in a data directory: not even --force means the store itself."""
    real = os.path.realpath(path)
    if f"{DIRECTORY}/" in real or real.startswith(os.path.realpath(data_dir) + "/"):
        raise Fault("in_data_dir", "the target lies in a data directory", where=path, then="name a file outside it")


def _check_target(path: str, *, force: bool) -> None:
    """Fault when the file is there already and is no former export, so that nothing else is lost by a slip."""
    if os.path.lexists(path) and not os.path.isfile(path):
        raise Fault("not_regular", "the target is no regular file", where=path, then=_ELSEWHERE)
    if force or not os.path.exists(path):
        return
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise Fault("io_error", f"the target cannot be read ({error.strerror})", where=path, then=_ELSEWHERE) from None
    if not is_export(data) and not is_written_out(data):
        what = "the file is there already and is no former export"
        raise Fault("file_exists", what, where=path, then="name another file, or add --force to replace it")


def _shown(row: str) -> str:
    """A line of Markdown, its indentation kept."""
    return row[: len(row) - len(row.lstrip(" "))] + shown(row)
