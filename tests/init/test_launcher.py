"""The launcher is three lines, is tried before it counts, and ends with status 0 whatever happens inside."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from gmhooks.init import launcher
from gmhooks.init.refusal import Refusal

ODD = 'it\'s a "dir" $HOME `x` ü'


def run(path: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([path, *words], stdin=subprocess.DEVNULL, capture_output=True, env={}, check=False)


def test_the_text_is_exactly_three_lines() -> None:
    assert launcher.text("/own", "/usr/bin/python3", "/lib/shim.py") == (
        b"#!/bin/sh\n"
        b"trap 'exit 0' 0; exec 2>/dev/null\n"
        b"'/usr/bin/python3' -I -S '/lib/shim.py' '--user-dir=/own' \"$@\"; exit 0\n"
    )


def test_it_names_the_real_interpreter() -> None:
    assert os.path.realpath(launcher.interpreter()) == launcher.interpreter()
    assert os.access(launcher.interpreter(), os.X_OK)


def test_every_path_reaches_the_program_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / ODD
    folder.mkdir()
    script = folder / "show.py"
    script.write_text("import os, sys\nos.write(1, '|'.join(sys.argv[1:]).encode())\n")
    path = folder / "go"
    path.write_bytes(launcher.text(str(folder), None, str(script)))
    path.chmod(0o700)
    assert run(path, "a b", "c").stdout.decode() == f"--user-dir={folder}|a b|c"


@pytest.mark.parametrize(
    "script", ["raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)", "import os; os.abort()", "]"]
)
def test_the_status_is_zero_whatever_happens_inside(tmp_path: Path, script: str) -> None:
    (tmp_path / "shim.py").write_text(script)
    path = tmp_path / "go"
    path.write_bytes(launcher.text(str(tmp_path), None, str(tmp_path / "shim.py")))
    path.chmod(0o700)
    done = run(path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_status_is_zero_when_the_interpreter_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "go"
    path.write_bytes(launcher.text(str(tmp_path), str(tmp_path / "python"), "/x"))
    path.chmod(0o700)
    done = run(path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_it_is_written_once_and_not_touched_again(tmp_path: Path) -> None:
    own = tmp_path / "share" / "own"
    assert launcher.write(str(own))
    path = own / "gmhooks-hook"
    held = path.stat()
    assert stat.S_IMODE(held.st_mode) == 0o700
    assert path.read_bytes() == launcher.text(str(own))
    assert not launcher.write(str(own))
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (held.st_ino, held.st_mtime_ns)
    assert sorted(os.listdir(own)) == ["gmhooks-hook", os.path.basename(launcher.shim_path(str(own)))]


def test_an_old_launcher_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "gmhooks-hook"
    path.write_text("#!/bin/sh\n/gone/python\n")
    assert launcher.write(str(tmp_path))
    assert path.read_bytes() == launcher.text(str(tmp_path))


def test_a_launcher_that_may_not_run_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = subprocess.run

    def noexec(command: list[str], **options: object) -> object:
        if command[0].startswith(str(tmp_path)):
            raise PermissionError(13, "Permission denied")
        return real(command, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(launcher.subprocess, "run", noexec)
    with pytest.raises(Refusal, match="noexec") as caught:
        launcher.write(str(tmp_path / "own"))
    assert caught.value.code == "io_error"
    assert os.listdir(tmp_path) == []


def test_a_missing_shim_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "shim", lambda: str(tmp_path / "shim.py"))
    with pytest.raises(Refusal, match=r"shim\.py is missing"):
        launcher.write(str(tmp_path / "own"))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a\nb", "a\udcff"])
def test_a_path_that_settings_cannot_name_is_refused(name: str) -> None:
    with pytest.raises(Refusal):
        launcher.text("/home/" + name)
