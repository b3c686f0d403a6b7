"""gmhooks: a local memory for coding agents, built around four fast Claude Code hooks.

Importing any submodule runs this file, so it imports nothing; library names resolve on first use. `__init__.pyi` tells
them to type checkers.
"""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    from gmhooks.memory.exports import find

    return find(name)


def __dir__() -> list[str]:
    from gmhooks.memory.exports import HOMES

    return [*globals(), *HOMES]
