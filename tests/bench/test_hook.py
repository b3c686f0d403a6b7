"""The hook in this process answers as the installed command does, to the byte."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from gmhooks.bench.data import load
from gmhooks.bench.hook import hook_answer
from gmhooks.bench.surroundings import surroundings
from tests.installed import Program, clean_env, hook_commands

SET = Path(__file__).parents[1] / "retrieval" / "data" / "projects"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def test_answers_of_the_installed_command_are_the_same(program: Program, tmp_path: Path) -> None:
    space = load(str(SET))[0]
    sample = space.queries[::8]
    home, project = tmp_path / "home", tmp_path / "home" / "osprey"
    project.mkdir(parents=True)
    program.done("init", "--hooks", cwd=project, home=home)
    rows = [
        {
            "agent_id": "osprey",
            "id": f"{at:026}",
            "text": fact.text,
            "created_at": fact.at.isoformat(),
            "source": "user",
        }
        for at, fact in enumerate(space.facts)
    ]
    (home / "facts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    program.done("import", str(home / "facts.jsonl"), cwd=project, home=home)
    words = hook_commands(project / ".claude" / "settings.local.json")["UserPromptSubmit"]
    environ = clean_env(home) | {"GRAYMATTER_CLOCK": f"@{NOW.timestamp()}", "CLAUDE_PROJECT_DIR": str(project)}

    def installed(prompt: str, session: str) -> str:
        payload = {
            "hook_event_name": "UserPromptSubmit", "session_id": session, "cwd": str(project), "prompt": prompt,
        }  # fmt: skip
        ran = subprocess.run(
            words, input=json.dumps(payload), env=environ, cwd=project, capture_output=True, text=True, timeout=60,
            check=True,
        )  # fmt: skip
        return ran.stdout

    said = [installed(query.text, f"by command {at}") for at, query in enumerate(sample)]
    with surroundings(str(project), NOW):
        user_dir = str(home / ".local/share/gmhooks")
        ours = [hook_answer(str(project), user_dir, query.text, f"here {at}") for at, query in enumerate(sample)]

    assert ours == said
    assert len([text for text in said if text]) > len(sample) // 4
    assert "" in said
