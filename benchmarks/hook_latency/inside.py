"""What a hook process knows about itself when it ends: its modules and its own memory peak.

A few lines of Python replace `posix._exit` before the shim is executed and write to a file when the hook
ends itself; the product is not changed. The empty program runs with the same lines, so that they cancel
out. The peak is VmHWM as the kernel reports it to the process; getrusage would include the parent's pages.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.hook_latency.process import Command, Sample, run
from benchmarks.hook_latency.rounds import InvalidRun

_PREAMBLE = """
import posix, sys
def report(status, leave=posix._exit, target=sys.argv.pop(1)):
    source = posix.open("/proc/self/status", posix.O_RDONLY)
    facts = posix.read(source, 8192)
    posix.close(source)
    sink = posix.open(target, posix.O_WRONLY)
    posix.write(sink, facts + b"\\nMODULES " + " ".join(sorted(sys.modules)).encode() + b"\\n")
    leave(status)
posix._exit = report
"""
_EMPTY = _PREAMBLE + "report(0)\n"
_HOOK = (
    _PREAMBLE
    + """
sys.argv[0] = sys.argv.pop(1)
__file__ = sys.argv[0]
descriptor = posix.open(__file__, posix.O_RDONLY)
source = posix.read(descriptor, 1 << 20)
posix.close(descriptor)
if __file__.endswith(".pyc"):
    import marshal
    program = marshal.loads(source[16:])  # behind the header of a compiled file
else:
    program = compile(source, __file__, "exec")
exec(program)
"""
)


@dataclass(frozen=True)
class Inside:
    """The memory peak in KiB and the loaded modules of one process at its end."""

    peak_kib: int
    modules: frozenset[str]


def empty(command: Command) -> Inside:
    """The same of an empty program run by the interpreter, with the options, of the hook `command`."""
    return _observe(command, _EMPTY, ())[0]


def hook(command: Command) -> tuple[Inside, Sample]:
    """What the hook of `command` (interpreter, options, shim, arguments) reports at its end."""
    return _observe(command, _HOOK, command.argv[_shim_index(command) :])


def _shim_index(command: Command) -> int:
    return next(i for i, word in enumerate(command.argv) if i and not word.startswith("-"))


def _observe(command: Command, program: str, rest: tuple[str, ...]) -> tuple[Inside, Sample]:
    with tempfile.NamedTemporaryFile() as target:
        options = command.argv[: _shim_index(command)]
        argv = (*options, "-c", program, target.name, *rest)
        sample = run(Command(argv, command.env, command.cwd, command.stdin))
        text = Path(target.name).read_text(encoding="utf-8", errors="replace")
    peak = next((line.split()[1] for line in text.splitlines() if line.startswith("VmHWM:")), None)
    modules = next((line.split()[1:] for line in text.splitlines() if line.startswith("MODULES ")), None)
    if peak is None or modules is None:
        raise InvalidRun("the process did not end through posix._exit, so it could not report about itself")
    return Inside(int(peak), frozenset(modules)), sample
