"""LMDB's C module is found without the standard library, and in the ordinary way where that is loaded anyway."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lmdb
import pytest

from gmhooks.store import lmdbload
from tests.init.packed_copy import INTERPRETER

ROOT = str(Path(lmdbload.__file__).parents[2])
SITE = str(Path(str(lmdb.__file__)).parents[1])
PROGRAM = """
import sys
sys.path[:0] = [{root!r}]
sys.path.append({site!r})
{before}
from gmhooks.store.lmdbload import load
module = load()
assert load() is module
env = module.Environment({path!r}, subdir=False, max_dbs=1)
with env.begin(write=True) as txn:
    txn.put(b"a", b"b")
env.close()
import posix
print(module.__name__, "os" in sys.modules, [k for k in posix.environ if k.startswith(b"LMDB") or k == b"READTHEDOCS"])
"""


def run(tmp_path: Path, site: str = SITE, before: str = "", interpreter: str = INTERPRETER) -> str:
    done = subprocess.run(
        [
            interpreter,
            "-I",
            "-S",
            "-c",
            PROGRAM.format(root=ROOT, site=site, before=before, path=str(tmp_path / "x.mdb")),
        ],
        env={"LMDB_FORCE_CFFI": "1", "LMDB_DEFAULT_LIB_VERSION": "none", "READTHEDOCS": "1"},
        capture_output=True,
        timeout=60,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("before", "expected"),
    [("", "lmdb.cpython False []"), ("import os", "lmdb True []")],
)
def test_it_is_loaded_without_the_variables_that_steer_it(tmp_path: Path, before: str, expected: str) -> None:
    assert run(tmp_path, before=before) == expected


def test_beside_sources_edited_in_place_it_is_found_through_site(tmp_path: Path) -> None:
    assert run(tmp_path, site="/nonexistent", interpreter=sys.executable) == "lmdb True []"
