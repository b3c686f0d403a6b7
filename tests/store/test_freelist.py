"""Before a commit meta pages, roots and the list of free pages must be what LMDB wrote: it dies of others, or overwrites
pages that are in use."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gmhooks.store.compact import compact
from gmhooks.store.env import Store, open_read, open_write
from gmhooks.store.errors import StoreDamaged
from gmhooks.store.facts import add, erase, everything
from gmhooks.store.freelist import check_free_list, check_way
from gmhooks.store.layout import FACTS, META, NAMESPACES, POSTINGS
from gmhooks.store.namespaces import ensure
from gmhooks.store.pages import Pages
from gmhooks.store.records import USER
from gmhooks.store.salvage import salvage
from gmhooks.store.writer import run, save

NOW = 1_800_000_000_000_000
PAGE = 4096


def number(data: bytes, at: int, width: int = 8) -> int:
    return int.from_bytes(data[at : at + width], "little")


def free_root(data: bytes) -> int:
    """Position of the first page of the newest commit's list."""
    newest = max((data[at : at + 152] for at in (0, PAGE)), key=lambda meta: number(meta, 144))
    return number(newest, 80) * PAGE


def test_the_list_of_a_busy_store_passes_after_every_commit(folder: str) -> None:
    rng = random.Random(2)

    def change(store: Store) -> None:
        ns = ensure(store, "app")
        for n in range(rng.randrange(1, 120)):
            add(store, ns, f"{rng.random()} {n} " * rng.choice((1, 1, 150)), NOW, USER)
        for fact in list(everything(store, ns))[::3]:
            erase(store, ns, fact)

    for _ in range(25):
        run(folder, change)
        check_free_list(f"{folder}/gray.mdb")


@pytest.mark.parametrize("damage", ["zeros", "another page", "a bit of a number", "a page above the end"])
def test_a_damaged_list_keeps_the_writer_away(folder: str, path: Path, damage: str) -> None:
    whole = path.read_bytes()
    data = bytearray(whole)
    at = free_root(whole)
    assert at > PAGE
    if damage == "zeros":
        data[at : at + PAGE] = bytes(PAGE)
    elif damage == "another page":
        data[at : at + PAGE] = data[2 * PAGE if at != 2 * PAGE else 3 * PAGE :][:PAGE]
    else:
        node = at + number(data, at + 16, 2)
        first = node + 16
        data[first + 8] ^= 0xFF if damage == "a page above the end" else 1
        data[first + 12] ^= damage == "a page above the end"
        if damage == "a bit of a number":
            data[first : first + 8] = (number(data, first) + 1).to_bytes(8, "little")
    path.write_bytes(data)
    with pytest.raises(StoreDamaged):
        check_free_list(str(path))
    assert save(folder, [("app", "kept aside", USER, 0)], NOW)[0].outcome == "spooled"
    assert path.read_bytes() == data


@pytest.mark.parametrize(("field", "value"), [(144, 7), (144, 2**40), (128, None), (136, 4), (80, 2**63)])
def test_a_meta_page_that_names_what_is_not_there_keeps_the_writer_away(
    folder: str, path: Path, field: int, value: int | None
) -> None:
    """The number of the commit, the root of the trees (as a free page), the last page."""
    whole = path.read_bytes()
    data = bytearray(whole)
    newest = max((0, PAGE), key=lambda at: number(data, at + 144))
    if value is None:
        leaf = free_root(bytes(data))
        begin = leaf + number(data, leaf + 16, 2)
        value = number(data, begin + 16 + 8)  # behind the node's head and key, and the length of the list
    data[newest + field : newest + field + 8] = value.to_bytes(8, "little")
    path.write_bytes(data)
    with pytest.raises(StoreDamaged):
        check_free_list(str(path))
    assert save(folder, [("app", "kept in the spool", USER, 0)], NOW)[0].outcome == "spooled"
    assert path.read_bytes() == data


def test_a_page_in_anothers_place_is_salvaged(folder: str, path: Path) -> None:
    data = bytearray(path.read_bytes())
    before = {fact.text for fact in salvage(bytes(data)).facts.values()}
    place = next(n for n in range(2, len(data) // PAGE) if data[n * PAGE : n * PAGE + PAGE].count(b"fact number") > 5)
    other = 2 if place != 2 else 3
    a, b = slice(place * PAGE, place * PAGE + PAGE), slice(other * PAGE, other * PAGE + PAGE)
    data[a], data[b] = data[b], data[a]
    assert {fact.text for fact in salvage(bytes(data)).facts.values()} == before


@pytest.mark.parametrize(
    ("place", "bit"),
    [(140, 3), (44, 2), (45, 6), (88, 0), (92, 2), (94, 1)],
    ids=["far behind the file", "duplicates in the list", "no single file", "sizes", "duplicates", "levels"],
)
def test_a_bit_of_the_newest_meta_page_keeps_the_writer_away_at_once(
    folder: str, path: Path, place: int, bit: int
) -> None:
    """The last page, flags of the list, head of the tree of trees: LMDB hangs at them or ends the process."""
    data = bytearray(path.read_bytes())
    newest = max((0, PAGE), key=lambda at: number(data, at + 144))
    data[newest + place] ^= 1 << bit
    path.write_bytes(data)
    with pytest.raises(StoreDamaged):
        open_write(folder)
    assert save(folder, [("app", "kept in the spool", USER, 0)], NOW)[0].outcome == "spooled"
    assert path.read_bytes() == data


@pytest.mark.parametrize("commits", [1, 2])
@pytest.mark.parametrize("step", [-2, 2])
def test_an_older_state_in_the_place_of_the_newest_keeps_the_writer_away(
    folder: str, path: Path, commits: int, step: int
) -> None:
    for n in range(commits):
        save(folder, [("app", f"one more fact {n}", USER, 0)], NOW)
    data = bytearray(path.read_bytes())
    newest, older = sorted((0, PAGE), key=lambda at: -number(data, at + 144))
    at = (newest if step < 0 else older) + 144
    data[at : at + 8] = (number(data, at) + step).to_bytes(8, "little")
    path.write_bytes(data)
    with pytest.raises(StoreDamaged):
        check_free_list(str(path))


def test_a_meta_page_that_the_system_refused_and_lmdb_put_back_is_no_damage(folder: str, path: Path) -> None:
    """After such an error the page holds the roots of the commit that failed, under its former number and last page."""
    before = path.read_bytes()
    save(folder, [("app", "the disk refused its meta page", USER, 0)], NOW)
    data = bytearray(path.read_bytes())
    newest = max((0, PAGE), key=lambda at: number(data, at + 144))
    data[newest + 136 : newest + 152] = before[newest + 136 : newest + 152]
    path.write_bytes(data)

    check_free_list(str(path))

    assert save(folder, [("app", "one more fact", USER, 0)], NOW)[0].outcome == "saved"
    check_free_list(str(path))


def test_a_compacted_store_passes_before_and_after_its_next_commit(folder: str, path: Path) -> None:
    compact(folder)
    check_free_list(str(path))
    for n in range(3):
        assert save(folder, [("app", f"after it {n}", USER, 0)], NOW)[0].outcome == "saved"
        check_free_list(str(path))


def page_of(folder: str, name: bytes) -> int:
    """Position of the root of a sub-database."""
    pages = Pages(f"{folder}/gray.mdb")
    root = pages._roots[name]
    pages.close()
    return root * PAGE


@pytest.mark.parametrize("name", [META, NAMESPACES, FACTS, POSTINGS])
@pytest.mark.parametrize(("place", "bit"), [(0, 4), (10, 0), (11, 6), (12, 0), (13, 6), (15, 7), (17, 6)])
def test_a_bit_of_the_head_of_a_root_keeps_lmdb_away(
    folder: str, path: Path, name: bytes, place: int, bit: int
) -> None:
    """Page number, kind, a flag with which LMDB never writes a page, the bounds of what is on it, and where its
    first node is."""
    data = bytearray(path.read_bytes())
    data[page_of(folder, name) + place] ^= 1 << bit
    path.write_bytes(data)
    with pytest.raises(StoreDamaged):
        open_read(folder)
    assert save(folder, [("app", "kept in the spool", USER, 0)], NOW)[0].outcome == "spooled"
    assert path.read_bytes() == data


@pytest.mark.parametrize(("place", "bit"), [(10, 0), (11, 6), (11, 7), (17, 6)])
def test_a_page_that_lmdb_would_not_write_back_or_read_beyond_keeps_a_fact_out_of_it(
    folder: str, path: Path, place: int, bit: int
) -> None:
    data = bytearray(path.read_bytes())
    root = page_of(folder, FACTS)
    assert data[root + 10] == 1, "the tree of facts has several levels"
    last = number(data, root + 12, 2) - 2
    leaf = number(data, root + number(data, root + last, 2), 6) * PAGE
    data[leaf + place] ^= 1 << bit
    path.write_bytes(data)
    assert save(folder, [("app", "kept in the spool", USER, 0)], NOW)[0].outcome == "spooled"
    assert path.read_bytes() == data


def test_a_tree_whose_name_is_damaged_takes_no_fact(folder: str, path: Path) -> None:
    data = path.read_bytes()
    newest = max((0, PAGE), key=lambda at: number(data, at + 144))
    main = number(data, newest + 128) * PAGE
    path.write_bytes(data[:main] + data[main : main + PAGE].replace(b"facts", b"fact{") + data[main + PAGE :])
    with pytest.raises(StoreDamaged):
        check_way(str(path), FACTS, bytes(8))
    assert save(folder, [("app", "kept in the spool", USER, 0)], NOW)[0].outcome == "spooled"
