"""Strings of checkpoints and audit entries that are an erased text as a whole: which they are, and blanking them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from gmhooks.hooks.grammar import parse
from gmhooks.store.env import Store
from gmhooks.store.ids import SHORT, encode
from gmhooks.store.later import present
from gmhooks.store.layout import AUDIT, CHECKPOINTS, seal, unseal
from gmhooks.store.namespaces import listed
from gmhooks.text.clean import equal_key

_HEADS = {CHECKPOINTS: 9, AUDIT: 8}
_TELLING = 80
_ARROW = " -> "
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')


class Wording:
    """The erased texts, to compare others with: whole, never as a part of another text."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._keys = {equal_key(text) for text in texts}

    def same(self, said: str) -> bool:
        """Whether this is one of the texts, or the beginning of one that was cut after 80 characters or more."""
        given = equal_key(said)
        return given in self._keys or (len(given) >= _TELLING and any(key.startswith(given) for key in self._keys))

    def quoted(self, said: str) -> bool:
        """`same`, or a prompt that asked to save or forget it, or an end of a link as the audit trail writes it."""
        if self.same(said):
            return True
        asked = parse(said)
        if any(self.same(text) for text in [*(save.text for save in asked.saves), *asked.forgets]):
            return True
        parts = said.split(_ARROW)
        ends = [(_ARROW.join(parts[:at]), _ARROW.join(parts[at:])) for at in range(1, len(parts))]
        return any(self.same(end) for pair in ends for end in pair)


def blank_quotes(store: Store, wording: Wording) -> list[str]:
    """Blank every string, also a key, of checkpoints and audit entries that quotes the texts; the records that were changed,
    for people (write)."""
    owners = {ns.number: ns.agent_id for ns in listed(store)}
    changed = []
    for name, head in _HEADS.items():
        for key in _blanked(store, name, head, wording):
            if name == AUDIT:
                changed.append(f"audit entry {int.from_bytes(key, 'big')}")
            else:
                number = int.from_bytes(key[:4], "big")
                changed.append(f"checkpoint [{encode(key[4:])[-SHORT:]}] of {owners.get(number, number)}")
    return changed


def _blanked(store: Store, name: bytes, head: int, wording: Wording) -> list[bytes]:
    """Keys of the records of one sub-database that were rewritten (write)."""
    if not present(store, name):
        return []
    changed = {}
    for key, raw in store.cursor(name).iternext():
        body = unseal(key, raw)
        blank = body[:head] + _blank(body[head:], wording) if body is not None else None
        if blank != body and blank is not None:
            changed[bytes(key)] = blank
    for key, blank in changed.items():
        store.put(name, key, seal(key, blank))
    return list(changed)


def _blank(body: bytes, wording: Wording) -> bytes:
    """JSON without the strings that quote the texts; all else keeps its bytes, numbers their digits."""

    def kept(literal: re.Match[bytes]) -> bytes:
        try:
            said = json.loads(literal[0])
        except ValueError:
            return literal[0]
        return b'""' if said and wording.quoted(said) else literal[0]

    return _STRING.sub(kept, body)
