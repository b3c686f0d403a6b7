"""Hot: vocabulary. An alias fact `alias: term = equivalent, …` makes a query for one side find the other."""

from __future__ import annotations

from gmhooks.store.facts import add as add_fact
from gmhooks.store.facts import get as get_fact
from gmhooks.store.layout import ALIASES, decode_text, encode_text, scoped_key
from gmhooks.store.marks import ALIAS, marked
from gmhooks.store.records import KIND_ALIAS
from gmhooks.text.tokens import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Fact, Namespace

_PREFIX = "alias:"
_LONGEST = 255


def add(
    store: Store, ns: Namespace, text: str, created_us: int, source: int, fact_id: bytes | None = None
) -> Fact:
    """Store an alias fact and its expansions (write). Text that names no pair is kept but expands nothing. With an id of
    its own the alias comes from elsewhere and keeps its time too."""
    fact = add_fact(
        store, ns, text, created_us, source, fact_id=fact_id, kind=KIND_ALIAS, as_dated=fact_id is not None
    )
    enter(store, ns, text)
    return fact


def enter(store: Store, ns: Namespace, text: str) -> None:
    """Make a live alias fact's expansions count (write)."""
    for key, value in _entries(store, ns.number, text):
        store.txn.put(key, value, db=store.db(ALIASES))


def rebuild(store: Store, ns: Namespace) -> None:
    """Make the expansions follow the live alias facts again, after one was retired (write)."""
    live = [get_fact(store, ns.number, doc) for doc in marked(store, ns.number, ALIAS)]
    kept = {pair for fact in live if fact is not None for pair in _entries(store, ns.number, fact.text)}
    prefix = ns.number.to_bytes(4, "big")
    cursor = store.cursor(ALIASES)
    more = cursor.set_range(prefix)
    while more and cursor.key().startswith(prefix):
        more = cursor.next() if cursor.item() in kept else cursor.delete()


def expand(store: Reader, ns: Namespace, query: list[str]) -> list[str]:
    """The query's terms, followed by what live aliases add to them, each once."""
    if not ns.aliases:
        return query
    found = dict.fromkeys(query)
    for term in query:
        for value in store.values(ALIASES, _key(store, ns.number, term)):
            found[decode_text(value)] = None
    return list(found)


def _key(store: Reader, number: int, term: str) -> bytes:
    return number.to_bytes(4, "big") + scoped_key(store.identity.secret, number, encode_text(term))


def pairs(text: str) -> list[tuple[str, str]]:
    """(term, equivalent term) of an alias text. One-word sides work both ways; self-maps are dropped."""
    left_text, equals, right_text = text.removeprefix(_PREFIX).partition("=")
    left = list(dict.fromkeys(terms(left_text))) if equals else []
    made: dict[tuple[str, str], None] = {}
    for piece in right_text.split(","):
        right = list(dict.fromkeys(terms(piece)))
        made.update(dict.fromkeys((a, b) for a in left for b in right))
        if len(left) == len(right) == 1:
            made[right[0], left[0]] = None
    return [(a, b) for a, b in made if a != b]


def _entries(store: Store, number: int, text: str) -> list[tuple[bytes, bytes]]:
    return [(_key(store, number, a), encode_text(b)) for a, b in pairs(text) if len(encode_text(b)) <= _LONGEST]
