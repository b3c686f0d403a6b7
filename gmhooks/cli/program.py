"""How this program is called here: commands that are printed as a next step must work as they are printed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys

from gmhooks.cli.table import NAMES, SAME

_NAME = "graymatter"
_COMMAND = re.compile(rf"(?<![\w./~-]){_NAME}(?= (?:{'|'.join([*NAMES, *SAME, '--help'])})\b)")
_LINKS = "~/.local/bin"


def runnable(text: str) -> str:
    """A text with its commands as they have to be typed here: with the full path where PATH does not find this program."""
    path = _off_path()
    return text if path is None else _COMMAND.sub(lambda _: shlex.quote(path), text)


def path_hint() -> str | None:
    """How to put this program on PATH; None when it is there, or was not started by its own file."""
    path = _off_path()
    if path is None:
        return None
    command = f"mkdir -p {_LINKS} && ln -s {shlex.quote(path)} {_LINKS}/"
    if os.path.expanduser(_LINKS) not in os.environ.get("PATH", "").split(os.pathsep):
        command += ' && export PATH="$HOME/.local/bin:$PATH"'
    return f"To call it {_NAME} from anywhere: {command}"


def _off_path() -> str | None:
    own = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), _NAME)
    if os.path.basename(sys.argv[0]) not in (_NAME, "gmhooks") or not os.path.isfile(own):
        return None
    found = shutil.which(_NAME)
    return None if found is not None and os.path.samefile(found, own) else own
