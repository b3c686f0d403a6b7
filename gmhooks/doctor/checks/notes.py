"""Facts that the client's own memory holds as well: the model may read them twice, or an old wording after a correction."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gmhooks.context.claudecode import config_dir, notes_folder
from gmhooks.context.notes import notes, read_text, sources
from gmhooks.doctor.finding import INFO, Finding
from gmhooks.doctor.view import View
from gmhooks.hooks.route import prepared
from gmhooks.memory.inspection import inspect
from gmhooks.store.errors import StoreError
from gmhooks.text.clean import equal_key

_SWITCH = "autoMemoryEnabled"
_DISABLED = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"


def check(view: View) -> Iterator[Finding]:
    """How many live facts stand in the client's notes on this project, unless it was told to keep none."""
    route = view.at.route
    folder = notes_folder(route.root, config_dir(view.at.environ))
    if not prepared(route.data_dir) or _switched_off(view):
        return
    held = _held(folder)
    both = _known(route.data_dir, held) if held else 0
    if both:
        yield Finding("client.auto_memory", INFO, f"{folder} holds {both} of the facts stored here too")


def _switched_off(view: View) -> bool:
    if view.at.environ.get(_DISABLED, "").lower() not in ("", "0", "false"):
        return True
    said = [file.body[_SWITCH] for file in view.ruling if isinstance(file.body.get(_SWITCH), bool)]
    return bool(said) and not said[0]


def _held(folder: str) -> set[str]:
    """What the notes say, as facts are compared; nothing where the client has kept none."""
    held: set[str] = set()
    try:
        for path in filter(os.path.isfile, sources(folder)):
            held.update(equal_key(note.text) for note in notes(path, read_text(path)))
    except OSError:
        return set()
    return held


def _known(data_dir: str, held: set[str]) -> int:
    try:
        return sum(equal_key(fact.text) in held for fact in inspect(data_dir).facts)
    except (StoreError, OSError, ImportError):
        # What keeps a store from being read is the finding of its own check.
        return 0
