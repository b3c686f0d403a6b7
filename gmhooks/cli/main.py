"""The `graymatter` command: finds the verb, loads that one module, turns every outcome into an exit code."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from importlib import import_module

from gmhooks import __version__
from gmhooks.cli.errors import DONE, INTERRUPTED, REFUSED, UNEXPECTED, Fault, UsageFault, complain
from gmhooks.cli.options import Parser, add_shared_options
from gmhooks.cli.out import Out, shown
from gmhooks.cli.table import NAMES, SAME, VERBS, module_of

PROG = "graymatter"
_HELP = "help"
_ABOUT = "A local memory for coding agents: facts saved once reach the model in every later session."


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code; never raises."""
    words = sys.argv[1:] if argv is None else argv
    _occupy_standard_descriptors()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    out = Out(as_json="--json" in words, quiet="--quiet" in words)
    try:
        code = _run(words, out)
        out.flush()
        return code
    except BrokenPipeError:
        _drop_stdout()
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Fault as fault:
        return _fail(fault, out)
    except SystemExit as ended:
        return _finish(ended, out)
    except Exception as error:  # noqa: BLE001 - the outermost edge: everything else becomes a report file
        return _other(error, out)


def _run(words: list[str], out: Out) -> int:
    before, verb, rest = _split_at_verb(words)
    top = _top_parser()
    if verb is None:
        top.parse_args(before)
        complain(top.format_usage().rstrip())
        raise UsageFault("no verb given", then=f"{PROG} --help lists them")
    given = top.parse_args(before)
    if verb == _HELP:
        return _run([*before, *(rest if rest and not rest[0].startswith("-") else []), "--help"], out)
    verb = SAME.get(verb, verb)
    if verb not in NAMES:
        raise UsageFault(f"there is no verb {shown(verb)!r}", then=_suggestion(verb))
    module = import_module(module_of(verb))
    parser = Parser(f"{PROG} {verb}", dict(VERBS)[verb])
    add_shared_options(parser)
    module.build(parser)
    args = getattr(module, "parse", Parser.parse_args)(parser, rest, given)
    out.as_json, out.quiet = getattr(args, "json", False), getattr(args, "quiet", False)
    args.dir = getattr(args, "dir", None)
    if args.dir is not None and not args.dir:
        raise UsageFault("--dir is empty", then="name a directory or leave --dir out")
    if (verb, getattr(args, "action", "")) != ("hooks", "run"):
        _tell_of_home(out)  # a hook says nothing
    try:
        code: int = module.run(args, out)
    except UsageFault as fault:
        fault.then = fault.then or f"{PROG} {verb} --help"
        raise
    return code


def _tell_of_home(out: Out) -> None:
    from gmhooks.memory.places import NoHome, home, home_remark

    remark = home_remark(os.environ)
    if remark:
        with suppress(NoHome):  # a verb that needs one will say so
            out.note(f"{remark}: {home(os.environ)}, the account's home directory, is used")


def _top_parser() -> Parser:
    width = max(map(len, NAMES))
    verbs = "\n".join(f"  {name:<{width}}  {text}" for name, text in VERBS)
    parser = Parser(PROG, _ABOUT, f"verbs:\n{verbs}\n\n{PROG} VERB --help describes one verb.")
    parser.usage = f"{PROG} [options] VERB …"
    parser.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    add_shared_options(parser)
    return parser


def _split_at_verb(words: list[str]) -> tuple[list[str], str | None, list[str]]:
    at = 0
    while at < len(words):
        if not words[at].startswith("-"):
            return words[:at], words[at], words[at + 1 :]
        at += 2 if words[at] == "--dir" else 1
    return words, None, []


def _suggestion(verb: str) -> str:
    from difflib import get_close_matches

    near = [name for name in NAMES if name.startswith(verb)] or get_close_matches(verb, NAMES, 1)
    return f"did you mean {near[0]}?" if near else f"{PROG} --help lists them"


def _fail(fault: Fault, out: Out) -> int:
    complain(f"{PROG}: {shown(fault.line())}")
    return fault.exit_code if _answer_failure(fault, out) else REFUSED


def _answer_failure(fault: Fault, out: Out) -> bool:
    try:
        if out.as_json:
            out.answer(fault.as_object(), ())
        out.flush()
    except BrokenPipeError:
        _drop_stdout()
    except OSError:
        _drop_stdout()
        return False
    return True


def _finish(ended: SystemExit, out: Out) -> int:
    """The code of a parser that has answered by itself (`--help`, `--version`)."""
    try:
        out.flush()
    except OSError:
        _drop_stdout()
    return ended.code if isinstance(ended.code, int) else DONE


def _other(error: Exception, out: Out) -> int:
    if isinstance(error, OSError) and _stdout_is_broken():
        _drop_stdout()
        complain(f"{PROG}: the answer could not be written ({error.strerror})")
        return REFUSED
    from gmhooks.cli.known import as_fault

    known = as_fault(error)
    return _unexpected(error, out) if known is None else _fail(known, out)


def _unexpected(error: Exception, out: Out) -> int:
    from gmhooks.cli.report import write_report

    path = write_report(error)
    place = f"; a report is in {path}" if path else "; no report could be written"
    fault = Fault("unexpected", f"something went wrong inside {PROG} ({type(error).__name__}){shown(place)}")
    complain(f"{PROG}: {fault.line()}")
    _answer_failure(fault, out)
    return UNEXPECTED


def _stdout_is_broken() -> bool:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        return True
    return False


def _drop_stdout() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def _occupy_standard_descriptors() -> None:
    """Give closed descriptors 0-2 to /dev/null, so that no store file can be opened under such a number."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
