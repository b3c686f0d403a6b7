"""Hot: the one gate that every text passes before it is stored, whichever face it comes from."""

from __future__ import annotations

from gmhooks.text.clean import clean
from gmhooks.text.private import strip_private
from gmhooks.text.secrets import find as find_secret

MOST_CHARS = 4000
_WORTH_SCANNING = 100_000


class Refused(Exception):
    """A text may not be stored. The message tells the user why and never holds the text.

    `code` is the receipt: `empty_remember`, `fact_too_long`, `private_only` or `secret:<rule>`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Admitted:
    """What will be stored, and receipts of what was taken out: `invisible_removed`, `private_removed`."""

    __slots__ = ("notes", "text")

    def __init__(self, text: str, notes: list[str]) -> None:
        self.text = text
        self.notes = notes


def admit(text: str) -> Admitted:
    """The form of `text` that may be stored: clean, public, 4,000 characters, no secret. Raises Refused."""
    if len(text) > _WORTH_SCANNING:
        raise Refused("fact_too_long", _too_long(len(text)))
    cleaned, removed = clean(text)
    public, private = strip_private(cleaned)
    public = public.strip()
    notes = ["invisible_removed"] * removed + ["private_removed"] * private
    if not public:
        if private:
            raise Refused("private_only", "everything in it is marked <private>")
        raise Refused("empty_remember", "there is no text to save")
    rule = find_secret(public)
    if rule is not None:
        raise Refused("secret:" + rule, f"it looks like a secret ({rule})")
    if len(public) > MOST_CHARS:
        raise Refused("fact_too_long", _too_long(len(public)))
    return Admitted(public, notes)


def _too_long(size: int) -> str:
    return f"it has {size:,} characters; a fact holds at most {MOST_CHARS:,}"
