"""gmhooks: a local memory for coding agents, built around four fast Claude Code hooks.

Importing any submodule runs this file, so it imports nothing; library names resolve on first use. `__init__.pyi` tells
them to type checkers.
"""

__version__ = "0.1.0"
_NAMES = "gmhooks.memory.exports"


def __getattr__(name: str) -> object:
    return __import__(_NAMES, fromlist=["find"]).find(name)


def __dir__() -> list[str]:
    return [*globals(), *__import__(_NAMES, fromlist=["HOMES"]).HOMES]
