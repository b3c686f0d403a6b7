"""What a tool call came to, before any protocol wraps it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Answer:
    """A text, and structured content beside it; an error has text only. Empty text: no content at all."""

    __slots__ = ("error", "structured", "text")

    def __init__(self, text: str, structured: dict[str, Any] | None = None, *, error: bool = False) -> None:
        self.text = text
        self.structured = structured
        self.error = error

    def result(self) -> dict[str, Any]:
        """The result of `tools/call`."""
        content = [{"type": "text", "text": self.text}] if self.text else []
        found: dict[str, Any] = {"content": content, "isError": self.error}
        if self.structured is not None:
            found["structuredContent"] = self.structured
        return found
