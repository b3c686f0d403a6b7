"""Where the handed corpora, payloads and retrieval data lie, if this machine has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared"
_NAMED = os.environ.get("GMHOOKS_SHARED")
_ROOT = Path(_NAMED) if _NAMED else _BESIDE

SHARED: Path | None = _ROOT if (_ROOT / "corpora").is_dir() else None

needs_shared = pytest.mark.skipif(
    SHARED is None, reason="shared material absent: set GMHOOKS_SHARED or place it beside the checkout"
)
