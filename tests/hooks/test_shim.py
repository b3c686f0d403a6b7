"""The shim ends with status 0 and without a word, whatever surrounds it."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from gmhooks.init import pack
from tests.hooks.project import Project
from tests.init.packed_copy import INTERPRETER, Copy, copied


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Copy]:
    made = {kind: copied(tmp_path_factory.mktemp("site") / kind) for kind in ("files", "pack")}
    assert pack.build(made["pack"].package) is not None
    return made


@pytest.fixture(params=["files", "pack"])
def site(request: pytest.FixtureRequest, sites: dict[str, Copy]) -> Copy:
    return sites[request.param]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add("Integration tests need the staging VPN")
    return made


def payload(project: Project, prompt: str, **fields: object) -> bytes:
    whole = {"session_id": "s", "cwd": str(project.root), "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    return json.dumps(whole | fields).encode()


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def ask(site: Copy, project: Project, prompt: str, env: dict[str, str] | None = None) -> bytes:
    done = site.run(
        payload(project, prompt), f"--user-dir={project.user_dir}", "user-prompt", cwd=project.root, env=env
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def test_the_fact_is_recalled(site: Copy, project: Project) -> None:
    assert b"staging VPN" in ask(site, project, "how do I run the integration tests?")


def test_a_disabled_hook_says_and_does_nothing(site: Copy, project: Project) -> None:
    env = {"PATH": "/usr/bin", "GRAYMATTER_DISABLE": "1"}
    assert ask(site, project, "remember: must not be saved", env) == b""
    assert project.facts() == ["Integration tests need the staging VPN"]
    assert project.receipts == []


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_descriptor_loses_neither_save_nor_store(site: Copy, project: Project, closed: int) -> None:
    words = [INTERPRETER, "-I", "-S", str(site.shim), f"--user-dir={project.user_dir}", "user-prompt"]
    program = "import os,sys; os.close(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"
    done = subprocess.run(
        [INTERPRETER, "-I", "-S", "-c", program, str(closed), *words],
        input=payload(project, "remember: survives the surroundings") if closed else None,
        cwd=project.root,
        env={"PATH": "/usr/bin"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
    expected = ["Integration tests need the staging VPN"] + ["survives the surroundings"] * bool(closed)
    assert project.facts() == expected
    assert b"already" in ask(site, project, "remember: Integration tests need the staging VPN")


@pytest.mark.parametrize(
    "env",
    [
        {"LMDB_FORCE_CFFI": "1", "LMDB_DEFAULT_LIB_VERSION": "none", "READTHEDOCS": "1"},
        {"PYTHONHOME": "/nonexistent", "PYTHONHASHSEED": "zzz", "PYTHONVERBOSE": "1", "PYTHONUTF8": "7"},
        {"LANG": "C", "LC_ALL": "C", "TZ": "bogus/zone", "HOME": "/nonexistent"},
    ],
)
def test_variables_of_the_surroundings_change_nothing(site: Copy, project: Project, env: dict[str, str]) -> None:
    assert b"staging VPN" in ask(site, project, "how do I run the integration tests?", env)


def test_modules_in_the_working_directory_are_not_imported(site: Copy, project: Project) -> None:
    for name in ("json", "lmdb", "orjson", "sitecustomize", "gmhooks", "posix", "marshal"):
        (project.root / f"{name}.py").write_text("raise RuntimeError('imported')")
    assert b"staging VPN" in ask(site, project, "how do I run the integration tests?")


@pytest.mark.parametrize("limit", [(resource.RLIMIT_NOFILE, 16), (resource.RLIMIT_AS, 64 << 20)])
def test_tight_limits_give_silence_or_an_answer(site: Copy, project: Project, limit: tuple[int, int]) -> None:
    done = site.run(
        payload(project, "how do I run the integration tests?"),
        "user-prompt",
        cwd=project.root,
        preexec_fn=lambda: resource.setrlimit(limit[0], (limit[1], limit[1])),
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_signals_that_the_parent_ignores_or_blocks_do_not_matter(site: Copy, project: Project) -> None:
    def surroundings() -> None:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])

    done = site.run(
        payload(project, "how do I run the integration tests?"),
        f"--user-dir={project.user_dir}",
        cwd=project.root,
        preexec_fn=surroundings,
    )
    assert done.returncode == 0
    assert b"staging VPN" in done.stdout


@pytest.mark.parametrize("sink", ["full", "closed pipe"])
def test_an_answer_that_nobody_takes_is_no_failure(site: Copy, project: Project, sink: str) -> None:
    if sink == "full":
        out = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, out = os.pipe()
        os.close(reader)
    done = subprocess.run(
        [INTERPRETER, "-I", "-S", str(site.shim), f"--user-dir={project.user_dir}", "user-prompt"],
        input=payload(project, "remember: survives the surroundings"),
        cwd=project.root,
        env={"PATH": "/usr/bin"},
        stdout=out,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(out)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "survives the surroundings" in project.facts()
    assert "output_failed" in project.receipts


def test_a_deleted_working_directory_does_not_stop_a_hook(site: Copy, project: Project) -> None:
    gone = project.home / "gone"
    gone.mkdir()
    program = "import os,sys; os.rmdir(os.getcwd()); os.execv(sys.argv[1], sys.argv[1:])"
    words = [INTERPRETER, "-I", "-S", str(site.shim), f"--user-dir={project.user_dir}", "user-prompt"]
    done = subprocess.run(
        [INTERPRETER, "-I", "-S", "-c", program, *words],
        input=payload(project, "how do I run the integration tests?"),
        cwd=gone,
        env={"PATH": "/usr/bin"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert b"staging VPN" in done.stdout


def test_without_lmdb_there_is_silence_and_a_receipt(tmp_path: Path, project: Project) -> None:
    bare = copied(tmp_path / "bare")
    (bare.site / "lmdb").unlink()
    words = (f"--user-dir={project.user_dir}", "session-start")
    given = {"session_id": "s9", "cwd": str(project.root), "hook_event_name": "SessionStart", "source": "startup"}
    done = bare.run(json.dumps(given).encode(), *words, cwd=project.root)
    assert silent(done)
    assert project.receipts == ["unexpected"]
