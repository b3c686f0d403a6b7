"""Hot: the analyzer. One way from text to terms, for writing and for asking."""

from __future__ import annotations

from gmhooks.text.words import NO_WORDS, STOP, analyse

ANALYZER_ID = "gm-terms/1"
_WINDOW = 2048
_HASH_LENGTH = 16
_STAMP_LENGTH = 8
_NO_DIGITS = dict.fromkeys(map(ord, "0123456789.:-/_"))

# Each character of ASCII, or what stands for it: what separates words becomes a blank. A table that is a string is asked in
# half the time that a dict takes, which has to raise an error for each character that it does not hold.
_WORDS = (
    " \x01\x02\x03\x04\x05\x06\x07\x08     \x0e\x0f"
    "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b    "
    "   #   '   + -./0123456789:     @ABCDEFGHIJKLMNO"
    "PQRSTUVWXYZ /  _ abcdefghijklmnopqrstuvwxyz    \x7f"
)


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, with repetitions; [] if it holds no word at all.

    Stop words are left out unless the text holds nothing else.
    """
    chunks = chunks_of(text)
    found: list[str] = []
    for chunk in chunks:
        analyse(chunk, found, STOP)
    if not found:
        for chunk in chunks:
            analyse(chunk, found, NO_WORDS)
    return found


def query_terms(text: str, limit: int = 64) -> list[str]:
    """Return at most `limit` distinct terms of a prompt, in order of first appearance.

    A prompt with more words than that is read from both ends: its first and last 2,048 characters, without
    long tokens that hold a digit (hashes, ids), half of the terms from either end.
    """
    chunks = list(dict.fromkeys(chunks_of_prompt(text)))
    if len(chunks) > limit:
        return _from_both_ends(chunks, limit) or _distinct(chunks[:limit], NO_WORDS)[:limit]
    found = _distinct(chunks, STOP) or _distinct(chunks, NO_WORDS)
    return found if len(found) <= limit else found[: limit - limit // 2] + found[len(found) - limit // 2 :]


def plain_words(text: str) -> list[str]:
    """Return the words of a prompt that consist of letters only, casefolded, in order; names made of parts are left out."""
    return [chunk.casefold() for chunk in chunks_of_prompt(text) if chunk.isalpha()]


def _distinct(chunks: list[str], stop: frozenset[str]) -> list[str]:
    found: list[str] = []
    for chunk in chunks:
        analyse(chunk, found, stop)
    return list(dict.fromkeys(found))


def chunks_of_prompt(text: str) -> list[str]:
    """Cut a prompt; of a long one only both ends, without the two chunks that this may have split."""
    if len(text) <= 2 * _WINDOW:
        return chunks_of(text)
    head = chunks_of(text[:_WINDOW])
    tail = chunks_of(text[-_WINDOW:])
    return (head[:-1] or head) + (tail[1:] or tail)


def chunks_of(text: str) -> list[str]:
    """Cut a text at everything that cannot be part of a word, an identifier, a path or a number."""
    if text.isascii():
        return text.translate(_WORDS).split()
    from gmhooks.text.fold import fold

    return fold(text).translate(_WORDS).split()


def _is_hash(chunk: str) -> bool:
    """Whether a chunk is a hash, an id or a timestamp: long, or mostly digits and marks."""
    if chunk.isalpha() or len(chunk) < _STAMP_LENGTH:
        return False
    letters = len(chunk.translate(_NO_DIGITS))
    return letters * 2 < len(chunk) or (len(chunk) >= _HASH_LENGTH and chunk.replace("-", "").isalnum())


def _from_both_ends(chunks: list[str], limit: int) -> list[str]:
    """Return the first and the last limit/2 distinct terms, without a look at what lies between or at hashes."""
    first: dict[str, None] = {}
    ahead = iter(chunks)
    for chunk in ahead:
        if _is_hash(chunk):
            continue
        found: list[str] = []
        analyse(chunk, found, STOP)
        first.update(dict.fromkeys(found))
        if len(first) >= limit - limit // 2:
            break
    else:
        return list(first)[:limit]
    head = list(first)[: limit - limit // 2]
    seen = set(head)
    last: list[str] = []
    for chunk in reversed(list(ahead)):
        if _is_hash(chunk):
            continue
        found = []
        analyse(chunk, found, STOP)
        for term in reversed(found):
            if term not in seen:
                seen.add(term)
                last.append(term)
        if len(last) >= limit // 2:
            break
    return head + last[: limit // 2][::-1]
