"""Hot, in large namespaces only: the facts that can be among the best by keyword, found without reading every posting.

Each common term is one long integer with a bit for every fact (`gmhooks.store.bitmaps`). Their weights, in steps, are added
up for all facts at once by full adders on those integers (bit slices: O'Neil and Quass, *Improved query performance with
variant indexes*, 1997); what rarer terms and strong postings add comes in as slices too. The best facts by that sum are then
scored exactly. So a fact can be missed, but none is scored wrongly.
"""

from __future__ import annotations

from gmhooks.recall.lexical import Term, doc_of, idf, look_up, score
from gmhooks.recall.recency import bucket
from gmhooks.store.bitmaps import MADE, find
from gmhooks.store.layout import DOC_MASK, LENGTH_FLOOR, LENGTH_MASK, LENGTH_SHIFT, TF_MASK, TF_SHIFT
from gmhooks.store.meta import counter
from gmhooks.store.postings import posting, weight
from gmhooks.text.tokens import terms as analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gmhooks.recall.pool import Pool
    from gmhooks.store.bitmaps import Bitmap

_BLOCK = 1024
# The most facts that may be asked for.
FEW = 8
# Postings of less than one fact in so many are read faster than bitmaps are added.
_CHEAP = 64
# Once so much was given back, glibc keeps what is freed; it would return the memory of every long integer to the kernel.
_HELD = 16 << 20
# The idf of the rarest common term, in steps.
_STEPS = 15
# So many facts are scored exactly; of facts that tie for the last places, the oldest.
_KEPT = 24
# A fact of less than twice the pivot's length with a term twice is among the strong postings.
_LONG = 2 * LENGTH_FLOOR


def narrow(pool: Pool, names: list[str]) -> list[Term] | None:
    """The distinct query terms in order, each with its true statistics and the postings of the best facts only; None where
    everything is to be read, because that is less work."""
    number, store = pool.ns.number, pool.store
    if not counter(store, MADE):
        return None
    distinct = list(dict.fromkeys(names))
    looked_up = {name: find(store, number, name) for name in distinct}
    common = {name: bitmap for name, bitmap in looked_up.items() if bitmap is not None}
    if sum([bitmap.df for bitmap in common.values()]) * _CHEAP <= pool.ns.next_doc:
        return None
    bytes(_HELD)
    rare = [name for name in distinct if name not in common]
    terms = {term.name: term for term in look_up(store, number, pool.live, rare, None)}
    gained = {doc_of(key): gain for key, gain in score(list(terms.values())).items()}
    slices = {name: int.from_bytes(bitmap.bits, "little") for name, bitmap in common.items()}
    for name in common:
        term = terms[name] = Term(name, [], idf(pool.live, common[name].df))
        term.df = common[name].df
        for doc, value in common[name].strong.items():
            gained[doc] = gained.get(doc, 0.0) + term.idf * _extra(value)
    step = max([terms[name].idf for name in common]) / _STEPS
    columns = _columns(gained, step, pool.ns.next_doc)
    for name, bits in slices.items():
        _enter(columns, int(terms[name].idf / step + 0.5), bits)
    _settle(pool, terms, common, set(_best(_added(columns), _KEPT)))
    return [terms[name] for name in distinct]


def every_bucket(pool: Pool, starts: list[int], now_day: int) -> dict[int, int]:
    """Dense rank, youngest = 1, of every 30-day age bucket of the namespace: its common terms occur in all of them."""
    seen = set(range(len(starts))) or {bucket(now_day, written) for written in pool.runs[1]}
    return {found: rank for rank, found in enumerate(sorted(seen), 1)}


def _extra(value: int) -> float:
    """How much more a strong posting weighs than 1."""
    return weight(value >> TF_SHIFT & TF_MASK, value >> LENGTH_SHIFT & LENGTH_MASK) - 1.0


def _columns(gained: dict[int, float], step: float, facts: int) -> list[list[int]]:
    """What facts have already, as slices: list number p holds the integers whose bits count 2**p steps."""
    alike: dict[float, list[int]] = {}
    for doc, gain in gained.items():
        alike.setdefault(gain, []).append(doc)
    slices: list[bytearray] = []
    for gain, docs in alike.items():
        count = int(gain / step + 0.5)
        slices += [bytearray((facts >> 3) + 1) for _ in range(count.bit_length() - len(slices))]
        for bits in [bits for place, bits in enumerate(slices) if count >> place & 1]:
            for doc in docs:
                bits[doc >> 3] |= 1 << (doc & 7)
    return [[int.from_bytes(bits, "little")] for bits in slices]


def _enter(columns: list[list[int]], count: int, bits: int) -> None:
    """Let every fact of `bits` gain so many steps."""
    for place in range(count.bit_length()):
        if place == len(columns):
            columns.append([])
        if count >> place & 1:
            columns[place].append(bits)


def _added(columns: list[list[int]]) -> list[int]:
    """The sums of all facts: one integer for each binary place, lowest first."""
    sums = []
    carried: list[int] = []
    place = 0
    while place < len(columns) or carried:
        column = carried + (columns[place] if place < len(columns) else [])
        carried = []
        while len(column) > 1:
            first, second = column.pop(), column.pop()
            third = column.pop() if column else 0
            either = first ^ second
            column.append(either ^ third)
            carry = first & second | either & third
            if carry:
                carried.append(carry)
        sums += column or [0]
        place += 1
    return sums


def _best(sums: list[int], count: int) -> list[int]:
    """The numbers of the `count` facts with the highest sums; of ties for the last places, the lowest."""
    surely = 0
    maybe = 0
    for bits in sums:
        maybe |= bits
    left = count
    for bits in reversed(sums):
        better = maybe & bits
        found = better.bit_count()
        if found > left:
            maybe = better
        else:
            surely |= better
            maybe ^= better
            left -= found
    return _lowest(surely, count) + _lowest(maybe, left)


def _lowest(bits: int, most: int) -> list[int]:
    """Positions of the lowest ones, ascending."""
    raw = bits.to_bytes((bits.bit_length() + 7) >> 3, "little")
    found: list[int] = []
    for start in range(0, len(raw), _BLOCK):
        block = raw[start : start + _BLOCK]
        left = block.lstrip(b"\0")
        while left and len(found) < most:
            at = start + len(block) - len(left) << 3
            found += [at + place for place in range(8) if left[0] >> place & 1]
            left = left[1:].lstrip(b"\0")
    return found[:most]


def _settle(pool: Pool, terms: dict[str, Term], common: dict[str, Bitmap], docs: set[int]) -> None:
    """Leave in every term the postings of these facts only."""
    facts = [fact for doc in sorted(docs) if (fact := pool.fact(doc)) is not None]
    for name, term in terms.items():
        bitmap = common.get(name)
        if bitmap is None:
            term.postings = [value for value in term.postings if value & DOC_MASK in docs]
            continue
        for fact in facts:
            at = fact.doc >> 3
            if at < len(bitmap.bits) and bitmap.bits[at] >> (fact.doc & 7) & 1:
                value = bitmap.strong.get(fact.doc)
                if value is None:
                    tf = analyse(fact.text).count(name) if fact.length >= _LONG else 1
                    value = posting(tf, fact.length, fact.doc)
                term.postings.append(value)
        term.postings.sort()
