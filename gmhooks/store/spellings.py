"""Hot by layer, read only for words that memory does not know: the words of a namespace's facts as they are written.

Saving a fact does not touch them: what follows a session, a consolidation and an import take in what is new (`fold`), and
the words of younger facts are read from these. Whether a word still stands for a term is asked of the index, so nothing here
has to follow a fact that is retired; the words of one that is erased go.
"""

from __future__ import annotations

from gmhooks.store.facts import get
from gmhooks.store.layout import META, SPELLINGS, decode_text, encode_text, seal, unseal
from gmhooks.store.postings import df
from gmhooks.store.records import KIND_ALIAS
from gmhooks.text.spelling import spelt_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.store.env import Store
    from gmhooks.store.pages import Reader
    from gmhooks.store.records import Namespace

_FOLDED = b"spellings"
# Of facts that were not taken in yet, the newest so many are read.
_YOUNGEST = 64


def words(store: Reader, ns: Namespace, letters: set[str]) -> set[str]:
    """The words of a namespace that begin with one of these letters."""
    taken_in = _folded(store).get(ns.number, 0)
    found: set[str] = set()
    for letter in letters if taken_in else ():
        found.update(_bucket(store, _key(ns.number, letter)))
    young = range(max(taken_in, ns.next_doc - _YOUNGEST), ns.next_doc)
    return found.union(spelt_words("\n".join([_text(store, ns, doc) for doc in young]), letters))


def due(store: Store, ns: Namespace) -> bool:
    """Whether more facts wait to be taken in than are read otherwise."""
    return ns.next_doc - _folded(store).get(ns.number, 0) > _YOUNGEST


def fold(store: Store) -> None:
    """Take in the words of facts written since the last time (write)."""
    from gmhooks.store.namespaces import listed

    folded = _folded(store)
    spaces = listed(store)
    for ns in spaces:
        fresh: dict[bytes, set[str]] = {}
        for doc in range(folded.get(ns.number, 0), ns.next_doc):
            for word in spelt_words(_text(store, ns, doc)):
                fresh.setdefault(_key(ns.number, word[0]), set()).add(word)
        for key, new in fresh.items():
            known = _bucket(store, key)
            if not new <= known:
                _put(store, key, known | new)
    wanted = {ns.number: ns.next_doc for ns in spaces}
    if wanted != folded:
        body = b"".join([number.to_bytes(4, "little") for pair in wanted.items() for number in pair])
        store.put(META, _FOLDED, seal(_FOLDED, body))


def remove(store: Store, ns: Namespace, text: str) -> None:
    """Forget the words of a fact that is erased, but for those whose term another live fact holds (write)."""
    if ns.number not in _folded(store):
        return
    for word, term in spelt_words(text).items():
        key = _key(ns.number, word[0])
        known = _bucket(store, key)
        if word in known and not df(store, ns.number, term):
            _put(store, key, known - {word})


def unreadable(store: Store) -> int:
    """How many records are damaged."""
    from gmhooks.store.later import present

    return sum([unseal(key, raw) is None for key, raw in store.cursor(SPELLINGS)]) if present(store, SPELLINGS) else 0


def _text(store: Reader, ns: Namespace, doc: int) -> str:
    """The text of a live content fact, "" for anything else."""
    fact = get(store, ns.number, doc)
    return fact.text if fact is not None and fact.live and fact.kind != KIND_ALIAS else ""


def _folded(store: Reader) -> dict[int, int]:
    """For each namespace the number of the first fact whose words were not taken in."""
    numbers = memoryview(unseal(_FOLDED, store.get(META, _FOLDED)) or b"").cast("I").tolist()
    return dict(zip(numbers[::2], numbers[1::2], strict=True))


def _key(number: int, letter: str) -> bytes:
    return number.to_bytes(4, "big") + ord(letter).to_bytes(3, "big")


def _bucket(store: Reader, key: bytes) -> set[str]:
    body = unseal(key, store.get(SPELLINGS, key))
    return set(decode_text(body).split()) if body else set()


def _put(store: Store, key: bytes, held: set[str]) -> None:
    store.put(SPELLINGS, key, seal(key, encode_text(" ".join(sorted(held)))))
