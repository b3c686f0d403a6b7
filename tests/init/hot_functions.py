"""Lists the functions that ordinary runs of each event call, for `gmhooks/init/hot.txt`:

    python -m tests.init.hot_functions > gmhooks/init/hot.txt

A line is a function and the events that call it; `remember` stands for prompts that save. The list steers only speed: a
pack holds these functions ready, the others are read one by one when they are called.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hooks.project import NOW, SHIM, Project

PROMPTS = (
    "how do I run the integration tests?",
    "why does the deploy of the billing service fail on Friday",
    "rename the variable in parser.py and add a test",
    "which port does Service 117 listen on",
    "thanks, go on",
    "yes",
    "2026-03-01T00:00:07Z ERROR request=60e8b083bbe8ec38 /srv/service/parser.py:12 port of Service 7 refused\n" * 120,
)
SAVES = ("remember: Canary deploys of {} wait for the nightly report", "remember shared: Reports of {} are kept 90 days")
# Only prompts with words that no fact holds come here: read when they are reached, they cost the others nothing.
SELDOM = (
    *("gmhooks.recall.compounds:", "gmhooks.text.tokens:plain_words", "gmhooks.recall.spelling:"),
    *("gmhooks.text.spelling:", "gmhooks.store.spellings:"),
)
EXTRA = "and more of that " * 30  # a record of several pages
TRACER = """
import posix, sys
seen = set()
def trace(frame, event, arg):
    code = frame.f_code
    if event == "call" and "/gmhooks/" in code.co_filename and code.co_name[0] != "<":
        module = code.co_filename.rpartition("/gmhooks/")[2][:-3].replace("/", ".")
        seen.add("gmhooks." + module + ":" + code.co_qualname)
sys.argv = [{shim!r}, "--user-dir=" + {user!r}, {event!r}]
sys.path += [{root!r}, {site!r}]
from gmhooks.hooks.main import start
sys.setprofile(trace)
start(sys.argv)
sys.setprofile(None)
sys.stderr.write("\\n".join(seen))
posix._exit(0)
"""
Payload = dict[str, object]


def runs(transcript: Path) -> list[tuple[str, Payload]]:
    """Events and the fields of their payloads, in the order of a session; twice, since the first run makes files."""
    stood: Payload = {"transcript_path": str(transcript)}
    prompts: list[tuple[str, Payload]] = [
        ("user-prompt", {"hook_event_name": "UserPromptSubmit", "prompt": prompt}) for prompt in PROMPTS
    ]
    session: list[tuple[str, Payload]] = [
        ("session-start", {"hook_event_name": "SessionStart", "source": "startup"}),
        *prompts,
        ("pre-compact", {"hook_event_name": "PreCompact", "trigger": "auto"} | stood),
        ("session-start", {"hook_event_name": "SessionStart", "source": "compact"}),
        *prompts,
        ("session-end", {"hook_event_name": "SessionEnd", "reason": "other"} | stood),
        ("session-start", {"hook_event_name": "SessionStart", "source": "resume"}),
        ("session-end", {"hook_event_name": "SessionEnd", "reason": "other"} | stood),
    ]
    short = [run for run in session if run[0] != "pre-compact"]
    return [
        (event, fields | {"session_id": name})
        for name, runs in (("s-1", session), ("s-2", session), ("s-3", short), ("s-4", short))
        for event, fields in runs
    ]


def transcript_in(folder: Path) -> Path:
    """A short transcript as the client writes it."""
    entries: list[Payload] = []
    for number in range(6):
        entries.append({"type": "user", "message": {"role": "user", "content": f"Change part {number} of the parser"}})
        edit = {"type": "tool_use", "id": f"t{number}", "name": "Edit", "input": {"file_path": f"/src/part{number}.py"}}
        todo = {"content": f"part {number}", "status": "pending" if number else "completed"}
        todos = {"type": "tool_use", "id": f"d{number}", "name": "TodoWrite", "input": {"todos": [todo]}}
        entries.append({"type": "assistant", "message": {"role": "assistant", "content": [edit, todos]}})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "done"}
        entries.append({"type": "user", "message": {"role": "user", "content": [result]}})
    path = folder / "transcript.jsonl"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def called(project: Project, event: str, fields: Payload, clock: int) -> set[str]:
    """Names `module:function` of what one hook calls."""
    import lmdb

    site = str(Path(str(lmdb.__file__)).parents[1])
    program = TRACER.format(shim=str(SHIM), user=project.user_dir, event=event, root=str(SHIM.parents[2]), site=site)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=json.dumps({"cwd": str(project.root)} | fields).encode(),
        env={"CLAUDE_PROJECT_DIR": str(project.root), "GRAYMATTER_CLOCK": f"@{clock}"},
        capture_output=True,
        check=True,
    )
    return set(done.stderr.decode().split())


def main() -> None:
    """Print the sorted list."""
    found: dict[str, set[str]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        project = Project(Path(home).resolve())
        git = project.root / ".git"
        git.mkdir()
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        for day in reversed(range(120)):
            facts = [
                f"Service {number} listens on port {8000 + number}, log {day}"
                for number in range(20 * day, 20 * day + 20)
            ]
            project.add(*facts, *[f"Note the port {fact} {EXTRA}" for fact in facts[:2]], age_s=86_400 * day)
            project.add(f"Releases of service {day} are cut on Tuesdays", shared=True, age_s=86_400 * day)
        project.add("Integration tests need the staging VPN", "Deploys of billing run on Friday")
        for number, (event, fields) in enumerate(runs(transcript_in(Path(home)))):
            for name in called(project, event, fields, NOW + 60 * number):
                if "<" not in name and not name.startswith(SELDOM):
                    found.setdefault(name, set()).add(event)
        for number, prompt in enumerate(SAVES * 2):
            fields = {"hook_event_name": "UserPromptSubmit", "session_id": "s-5", "prompt": prompt.format(number)}
            for name in called(project, "user-prompt", fields, NOW + 6000 + 60 * number):
                if "<" not in name and not name.startswith(SELDOM):
                    found.setdefault(name, set()).add("remember")
    sys.stdout.write("".join(f"{name} {' '.join(sorted(events))}\n" for name, events in sorted(found.items())))


if __name__ == "__main__":
    main()
