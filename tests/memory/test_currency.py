"""Corrections resolve to the newest fact, and the order of an answer depends on nothing but the facts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gmhooks.memory.api import Memory
from gmhooks.memory.places import make_user_dir
from gmhooks.store.create import prepare
from gmhooks.store.env import Store, open_read
from gmhooks.store.facts import everything, successor
from gmhooks.store.identity import IDENTITY_KEY
from gmhooks.store.layout import META, seal
from gmhooks.store.namespaces import find
from gmhooks.store.records import pack_identity
from gmhooks.store.repair import repair
from gmhooks.store.writer import run

CHECKOUT = Path(__file__).parents[2]
QUESTIONS = ("which port does staging use", "redis cache", "alembci migratons", "", "数据库备份", "deploy on friday")
_REVISE = """
import sys
from gmhooks import Memory, NotFound
memory = Memory(sys.argv[1], sys.argv[2])
done = 0
while done < 25:
    live = memory.list("app")[0].text
    try:
        memory.revise(live, f"The staging port is {sys.argv[3]}{done:02}", ["app"])
        done += 1
    except NotFound:
        pass
"""
_ASK = """
import json, sys
from gmhooks import Memory
memory = Memory(sys.argv[1], sys.argv[2])
print(json.dumps([[fact.id for fact in memory.recall("app", question).facts] for question in json.loads(sys.argv[3])]))
"""


def _facts(memory: Memory) -> list[tuple[str, bool]]:
    """(text, live) of every fact, oldest first; every retired one must lead to the live one."""
    store = open_read(memory.data_dir)
    try:
        ns = find(store, "app")
        assert ns is not None
        found = list(everything(store, ns))[::-1]
        (live,) = [fact for fact in found if fact.live]
        for fact in found:
            last = successor(store, fact)
            assert last is not None
            assert last.id == live.id
        return [(fact.text, fact.live) for fact in found]
    finally:
        store.close()


def test_a_hundred_successive_revisions_resolve_to_the_last(memory: Memory) -> None:
    memory.remember("app", "The staging port is 5000")
    for number in range(1, 101):
        memory.revise(f"The staging port is {4999 + number}", f"The staging port is {5000 + number}", ["app"])
    assert _facts(memory)[-1] == ("The staging port is 5100", True)
    found = memory.recall_explain("app", "which staging port is it, 5000 or 5042?")
    assert [fact.text for fact in found.facts] == ["The staging port is 5100"]
    provenance = found.receipts[0]["provenance"]
    assert isinstance(provenance, dict)
    assert len(provenance["supersedes"]) == 100


def test_a_hundred_concurrent_revisions_resolve_to_the_last(memory: Memory) -> None:
    memory.remember("app", "The staging port is unknown")
    processes = [
        subprocess.Popen([sys.executable, "-c", _REVISE, memory.data_dir, memory.user_dir, str(n)], cwd=CHECKOUT)
        for n in range(4)
    ]
    assert [process.wait(240) for process in processes] == [0] * 4
    facts = _facts(memory)
    assert (len(facts), facts[-1][1]) == (101, True)
    assert [fact.text for fact in memory.recall("app", "staging port").facts] == [facts[-1][0]]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A store with ties, versions, revisions, labels, pins and aliases."""
    texts = [f"Service {n} listens on port {8000 + n % 7}" for n in range(40)]
    texts += [
        "Alembic migrations run nightly",
        "The redis cache has a ttl of an hour",
        "Now the redis cache has a ttl of a day",
    ]
    texts += [
        "staging uses port 5432",
        "staging uses port 5433 now",
        "数据库备份保存三十天",
        "数据库备份保存六十天",
        "No deploy on Friday",
    ]
    for number, text in enumerate(texts):
        memory.remember("app", text, confidence="verified" if number % 11 == 3 else None)
    memory.alias("app", "db", ["redis"])
    memory.pin(texts[5], ["app"])
    memory.revise(texts[7], "Service 7 listens on port 9000", ["app"])
    memory.forget(texts[9], ["app"])
    return memory


def _order(memory: Memory, seed: str = "0") -> list[list[str]]:
    """Ids in the order of the answers, as another process gives them."""
    done = subprocess.run(
        [sys.executable, "-c", _ASK, memory.data_dir, memory.user_dir, json.dumps(QUESTIONS)],
        capture_output=True, text=True, check=True, cwd=CHECKOUT, env={**os.environ, "PYTHONHASHSEED": seed},
    )  # fmt: skip
    found: list[list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("seed", ["1", "77", "4294967295"])
def test_the_order_is_the_same_in_another_process_with_another_hash_seed(filled: Memory, seed: str) -> None:
    here = [[fact.id for fact in filled.recall("app", question).facts] for question in QUESTIONS]
    assert all(here)
    assert _order(filled, seed) == here


def test_the_order_survives_export_and_import(filled: Memory, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    copy = Memory(str(tmp_path / "other" / ".graymatter"), str(tmp_path / "home2" / "user"))
    make_user_dir(copy.user_dir)
    prepare(copy.data_dir, copy.user_dir)
    copy.import_lines([line.encode() for line in filled.export()])
    assert _order(copy) == _order(filled)


def test_the_order_survives_a_consolidation_and_a_rebuilt_index(filled: Memory) -> None:
    before = _order(filled)
    filled.consolidate()
    assert _order(filled) == before

    def outdate(store: Store) -> None:
        store.identity.analyzer = "gm-terms/0"
        store.put(META, IDENTITY_KEY, seal(IDENTITY_KEY, pack_identity(store.identity)))

    run(filled.data_dir, outdate)
    assert repair(filled.data_dir, filled.user_dir).problems != ()
    assert _order(filled) == before
