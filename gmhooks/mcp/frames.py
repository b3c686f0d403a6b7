"""JSON of one message, in and out, without the standard library's json package: it would double the start of the server.

Numbers keep the form they came in, so that a request's id is echoed exactly.
"""

from __future__ import annotations

from gmhooks.hooks.wire import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 8 << 20
_MOST_DIGITS = 18
_EDGE = 4096
_ID_KEY = b'"id":'


class Unreadable(Exception):
    """Bytes that are no JSON text."""


class Real(float):
    """A number that is not a plain integer, with the text it came as."""

    __slots__ = ("literal",)
    literal: str

    def __new__(cls, literal: str) -> Real:
        made = super().__new__(cls, literal)
        made.literal = literal
        return made

    def __str__(self) -> str:
        return self.literal


def _whole(literal: str) -> int | Real:
    if len(literal) <= _MOST_DIGITS and literal != "-0":
        return int(literal)
    return Real(literal)


def _not_json(literal: str) -> object:
    raise Unreadable(f"{literal} is not JSON")


class _Exact:
    """The settings that the C scanner reads."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = Real
    parse_int = staticmethod(_whole)
    parse_constant = staticmethod(_not_json)


def parse(raw: bytes) -> Any:
    """The value of one JSON text in UTF-8. Raises Unreadable."""
    try:
        from _json import make_scanner

        text = raw.decode().strip(" \t\r\n")
        value, end = make_scanner(_Exact)(text, 0)  # type: ignore[arg-type]
    except ImportError:
        return _parse_with_json(raw)
    except Exception:  # noqa: BLE001 - a scanner of its own for hostile bytes: whatever it raises, they are no JSON
        raise Unreadable("not JSON") from None
    if end != len(text):
        raise Unreadable("text after the end")
    return value


def _parse_with_json(raw: bytes) -> Any:
    from json import loads

    try:
        return loads(raw, parse_float=Real, parse_int=_whole, parse_constant=_not_json)
    except (ValueError, RecursionError):
        raise Unreadable("not JSON") from None


def valid_id(request_id: object) -> bool:
    """Whether a request may be named so: a string or a number."""
    return isinstance(request_id, (str, int, float)) and not isinstance(request_id, bool)


def render_id(request_id: object) -> bytes:
    """The id exactly as it came: half of a surrogate pair, too."""
    if isinstance(request_id, str) and not request_id.isascii():
        from _json import encode_basestring_ascii

        return encode_basestring_ascii(request_id).encode()
    return request_id.literal.encode() if isinstance(request_id, Real) else encode(request_id)


def id_of_oversized(head: bytes, tail: bytes) -> object:
    """The id of a request of which only both ends were kept, None if they do not tell it beyond doubt.

    Inside strings quotes are escaped, so `"id":` is a key; a flat rest with one closing bracket makes it the request's own.
    """
    before, _, after = head[:_EDGE].partition(_ID_KEY)
    comma = b"," if b":" in before else b""
    candidates = (
        b"{" + _ID_KEY + tail[-_EDGE:].rpartition(_ID_KEY)[2],
        before.rstrip().rstrip(b",") + comma + _ID_KEY + after.partition(b",")[0] + b"}",
    )
    for candidate in candidates:
        try:
            found = parse(candidate)
        except Unreadable:
            continue
        if isinstance(found, dict) and valid_id(found.get("id")):
            return found["id"]
    return None
