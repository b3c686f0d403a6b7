"""The same job done in other ways, beside the hook in the same rounds: a full scan, SQLite's FTS5, a console script.

Each is a whole program under `programs/` that reads the client's payload, finds three of the same facts and prints the
hook's kind of answer. The first two run as lean as the hook: its interpreter, `-I -S`, compiled beforehand.
"""

from __future__ import annotations

import py_compile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hook_latency.cases import SHORT, Case
from benchmarks.hook_latency.process import Command, Sample
from benchmarks.hook_latency.programs import fts5
from benchmarks.hook_latency.rounds import InvalidRun
from benchmarks.hook_latency.stage import Program, Stage

SCAN = "full scan of the texts"
FTS5 = "SQLite FTS5"
CONSOLE = "console script over the same store"
NAMES = (SCAN, FTS5, CONSOLE)
_PROGRAMS = Path(__file__).with_name("programs")
_CONSOLE_SCRIPT = """\
#!{python}
import re
import sys
from benchmarks.hook_latency.programs.console import main
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit(main())
"""


@dataclass(frozen=True)
class Rival:
    """One other program over the facts of one stage, asked what the hook is asked in the same round."""

    name: str
    argv: tuple[str, ...]
    env: dict[str, str]
    case: Case

    def command(self, number: int, scratch: Path) -> Command:
        """Run `number`."""
        hook = self.case.command(number, scratch, launcher=True)
        return Command(self.argv, {**hook.env, **self.env}, hook.cwd, hook.stdin)

    def check(self, sample: Sample) -> None:
        """Raise InvalidRun unless it answered."""
        if sample.status != 0 or b"additionalContext" not in sample.stdout:
            raise InvalidRun(f"{self.name}: status {sample.status}, {len(sample.stdout)} bytes")


def prepared(folder: Path, program: Program, case: Case) -> list[Rival]:
    """The rivals for the store of the short-prompt case, with their files made in `folder`."""
    if case.name != SHORT:
        raise ValueError("rivals answer short prompts")
    stage = case.stage
    own = folder / f"rivals-{stage.facts}"
    own.mkdir()
    texts, index = own / "facts.txt", own / "facts.db"
    every = stage.texts + stage.shared
    texts.write_text("".join(f"{text.lower()}\n" for text in every), encoding="utf-8")
    fts5.build(str(index), every)
    return [
        Rival(SCAN, (*_lean(stage), _compiled("scan.py", own), str(texts)), {}, case),
        Rival(FTS5, (*_lean(stage), _compiled("fts5.py", own), str(index)), {}, case),
        Rival(CONSOLE, (str(_console_script(own, program)),), _console_env(program), case),
    ]


def _lean(stage: Stage) -> tuple[str, ...]:
    return (stage.direct[0], "-I", "-S")


def _compiled(name: str, folder: Path) -> str:
    """A program compiled, so that nothing compiles it in each run; by the interpreter at work, which is the hook's."""
    target = folder / f"{name}c"
    py_compile.compile(str(_PROGRAMS / name), str(target), doraise=True)
    return str(target)


def _console_script(folder: Path, program: Program) -> Path:
    """What pip writes for an entry point."""
    script = folder / "console-hook"
    script.write_text(_CONSOLE_SCRIPT.format(python=program.python), encoding="utf-8")
    script.chmod(0o755)
    return script


def _console_env(program: Program) -> dict[str, str]:
    """Where the script finds the library and its own module."""
    checkout = str(_PROGRAMS.parents[2])
    paths = [path for path in (program.env.get("PYTHONPATH"), checkout) if path]
    return {"PYTHONPATH": ":".join(paths)}
