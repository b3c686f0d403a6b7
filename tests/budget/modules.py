"""The modules a hook may hold at its end beside what the interpreter loads for an empty program: exactly these.

Each costs a share of an empty program's run, so adding one is a decision and not a side effect.
"""

from __future__ import annotations

from benchmarks.hook_latency.cases import COMPACT, END, LONG, REMEMBER, SHORT, START

_STORE = frozenset({"lmdb", "lmdb._envid", "lmdb.cpython"})
_RESTING = frozenset({"gc"})
_LOCKING = frozenset({"fcntl"})
_ESCAPES = frozenset({"_json"})

BESIDE_THE_INTERPRETERS = {
    SHORT: _RESTING,
    LONG: _RESTING,
    REMEMBER: _RESTING | _STORE | _LOCKING,
    START: _RESTING | _STORE | _ESCAPES,
    COMPACT: _RESTING | _STORE | _ESCAPES | _LOCKING,
    END: _RESTING | _STORE | _ESCAPES | _LOCKING,
}
BEYOND_ASCII = frozenset({"unicodedata"})

# The module behind a future statement comes with any of ours that is imported from its own file and not from the pack.
NEUTRAL = frozenset({"__future__"})

NEVER_IN_A_HOOK = frozenset(
    {
        *("gmhooks.hooks.finish", "gmhooks.store.create", "gmhooks.store.check"),
        *("gmhooks.init", "gmhooks.memory", "gmhooks.cli"),
    }
)
