"""Hot: what the client sends and what we answer; tolerant inwards, exact outwards."""

from __future__ import annotations

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt",
    "PreCompact": "pre-compact",
    "SessionEnd": "session-end",
}
LIMIT = 8 << 20
LONGEST_ANSWER = 9_500
IDLE_S = 0.3
CHUNK = 1 << 16
_DEPTH = 3000
_LITERALS = {"true": True, "false": False, "null": None}
_CONTROLS = bytes(range(32))
_SCANNERS: list[Callable[[str, int], tuple[object, int]]] = []  # made when first needed, once


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
            raw = posix.read(0, CHUNK)
            if not raw or raw.rstrip().endswith(b"}"):
                return decode(raw)
        except BlockingIOError:
            raw = b""
        except WireError:
            if not raw:
                raise
        from gmhooks.hooks.pieces import receive_rest

        return receive_rest(raw, limit, idle_s)
    finally:
        posix.set_blocking(0, blocking)


def decode(raw: bytes) -> dict[str, object]:
    """The JSON object in `raw` (BOM and blanks around it allowed, broken UTF-8 replaced; numbers are floats).

    Raises WireError `bad_input`.
    """
    text = raw.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    value: object = _flat(text)
    if value is None:
        value = scanned(text)
    if not isinstance(value, dict):
        raise WireError("bad_input")
    return value


def _flat(text: str) -> dict[str, object] | None:
    """What a client usually sends, an object of strings and plain values, taken apart at its quotes; None for the rest.

    This saves loading the C scanner. Escaped backslashes and quotes step aside first, so that every quote left is a border.
    """
    escaped = "\\" in text
    if escaped:
        if "\0" in text or "\1" in text:
            return None
        text = text.replace("\\\\", "\0").replace('\\"', "\1")
        text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r").replace("\\/", "/")
        if "\\" in text:
            return None
    parts = text.split('"')
    last = len(parts) - 1
    if not last or parts[0].rstrip(" ") != "{":
        return None
    found: dict[str, object] = {}
    at = 1
    while at < last:
        key = parts[at]
        after = parts[at + 1].strip(" ")
        if after == ":":
            if at + 3 > last:
                return None
            value: object = parts[at + 2]
            if escaped:
                value = parts[at + 2].replace("\0", "\\").replace("\1", '"')
            after = parts[at + 3].strip(" ")
            at += 4
        else:
            plain = after[1:-1].strip(" ")
            if plain in _LITERALS:
                value = _LITERALS[plain]
            else:
                whole, dot, part = plain.partition(".")
                if not (plain.isascii() and whole.isdigit() and (whole == "0" or whole[0] != "0")):
                    return None
                if dot and not part.isdigit():
                    return None
                value = float(plain)
            if after[0] != ":":
                return None
            after = after[-1]
            at += 2
        if "\0" in key or "\1" in key or after != ("," if at < last else "}"):
            return None
        found[key] = value
    return found if at == last + 1 else None


def scanned(text: str) -> object:
    """Any JSON value, by the C scanner: any control character, any number, last key wins; None if it is none."""
    try:
        if not _SCANNERS:
            _SCANNERS.append(_make_scanner())
        value, end = _SCANNERS[0](text, 0)
    except Exception:  # noqa: BLE001 - a private API: whatever it raises, the public one decides
        return _decode_with_json(text)
    return value if end == len(text) else None


def _make_scanner() -> Callable[[str, int], tuple[object, int]]:
    """The C scanner with what it must be told of, an object's attributes."""
    from _json import make_scanner

    class Plain:
        strict = False
        object_hook = object_pairs_hook = None
        parse_float = parse_int = parse_constant = float

    return make_scanner(Plain)  # type: ignore[arg-type]


def _decode_with_json(text: str) -> object:
    if "{" not in text:
        return None
    from json import loads

    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(_DEPTH)
    try:
        return loads(text, strict=False, parse_int=float)
    except (ValueError, RecursionError):
        return None
    finally:
        sys.setrecursionlimit(usual)


def encode(value: object) -> bytes:
    """`value` (dict with text keys, list, str, int, bool, None) as one line of JSON in UTF-8."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return b"{%b}" % b",".join([b"%b:%b" % (_quoted(key), encode(item)) for key, item in value.items()])
    if isinstance(value, (list, tuple)):
        return b"[%b]" % b",".join([encode(item) for item in value])
    return b"null" if value is None else str(value).lower().encode()


def _quoted(text: str) -> bytes:
    raw = _text(text).encode()
    raw = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    if len(raw.translate(None, _CONTROLS)) != len(raw):
        for code in _CONTROLS:
            raw = raw.replace(b"%c" % code, b"\\u%04x" % code)
    return b'"%b"' % raw
