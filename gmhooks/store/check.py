"""Cold: look at a whole store. Structure by LMDB's own verifier, then every record, index entry and count by ours."""

from __future__ import annotations

from posix import lstat

from gmhooks.store.bitmaps import unfaithful
from gmhooks.store.env import open_read
from gmhooks.store.errors import StoreDamaged, StoreMissing
from gmhooks.store.facts import by_suffix, find_equal, get, term_counts
from gmhooks.store.freelist import check_free_list
from gmhooks.store.guard import DATA_NAME, check_file
from gmhooks.store.ids import encode
from gmhooks.store.layout import FACTS, IDS, POSTINGS, encode_text, fact_key, scoped_key
from gmhooks.store.learning import unreadable as unreadable_evidence
from gmhooks.store.lmdbload import load
from gmhooks.store.namespaces import listed
from gmhooks.store.postings import pack
from gmhooks.store.records import KIND_ALIAS
from gmhooks.store.spellings import unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.records import Fact, Namespace


def verify(folder: str) -> list[str]:
    """Everything that is wrong with the store of a data directory, one line each; [] for a sound one. StoreError when it
    cannot be opened at all. Meant for files at rest: a writer at work may look like damage."""
    load()
    from lmdb.verify import VerifyError
    from lmdb.verify import verify as verify_pages

    path = f"{folder}/{DATA_NAME}"
    try:
        check_file(path, lstat(path))
    except FileNotFoundError:
        raise StoreMissing(f"{path}: no store yet") from None
    try:
        problems = [f"{path}: {finding}" for finding in verify_pages(path, subdir=False)]
    except VerifyError as error:
        return [f"{path}: {error}"]
    if problems:
        return problems
    try:
        check_free_list(path)
    except StoreDamaged as error:
        return [str(error)]
    store = open_read(folder)
    try:
        return _records(store)
    except (load().Error, ArithmeticError, LookupError, ValueError) as error:
        return [f"{path}: an entry makes no sense ({type(error).__name__}: {error})"]
    finally:
        store.close()


def _records(store: Store) -> list[str]:
    problems: list[str] = []
    expected = {FACTS: 0, IDS: 0, POSTINGS: 0}
    for ns in listed(store):
        live = holes = 0
        for doc in range(ns.next_doc):
            fact = get(store, ns.number, doc)
            if fact is None and store.get(FACTS, fact_key(ns.number, doc)) is None:
                holes += 1
                continue
            if fact is None:
                problems.append(f"{ns.agent_id!r}: fact {doc} is damaged")
                continue
            live += fact.live and fact.kind != KIND_ALIAS
            problems += _fact(store, ns, fact)
            expected[POSTINGS] += _postings(fact)
        if live != ns.live:
            problems.append(f"{ns.agent_id!r}: counts {ns.live} live facts, holds {live}")
        if holes != ns.erased:
            problems.append(f"{ns.agent_id!r}: {holes} facts are missing, {ns.erased} were erased")
        expected[FACTS] += ns.next_doc - ns.erased
        expected[IDS] += ns.next_doc - ns.erased
    wrong = unfaithful(store)
    if wrong:
        problems.append(f"bitmaps: {wrong} differ from the index")
    damaged = unreadable(store)
    if damaged:
        problems.append(f"spellings: {damaged} damaged")
    damaged = unreadable_evidence(store)
    if damaged:
        problems.append(f"learning: {damaged} damaged")
    for name, count in expected.items():
        found = store.txn.stat(store.db(name))["entries"]
        if found != count:
            problems.append(f"{name.decode()}: {found} entries, {count} expected")
    return problems


def _postings(fact: Fact) -> int:
    return len(term_counts(fact.text)) if fact.live and fact.kind != KIND_ALIAS else 0


def _fact(store: Store, ns: Namespace, fact: Fact) -> list[str]:
    name = f"{ns.agent_id!r}: fact {encode(fact.id)}"
    problems = []
    if not any(other.doc == fact.doc and other.ns == fact.ns for other in by_suffix(store, encode(fact.id))):
        problems.append(f"{name} is not found by its id")
    if fact.live and find_equal(store, ns, fact.text) is None:
        problems.append(f"{name} is not found by its text")
    if _postings(fact):
        counts = term_counts(fact.text)
        cursor = store.cursor(POSTINGS)
        for term, tf in counts.items():
            key = scoped_key(store.identity.secret, ns.number, encode_text(term))
            if not cursor.set_key_dup(key, pack(tf, sum(counts.values()), fact.doc)):
                problems.append(f"{name} is not in the index under {term!r}")
    return problems
