"""Hot: removes what the user marked as private."""

from __future__ import annotations

_LOWER = str.maketrans("PRIVATE", "private")
_LONGEST_TAG = 32


def strip_private(text: str) -> tuple[str, bool]:
    """Return the text without its `<private>…</private>` parts, and whether there was one.

    Tags count in any case and may be nested; an unclosed tag hides the rest of the text. Of the blanks before and behind a
    part one stays.
    """
    lower = text.translate(_LOWER)
    if "private" not in lower:
        return text, False
    kept: list[str] = []
    depth = start = 0
    hidden = False
    at = lower.find("<")
    while at >= 0:
        end, step = _tag(lower, at)
        if step > 0 and not depth:
            kept.append(text[start:at])
            hidden = True
        if depth + step >= 0:
            depth += step
            start = end if step else start
        at = lower.find("<", end)
    if not depth:
        kept.append(text[start:])
    if not hidden:
        return text, False
    whole = ""
    for part in kept:
        whole += part[1:] if whole[-1:] == " " == part[:1] else part
    return whole, True


def _tag(lower: str, at: int) -> tuple[int, int]:
    """Return where reading goes on behind `<`, and +1 for an opening, -1 for a closing tag, else 0."""
    end = lower.find(">", at, at + _LONGEST_TAG)
    if end > 0:
        name = lower[at + 1 : end].strip()
        if name == "private":
            return end + 1, 1
        if name.startswith("/") and name[1:].strip() == "private":
            return end + 1, -1
    return at + 1, 0
