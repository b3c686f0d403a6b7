"""Hot: what the tail of a client's transcript tells about where a session stands. Bounded and tolerant."""

from __future__ import annotations

from posix import O_CLOEXEC, O_NONBLOCK, O_RDONLY, close, fstat, pread
from posix import open as posix_open

from gmhooks.hooks.wire import scanned

TAIL = 64 << 10
LONGER_TAIL = 256 << 10
MOST_FILES = 20
MOST_TODOS = 20
_EDITS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
_CALLS = [b'"%b"' % name.encode() for name in (*_EDITS, "TodoWrite", "TaskCreate", "TaskUpdate")]
_DONE = ("completed", "deleted", "cancelled")
_BY_CLIENT = ("<task-notification", "<command-", "<local-command-", "<bash-", "<system-reminder", "Caveat: ")


class Standing:
    """Last user prompt, files edited (first edit first), open todos (in their order); empty when unknown."""

    __slots__ = ("_calls", "_tasks", "files", "prompt", "todos")

    def __init__(self) -> None:
        self.prompt = ""
        self.files: list[str] = []
        self.todos: list[str] = []
        self._calls: dict[str, str] = {}
        self._tasks: dict[str, str] = {}

    def take(self, record: dict[str, object]) -> None:
        """Learn from one transcript record; what is not understood is passed over."""
        message = record.get("message")
        if not isinstance(message, dict) or record.get("isSidechain") or record.get("isMeta"):
            return
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        if record.get("type") == "assistant":
            for block in blocks:
                if block.get("type") == "tool_use" and isinstance(block.get("input"), dict):
                    self._take_call(block, block["input"])
        elif record.get("type") == "user" and not record.get("isCompactSummary"):
            if [block for block in blocks if block.get("type") == "tool_result"]:
                self._take_results(record, blocks)
            else:
                texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
                prompt = content if isinstance(content, str) else "\n".join(texts)
                if prompt.strip() and not prompt.lstrip().startswith(_BY_CLIENT):
                    self.prompt = prompt

    def _take_call(self, block: dict[str, object], given: dict[str, object]) -> None:
        name = block.get("name")
        if name in _EDITS:
            path = given.get("file_path") or given.get("notebook_path")
            if isinstance(path, str) and path not in self.files:
                self.files.append(path)
        elif name == "TodoWrite" and isinstance(given.get("todos"), list):
            todos = [todo for todo in given["todos"] if isinstance(todo, dict)]  # type: ignore[attr-defined]
            self.todos = [_text(todo, "content") for todo in todos if todo.get("status") not in _DONE]
        elif name == "TaskCreate":
            self._calls[_text(block, "id")] = _text(given, "subject") or _text(given, "description")
        elif name == "TaskUpdate" and given.get("status") in _DONE:
            self._tasks.pop(_text(given, "taskId"), None)

    def _take_results(self, record: dict[str, object], blocks: list[dict[str, object]]) -> None:
        """A created task gets its id only in the tool's answer."""
        answer = record.get("toolUseResult")
        task = answer.get("task") if isinstance(answer, dict) else None
        for block in blocks:
            subject = self._calls.pop(_text(block, "tool_use_id"), "")
            if subject:
                named = _text(task, "id") if isinstance(task, dict) else ""
                self._tasks[named or "?" + subject] = subject

    def finish(self) -> Standing:
        """Settle the lists once every record was taken."""
        todos = self.todos + list(self._tasks.values()) + list(self._calls.values())
        self.todos = [todo for todo in todos if todo][:MOST_TODOS]
        self.files = self.files[-MOST_FILES:]
        return self


def _text(record: dict[str, object], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def read(path: str) -> Standing:
    """The standing that the last 64 KiB of a transcript show, of 256 KiB if they hold no user prompt.

    A missing, special or unreadable file, and lines that are no JSON, leave it empty; nothing is raised.
    """
    if not path:
        return Standing()
    try:
        fd = posix_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    except (OSError, ValueError):
        return Standing()
    try:
        status = fstat(fd)
        if status.st_mode & 0o170000 != 0o100000:
            return Standing()
        standing = _parse(fd, status.st_size, TAIL)
        if not standing.prompt and status.st_size > TAIL:
            standing = _parse(fd, status.st_size, LONGER_TAIL)
        return standing
    except OSError:
        return Standing()
    finally:
        close(fd)


def _parse(fd: int, size: int, tail: int) -> Standing:
    """Read `tail` bytes before the end; a line that they cut in two is left out. Only lines that can tell are decoded."""
    start = max(size - tail, 0)
    lines = pread(fd, tail, start).split(b"\n")[1 if start else 0 :]
    calls = [line for line in lines if b'"tool_use"' in line and [name for name in _CALLS if name in line]]
    if [line for line in calls if b'"TaskCreate"' in line]:
        told = set(calls)
        calls = [line for line in lines if line in told or b'"tool_result"' in line]
    standing = Standing()
    for line in calls:
        _take(standing, line)
    for line in reversed(lines):
        if b'"user"' in line and b'"tool_result"' not in line:
            _take(standing, line)
            if standing.prompt:
                break
    return standing.finish()


def _take(standing: Standing, line: bytes) -> None:
    record = scanned(line.decode("utf-8", "replace").strip()) if line[:1] == b"{" else None
    if isinstance(record, dict):
        standing.take(record)
