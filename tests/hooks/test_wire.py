"""The edge of a hook: tolerant about what comes in, exact about what goes out, and never waiting for long."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.hooks import wire
from gmhooks.hooks.wire import Event, WireError, decode, encode
from tests.shared_material import SHARED, needs_shared

ROOT = str(Path(wire.__file__).parents[2])
RECEIVE = f"""
import sys; sys.path.insert(0, {ROOT!r})
import posix, time
from gmhooks.hooks.wire import WireError, receive
begin = time.monotonic()
try:
    found = receive()
    text = "{{}} keys".format(len(found))
except WireError as error:
    text = error.code
used = sorted({{"select", "json", "_json"}} & set(sys.modules))
posix.write(1, (text + " " + ",".join(used)).encode())
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
posix.write(2, peak[0].split()[1].encode())
"""

leaves = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def receive(stdin: object, **more: object) -> tuple[str, int]:
    """What a process makes of its stdin, and its peak memory in KiB."""
    done = subprocess.run(  # type: ignore[call-overload]
        [sys.executable, "-I", "-S", "-c", RECEIVE], stdin=stdin, capture_output=True, timeout=30, **more
    )
    return done.stdout.decode(), int(done.stderr)


def written(*pieces: bytes, pause: float = 0.05, close: bool = True) -> tuple[str, int]:
    """The same for bytes that come in pieces through a pipe."""
    reader, writer = os.pipe()
    stop = threading.Event()

    def write() -> None:
        try:
            for number, piece in enumerate(pieces):
                if number:
                    stop.wait(pause)
                os.set_blocking(writer, True)
                done = 0
                while done < len(piece):
                    done += os.write(writer, piece[done : done + 65536])
        except BrokenPipeError:
            pass
        if close:
            os.close(writer)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        return receive(reader)
    finally:
        os.close(reader)
        thread.join()
        if not close:
            os.close(writer)


def comparable(value: object) -> object:
    """The value as `decode` gives it: numbers are floats."""
    return json.loads(json.dumps(value), parse_int=float)


@given(st.dictionaries(st.text(), values))
def test_decoding_agrees_with_the_public_parser(payload: dict[str, object]) -> None:
    for ascii_only in (True, False):
        for separators in ((",", ":"), (", ", ": "), (" , ", " : ")):
            raw = json.dumps(payload, ensure_ascii=ascii_only, separators=separators).encode("utf-8", "replace")
            assert decode(raw) == json.loads(raw, parse_int=float)


@given(st.dictionaries(st.text(), values), st.data())
def test_the_fast_way_agrees_with_the_public_parser_on_spoilt_text_too(payload: dict[str, object], data) -> None:  # type: ignore[no-untyped-def]
    text = json.dumps(payload)
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(['"', "\\", "{", "}", ",", ":", "n", " ", "0", "\x00", "\x01", ""]))
    text = (text + json.dumps(payload)[at + data.draw(st.integers(0, 1)) :]).strip("\ufeff \t\r\n")
    found = wire._flat(text)
    if found is not None:
        assert found == json.loads(text, strict=False, parse_int=float)


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_bad_input(raw: bytes) -> None:
    try:
        found: object = decode(raw)
    except WireError as error:
        found = error.code
    assert found == "bad_input" or isinstance(found, dict)


@pytest.mark.parametrize(
    "raw", [b"", b"null", b"[1,2]", b"42", b'"x"', b"\0\0\0\0", b'{"a":1} {', b'{"a":"b",}', b'{"a":', b"{]" * 99]
)
def test_what_is_no_single_object_is_bad_input(raw: bytes) -> None:
    with pytest.raises(WireError, match="bad_input"):
        decode(raw)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'\xef\xbb\xbf {"a":"b"}\n\n', {"a": "b"}),
        (b'{"a":"caf\xe9"}', {"a": "caf\ufffd"}),
        (b'{"a":"1","a":"2"}', {"a": "2"}),
        (b'{"a":"x\ny\x07"}', {"a": "x\ny\x07"}),
        (b'{"a":"\\u0000\\ud83d\\ude80"}', {"a": "\0\U0001f680"}),
        (b'{"a":' + b"9" * 5000 + b"}", {"a": float("inf")}),
    ],
)
def test_odd_but_readable_input_is_read(raw: bytes, expected: dict[str, object]) -> None:
    assert decode(raw) == expected


def test_nan_is_read() -> None:
    found = decode(b'{"a":NaN,"b":-Infinity}')
    assert found["a"] != found["a"]
    assert found["b"] == float("-inf")


def test_a_thousand_levels_are_no_failure() -> None:
    raw = b'{"hook_event_name":"UserPromptSubmit","prompt":"hi","x":' + b'{"a":' * 1000 + b"1" + b"}" * 1001
    assert Event(decode(raw)).prompt == "hi"


def test_endless_nesting_is_bad_input() -> None:
    with pytest.raises(WireError, match="bad_input"):
        decode(b'{"a":' * 200_000)


whole = st.none() | st.booleans() | st.integers() | st.text()


@given(st.recursive(whole, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_what_is_encoded_is_read_back(value: object) -> None:
    assert json.loads(encode(value)) == value


def test_lone_surrogates_never_reach_the_client() -> None:
    assert encode({"a\ud800": "\udc00x"}) == '{"a\ufffd":"\ufffdx"}'.encode()


def test_encoded_text_is_one_line() -> None:
    assert b"\n" not in encode("a\nb\r\x85\u2028\x00")


@pytest.mark.parametrize("value", [None, True, 7, 1.5, ["a"], {"b": 1}])
def test_fields_of_a_wrong_type_are_empty(value: object) -> None:
    payload = dict.fromkeys(["hook_event_name", "session_id", "cwd", "source", "transcript_path", "prompt"], value)
    event = Event(payload)
    assert [event.name, event.session_id, event.cwd, event.source, event.transcript_path, event.prompt] == [""] * 6


def test_a_prompt_may_come_in_text_parts_or_under_its_other_name() -> None:
    parts: list[object] = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}, 3]
    assert Event({"prompt": parts}).prompt == "one\ntwo"
    assert Event({"user_prompt": "hello"}).prompt == "hello"


@pytest.mark.parametrize(("value", "expected"), [(14.0, 14.0), (-1.0, None), ("3", None), (True, None), (None, None)])
def test_seconds_since_the_last_answer_are_a_number_or_absent(value: object, expected: float | None) -> None:
    assert Event({"seconds_since_last_response": value}).seconds_since == expected


@needs_shared
def test_every_recorded_payload_is_read_as_it_is() -> None:
    assert SHARED is not None
    files = sorted((SHARED / "claude-code" / "payloads").glob("*.json"))
    assert len(files) > 50
    for file in files:
        raw = file.read_bytes()
        payload = json.loads(raw)
        assert decode(raw) == comparable(payload)
        name = payload["hook_event_name"]
        assert Event(decode(raw)).name == wire.NAMES.get(name, name)


def test_a_whole_payload_is_taken_without_waiting_for_the_end() -> None:
    assert written(b'{"a":"b"}\n', close=False)[0] == "1 keys "


def test_pieces_are_put_together() -> None:
    assert written(b'{"a":"b"', b',"c":{"d":"}"', b"}", b"}", close=False)[0].startswith("2 keys ")


def test_a_large_payload_is_read_whole() -> None:
    assert written(b'{"a":"' + b"x" * 2_000_000 + b'"}', close=False)[0] == "1 keys select"


def test_silence_on_stdin_ends_the_wait() -> None:
    assert written(close=False)[0] == "stdin_timeout select"


def test_a_payload_that_stops_in_the_middle_ends_the_wait() -> None:
    assert written(b'{"a":"b', close=False)[0].startswith("bad_input ")


def test_no_bytes_are_bad_input() -> None:
    assert receive(subprocess.DEVNULL)[0].startswith("bad_input")


def test_too_much_is_refused_early_and_without_the_memory_for_it() -> None:
    said, peak = written(b'{"prompt":"' + b"a" * 50_000_000 + b'"}')
    assert said == "too_large select"
    assert peak < 60_000


def test_many_unknown_keys_are_no_failure() -> None:
    body = b",".join(b'"k%d":%d' % (number, number) for number in range(100_000))
    assert written(b"{" + body + b"}")[0] == "100000 keys select"


def test_a_terminal_is_not_waited_for() -> None:
    master, slave = pty.openpty()
    try:
        assert receive(slave)[0] == "stdin_tty "
    finally:
        os.close(master)
        os.close(slave)
