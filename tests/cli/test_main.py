"""The edge of the command: verbs, exit codes, streams, imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gmhooks import __version__
from gmhooks.cli.table import NAMES, VERBS, module_of
from tests.cli.program import Place

HEAVY = {"numpy", "mcp", "tomlkit", "orjson", "platformdirs", "pydantic", "starlette", "asyncio"}


def _modules(place: Place, *words: str) -> set[str]:
    code = (
        "import sys; from gmhooks.cli.main import main; main(sys.argv[1:]); sys.stderr.write('\\n'.join(sys.modules))"
    )
    done = place.python(code, *words)
    assert done.returncode == 0
    return set(done.stderr.split())


def test_help_names_every_verb_and_loads_none(bare: Place) -> None:
    ran = bare.ok("--help")
    assert ran.err == ""
    assert all(f"  {name} " in ran.out and text in ran.out for name, text in VERBS)
    loaded = _modules(bare, "--help")
    assert not [name for name in loaded if name.startswith("gmhooks.cli.verbs.")]
    assert not loaded & (HEAVY | {"lmdb"})
    assert not [name for name in loaded if name.startswith(("gmhooks.store", "gmhooks.hooks", "gmhooks.recall"))]


def test_remember_loads_its_own_verb_and_nothing_heavy(place: Place) -> None:
    loaded = _modules(place, "remember", "The build needs Node 22")
    assert {name for name in loaded if name.startswith("gmhooks.cli.verbs.")} == {"gmhooks.cli.verbs.remember"}
    assert not loaded & HEAVY
    assert not [name for name in loaded if name.startswith("gmhooks.init")]


@pytest.mark.parametrize("verb", NAMES)
def test_every_verb_has_help_that_creates_nothing(bare: Place, verb: str) -> None:
    module = import_module(module_of(verb))
    assert callable(module.build)
    assert callable(module.run)
    ran = bare.ok(verb, "--help")
    assert ran.out.startswith(f"usage: graymatter {verb}")
    assert os.listdir(bare.project) == []
    assert os.listdir(bare.home) == [bare.project.name]


def test_help_is_a_verb_as_well(bare: Place) -> None:
    assert bare.ok("help").out == bare.ok("--help").out
    assert bare.ok("help", "remember").out == bare.ok("remember", "--help").out
    assert bare.run("help", "nonsense").code == 2


def test_without_a_verb_the_usage_is_short_and_the_error_last(bare: Place) -> None:
    ran = bare.run()
    assert (ran.code, ran.out) == (2, "")
    usage, error = ran.err.splitlines()
    assert usage.startswith("usage: graymatter")
    assert error == "graymatter: no verb given. Next: graymatter --help lists them"


def test_text_that_looks_like_an_option_may_follow_two_hyphens(place: Place) -> None:
    assert place.ok("remember", "--", "--force is never used here").code == 0
    assert place.ok("remember", "- a list item").code == 0


def test_version_is_the_package_version(bare: Place) -> None:
    assert bare.ok("--version").out == f"graymatter {__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no verb given"),
        (["rember", "x"], "did you mean remember?"),
        (["rem"], "did you mean remember?"),
        (["recall"], "expected [agent_id] QUERY"),
        (["recall", "--top-k", "many", "x"], "invalid int value"),
        (["remember", "a", "b", "c"], "quote the text"),
        (["remember", "--confidence", "VERIFIED", "x"], "invalid choice"),
        (["--dir", "", "whoami"], "--dir is empty"),
        (["remember", "--nonsense"], "unknown option --nonsense. Next: text that begins with - follows --"),
        (["status", "--jso=1"], "unknown option --jso."),
    ],
)
def test_usage_errors_exit_2_and_say_what_is_wrong(place: Place, words: list[str], said: str) -> None:
    ran = place.run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_json_failure_is_one_object_on_stdout_and_one_line_on_stderr(bare: Place) -> None:
    ran = bare.run("remember", "x", "--json")
    assert ran.code == 1
    assert ran.data["status"] == "failed"
    assert ran.data["error"]["code"] == "store_missing"
    assert ran.data["error"]["next"] == "graymatter init"
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("words", [["--json", "--quiet", "whoami"], ["whoami", "--quiet", "--json"]])
def test_shared_options_count_before_and_after_the_verb(place: Place, words: list[str]) -> None:
    assert place.ok(*words).data["agent_id"] == "my-app"


def test_closed_pipe_is_success(place: Place) -> None:
    for number in range(30):
        place.ok("remember", f"Fact number {number} " + "x" * 3000)
    read, write = os.pipe()
    os.close(read)
    done = place.raw([sys.executable, "-m", "gmhooks", "list"], stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_full_output_device_is_an_expected_failure(place: Place) -> None:
    with open("/dev/full", "wb") as full:
        done = place.raw([sys.executable, "-m", "gmhooks", "whoami"], stdout=full.fileno())
    assert done.returncode == 1
    assert "could not be written (No space left on device)" in done.stderr


def test_closed_standard_streams_cost_no_fact(place: Place) -> None:
    command = f'exec "{sys.executable}" -m gmhooks remember "Kept without any stream" 0<&- 1>&- 2>&-'
    done = subprocess.run(["/bin/sh", "-c", command], cwd=place.project, env=place.env(), check=False)
    assert done.returncode == 0
    assert "Kept without any stream" in place.ok("list").out


def test_unexpected_error_leaves_a_report_without_the_users_words(place: Place) -> None:
    code = (
        "import sys, gmhooks.cli.verbs.whoami as verb\n"
        "def broken(args, out): raise ZeroDivisionError('secret words')\n"
        "verb.run = broken\n"
        "from gmhooks.cli.main import main; sys.exit(main(['whoami', '--json']))"
    )
    done = place.python(code)
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["code"] == "unexpected"
    assert "Traceback" not in done.stderr
    (report,) = (place.user_dir / "reports").iterdir()
    assert str(report) in done.stderr
    assert report.stat().st_mode & 0o777 == 0o600
    text = report.read_text()
    assert "ZeroDivisionError" in text
    assert "secret words" not in text


def test_interrupt_exits_130_in_silence(place: Place) -> None:
    code = (
        "import sys, gmhooks.cli.verbs.whoami as verb\n"
        "def broken(args, out): raise KeyboardInterrupt\n"
        "verb.run = broken\n"
        "from gmhooks.cli.main import main; sys.exit(main(['whoami']))"
    )
    done = place.python(code)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_deleted_working_directory_is_an_expected_failure(bare: Place, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'rmdir "{gone}"; exec "{sys.executable}" -m gmhooks whoami'
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=gone, env=bare.env(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "the current directory is gone" in done.stderr


def test_read_only_surroundings_are_an_expected_failure(bare: Place) -> None:
    code = (
        "import errno, sys, gmhooks.cli.verbs.whoami as verb\n"
        "def broken(args, out): raise OSError(errno.EROFS, 'Read-only file system', '/some/file')\n"
        "verb.run = broken\n"
        "from gmhooks.cli.main import main; sys.exit(main(['whoami']))"
    )
    done = bare.python(code)
    assert done.returncode == 1
    assert done.stderr == "graymatter: Read-only file system (/some/file). Next: make the file system writable\n"
