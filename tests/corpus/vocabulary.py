"""The whole `expect` vocabulary of settings and instructions, gathered from the modules that define it."""

from __future__ import annotations

from tests.corpus import block_words, entry_words, file_words

_PARTS = (file_words, entry_words, block_words)
EXPECT = file_words.EXPECT
AGAIN = file_words.AGAIN
REMOVED = file_words.REMOVED
REPORTED = file_words.REPORTED

assert all(part.EXPECT is EXPECT for part in _PARTS), "every part adds to the one vocabulary"
