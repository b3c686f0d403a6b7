"""A home directory that is not set, no absolute path, a file, or nowhere: told in one line, never a failure of ours."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from tests.cli.program import Place

_WITHOUT_ACCOUNT = """
import os, pwd, sys
def unknown(uid): raise KeyError(uid)
pwd.getpwuid = unknown
os.environ.pop("HOME")
from gmhooks.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("home", "told"), [("", "no absolute path ('')"), ("rel/home", "no absolute path ('rel/home')")])
def test_a_home_that_is_no_absolute_path_is_told_and_never_used(place: Place, home: str, told: str) -> None:
    place.environ["HOME"] = home
    account = pwd.getpwuid(os.getuid()).pw_dir
    ran = place.ok("whoami")
    assert ran.err == f"HOME is {told}: {account}, the account's home directory, is used\n"
    assert place.ok("whoami", "--quiet").err == ""
    dry = place.run("init", "--store-only", "--here", "--dry-run")
    assert (dry.code in (0, 1), "Traceback" in dry.err) == (True, False)
    assert str(Path(account, ".claude.json")) in place.run("init", "--mcp", "user", "--dry-run", "--json").out
    assert not (place.project / "rel").exists()
    place.environ.pop("HOME")


def test_a_home_that_is_a_file_is_named(place: Place) -> None:
    place.environ["HOME"] = "/dev/null"
    assert place.run("recall", "anything").err.endswith("Next: graymatter trust\n")
    for words in (["trust", "--yes"], ["hooks", "install", "--scope", "user"]):
        ran = place.run(*words)
        assert (ran.code, "/dev/null" in ran.err, "Not a directory" in ran.err) == (1, True, True), ran
    place.environ.pop("HOME")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["init"], 1),
        (["init", "--hooks", "--mcp", "user"], 1),
        (["init", "--only", "codex"], 1),
        (["remember", "x"], 1),
        (["recall", "x"], 1),
        (["status"], 1),
        (["doctor"], 1),
        (["hooks", "doctor", "--runs", "0"], 1),
        (["hooks", "install"], 1),
        (["uninstall"], 1),
        (["mcp", "serve"], 1),
        (["import", "--claude"], 1),
        (["hooks", "run", "user-prompt"], 0),
        (["doctor", "--audit"], 0),
        (["whoami"], 1),
        (["--version"], 0),
    ],
)
def test_an_account_without_a_home_is_told_what_to_set(bare: Place, words: list[str], code: int) -> None:
    ran = bare.python(_WITHOUT_ACCOUNT, *words)
    assert ran.returncode == code
    what = f"HOME is not set, and the account {os.getuid()} has no home directory"
    assert ran.stderr == ("" if code == 0 else f"graymatter: {what}. Next: set HOME to a directory of yours\n")
    assert list(bare.project.iterdir()) == []
