"""gmhooks: a local memory for coding agents, built around four fast Claude Code hooks.

Importing any submodule runs this file, so it imports nothing; library names resolve on first use.
"""

__version__ = "0.1.0"

_EXPORTS = {"Memory": "gmhooks.memory.api"}


def __getattr__(name: str) -> object:
    """Resolve a public library name (`gmhooks.Memory`) from its module on first use."""
    if name not in _EXPORTS:
        raise AttributeError(f"module 'gmhooks' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_EXPORTS]
