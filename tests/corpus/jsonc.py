"""Reads JSON with comments and trailing commas; a judge that shares nothing with the product."""

from __future__ import annotations

import json
import re
from typing import Any

_PART = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.S)
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(\s*[}\]])', re.S)


def loads_jsonc(text: str) -> Any:
    """The value of a JSONC text; ValueError if it is none."""
    bare = _PART.sub(lambda part: part.group() if part.group().startswith('"') else " ", text)
    return json.loads(_COMMA.sub(lambda part: part.group(1) or part.group(2), bare))
