"""Hot: facts. Every change keeps the record, its index entries and its namespace's counts in one transaction."""

from __future__ import annotations

from gmhooks.store.bitmaps import EXACT_UP_TO, note
from gmhooks.store.days import record as record_day
from gmhooks.store.fail import errors
from gmhooks.store.ids import SIZE, encode, new_id, suffix_value
from gmhooks.store.layout import DOC_MASK, FACTS, IDS, TEXTS, TOUCHES, encode_text, fact_key, scoped_key, seal, unseal
from gmhooks.store.marks import ALIAS, PINNED, VERIFIED, mark
from gmhooks.store.namespaces import save as save_namespace
from gmhooks.store.postings import add as add_postings
from gmhooks.store.postings import remove as remove_postings
from gmhooks.store.records import CONFIDENT, KIND_ALIAS, LIVE, RETIRED, Fact, pack_fact, unpack_fact
from gmhooks.text.clean import equal_key
from gmhooks.text.tokens import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Namespace



def add(
    store: Store, ns: Namespace, text: str, created_us: int, source: int,
    confidence: int = 0, fact_id: bytes | None = None, kind: int = 0, as_dated: bool = False,
) -> Fact:  # fmt: skip
    """Store one clean, checked text (write). The creation time is moved behind the namespace's newest fact, so that order
    survives a clock that went back, unless `as_dated` keeps a time from elsewhere (import)."""
    if ns.next_doc > DOC_MASK:
        raise errors().StoreFull(f"{ns.agent_id}: a namespace holds at most {DOC_MASK + 1} facts")
    if not as_dated:
        created_us = max(created_us, ns.last_created_us + 1)
    if fact_id is None:
        fact_id = new_id(created_us // 1000, ns.last_id if ns.last_id != LIVE else b"")
    fact = Fact(ns.number, ns.next_doc, fact_id, text, created_us, source, confidence, kind=kind)
    counts = term_counts(text)
    fact.length = sum(counts.values())
    write(store, fact)
    key = fact_key(ns.number, fact.doc)
    store.put(IDS, fact_id[::-1], key)
    record_day(store, ns.number, fact.doc, created_us)
    ns.ordered = ns.ordered and (created_us, fact_id) > (ns.last_created_us, ns.last_id)
    ns.last_created_us = max(ns.last_created_us, created_us)
    ns.last_id = max(ns.last_id, fact_id)
    ns.next_doc += 1
    _index(store, ns, fact, counts)
    return fact


def write(store: Store, fact: Fact) -> None:
    """Write a changed record; its index entries are the caller's (write)."""
    key = fact_key(fact.ns, fact.doc)
    store.put(FACTS, key, seal(key, pack_fact(fact)))


def get(store: Reader, number: int, doc: int) -> Fact | None:
    """The fact of that number, or None when it is absent or its checksum does not hold."""
    key = fact_key(number, doc)
    body = unseal(key, store.get(FACTS, key))
    return unpack_fact(number, doc, body) if body is not None else None


def find_equal(store: Store, ns: Namespace, text: str) -> Fact | None:
    """The oldest live fact that is equal to `text` after normalisation, or None."""
    for fact in equals(store, ns, text):
        return fact
    return None


def equals(store: Store, ns: Namespace, text: str) -> Iterator[Fact]:
    """Every live fact, aliases too, that is equal to `text` after normalisation, oldest first."""
    key = equal_key(text)
    cursor = store.cursor(TEXTS)
    if cursor.set_key(_text_key(store, ns.number, key)):
        for raw in cursor.iternext_dup():
            fact = get(store, ns.number, int.from_bytes(raw, "big"))
            if fact is not None and fact.live and equal_key(fact.text) == key:
                yield fact


def by_suffix(store: Store, text: str) -> list[Fact]:
    """Facts, live or not, whose id ends in `text` (6 to 26 characters of an id); [] when `text` is no such thing."""
    parsed = suffix_value(text)
    if parsed is None:
        return []
    value, bits = parsed
    prefix = value.to_bytes(SIZE, "big")[::-1][: bits // 8]
    mask = (1 << bits) - 1
    found = []
    cursor = store.cursor(IDS)
    more = cursor.set_range(prefix)
    while more and cursor.key().startswith(prefix):
        if int.from_bytes(cursor.key(), "little") & mask == value:
            key = int.from_bytes(cursor.value(), "big")
            fact = get(store, key >> 32, key & 0xFFFFFFFF)
            if fact is not None:
                found.append(fact)
        more = cursor.next()
    return found


def short_id(store: Store, fact: Fact) -> str:
    """The last 6 characters of the id, or as many more as tell it from every other live fact."""
    text = encode(fact.id)
    size = 6
    while size < len(text) and any(other.live and other.id != fact.id for other in by_suffix(store, text[-size:])):
        size += 1
    return text[-size:]


def successor(store: Store, fact: Fact) -> Fact | None:
    """The live fact at the end of a chain of revisions; None when the chain ends in nothing."""
    seen = {LIVE, RETIRED}
    while fact.superseded_by not in seen:
        seen.add(fact.superseded_by)
        found = by_suffix(store, encode(fact.superseded_by))
        if not found:
            return None
        fact = found[0]
    return fact if fact.live else None


def everything(store: Reader, ns: Namespace) -> Iterator[Fact]:
    """Every readable fact of a namespace, retired ones too, by descending number."""
    for doc in range(ns.next_doc - 1, -1, -1):
        fact = get(store, ns.number, doc)
        if fact is not None:
            yield fact


def newest(store: Reader, ns: Namespace) -> Iterator[Fact]:
    """Live content facts, newest first; equal times by ascending id."""
    live = (fact for fact in everything(store, ns) if fact.live and fact.kind != KIND_ALIAS)
    if ns.ordered:
        return live
    return iter(sorted(live, key=lambda fact: (-fact.created_us, fact.id)))


def retire(store: Store, ns: Namespace, fact: Fact, by: bytes = RETIRED) -> None:
    """Take a live fact out of recall, superseded by the fact of id `by` or by nothing (write)."""
    _unindex(store, ns, fact)
    fact.superseded_by = by
    write(store, fact)


def revive(store: Store, ns: Namespace, fact: Fact) -> None:
    """Inverse of `retire` for a content fact (write)."""
    fact.superseded_by = LIVE
    write(store, fact)
    _index(store, ns, fact, term_counts(fact.text))
    mark(store, ns.number, PINNED, fact.doc, on=fact.pinned)


def erase(store: Store, ns: Namespace, fact: Fact) -> None:
    """Delete a fact with everything the store knows of it; its number stays unused (write)."""
    from gmhooks.store.spellings import remove as remove_spellings

    if fact.live:
        _unindex(store, ns, fact)
    remove_spellings(store, ns, fact.text)
    key = fact_key(ns.number, fact.doc)
    for name, name_key in ((FACTS, key), (IDS, fact.id[::-1]), (TOUCHES, key)):
        store.txn.delete(name_key, db=store.db(name))
    mark(store, ns.number, PINNED, fact.doc, on=False)
    ns.erased += 1
    save_namespace(store, ns)


def pin(store: Store, fact: Fact, now_us: int) -> None:
    """Pin a live fact; 0 unpins it (write)."""
    fact.pinned_us = now_us
    mark(store, fact.ns, PINNED, fact.doc, on=now_us > 0 and fact.live)
    write(store, fact)


def set_confidence(store: Store, fact: Fact, confidence: int) -> None:
    """Change the confidence of a live fact (write)."""
    fact.confidence = confidence
    mark(store, fact.ns, VERIFIED, fact.doc, on=confidence == CONFIDENT)
    write(store, fact)


def term_counts(text: str) -> dict[str, int]:
    """How often each term occurs in a text, in order of first appearance."""
    counts: dict[str, int] = {}
    for term in terms(text):
        counts[term] = counts.get(term, 0) + 1
    return counts


def _text_key(store: Store, number: int, key: str) -> bytes:
    return scoped_key(store.identity.secret, number, encode_text(key))


def _index(store: Store, ns: Namespace, fact: Fact, counts: dict[str, int]) -> None:
    """Enter a live fact everywhere a lookup may start from."""
    handle = store.db(TEXTS)
    store.txn.put(_text_key(store, ns.number, equal_key(fact.text)), fact.doc.to_bytes(4, "big"), db=handle)
    if fact.kind == KIND_ALIAS:
        mark(store, ns.number, ALIAS, fact.doc, on=True)
        ns.aliases += 1
    else:
        add_postings(store, ns.number, fact.doc, counts, fact.length)
        if ns.next_doc > EXACT_UP_TO:
            note(store, ns, fact.doc, counts, fact.length, on=True)
        ns.live += 1
        if fact.confidence == CONFIDENT:
            mark(store, ns.number, VERIFIED, fact.doc, on=True)
    save_namespace(store, ns)


def _unindex(store: Store, ns: Namespace, fact: Fact) -> None:
    """Inverse of `_index`, and out of every mark."""
    store.txn.delete(_text_key(store, ns.number, equal_key(fact.text)), fact.doc.to_bytes(4, "big"), db=store.db(TEXTS))
    if fact.kind == KIND_ALIAS:
        ns.aliases -= 1
    else:
        counts = term_counts(fact.text)
        remove_postings(store, ns.number, fact.doc, counts, fact.length)
        if ns.next_doc > EXACT_UP_TO:
            note(store, ns, fact.doc, counts, fact.length, on=False)
        ns.live -= 1
    for kind in (ALIAS, PINNED, VERIFIED):
        mark(store, ns.number, kind, fact.doc, on=False)
    save_namespace(store, ns)
