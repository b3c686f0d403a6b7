"""Why a user's file was left alone: one exception that carries code, place and the next step."""

from __future__ import annotations

CODES = frozenset(
    (
        "invalid_json", "invalid_toml", "not_object", "wrong_type", "duplicate_key", "encoding", "too_deep",
        "read_only", "unreadable", "not_regular", "symlink_dangling", "symlink_loop", "foreign_owner", "hardlink",
        "changed_underneath", "locked", "io_error", "half_block", "two_blocks", "nested_block",
        "ambiguous_marker", "hand_edited", "inline_table",
    )
)  # fmt: skip

_NEXT = {
    "invalid_json": "correct the file, then run the command again",
    "not_object": "make the file one JSON object, for example {}, then run the command again",
    "wrong_type": "give this value the documented type or remove it, then run the command again",
    "duplicate_key": "keep one of the two, then run the command again",
    "encoding": "save the file as UTF-8, then run the command again",
    "too_deep": "flatten the file below 200 levels, then run the command again",
    "read_only": "make the file, its folder and their file system writable, then run the command again",
    "unreadable": "make the file readable for you, then run the command again",
    "not_regular": "put a regular file in its place or choose another scope",
    "symlink_dangling": "create the link's target or remove the link, then run the command again",
    "symlink_loop": "remove the link, then run the command again",
    "foreign_owner": "run the command as the owner, or choose another scope",
    "hardlink": "replace one of the names by a copy or a symbolic link, then run the command again",
    "half_block": "restore or delete the marker, then run the command again",
    "two_blocks": "delete one of the blocks, then run the command again",
    "nested_block": "take the inner block out of the outer one, then run the command again",
    "ambiguous_marker": "close the code fence or comment, or move the marker, then run the command again",
    "hand_edited": "add --force to replace it (what is there now is kept in a backup)",
    "invalid_toml": "correct the file, then run the command again",
    "inline_table": "write it as a [table] of its own, then run the command again",
    "changed_underneath": "close the program that keeps writing it, then run the command again",
    "locked": "if no other program is editing the file, delete the lock file, then run the command again",
    "io_error": "remove the cause, then run the command again",
}


class Refusal(Exception):
    """Nothing was written. ``code`` is one of `CODES`; ``line`` is 1-based, ``pointer`` a JSON pointer."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        line: int | None = None,
        pointer: str | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.line = line
        self.pointer = pointer
        self.path = path

    def __str__(self) -> str:
        return self.detail

    def sentence(self, path: str) -> str:
        """Return one line: file, place, code, what is wrong, what to do next. ``path`` is used if we hold none."""
        place = self.path or path
        if self.line is not None:
            place += f", line {self.line}"
        if self.pointer:
            place += f", {self.pointer}"
        return f"{place}: {self.code}: {self.detail}. Nothing was written; {_NEXT.get(self.code, 'see above')}."
