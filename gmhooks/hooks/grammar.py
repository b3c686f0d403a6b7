"""Hot: what a person may ask of the memory inside a prompt: saves, forgets, the switch; and the prompt without them.

A save is a line that begins with `remember:` or `remember shared:`; `forget:` has the same form. Such lines count outside
code fences, unquoted, and unindented except on the first line; in a prompt over 2,000 characters, which is most likely a
paste, only in its first and last paragraph.
"""

from __future__ import annotations

from gmhooks.text.private import strip_private

LONG = 2_000
_WRAPPERS = ("graymatter-memory", "claude-mem-context", "memory", "system-reminder")
_MARKER = "[GrayMatter hook recall ran for "
_EMPHASIS = "*_"
_COLONS = (":", "：")
_QUESTIONS = ("?", "？")


class Save:
    """One text to keep; `scope` is `agent` or `shared`."""

    __slots__ = ("scope", "text")

    def __init__(self, scope: str, text: str) -> None:
        self.scope = scope
        self.text = text


class Parsed:
    """A prompt taken apart. `toggle` is `on`, `off` or None; `query` is what recall may see.

    `notes` are pairs of receipt code and detail for what was asked and not taken: `empty_remember`,
    `question_not_saved`, `lost_in_fence`, `lost_in_private`.
    """

    __slots__ = ("forgets", "notes", "query", "saves", "toggle")

    def __init__(self) -> None:
        self.saves: list[Save] = []
        self.forgets: list[str] = []
        self.toggle: str | None = None
        self.query = ""
        self.notes: list[tuple[str, str]] = []


def parse(prompt: str) -> Parsed:
    """Take a prompt apart. Recall wrappers and private parts are in neither the saves nor the query."""
    text = strip_wrappers(prompt.replace("\r\n", "\n").replace("\r", "\n"))
    toggle = {"memory on": "on", "memory off": "off"}.get(text.strip().lower())
    if toggle:
        parsed = Parsed()
        parsed.toggle = toggle
        return parsed
    visible, hidden = strip_private(text)
    parsed = _scan(visible)
    if hidden and len(_scan(text).saves) > len(parsed.saves):
        parsed.notes = [note for note in parsed.notes if note[0] != "empty_remember"]
        parsed.notes.append(("lost_in_private", ""))
    return parsed


def strip_wrappers(text: str) -> str:
    """Without the blocks that memories and clients put around what they add: ours with its marker line, and others.

    A wrapper begins a line and is closed; a tag inside a sentence is the user's own text.
    """
    if "<" not in text and _MARKER not in text:
        return text
    kept = []
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end].lstrip(" \t")
        closed = _closed(text, line, end - len(line)) if line.startswith("<") else 0
        if closed:
            at = closed
            if text[at : at + 1] == "\n":
                at += 1
            continue
        if not line.startswith(_MARKER):
            kept.append(text[at:end])
        at = end
    return "".join(kept)


def _closed(text: str, line: str, at: int) -> int:
    """Where the wrapper that opens at `at` ends, or 0."""
    inside = line[1 : line.find(">")]
    tag = inside.partition(" ")[0]
    if tag not in _WRAPPERS:
        return 0
    closer = f"</{inside if tag == _WRAPPERS[0] else tag}>"
    found = text.find(closer, at)
    return found + len(closer) if found > 0 else 0


def _scan(text: str) -> Parsed:
    """Saves, forgets and query of a text without wrappers."""
    parsed = Parsed()
    lines = text.split("\n")
    first, head, tail = _paragraphs(lines) if len(text) > LONG else (_first(lines), len(lines), 0)
    query = []
    fence = ""
    fenced = False
    asked: tuple[str, list[str]] | None = None
    for number, line in enumerate(lines):
        found = _keyword(line.lstrip() if number == first else line)
        before, fence = fence, _fence(line, fence)
        if found and before:
            fenced = True
        elif found and (number < head or number >= tail):
            _take(parsed, asked)
            asked = found[0], [found[1]]
            query.append(found[1])
            continue
        if asked and not line.strip():
            _take(parsed, asked)
            asked = None
        elif asked:
            asked[1].append(line)
        if not fence:
            fenced = False
        query.append(line)
    _take(parsed, asked)
    if fence and fenced:
        parsed.notes.append(("lost_in_fence", ""))
    parsed.query = "\n".join(query).strip()
    return parsed


def _take(parsed: Parsed, asked: tuple[str, list[str]] | None) -> None:
    """Keep what a keyword line and the lines under it ask for."""
    if asked is None:
        return
    kind, lines = asked
    text = "\n".join(lines).strip()
    if not text:
        parsed.notes.append(("empty_" + kind.partition(" ")[0], ""))
    elif kind == "forget":
        parsed.forgets.append(text)
    elif "\n" not in text and text.endswith(_QUESTIONS):
        parsed.notes.append(("question_not_saved", ""))
    else:
        parsed.saves.append(Save("shared" if kind == "remember shared" else "agent", text))


def _keyword(line: str) -> tuple[str, str] | None:
    """(`remember`, `remember shared` or `forget`; the text behind the colon) of a line of that form."""
    bare = line.lstrip(_EMPHASIS)
    lead = line[: len(line) - len(bare)]
    kind = "remember" if bare[:8].lower() == "remember" else "forget" if bare[:6].lower() == "forget" else ""
    if not kind:
        return None
    rest = bare[len(kind) :]
    word = rest.lstrip()
    if kind == "remember" and word[:6].lower() == "shared" and word != rest:
        kind = "remember shared"
        rest = word[6:]
    after = rest.lstrip(_EMPHASIS + " \t\u00a0\u3000")
    if not after.startswith(_COLONS):
        return None
    text = after[1:]
    if lead and not rest.startswith(lead):
        if text.startswith(lead):
            text = text[len(lead) :]
        elif text.rstrip().endswith(lead):
            text = text.rstrip()[: -len(lead)]
    return kind, text.strip()


def _fence(line: str, fence: str) -> str:
    """The code fence that is open behind this line, given the one open before it."""
    body = line.strip()
    if not body.startswith(("```", "~~~")):
        return fence
    info = body.lstrip(body[0])
    run = body[: len(body) - len(info)]
    if fence:
        return "" if run.startswith(fence) and not info else fence
    return "" if body[0] == "`" and "`" in info else run


def _first(lines: list[str]) -> int:
    """Number of the first line that is not blank."""
    for number, line in enumerate(lines):
        if line.strip():
            return number
    return len(lines)


def _paragraphs(lines: list[str]) -> tuple[int, int, int]:
    """First line, line behind the first paragraph, first line of the last one."""
    first = _first(lines)
    head = first
    while head < len(lines) and lines[head].strip():
        head += 1
    tail = len(lines)
    while tail > 0 and not lines[tail - 1].strip():
        tail -= 1
    while tail > 0 and lines[tail - 1].strip():
        tail -= 1
    return first, head, tail
