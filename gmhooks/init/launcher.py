"""The per-user launcher: three lines of shell that start the hook and always end with status 0.

It is the command in every client's settings, stable across upgrades; its text names the interpreter, the shim
and the per-user directory, so that a hook needs neither PATH nor HOME.
"""

from __future__ import annotations

import marshal
import os
import secrets
import stat
import subprocess
import sys
from importlib.util import MAGIC_NUMBER

import gmhooks
from gmhooks.init.own import make_own_folder
from gmhooks.init.refusal import Refusal

NAME = "gmhooks-hook"
_CHECK_TIMEOUT_S = 20


def path_in(user_dir: str) -> str:
    """Return the launcher's path."""
    return os.path.join(user_dir, NAME)


def interpreter() -> str:
    """Return the real interpreter behind a virtual environment or a version manager's shim."""
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


def shim() -> str:
    """Return the path of the file that the interpreter runs."""
    return os.path.join(os.path.dirname(os.path.abspath(gmhooks.__file__)), "hooks", "shim.py")


def shim_path(user_dir: str) -> str:
    """Return the path of the compiled shim, beside the launcher: it stays when the package is replaced."""
    return os.path.join(user_dir, f"shim.{sys.implementation.cache_tag}.pyc")


def shim_code() -> bytes:
    """Return the compiled shim of this package, as the interpreter runs it: never compared with its source."""
    source = shim()
    with open(source, encoding="utf-8") as file:
        fixed = file.read().replace("__file__[:-7]", repr(source.removesuffix("shim.py")))
    code = compile(fixed, source, "exec", dont_inherit=True, optimize=2)
    return MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


def text(user_dir: str, python: str | None = None, script: str | None = None) -> bytes:
    """Return the launcher's three lines. Raises `Refusal` for a path that a settings file cannot name."""
    parts = [python or interpreter(), script or shim_path(user_dir), f"--user-dir={user_dir}"]
    for part in (path_in(user_dir), *parts):
        try:
            part.encode()
        except UnicodeEncodeError:
            raise Refusal("encoding", f"the path {part!r} is not valid UTF-8", path=path_in(user_dir)) from None
        if "\n" in part or "\0" in part:
            raise Refusal("io_error", f"the path {part!r} holds a line end", path=path_in(user_dir))
    run, file, option = (_quoted(part) for part in parts)
    lines = ("#!/bin/sh", "trap 'exit 0' 0; exec 2>/dev/null", f'{run} -I -S {file} {option} "$@"; exit 0')
    return ("\n".join(lines) + "\n").encode()


def write(user_dir: str) -> bool:
    """Write the launcher unless it is there already; return whether it was written.

    It is run once before it gets its name. Raises `Refusal` if it cannot be run, for example in a home that is
    mounted noexec; nothing is left behind then.
    """
    path, wanted = path_in(user_dir), text(user_dir)
    if not os.path.isfile(shim()):
        raise Refusal("io_error", f"{shim()} is missing: install gmhooks again", path=path)
    made = not os.path.lexists(user_dir)
    draft = f"{path}.{secrets.token_hex(4)}.new"
    try:
        make_own_folder(user_dir)
        changed = _write_shim(user_dir)
        if _holds(path, wanted):
            _check(path)
            return changed
        try:
            _write_executable(draft, wanted)
            _check(draft)
            os.rename(draft, path)
        finally:
            if os.path.lexists(draft):
                os.unlink(draft)
            if changed and not os.path.lexists(path):
                os.unlink(shim_path(user_dir))
            if made and not os.listdir(user_dir):
                os.rmdir(user_dir)
    except OSError as error:
        raise Refusal("io_error", f"the launcher cannot be written ({error.strerror})", path=path) from error
    return True


def _write_shim(user_dir: str) -> bool:
    """Put the compiled shim beside the launcher; return whether it was another."""
    path, code = shim_path(user_dir), shim_code()
    try:
        with open(path, "rb") as file:
            if file.read() == code:
                return False
    except FileNotFoundError:
        pass
    draft = f"{path}.{secrets.token_hex(4)}.new"
    with open(draft, "xb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(code)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, path)
    return True


def _quoted(part: str) -> str:
    """Quote for sh, whatever is in it."""
    return "'" + part.replace("'", "'\\''") + "'"


def _holds(path: str, wanted: bytes) -> bool:
    """Whether the launcher is there with these bytes and this mode."""
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    with open(path, "rb") as file:
        return file.read() == wanted and stat.S_IMODE(os.stat(path).st_mode) == 0o700


def _write_executable(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        os.fchmod(file.fileno(), 0o700)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _check(path: str) -> None:
    """Run interpreter and launcher once, the hooks switched off."""
    for command, what in (([interpreter(), "-I", "-S", "-c", "pass"], "the interpreter"), ([path], "the launcher")):
        try:
            done = subprocess.run(
                [*command, "session-start"] if command == [path] else command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_CHECK_TIMEOUT_S,
                env={"GRAYMATTER_DISABLE": "1"},
                cwd="/",
            )
        except PermissionError:
            folder = os.path.dirname(path)
            detail = f"{what} {command[0]} may not be executed (is {folder} mounted noexec?)"
            raise Refusal("io_error", detail, path=path) from None
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Refusal("io_error", f"{what} {command[0]} cannot be run ({error})", path=path) from None
        if done.returncode or done.stdout:
            raise Refusal("io_error", f"{what} {command[0]} does not run as it must", path=path)
