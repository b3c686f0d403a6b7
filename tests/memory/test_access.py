"""A store that turns out damaged while it is read is said to be damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.store.errors import StoreDamaged
from gmhooks.store.guard import DATA_NAME
from gmhooks.store.layout import FACTS
from gmhooks.store.pages import Pages

PAGE = 4096


def number(data: bytes, at: int, width: int) -> int:
    return int.from_bytes(data[at : at + width], "little")


def test_a_page_that_makes_no_sense_is_damage_not_an_accident(memory: Memory) -> None:
    for n in range(40):
        memory.remember("app", f"fact {n} " * 20)
    path = Path(memory.data_dir, DATA_NAME)
    pages = Pages(str(path))
    root = pages._roots[FACTS] * PAGE
    pages.close()
    whole = path.read_bytes()
    data = bytearray(whole)
    assert data[root + 10] == 1, "the tree of facts has several levels"
    leaf = number(data, root + number(data, root + number(data, root + 12, 2) - 2, 2), 6)
    data[leaf * PAGE + 10] ^= 3
    path.write_bytes(data)
    with pytest.raises(StoreDamaged):
        memory.list()
    path.write_bytes(whole)
