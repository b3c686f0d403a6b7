"""The prompt hook without a process: its own code, the same answer to the byte."""

from __future__ import annotations

from gmhooks.mcp.hook_tool import answer
from gmhooks.mcp.place import Place


def hook_answer(project: str, user_dir: str, prompt: str, session_id: str) -> str:
    """What the hook prints for a prompt in a project, "" for silence. The environment is the process's own, see
    `surroundings`."""
    return answer(Place({}, user_dir), {"prompt": prompt, "session_id": session_id, "cwd": project}).text
