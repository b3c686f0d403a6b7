"""Field cases, sections A to C: what a hook costs, what it reads, what it prints."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.hook_latency import traces
from gmhooks.init import launcher
from gmhooks.init.settings import EVENTS
from gmhooks.memory.activity import activity
from gmhooks.memory.api import Memory
from tests.cli.program import Place
from tests.hooks.project import LONGEST_S, NOW, SHIM, Answer, Project, patient

FACT = "Integration tests live in tests/it and need the staging VPN"
QUESTION = "how do we run the integration tests?"
MEBI = 1 << 20
UNRELATED = (
    "write a haiku about rain", "what is the capital of Peru?", "thanks, that looks good", "continue",
    "explain tail recursion to a child", "why is the sky blue?", "rename the variable x to y", "ok now commit",
    "translate this to French: good morning", "draw an ASCII cat",
)  # fmt: skip
_PEAK = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=sys.stdin, stdout=subprocess.PIPE)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.add(FACT)
    return made


def payload(project: Project, **fields: object) -> dict[str, object]:
    common = {"session_id": "s1", "cwd": str(project.root), "hook_event_name": "UserPromptSubmit", "prompt": QUESTION}
    return common | fields


def words(project: Project, event: str = "user-prompt") -> list[str]:
    return [sys.executable, "-I", "-S", str(SHIM), f"--user-dir={project.user_dir}", event]


def raw(project: Project, data: bytes, event: str = "user-prompt", **more: object) -> Answer:
    """A hook that gets exactly these bytes; it ends with status 0 and says nothing on stderr."""
    env = {"PATH": os.defpath, "GRAYMATTER_CLOCK": f"@{NOW}", **more.pop("env", {})}  # type: ignore[dict-item]
    done = subprocess.run(
        [*patient(), f"--user-dir={project.user_dir}", event], input=data, env=env,
        capture_output=True, timeout=LONGEST_S, check=False,
        **{"cwd": project.root, **more},  # type: ignore[call-overload]
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    return Answer(done.stdout)


def peak_kib(project: Project, event: str, given: dict[str, object], tmp_path: Path) -> int:
    """The largest memory of one hook process."""
    (tmp_path / "stdin").write_bytes(json.dumps(given).encode())
    with open(tmp_path / "stdin", "rb") as stdin:
        ran = subprocess.run(
            [sys.executable, "-c", _PEAK, *words(project, event)], stdin=stdin, env={"PATH": os.defpath},
            cwd=project.root, capture_output=True, timeout=LONGEST_S, check=True,
        )  # fmt: skip
    status, peak = ran.stdout.split()
    assert status == b"0"
    return int(peak)


def test_f001_a_prompt_does_not_wait_for_a_writer_who_is_stuck(project: Project) -> None:
    lock = os.open(project.data, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        assert project.prompt(QUESTION).lines == [FACT]
    finally:
        os.close(lock)
    assert "Stop" not in EVENTS


@pytest.mark.skipif(traces.absent() is not None, reason=str(traces.absent()))
@pytest.mark.parametrize("event", ["user-prompt", "session-start", "pre-compact"])
def test_f002_f005_f008_a_hook_has_no_network_and_no_child(project: Project, tmp_path: Path, event: str) -> None:
    log = tmp_path / "calls"
    traced = ["strace", "-f", "-qq", "-e", "trace=network,fork,vfork,execve", "-o", str(log), *words(project, event)]
    name = {"user-prompt": "UserPromptSubmit", "session-start": "SessionStart", "pre-compact": "PreCompact"}[event]
    given = json.dumps(payload(project, hook_event_name=name, source="startup", trigger="auto")).encode()
    subprocess.run(traced, input=given, env={"PATH": os.defpath}, cwd=project.root, timeout=LONGEST_S, check=False)
    calls = [line for line in log.read_text().splitlines() if "(" in line]
    assert [line for line in calls if "AF_INET" in line] == []
    # The C library may ask its name service cache for the user, through a socket of the file system.
    named = [line.split("(")[0].split()[-1] for line in calls]
    assert [name for name in named if name not in ("socket", "connect")] == ["execve"]


def test_f007_a_prompt_imports_nothing_heavy(project: Project) -> None:
    asking = words(project)
    asking[1:1] = ["-X", "importtime"]
    done = subprocess.run(
        asking, input=json.dumps(payload(project)).encode(), env={"PATH": os.defpath}, cwd=project.root,
        capture_output=True, timeout=LONGEST_S, check=True,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert FACT.encode() in done.stdout
    assert loaded & {"numpy", "mcp", "asyncio", "typing", "tomlkit", "json", "re", "os", "pathlib", "lmdb"} == set()


def test_f010_a_start_fits_into_25_mib(project: Project, tmp_path: Path) -> None:
    project.add(*(f"Fact {number} of the staging area" for number in range(300)))
    given = payload(project, hook_event_name="SessionStart", source="startup")
    assert peak_kib(project, "session-start", given, tmp_path) < 25 * 1024


def test_f011_the_launcher_names_the_real_interpreter() -> None:
    named = launcher.interpreter()
    assert os.path.isabs(named)
    assert not os.path.islink(named)
    with open(named, "rb") as file:
        assert file.read(2) != b"#!"


def test_f013_f049_timeouts_are_small_and_four_events_are_hooked() -> None:
    assert {event: timeout for event, (_, timeout) in EVENTS.items()} == {
        "SessionStart": 5, "UserPromptSubmit": 5, "PreCompact": 5, "SessionEnd": 10,
    }  # fmt: skip


def test_f014_a_transcript_of_200_mb_is_read_at_its_end_only(project: Project, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    line = json.dumps({"type": "user", "message": {"role": "user", "content": "paint the hangar"}})
    with open(transcript, "wb") as file:
        file.truncate(200 * MEBI)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + line.encode() + b"\n")
    given = payload(project, hook_event_name="SessionEnd", reason="other", transcript_path=str(transcript))
    assert peak_kib(project, "session-end", given, tmp_path) < 40 * 1024
    (point,) = Memory(project.data, project.user_dir).checkpoints("project")
    assert "paint the hangar" in json.dumps(point.body)


def test_f016_a_payload_over_many_lines_is_read(project: Project) -> None:
    assert raw(project, json.dumps(payload(project), indent=4).replace("\n", "\r\n").encode()).lines == [FACT]


def test_f017_nothing_on_stdin_is_silence(project: Project) -> None:
    before = (project.data / "gray.mdb").read_bytes()
    assert raw(project, b"").stdout == b""
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", *words(project)]
    done = subprocess.run(closed, cwd=project.root, env={"PATH": os.defpath}, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (project.data / "gray.mdb").read_bytes() == before


@pytest.mark.parametrize(
    "fields",
    [{"prompt": [{"type": "text", "text": QUESTION}]}, {"prompt": None, "user_prompt": QUESTION}],
    ids=["F019 content parts", "F020 user_prompt"],
)
def test_f019_f020_other_ways_to_send_a_prompt(project: Project, fields: dict[str, object]) -> None:
    given = {name: value for name, value in payload(project, **fields).items() if value is not None}
    assert raw(project, json.dumps(given).encode()).lines == [FACT]


def test_f022_half_a_surrogate_pair_is_replaced_and_the_fact_saved(project: Project) -> None:
    raw(project, json.dumps(payload(project, prompt="remember: build uses \ud83d make \udc00 ittest")).encode())
    assert project.facts()[1:] == ["build uses \ufffd make \ufffd ittest"]
    assert project.prompt("which make does the ittest build use?", session="s2").lines


def test_f023_a_folder_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    made = Project(tmp_path, os.fsdecode(b"caf\xe9"))
    given = payload(made, prompt="remember: the menu changes on Mondays", cwd=str(tmp_path / "caf\ufffd"))
    env = {"CLAUDE_PROJECT_DIR": str(made.root)}
    assert raw(made, json.dumps(given).encode(), cwd=os.fsencode(made.root), env=env).message
    memory = Memory(made.data, made.user_dir)
    assert [(fact.agent_id, fact.text) for fact in memory.list()] == [("caf", "the menu changes on Mondays")]


def test_f025_the_terminals_encoding_does_not_matter(project: Project) -> None:
    fact = "d\u00e9j\u00e0 \u65e5\u672c\u8a9e \U0001f680 staging"
    project.add(fact)
    env = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}
    given = json.dumps(payload(project, hook_event_name="SessionStart", source="startup")).encode()
    assert fact in raw(project, given, "session-start", env=env).lines


def test_f026_an_export_keeps_its_letters_whatever_the_encoding(place: Place) -> None:
    place.ok("init", "--store-only")
    texts = ["\u043c\u0435\u043d\u044e \u2014 caf\u00e9", "\u65e5\u672c\u8a9e \U0001f680"]
    for text in texts:
        place.ok("remember", text)
    place.environ["PYTHONIOENCODING"] = "cp1251"
    (place.home / "f").write_text(place.ok("export").out)
    shutil.rmtree(place.data_dir)
    place.ok("init", "--store-only")
    place.ok("import", str(place.home / "f"))
    del place.environ["PYTHONIOENCODING"]
    assert sorted(place.ok("recall", "").out.splitlines()) == sorted(texts)


def test_f028_a_long_log_in_a_prompt_keeps_the_block_within_its_budget(project: Project) -> None:
    project.add(*(f"Worker {number} is restarted after a timeout" for number in range(50)))
    answer = project.prompt("why?\n\n" + "ERROR worker 17 timeout\n" * 20_000)
    assert len(answer.context.encode()) <= 1536


@pytest.mark.parametrize("session", ["../../../../evil", "x" * 5000, "a\0b", "a\nb", "\u202e"])
def test_f029_a_session_id_never_becomes_a_path(project: Project, session: str) -> None:
    before = sorted(path for path in project.home.rglob("*") if ".graymatter" not in str(path))
    assert project.prompt(QUESTION, session=session).lines == [FACT]
    assert project.prompt(QUESTION, session=session, seconds=1).lines == []
    assert sorted(path for path in project.home.rglob("*") if ".graymatter" not in str(path)) == before


def test_f031_places_that_are_gone_cost_nothing(project: Project, tmp_path: Path) -> None:
    given = payload(project, transcript_path=str(tmp_path / "nope.jsonl"), cwd=str(tmp_path / "gone"))
    env = {"CLAUDE_PROJECT_DIR": str(project.root)}
    assert raw(project, json.dumps(given).encode(), env=env).lines == [FACT]
    raw(project, json.dumps(given | {"hook_event_name": "SessionEnd"}).encode(), "session-end", env=env)


def test_f032_what_is_new_in_a_payload_is_ignored(project: Project) -> None:
    assert project.prompt(QUESTION, effort="high", x={"y": [1]}).lines == [FACT]
    assert project.start(source="teleport", session="s9").stdout == b""


def test_f034_f035_a_start_ends_at_a_whole_fact_within_its_budget(project: Project) -> None:
    texts = [f"Pinned fact {number} " + "word " * 70 + f"end{number}" for number in range(60)]
    project.add(*texts, pinned=True)
    answer = project.start()
    assert len(answer.context.encode()) <= 4096
    shown = [line.split(" [")[0] for line in answer.lines]
    assert shown
    assert all(line in {FACT, *texts} or line.endswith("\u2026") for line in shown)


def test_f035_a_fact_of_85_kb_is_refused_with_the_reason(project: Project) -> None:
    assert "4,000" in project.prompt("remember: " + "long story " * 8000).message
    assert project.facts() == [FACT]


def test_f037_what_was_injected_is_counted_to_the_byte(project: Project) -> None:
    project.add("Deploys go through port 8443")
    prompts = [QUESTION, "which port do deploys use?", "write a haiku", QUESTION]
    sizes = [len(project.prompt(text, session="s1").context.encode()) for text in prompts]
    done = activity(str(project.data), NOW * 1_000_000)
    assert done.today_bytes == sum(sizes)
    assert done.today_blocks == sum(1 for size in sizes if size)


def test_f038_many_prompts_about_one_subject_repeat_nothing(project: Project) -> None:
    project.add("Integration tests take nine minutes", "Integration tests run nightly on staging")
    first = len(project.prompt(QUESTION).context.encode())
    asked = (
        "what about the integration tests of part",
        "how long do integration tests need for part",
        "see integration tests",
    )
    rest = sum(len(project.prompt(f"{asked[number % 3]} {number}?").context.encode()) for number in range(15))
    assert rest <= first


@pytest.mark.parametrize("text", [QUESTION, "remember: ships sail at dawn", "forget: nothing like that", "hello"])
def test_f040_f041_an_answer_is_one_object_of_documented_keys(project: Project, text: str) -> None:
    answer = project.prompt(text)
    assert answer.object.keys() <= {"systemMessage", "hookSpecificOutput"}
    inner = answer.object.get("hookSpecificOutput", {})
    assert isinstance(inner, dict)
    assert inner.keys() <= {"hookEventName", "additionalContext"}


def test_f043_code_that_prints_at_start_is_not_loaded(project: Project, tmp_path: Path) -> None:
    for name in ("sitecustomize", "usercustomize", "json", "lmdb"):
        (project.root / f"{name}.py").write_text("print('stray')\n")
    given = json.dumps(payload(project)).encode()
    assert raw(project, given, env={"PYTHONPATH": str(project.root)}).lines == [FACT]


def test_f044_a_minute_later_a_start_has_the_same_bytes(project: Project) -> None:
    project.add("Deploys run on Fridays", shared=True)
    answers = {project.start(session=f"s{number}", clock=NOW + 60 * number).stdout for number in range(2)}
    assert len(answers) == 1


def test_f046_unrelated_prompts_get_nothing(project: Project) -> None:
    project.add(*(f"Runbook {number} covers the gateway of region {number}" for number in range(60)))
    assert [project.prompt(text, session=text).stdout for text in UNRELATED] == [b""] * len(UNRELATED)


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork"])
def test_f047_an_empty_store_says_nothing(tmp_path: Path, source: str) -> None:
    assert Project(tmp_path).start(source=source).stdout == b""
