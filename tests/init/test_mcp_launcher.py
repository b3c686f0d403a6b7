"""The launcher starts the server whatever the path looks like, and is written once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gmhooks.init.mcp_launcher import command, path_in, write
from gmhooks.init.refusal import Refusal


@pytest.mark.parametrize("name", ["plain", "with space", "quo'te", "dollar $HOME", "naïve 日本"])
def test_it_starts_the_server(tmp_path: Path, name: str) -> None:
    user_dir = str(tmp_path / name)

    assert write(user_dir)
    assert not write(user_dir)
    ran = subprocess.run(
        [path_in(user_dir)], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', capture_output=True, timeout=60,
        env={"PATH": "/nowhere"}, check=True,
    )  # fmt: skip
    assert ran.stdout == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert Path(path_in(user_dir)).stat().st_mode & 0o777 == 0o700


def test_it_names_the_real_interpreter_without_site_packages(tmp_path: Path) -> None:
    python, *options = command(str(tmp_path))[:4]
    assert options[:2] == ["-I", "-S"]
    assert options[2].endswith("/gmhooks/mcp/shim.py")
    assert Path(python).resolve() == Path(python)


def test_a_path_that_no_shell_line_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal):
        write(str(tmp_path / "a\nb"))
