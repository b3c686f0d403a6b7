"""From a machine with nothing but Python and the wheels to the first injected fact: `python -m benchmarks.first_fact`.

The wheels are built once (that needs the package index). Then, timed and without network: README's environment and install,
`init --hooks` with its proof, one `remember`, and the prompt hook as the client starts it. Prints each step and the sum.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.installed import CHECKOUT, clean_env, hook_commands, without_network

MUST_S = 10.0
_FACT = "Integration tests need the staging VPN profile"
_PROMPT = "Why do the integration tests fail?"


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code: 0 the fact came in time, 1 it did not come or came late."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_fact", description=__doc__)
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="a folder with the wheels (filled if it is not there)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="machines to set up (default 3; best counts)")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="gm-first-fact-") as scratch:
        wheels = (args.wheels or Path(scratch, "wheels")).resolve()
        if not wheels.exists():
            build_wheels(wheels)
        best = min(set_up(wheels, Path(scratch, f"machine{number}")) for number in range(args.rounds))
    print(f"best of {args.rounds}: {best:.1f} s, must be {MUST_S:.0f} s or less")
    return 0 if best <= MUST_S else 1


def build_wheels(folder: Path) -> None:
    """Wheels of this checkout and of all it depends on."""
    _done([sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "-w", str(folder), str(CHECKOUT)])


def set_up(wheels: Path, machine: Path) -> float:
    """Seconds from an empty home to the first injected fact. RuntimeError if a step fails or the fact does not come."""
    home, project = machine / "home", machine / "home" / "my-app"
    venv = home / ".local" / "share" / "gmhooks" / "venv"
    (project / ".git").mkdir(parents=True)
    env = clean_env(home)
    alone = without_network()

    def run(*command: str, text: str = "") -> str:
        return _done([*alone, *command], cwd=project, env=env, text=text)

    def prompt() -> str:
        command = hook_commands(project / ".claude" / "settings.local.json")["UserPromptSubmit"]
        body = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(project), "prompt": _PROMPT}
        return run(*command, text=json.dumps(body))

    from_wheels = ("--disable-pip-version-check", "--no-index", "--find-links", str(wheels), "gmhooks")
    steps: dict[str, Callable[[], str]] = {
        "environment": lambda: run(sys.executable, "-m", "venv", str(venv)),
        "install": lambda: run(str(venv / "bin" / "pip"), "install", "--quiet", "--no-compile", *from_wheels),
        "init --hooks": lambda: run(str(venv / "bin" / "graymatter"), "init", "--hooks"),
        "remember": lambda: run(str(venv / "bin" / "graymatter"), "remember", _FACT),
        "first prompt": prompt,
    }
    total, busy, said = 0.0, 0.0, ""
    for name, step in steps.items():
        began, used = time.perf_counter(), _processor_s()
        said = step()
        took, used = time.perf_counter() - began, _processor_s() - used
        total, busy = total + took, busy + used
        print(f"{name:<14} {took:6.2f} s ({used:5.2f} s of a processor)")
    if _FACT not in said:
        raise RuntimeError(f"the prompt hook did not show the fact: {said!r}")
    print(f"{'together':<14} {total:6.2f} s ({busy:5.2f} s of a processor), network {'cut off' if alone else 'not used'}")
    shutil.rmtree(machine)
    return total


def _processor_s() -> float:
    """What finished child processes have used so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _done(
    command: Sequence[str], cwd: Path | None = None, env: dict[str, str] | None = None, text: str | None = None
) -> str:
    ran = subprocess.run(command, cwd=cwd, env=env, input=text, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}: {ran.stderr.strip()[-2000:]}")
    return ran.stdout


if __name__ == "__main__":
    sys.exit(main())
