"""A temporary project with a private copy of the store, where a recorded command runs and touches nothing of the user's.

The copy has a registry of its own; the command gets both through its arguments and environment.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence

from gmhooks.hooks.route import DIRECTORY, agent_id
from gmhooks.memory.copies import copy_store
from gmhooks.store.create import prepare, store_id
from gmhooks.store.records import USER
from gmhooks.store.trust import register
from gmhooks.store.writer import save

SAMPLE = "The demo lighthouse of Port Gmhooks flashes every 12 seconds"
PROMPT = "How often does the demo lighthouse of Port Gmhooks flash?"
TIMEOUT_S = 20


class Stage:
    """`project`, `data_dir`, `user_dir` and `agent_id` of the copy below `folder`; empty until `furnish`."""

    def __init__(self, folder: str, root: str) -> None:
        name = os.path.basename(root) or "project"
        self.folder = folder
        self.project = os.path.join(folder, "project", name)
        self.data_dir = self.project + DIRECTORY
        self.user_dir = os.path.join(folder, "user")
        self.agent_id = agent_id(self.project)
        self.sessions = 0

    def furnish(self, data_dir: str | None, *, sample: bool = True) -> None:
        """Copy the store (None: make an empty one), trust it, and add the sample fact. StoreError or OSError."""
        os.makedirs(self.data_dir, 0o700)
        os.makedirs(self.user_dir, 0o700)
        if data_dir is not None:
            copy_store(data_dir, self.data_dir)
        prepare(self.data_dir, self.user_dir)
        register(self.user_dir, self.data_dir, store_id(self.data_dir))
        if sample:
            save(self.data_dir, [(self.agent_id, SAMPLE, USER, 0)], time.time_ns() // 1000, patient=True)

    def redirected(self, command: Sequence[str]) -> list[str]:
        """The command with the copy's registry named before its last word, the event."""
        at = len(command) - 1 if len(command) > 1 else 1
        return [*command[:at], f"--user-dir={self.user_dir}", *command[at:]]

    def run(
        self, command: Sequence[str], fields: Mapping[str, object], environ: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command in the project with a payload of a new session, `fields` added. OSError or TimeoutExpired.

        `environ` is the rest of its environment (default: next to nothing).
        """
        self.sessions += 1
        payload = {
            "session_id": f"gmhooks-proof-{self.sessions}",
            "transcript_path": "",
            "cwd": self.project,
            **fields,
        }
        return subprocess.run(
            command,
            input=json.dumps(payload).encode() + b"\n",
            capture_output=True,
            timeout=TIMEOUT_S,
            cwd=self.project,
            env={**(environ or {"PATH": os.defpath}), "HOME": self.folder, "CLAUDE_PROJECT_DIR": self.project},
            start_new_session=True,
            check=False,
        )

    def receipt(self) -> str:
        """Code and detail of the last receipt in the copy's log; "" when there is none."""
        try:
            with open(os.path.join(self.data_dir, "hooks.log"), encoding="utf-8") as file:
                last = json.loads(file.read().splitlines()[-1])
            return f"{last['code']} {last['detail']}".strip()
        except (OSError, ValueError, LookupError, TypeError):
            return ""


def context_of(answer: bytes) -> str | None:
    """The text for the model in a hook's answer; None when the answer is not the documented JSON object."""
    try:
        text = json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    except (ValueError, KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None
