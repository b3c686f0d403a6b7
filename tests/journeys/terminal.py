"""The client in a terminal (tmux), for what headless sessions cannot do."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from types import TracebackType

import pytest

from tests.journeys.client import Record
from tests.journeys.desk import Desk

_READY = "? for shortcuts"


class Terminal:
    """An interactive session of the desk's client; a context manager."""

    def __init__(self, desk: Desk) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed: interactive sessions cannot be driven")
        self._desk = desk
        self._socket = f"gm-{os.getpid()}-{desk.api.port}"

    def __enter__(self) -> Terminal:
        desk = self._desk
        desk.module.seed_home(desk.home, desk.project)
        env = [f"{name}={value}" for name, value in desk.api.client_env(desk.home).items()]
        start = shlex.join(["exec", "env", "-i", *env, desk.client, "--permission-mode", "default"])
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "160", "-y", "50", "-c", str(desk.project), start
        )
        desk.until("the client is ready for a prompt", self._is_ready)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        subprocess.run(["tmux", "-L", self._socket, "kill-server"], capture_output=True, check=False)

    def ask(self, prompt: str) -> Record:
        """Send a prompt; the request that carries it."""
        seen = len(self._desk.api.main_requests())
        self._type(prompt)
        found: list[Record] = self._desk.until(
            f"a request for {prompt!r} ({self.screen()[-400:]})", lambda: self._desk.api.main_requests()[seen:]
        )
        return found[0]

    def command(self, text: str, event: str) -> None:
        """Send a command of the client and wait until our hook of `event` has run."""
        before = self._desk.receipts().count(event)
        self._type(text)
        self._desk.until(f"{event} after {text}", lambda: self._desk.receipts().count(event) > before)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "t")

    def _is_ready(self) -> bool:
        return _READY in self.screen()

    def _type(self, text: str) -> None:
        self._tmux("send-keys", "-t", "t", "-l", text)
        self._desk.until(f"{text!r} is typed", lambda: text in self.screen())
        self._tmux("send-keys", "-t", "t", "Enter")

    def _tmux(self, *words: str) -> str:
        ran = subprocess.run(["tmux", "-L", self._socket, *words], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout
