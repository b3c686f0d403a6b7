"""The modules a hook may hold at its end beside what the interpreter loads for an empty program: exactly these.

Each costs a share of an empty program's run, so adding one is a decision and not a side effect.
"""

from __future__ import annotations

from benchmarks.hook_latency.cases import COMPACT, END, LONG, REMEMBER, SHORT, START

_STORE = frozenset({"lmdb", "lmdb._envid", "lmdb.cpython"})
_RESTING = frozenset({"gc"})
# Modules beside the pack are imported as they are, and name their future statement.
_BESIDE_THE_PACK = frozenset({"__future__"})
_LOCKING = frozenset({"fcntl"})
_ESCAPES = frozenset({"_json"})

BESIDE_THE_INTERPRETERS = {
    SHORT: _RESTING,
    LONG: _RESTING,
    REMEMBER: _RESTING | _BESIDE_THE_PACK | _STORE | _LOCKING,
    START: _RESTING | _BESIDE_THE_PACK | _STORE | _ESCAPES,
    COMPACT: _RESTING | _BESIDE_THE_PACK | _STORE | _ESCAPES | _LOCKING,
    END: _RESTING | _BESIDE_THE_PACK | _STORE | _ESCAPES | _LOCKING,
}
BEYOND_ASCII = frozenset({"unicodedata"}) | _BESIDE_THE_PACK

NEVER_IN_A_HOOK = frozenset(
    {
        *("gmhooks.hooks.finish", "gmhooks.store.create", "gmhooks.store.check"),
        *("gmhooks.init", "gmhooks.memory", "gmhooks.cli"),
    }
)
