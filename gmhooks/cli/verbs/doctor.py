"""`graymatter doctor`: the project and its clients; with `--health` what is stored; with `--audit` instruction files;
with `--repair` the store is mended."""

from __future__ import annotations

import argparse
import os

from gmhooks.cli.errors import DONE, REFUSED, Fault, UsageFault
from gmhooks.cli.out import Out, counted, shown
from gmhooks.cli.place import locate
from gmhooks.cli.program import runnable
from gmhooks.cli.setup import where_of
from gmhooks.doctor.finding import FAIL, INFO, OK, WARN
from gmhooks.memory.access import reading
from gmhooks.memory.clock import clock_us

_WORDS = {OK: "ok  ", INFO: "info", WARN: "WARN", FAIL: "FAIL"}


def build(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--health", action="store_true", help="examine the stored facts")
    what.add_argument("--repair", action="store_true", help="mend a damaged store, as graymatter repair does")
    what.add_argument("--audit", action="store_true", help="examine instruction files; needs no store")
    parser.add_argument("path", nargs="?", metavar="PATH", help="a file or directory (with --audit)")


def run(args: argparse.Namespace, out: Out) -> int:
    """Look, and tell; exit 1 if something failed."""
    if args.path is not None and not args.audit:
        raise UsageFault("a path is examined by --audit", then=f"graymatter doctor --audit {shown(args.path)}")
    if args.audit:
        return _audit(args, out)
    if args.repair:
        from gmhooks.cli.verbs import repair

        return repair.run(args, out)
    return _health(args, out) if args.health else _standard(args, out)


def _standard(args: argparse.Namespace, out: Out) -> int:
    from gmhooks.doctor.standard import examine

    route = locate(args)
    where = where_of(route, route.data_dir if args.dir is not None else None)
    checks = list(examine(route, where, clock_us() / 1_000_000))
    ok = not any(check.status == FAIL for check in checks)
    payload = {
        "data_dir": route.data_dir,
        "ok": ok,
        "status": "ok" if ok else "failed",
        "diagnostic_mode": "read_only",
        "readiness": "not_evaluated",
        "data_dir_writability": "not_tested",
        "checks": [check.to_json() for check in checks],
    }
    lines = []
    for check in checks:
        lines.append(f"{_WORDS[check.status]}  {check.name}: {shown(check.detail)}")
        lines += [f"      Next: {runnable(shown(check.hint))}"] if check.hint and check.status != OK else []
    out.answer(payload, lines)
    return DONE if ok else REFUSED


def _health(args: argparse.Namespace, out: Out) -> int:
    from gmhooks.doctor.health import examine
    from gmhooks.memory.places import user_dir

    route = locate(args)
    with reading(route.data_dir, user_dir(os.environ), untouched=True) as store:
        found = examine(store, route.data_dir, clock_us()) if store is not None else []
    ok = not any(each.status == FAIL for each in found)
    lines = []
    for each in found:
        lines.append(f"{_WORDS[each.status]}  {each.name}: {shown(each.detail)}")
        lines += [f"      Next: {runnable(each.hint)}"] if each.hint else []
    payload = {"data_dir": route.data_dir, "ok": ok, "checks": [each.to_json() for each in found]}
    out.answer(payload, lines or ["The store is empty."])
    return DONE if ok else REFUSED


def _audit(args: argparse.Namespace, out: Out) -> int:
    from gmhooks.doctor.audit import THRESHOLDS, TOKENIZER, audit_file, targets

    root = os.path.abspath(args.path) if args.path is not None else locate(args).root
    try:
        paths = targets(root)
    except OSError as error:
        then = "name an instruction file, or a directory that you may read"
        raise Fault("io_error", f"nothing can be examined ({error.strerror})", where=root, then=then) from None
    files = [audit_file(path, clock_us() / 1_000_000) for path in paths]
    findings = [finding for file in files for finding in file.findings]
    payload = {
        "root": root,
        "tokenizer": TOKENIZER,
        "declared_thresholds": [{"name": name, "value": value} for name, value in THRESHOLDS.items()],
        "files": [file.to_json() for file in files],
        "findings": [finding.to_json() for finding in findings],
    }
    lines = []
    for file in files:
        lines.append(f"{shown(file.path)}: {counted(file.lines, 'line')}, about {file.tokens:,} tokens")
        for finding in file.findings:
            lines.append(f"{_WORDS[finding.severity]}  {finding.check}: {shown(finding.detail)}")
            lines.append(f"      Next: {runnable(str(finding.to_json()['fix']))}")
    out.answer(payload, lines or [f"No instruction file in {shown(root)}."])
    return REFUSED if any(finding.severity == FAIL for finding in findings) else DONE

