"""Lists the functions that ordinary prompts call, for `gmhooks/init/hot.txt`:

    python -m tests.init.hot_functions > gmhooks/init/hot.txt

The list steers only speed: a pack holds these functions ready and the others for the first call.
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
)
TRACER = """
import posix, sys
seen = set()
def trace(frame, event, arg):
    code = frame.f_code
    if event == "call" and "/gmhooks/" in code.co_filename and code.co_name[0] != "<":
        module = code.co_filename.rpartition("/gmhooks/")[2][:-3].replace("/", ".")
        seen.add("gmhooks." + module + ":" + code.co_qualname)
sys.argv = [{shim!r}, "--user-dir=" + {user!r}, "user-prompt"]
sys.path += [{root!r}, {site!r}]
from gmhooks.hooks.main import start
sys.setprofile(trace)
start(sys.argv)
sys.setprofile(None)
sys.stderr.write("\\n".join(seen))
posix._exit(0)
"""


def called(project: Project, prompt: str) -> set[str]:
    """Names `module:function` of what one prompt hook calls."""
    import lmdb

    site = str(Path(str(lmdb.__file__)).parents[1])
    program = TRACER.format(shim=str(SHIM), user=project.user_dir, root=str(SHIM.parents[2]), site=site)
    payload = {
        "session_id": "s-1",
        "cwd": str(project.root),
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=json.dumps(payload).encode(),
        env={"CLAUDE_PROJECT_DIR": str(project.root), "GRAYMATTER_CLOCK": f"@{NOW}"},
        capture_output=True,
        check=True,
    )
    return set(done.stderr.decode().split())


def main() -> None:
    """Print the sorted list."""
    with tempfile.TemporaryDirectory() as home:
        project = Project(Path(home).resolve())
        facts = [f"Service {number} listens on port {8000 + number}" for number in range(200)]
        project.add(*facts, "Integration tests need the staging VPN", "Deploys of billing run on Friday")
        found = set().union(*(called(project, prompt) for prompt in PROMPTS for _ in range(2)))
    sys.stdout.write("".join(f"{name}\n" for name in sorted(found) if "<" not in name))


if __name__ == "__main__":
    main()
