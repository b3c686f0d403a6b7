"""Our groups come and go; whatever else is in the settings keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from gmhooks.init import edit, jsonc
from gmhooks.init.ledger import Trace
from gmhooks.init.refusal import Refusal
from gmhooks.init.settings import EVENTS, Wanted, fingerprint, handler, install, installed, remove
from tests.init.documents import settings_bytes

HERE = "/home/dev/own/gmhooks-hook"
WANTED = Wanted(HERE)


def document(data: bytes | None) -> Any:
    assert data is not None
    return json.loads(data.decode("utf-8-sig"))


def with_entry(event: str, entry: dict[str, object], **group: object) -> bytes:
    """A freshly installed file in which our entry of ``event`` was replaced."""
    full = document(install(b"{}\n", WANTED).data)
    full["hooks"][event] = [{**group, "hooks": [entry]}]
    return json.dumps(full, indent=2).encode()


@examples(max_examples=200, deadline=None)
@given(settings_bytes(), st.sampled_from([HERE, None]))
def test_install_then_remove_gives_the_original_bytes(data: bytes, launcher: str | None) -> None:
    done = install(data, Wanted(launcher))
    old, new = document(data), document(done.data)
    for event in EVENTS:
        ours = new["hooks"][event].pop()
        assert ours == {"hooks": [handler(event, launcher)]}
    kept = {event: groups for event, groups in new["hooks"].items() if groups or event in old.get("hooks", {})}
    assert {**new, "hooks": kept} == {**old, "hooks": old.get("hooks", {})}
    assert install(done.data, Wanted(launcher), done.trace).data == done.data
    assert remove(done.data, done.trace).data == data


@examples(max_examples=100, deadline=None)
@given(settings_bytes(), st.booleans())
def test_edits_made_between_install_and_removal_stay(data: bytes, later: bool) -> None:
    def edited(text: bytes) -> bytes:
        mark, body = jsonc.decode(text)
        root = jsonc.parse(body)
        keys = [slot for slot in root.slots if slot.key != "hooks"]
        if later or not keys:
            return (mark + edit.append(body, root, root, "theirs", key="edited by the user")).encode()
        return (mark + edit.replace(body, root, keys[0].value, ["theirs"])).encode()

    done = install(data, WANTED)
    assert done.data is not None
    left = remove(edited(done.data), done.trace).data
    wanted = document(edited(data))
    assert document(left) == wanted
    if not later and document(data):
        assert left == edited(data)


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "model": "opus"\n}\n',
        '{"model":"opus"}',
        '{"hooks":{"Stop":[]}}\n',
        '{\n  "hooks": {\n    "PreCompact": [ {"hooks": []} ]\n  }\n}',
    ],
)
def test_without_a_trace_removal_goes_by_structure(text: str) -> None:
    assert remove(install(text.encode(), WANTED).data, Trace()).data == text.encode()


def test_without_a_trace_an_emptied_file_keeps_an_empty_object() -> None:
    assert remove(install(None, WANTED).data, Trace()).data == b"{}\n"


@pytest.mark.parametrize(
    "text",
    [
        '{"hooks": {}}',
        '{\n  "hooks": { }\n}',
        '{"hooks": {"PreCompact": [\n]}}',
        "{ }",
        "{\n\n}\n",
        '{"hooks":{"Stop":[ ]}}',
    ],
)
def test_containers_that_were_empty_are_given_back_as_they_were(text: str) -> None:
    done = install(text.encode(), WANTED)
    assert remove(done.data, done.trace).data == text.encode()


@pytest.mark.parametrize("data", [None, b"", b" \n\t\n", b"\xef\xbb\xbf\r\n"])
def test_a_file_without_a_value_is_given_back(data: bytes | None) -> None:
    done = install(data, WANTED)
    assert set(document(done.data)["hooks"]) == set(EVENTS)
    assert remove(done.data, done.trace).data == data


def test_a_fresh_file_has_two_spaces_and_a_final_line_end() -> None:
    data = install(None, WANTED).data
    assert data is not None
    assert data.decode() == json.dumps(document(data), indent=2) + "\n"


def test_a_created_file_the_user_added_to_is_kept() -> None:
    done = install(None, WANTED)
    theirs = done.data and done.data.replace(b'{\n  "hooks"', b'{\n  "model": "opus",\n  "hooks"')
    assert remove(theirs, done.trace).data == b'{\n  "model": "opus"\n}\n'


def test_the_entries_are_exec_form_with_explicit_timeouts() -> None:
    hooks = document(install(None, WANTED).data)["hooks"]
    assert hooks == {
        event: [{"hooks": [{"type": "command", "command": HERE, "args": [word], "timeout": seconds}]}]
        for event, word, seconds in [
            ("SessionStart", "session-start", 5),
            ("UserPromptSubmit", "user-prompt", 5),
            ("PreCompact", "pre-compact", 5),
            ("SessionEnd", "session-end", 10),
        ]
    }


def test_an_entry_of_another_directory_is_rewritten_where_it_stands() -> None:
    old = install(b'{"model":"x"}', Wanted("/gone/gmhooks-hook")).data
    assert old is not None
    done = install(old, WANTED)
    assert done.data == old.replace(b"/gone/gmhooks-hook", HERE.encode())
    assert done.reports == ["path_updated"]


def test_the_other_form_is_replaced_by_the_wanted_one() -> None:
    portable = install(b"{}\n", Wanted(None)).data
    assert document(install(portable, WANTED).data) == document(install(b"{}\n", WANTED).data)


EDITS: dict[str, dict[str, object]] = {
    "an argument added": {**handler("PreCompact", HERE), "args": ["pre-compact", "--verbose"]},
    "another timeout": {**handler("PreCompact", HERE), "timeout": 30},
    "a key added": {**handler("PreCompact", HERE), "statusMessage": "remembering"},
    "wrapped in exec form": {**handler("PreCompact", "nice"), "args": [HERE, "pre-compact"]},
    "wrapped in a string": {"type": "command", "command": f"nice -n 5 '{HERE}' pre-compact"},
    "wrapped before exec form": {**handler("PreCompact", HERE), "command": f"nice {HERE}"},
}


@pytest.mark.parametrize("entry", EDITS.values(), ids=EDITS.keys())
def test_an_entry_edited_by_hand_is_kept_and_reported(entry: dict[str, object]) -> None:
    data = with_entry("PreCompact", entry)
    done = install(data, WANTED)
    assert (done.data, done.reports) == (data, ["hand_edited"])
    gone = remove(data, done.trace)
    assert (gone.reports, gone.left) == (["hand_edited"], 1)
    assert document(gone.data) == {"hooks": {"PreCompact": [{"hooks": [entry]}]}}


@pytest.mark.parametrize("entry", EDITS.values(), ids=EDITS.keys())
def test_force_takes_edited_entries_too(entry: dict[str, object]) -> None:
    data = with_entry("PreCompact", entry)
    fresh = document(install(b"{}", WANTED).data)
    assert document(install(data, Wanted(HERE, force=True)).data) == fresh
    assert document(remove(data, Trace(), force=True).data) == {}


def test_an_entry_an_earlier_version_wrote_is_brought_up_to_date() -> None:
    old = {**handler("PreCompact", HERE), "timeout": 60}
    data = with_entry("PreCompact", old)
    done = install(data, Wanted(HERE, frozenset((fingerprint(old),))))
    assert done.reports == ["entry_updated"]
    assert document(done.data) == document(install(b"{}", WANTED).data)


@pytest.mark.parametrize(
    "command",
    [
        "echo graymatter is great",
        "echo gmhooks-hook pre-compact",
        "/opt/other/graymatter-hook-prompt pre-compact",
        "/opt/gmhooks-hook",
        "/opt/gmhooks-hook stop",
        "echo 'gmhooks-hook",
    ],
)
def test_a_foreign_command_that_looks_like_ours_is_not_touched(command: str) -> None:
    data = json.dumps({"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": command}]}]}}).encode()
    done = install(data, WANTED)
    assert installed(data, HERE) == {}
    assert installed(done.data, HERE) == dict.fromkeys(EVENTS, "current")
    assert remove(done.data, Trace()).data == data


def test_a_foreign_handler_in_our_group_survives_removal() -> None:
    theirs = {"type": "command", "command": "acme-backup"}
    full = document(install(b"{}", WANTED).data)
    full["hooks"]["PreCompact"][0]["hooks"].append(theirs)
    gone = remove(json.dumps(full).encode(), Trace())
    assert document(gone.data) == {"hooks": {"PreCompact": [{"hooks": [theirs]}]}}


@pytest.mark.parametrize("same_group", [True, False])
def test_a_double_of_ours_is_reduced_to_one(same_group: bool) -> None:
    full = document(install(b"{}", WANTED).data)
    groups = full["hooks"]["PreCompact"]
    if same_group:
        groups[0]["hooks"].append(groups[0]["hooks"][0])
    else:
        groups.append(groups[0])
    done = install(json.dumps(full).encode(), WANTED)
    assert done.reports == ["duplicate_removed"]
    assert document(done.data) == document(install(b"{}", WANTED).data)


def test_groups_split_by_matcher_are_left_so() -> None:
    entry = handler("SessionStart", HERE)
    full = document(install(b"{}", WANTED).data)
    full["hooks"]["SessionStart"] = [{"matcher": word, "hooks": [entry]} for word in ("startup", "clear")]
    data = json.dumps(full).encode()
    assert install(data, WANTED).data == data


def test_ours_under_a_foreign_event_counts_as_edited() -> None:
    data = json.dumps({"hooks": {"Stop": [{"hooks": [handler("PreCompact", HERE)]}]}}).encode()
    gone = remove(data, Trace())
    assert (gone.data, gone.left) == (data, 1)


def test_the_trace_outlives_a_second_install() -> None:
    first = install(b'{"hooks": {"PreCompact": [ ]}}', WANTED)
    full = document(first.data)
    del full["hooks"]["SessionEnd"]
    second = install(json.dumps(full).encode(), WANTED, first.trace)
    assert document(remove(second.data, second.trace).data) == {"hooks": {"PreCompact": []}}


def test_the_trace_forgets_what_the_user_took_out() -> None:
    first = install(b'{"hooks": {"PreCompact": []}}', WANTED)
    second = install(b'{"model": "x"}', WANTED, first.trace)
    assert remove(second.data, second.trace).data == b'{"model": "x"}'


def test_hooks_that_are_switched_off_are_warned_of() -> None:
    assert install(b'{"disableAllHooks": true}', WANTED).warnings == ["hooks_disabled"]
    assert install(b'{"disableAllHooks": false}', WANTED).warnings == []


@pytest.mark.parametrize(
    ("text", "code", "pointer"),
    [
        ("[]", "not_object", None),
        ("null", "not_object", None),
        ('{"hooks": null}', "wrong_type", "/hooks"),
        ('{"hooks": {"PreCompact": {}}}', "wrong_type", "/hooks/PreCompact"),
        ('{"hooks": {}, "hooks": {}}', "duplicate_key", "/hooks"),
    ],
)
def test_a_shape_that_cannot_take_hooks_is_refused(text: str, code: str, pointer: str | None) -> None:
    with pytest.raises(Refusal) as caught:
        install(text.encode(), WANTED)
    assert (caught.value.code, caught.value.pointer) == (code, pointer)


def test_removal_does_not_mind_wrong_types_where_nothing_of_ours_can_be() -> None:
    for text in (b"[]", b'{"hooks": null}', b'{"hooks": {"PreCompact": 7}}'):
        assert remove(text, Trace()).data == text


def test_a_comment_is_refused_with_what_the_client_does() -> None:
    with pytest.raises(Refusal, match="Claude Code ignores the whole file"):
        install(b"{\n// x\n}", WANTED)
