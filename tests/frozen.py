"""A command for which a folder lies on a read-only file system."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

_FREEZE = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$2" || exit 99; shift 2; exec "$@"'
_LONGEST_S = 120


def frozen(
    folder: Path, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run `command` in `cwd` while nobody can write below `folder`. Skips the test where this machine allows no mounts of
    one's own: it is asked with a command of its own, so that no fault of ours is taken for that."""
    if not _possible():
        pytest.skip("this machine lets nobody mount in a name space of his own")
    return _run(folder, command, cwd, env, given)


@cache
def _possible() -> bool:
    here = Path(__file__).parent
    try:
        return _run(here, ["true"], here, {}, b"").returncode == 0
    except FileNotFoundError:
        return False


def _run(
    folder: Path, command: Sequence[str], cwd: Path, env: Mapping[str, str], given: bytes
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", _FREEZE, "sh", str(folder), str(cwd), *command], input=given,
        capture_output=True, env={**env, "PATH": "/usr/sbin:/sbin:/usr/bin:/bin"}, timeout=_LONGEST_S, check=False,
    )  # fmt: skip
