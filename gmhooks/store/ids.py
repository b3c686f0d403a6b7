"""Hot: ULIDs as 16 raw bytes: 48 bits of milliseconds, 80 random bits, Crockford base32 for people."""

from __future__ import annotations

from posix import urandom

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SIZE = 16
TEXT_SIZE = 26
SHORT = 6


def new_id(now_ms: int, last: bytes) -> bytes:
    """A fresh id, strictly greater than `last` (b"" when there is none), also when the clock went back."""
    stamp = min(max(now_ms, 0), (1 << 48) - 1)
    made = stamp.to_bytes(6, "big") + urandom(10)
    if made > last:
        return made
    return min(int.from_bytes(last, "big") + 1, (1 << 128) - 1).to_bytes(SIZE, "big")


def encode(fact_id: bytes) -> str:
    """The 26 characters of an id."""
    value = int.from_bytes(fact_id, "big")
    return "".join([_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5)])


def suffix_value(text: str) -> tuple[int, int] | None:
    """(value, bits) of the last characters of an id as people write them; None if it cannot be one."""
    value = 0
    if not SHORT <= len(text) <= TEXT_SIZE:
        return None
    for char in text.upper():
        digit = _ALPHABET.find({"O": "0", "I": "1", "L": "1"}.get(char, char))
        if digit < 0:
            return None
        value = value << 5 | digit
    if value >> 128:
        return None
    return value, min(len(text) * 5, 128)


def decode(text: str) -> bytes:
    """The id that `encode` wrote. ValueError when it is none."""
    parsed = suffix_value(text) if len(text) == TEXT_SIZE else None
    if parsed is None:
        raise ValueError(f"not a fact id: {text!r}")
    return parsed[0].to_bytes(SIZE, "big")
