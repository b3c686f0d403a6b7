"""A temporary home with gmhooks installed, a wired project, and a store filled to size."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.hook_latency.corpus import Corpus
from tests.installed import CHECKOUT, clean_env
from tests.installed import build as build_program

if TYPE_CHECKING:
    from gmhooks.store.env import Store

PER_TRANSACTION = 1_000
AGE_US = 400 * 86_400 * 1_000_000


class StageError(RuntimeError):
    """gmhooks could not be installed or initialised; the message holds what the command said."""


@dataclass(frozen=True)
class Program:
    """An installed gmhooks: the Python that runs its CLI, and the environment it needs for that."""

    python: Path
    env: dict[str, str]


@dataclass(frozen=True)
class Stage:
    """One wired project: `launcher` is what the client starts, `direct` what the launcher starts."""

    home: Path
    project: Path
    launcher: tuple[str, ...]
    direct: tuple[str, ...]
    env: dict[str, str]
    facts: int
    texts: list[str]
    shared: list[str]

    @property
    def data_dir(self) -> Path:
        """The project's data directory."""
        return self.project / ".graymatter"

    @property
    def log(self) -> Path:
        """Where the hooks leave receipts."""
        return self.data_dir / "hooks.log"

    @property
    def empty(self) -> tuple[str, ...]:
        """E: the empty program of the interpreter that the launcher starts."""
        return (self.direct[0], "-I", "-S", "-c", "pass")


def installed_copy(root: Path) -> Program:
    """Lay this checkout out as an installation does: the package beside its LMDB module, no site hooks."""
    site = root / "site-packages"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(CHECKOUT / "gmhooks", site / "gmhooks", ignore=ignored)
    found = importlib.util.find_spec("lmdb")
    if found is None or not found.submodule_search_locations:
        raise StageError("the lmdb package is not installed for this Python")
    (site / "lmdb").symlink_to(found.submodule_search_locations[0])
    return Program(Path(sys.executable), {"PYTHONPATH": str(site)})


def installed_venv(root: Path) -> Program:
    """Install this checkout with pip into a new environment of its own (needs a package index)."""
    try:
        return Program(Path(build_program(root / "venv").python), {})
    except RuntimeError as error:
        raise StageError(str(error)) from error


def build(root: Path, program: Program, name: str, facts: int) -> Stage:
    """Prepare one project below `root`, wire it with `init --hooks`, and store `facts` facts in it."""
    home = root / "home"
    project = root / name
    home.mkdir(exist_ok=True)
    project.mkdir()
    env = clean_env(home)
    _run([str(program.python), "-m", "gmhooks", "init", "--hooks"], {**env, **program.env}, project)
    launcher = home / ".local" / "share" / "gmhooks" / "gmhooks-hook"
    texts, shared = _fill(project / ".graymatter", name, facts)
    return Stage(
        home=home,
        project=project,
        launcher=(str(launcher),),
        direct=direct_command(launcher.read_text(encoding="utf-8")),
        env={**env, "CLAUDE_PROJECT_DIR": str(project)},
        facts=facts,
        texts=texts,
        shared=shared,
    )


def direct_command(launcher: str) -> tuple[str, ...]:
    """The interpreter's command line, as the text of a launcher writes it: up to its own arguments."""
    for line in launcher.splitlines():
        words = shlex.split(line)
        if "$@;" in words:
            return tuple(words[: words.index("$@;")])
    raise StageError("the launcher holds no line that passes its arguments on")


def _fill(data_dir: Path, agent_id: str, count: int) -> tuple[list[str], list[str]]:
    """Store the facts of the seeded corpus, spread over 400 days; the agent's own texts, the shared ones."""
    from gmhooks.store.facts import add
    from gmhooks.store.namespaces import SHARED, ensure
    from gmhooks.store.records import USER
    from gmhooks.store.writer import run

    facts = list(Corpus().facts(count))
    begin = time.time_ns() // 1_000 - AGE_US

    def store_chunk(start: int) -> None:
        def work(store: Store) -> None:
            namespaces = {False: ensure(store, agent_id), True: ensure(store, SHARED)}
            for number, (shared, text) in enumerate(facts[start : start + PER_TRANSACTION], start):
                add(store, namespaces[shared], text, begin + number * AGE_US // count, USER)

        run(str(data_dir), work, True)

    for start in range(0, count, PER_TRANSACTION):
        store_chunk(start)
    return [text for shared, text in facts if not shared], [text for shared, text in facts if shared]


def _run(argv: list[str], env: dict[str, str], cwd: Path) -> None:
    done = subprocess.run(argv, env=env, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StageError(f"{shlex.join(argv)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
