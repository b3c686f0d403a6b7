"""Results of a run: one JSON object a line, the machine first, then each part as it ended; and the table made of them.

`python -m tests.faults.table FILE` puts the table of FILE at the end of docs/reliability.md.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.faults.outcome import Outcome
from tests.faults.promises import CHECKS, Check
from tests.installed import CHECKOUT, Program

PAGE = CHECKOUT / "docs" / "reliability.md"
_HEADING = "## Figures\n"


@dataclass(frozen=True)
class Part:
    """One piece of work: which part of a check, and its size."""

    check: str
    part: int
    size: int


@dataclass
class Results:
    """What is known of a run: the surroundings, and of every part that ended (outcome, seconds)."""

    about: dict[str, Any]
    done: dict[Part, tuple[Outcome, float]]

    def of(self, check: Check) -> tuple[Outcome, float] | None:
        """All parts of one check together, and their seconds; None when none ended."""
        parts = [found for part, found in sorted(self.done.items(), key=lambda item: item[0].part)
                 if part.check == check.name]  # fmt: skip
        whole = Outcome()
        for outcome, _ in parts:
            whole.add(outcome)
        return (whole, sum(seconds for _, seconds in parts)) if parts else None


def surroundings(program: Program) -> dict[str, Any]:
    """What a run depends on: the program's sources (a hash), interpreter, system, processors."""
    sources = sha256()
    (package,) = program.prefix.glob("lib/python*/site-packages/gmhooks")
    for path in sorted(package.rglob("*.py")):
        sources.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return {
        "sources": sources.hexdigest()[:16], "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}", "processors": os.cpu_count(),
    }  # fmt: skip


def written(part: Part, outcome: Outcome, seconds: float) -> str:
    """One line for a part that ended."""
    return json.dumps({**asdict(part), **vars(outcome), "seconds": round(seconds, 1)}) + "\n"


def parsed(line: str) -> tuple[Part, Outcome, float]:
    """What `written` wrote."""
    found = json.loads(line)
    outcome = Outcome(Counter(found["figures"]), found["peaks"], found["failures"], found["not_run"])
    return Part(found["check"], found["part"], found["size"]), outcome, found["seconds"]


def read(path: Path) -> Results:
    """A file of results; a last line that was cut off is left out. OSError, or ValueError when it is none."""
    about, done = {}, {}
    for number, line in enumerate(path.read_text().splitlines(keepends=True)):
        if not line.endswith("\n"):
            break
        if number == 0:
            about = json.loads(line)["about"]
            continue
        part, outcome, seconds = parsed(line)
        done[part] = (outcome, seconds)
    return Results(about, done)


def rows(results: Results) -> Iterable[str]:
    """The table of promises, in Markdown; a check that was made in part says so."""
    yield from ("| promise | check | figures | s | held |", "| --- | --- | --- | --- | --- |")
    for promise, checks in CHECKS.items():
        for check in checks:
            found = results.of(check)
            if found:
                outcome, seconds = found
                held = "not run" if outcome.not_run else "no" if outcome.failures else "yes"
                yield f"| {promise} | {check.name} | {outcome.said()} | {seconds:,.0f} | {held} |"


def document(results: Results, page: str) -> str:
    """The page with everything below its last heading replaced."""
    before, heading, _ = page.rpartition(_HEADING)
    about = results.about
    intro = (
        f"`python -m tests.faults --full` on {about['system']}, Python {about['python']}, {about['processors']} processors, "
        f"program sources {about['sources']}. Seconds are the sum over the parts, of which so many ran at once."
    )
    return f"{before}{heading}\n{intro}\n\n" + "\n".join(rows(results)) + "\n"


def main() -> int:
    """Exit code: 0 the page has the table, 2 usage."""
    if len(sys.argv) != 2:
        sys.stderr.write(f"{(__doc__ or '').splitlines()[2]}\n")
        return 2
    PAGE.write_text(document(read(Path(sys.argv[1])), PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
