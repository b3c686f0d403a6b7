"""Hot: what the client sends and what we answer; tolerant inwards, exact outwards."""

from __future__ import annotations

import posix
import sys

NAMES = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
LIMIT = 8 << 20
IDLE_S = 0.3
PATIENCE_S = 3.0
_CHUNK = 1 << 16
_DEPTH = 3000


class WireError(Exception):
    """Input that cannot be used; `code` is its receipt (`bad_input`, `too_large`, `stdin_timeout`, `stdin_tty`)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Event:
    """One hook call as we act on it: absent fields and fields of a wrong type are empty.

    `name` is one of `session-start user-prompt pre-compact session-end`, or empty when the client's name is
    absent, or the client's own word when it is unknown. `seconds_since` is None when not given.
    """

    __slots__ = (
        "agent_type",
        "cwd",
        "name",
        "prompt",
        "prompt_id",
        "reason",
        "seconds_since",
        "session_id",
        "source",
        "transcript_path",
        "trigger",
    )

    def __init__(self, payload: dict[str, object]) -> None:
        name = _text(payload.get("hook_event_name"))
        self.name = NAMES.get(name, name)
        self.session_id = _text(payload.get("session_id"))
        self.cwd = _text(payload.get("cwd"))
        self.prompt = _prompt(payload)
        self.source = _text(payload.get("source"))
        self.trigger = _text(payload.get("trigger"))
        self.reason = _text(payload.get("reason"))
        self.prompt_id = _text(payload.get("prompt_id"))
        self.transcript_path = _text(payload.get("transcript_path"))
        self.agent_type = _text(payload.get("agent_type"))
        since = payload.get("seconds_since_last_response")
        self.seconds_since = since if isinstance(since, float) and 0 <= since < 1e12 else None


def _text(value: object) -> str:
    """The string, with lone surrogates made U+FFFD; anything else is empty."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _prompt(payload: dict[str, object]) -> str:
    """The prompt as text: a string, or a list of text parts; some clients call it `user_prompt`."""
    value = payload.get("prompt", payload.get("user_prompt"))
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict) and part.get("type") == "text"]
        value = "\n".join(map(_text, parts))
    return _text(value)


def receive(limit: int = LIMIT, idle_s: float = IDLE_S) -> dict[str, object]:
    """The one JSON object on stdin, read until it is complete: the other end need not close.

    Raises WireError: more than `limit` bytes, nothing within `idle_s`, a terminal, or no JSON object.
    """
    if posix.isatty(0):
        raise WireError("stdin_tty")
    blocking = posix.get_blocking(0)
    posix.set_blocking(0, False)
    try:
        try:
            raw = posix.read(0, _CHUNK)
        except BlockingIOError:
            return _receive_slowly(b"", limit, idle_s)
        if raw.rstrip().endswith(b"}"):
            try:
                return decode(raw)
            except WireError:
                pass
        return _receive_slowly(raw, limit, idle_s) if raw else decode(raw)
    finally:
        posix.set_blocking(0, blocking)


def _receive_slowly(raw: bytes, limit: int, idle_s: float) -> dict[str, object]:
    """Go on reading a payload that comes in pieces."""
    from select import select
    from time import monotonic

    data = bytearray(raw)
    end = monotonic() + PATIENCE_S
    while True:
        if not select((0,), (), (), 0)[0]:
            if data.rstrip().endswith(b"}"):
                try:
                    return decode(bytes(data))
                except WireError:
                    pass
            if monotonic() > end or not select((0,), (), (), idle_s)[0]:
                break
        try:
            more = posix.read(0, _CHUNK)
        except BlockingIOError:
            continue
        if not more:
            return decode(bytes(data))
        data += more
        if len(data) > limit:
            raise WireError("too_large")
    raise WireError("bad_input" if data else "stdin_timeout")


class _Plain:
    """The settings that the C scanner reads: any control character, any number, last key wins."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = float
    parse_constant = float


def decode(raw: bytes) -> dict[str, object]:
    """The JSON object in `raw` (BOM and blanks around it allowed, broken UTF-8 replaced; numbers are floats).

    Raises WireError `bad_input`.
    """
    text = raw.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    try:
        from _json import make_scanner

        value, end = make_scanner(_Plain)(text, 0)
        if end != len(text):
            value = None
    except Exception:  # noqa: BLE001 - a private API: whatever it raises, the public one decides
        value = _decode_with_json(text)
    if not isinstance(value, dict):
        raise WireError("bad_input")
    return value


def _decode_with_json(text: str) -> object:
    if "{" not in text:
        return None
    from json import loads

    sys.setrecursionlimit(_DEPTH)
    try:
        return loads(text, strict=False, parse_int=float)
    except (ValueError, RecursionError):
        return None


def encode(value: object) -> bytes:
    """`value` (dict with text keys, list, str, int, bool, None) as one line of JSON in UTF-8."""
    from _json import encode_basestring

    return _write(value, encode_basestring).encode("utf-8", "replace")


def _write(value, quote):  # type: ignore[no-untyped-def]
    if isinstance(value, str):
        return quote(_text(value))
    if isinstance(value, dict):
        return "{%s}" % ",".join([quote(_text(k)) + ":" + _write(v, quote) for k, v in value.items()])
    if isinstance(value, (list, tuple)):
        return "[%s]" % ",".join([_write(item, quote) for item in value])
    if value is None:
        return "null"
    return str(value).lower()
