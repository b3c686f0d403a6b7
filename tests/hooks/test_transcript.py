"""The tail of a transcript tells where a session stood, whatever else the file holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.hooks.transcript import LONGER_TAIL, MOST_FILES, TAIL, Standing, read


def user(content: object, **fields: object) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": content}} | fields


def call(name: str, given: dict[str, object], tool_id: str = "t") -> dict[str, object]:
    block = {"type": "tool_use", "id": tool_id, "name": name, "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


def result(tool_id: str, **fields: object) -> dict[str, object]:
    return user([{"type": "tool_result", "tool_use_id": tool_id, "content": "ok"}], **fields)


def standing(tmp_path: Path, *records: object) -> Standing:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return read(str(path))


def test_the_last_prompt_of_a_person_counts(tmp_path: Path) -> None:
    found = standing(
        tmp_path,
        user("first"),
        user([{"type": "text", "text": "the"}, {"type": "text", "text": "last"}]),
        result("t"),
        user("a caveat", isMeta=True),
        user("a subagent's task", isSidechain=True),
        user("a summary", isCompactSummary=True),
        user("<command-name>/clear</command-name>"),
        {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": "user tool_use"}},
        {"type": "last-prompt", "message": "user"},
    )
    assert found.prompt == "the\nlast"


def test_edited_files_are_listed_once_and_the_latest_kept(tmp_path: Path) -> None:
    edits = [call("Write", {"file_path": f"/p/{n}"}) for n in range(MOST_FILES + 2)]
    found = standing(
        tmp_path,
        call("Read", {"file_path": "/p/read"}),
        call("Edit", {"file_path": "/p/1"}),
        *edits,
        call("NotebookEdit", {"notebook_path": "/p/n.ipynb"}),
        call("MultiEdit", {"file_path": 7}),
    )
    assert len(found.files) == MOST_FILES
    assert found.files[-2:] == [f"/p/{MOST_FILES + 1}", "/p/n.ipynb"]


def test_open_todos_are_those_of_the_last_list(tmp_path: Path) -> None:
    first = [{"content": "old", "status": "pending"}]
    last = [
        {"content": "done", "status": "completed"},
        {"content": "doing", "status": "in_progress"},
        {"content": "next", "status": "pending"},
        "broken",
    ]
    assert standing(tmp_path, call("TodoWrite", {"todos": first}), call("TodoWrite", {"todos": last})).todos == [
        "doing",
        "next",
    ]


def test_tasks_are_open_until_an_update_closes_them(tmp_path: Path) -> None:
    found = standing(
        tmp_path,
        call("TaskCreate", {"subject": "one"}, "a"),
        result("a", toolUseResult={"task": {"id": "1", "subject": "one"}}),
        call("TaskCreate", {"subject": "two"}, "b"),
        result("b", toolUseResult={"task": {"id": "2", "subject": "two"}}),
        call("TaskUpdate", {"taskId": "1", "status": "completed"}),
        call("TaskCreate", {"subject": "three"}, "c"),
    )
    assert found.todos == ["two", "three"]


def test_only_the_tail_is_read_and_more_of_it_when_no_prompt_is_there(tmp_path: Path) -> None:
    filler = [call("Bash", {"command": "x" * 1000}) for _ in range(TAIL // 1000)]
    assert standing(tmp_path, user("far away"), *filler).prompt == "far away"
    assert standing(tmp_path, user("far away"), *filler, user("near")).prompt == "near"
    many = [call("Bash", {"command": "x" * 1000}) for _ in range(LONGER_TAIL // 1000)]
    assert standing(tmp_path, user("too far away"), *many).prompt == ""


@pytest.mark.parametrize("kind", ["missing", "directory", "fifo", "sparse", "empty path", "nul", "unreadable"])
def test_what_is_no_transcript_tells_nothing(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t.jsonl"
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "sparse":
        with path.open("wb") as file:
            file.truncate(2 << 30)
    named = {"empty path": "", "nul": "a\0b", "unreadable": "/proc/self/mem"}.get(kind, str(path))
    found = read(named)
    assert (found.prompt, found.files, found.todos) == ("", [], [])


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["user", "tool_use", "TodoWrite"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "message", "content", "name", "input", "todos", "id", "status", "toolUseResult", "task"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(["type", "message", "toolUseResult"]), JSON), max_size=4))
def test_no_record_is_an_error(records: list[dict[str, object]]) -> None:
    found = Standing()
    for record in records:
        found.take(record)
    assert isinstance(found.finish().prompt, str)
