"""A seeded corpus: facts, prompts, a pasted log and a transcript, all made by formula.

Word frequencies follow p(rank) ~ 1 / (rank + 60) over 60,000 made-up words, mixed with one third function
words. Independent draws are the hard case for an index: no two facts share a subject more than by chance.
"""

from __future__ import annotations

import bisect
import itertools
import json
import random
from collections.abc import Iterator

VOCABULARY = 60_000
OFFSET = 60
COMMON = 150
SHARED_EVERY = 7
LOG_WORDS = 2_000
SEED = 20

_ONSETS = (*"bcdfghklmnprstvw", "br", "st", "tr", "pl")
_VOWELS = ("a", "e", "i", "o", "u")
_ENDINGS = ("n", "r", "t", "l", "m", "ns", "ting", "ned", "ter", "tion")
_FUNCTION_WORDS = (
    *("the", "of", "and", "to", "in", "is", "for", "on", "that", "with", "as", "at", "by", "from"),
    *("it", "be", "are", "this", "have", "or", "not", "an", "but", "was", "can", "all", "when"),
    *("which", "will", "one", "more", "if", "there", "so", "out", "up", "what", "about", "their"),
    *("we", "has", "into", "than", "other", "only", "then", "any", "new", "some", "could", "them"),
    *("these", "may", "first", "also", "after", "should", "our", "two", "must", "before"),
    *("through", "where", "most", "over", "its", "no", "you", "your"),
)


def word(rank: int) -> str:
    """The made-up word of a frequency rank: distinct for every rank below 100,000."""
    spread = rank * 7919 % 100_000
    head, tail = divmod(spread, 1000)
    middle, last = divmod(tail, 10)
    syllables = (head, middle)
    return "".join(_ONSETS[s // 5] + _VOWELS[s % 5] for s in syllables) + _ENDINGS[last]


class Corpus:
    """Draws texts from one seed; the same seed and sizes give the same texts on every machine."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = random.Random(seed)
        self._words = [word(rank) for rank in range(VOCABULARY)]
        self._cumulative = list(itertools.accumulate(1.0 / (rank + OFFSET) for rank in range(VOCABULARY)))

    def content_word(self) -> str:
        """One content word, by frequency."""
        point = self._random.random() * self._cumulative[-1]
        return self._words[bisect.bisect_left(self._cumulative, point)]

    def fact(self) -> str:
        """A sentence of 12 to 25 words, about two thirds of them content words."""
        words = [
            self._random.choice(_FUNCTION_WORDS) if self._random.random() < 0.35 else self.content_word()
            for _ in range(self._random.randint(12, 25))
        ]
        return " ".join(words).capitalize()

    def facts(self, count: int) -> Iterator[tuple[bool, str]]:
        """`count` pairs (shared, text); one in seven is shared."""
        for number in range(count):
            yield number % SHARED_EVERY == SHARED_EVERY - 1, self.fact()

    def short_prompt(self, fact: str) -> str:
        """Four content words of one fact, or all where it has fewer, and two function words."""
        content = [w for w in fact.lower().split() if w not in _FUNCTION_WORDS]
        return " ".join(["where is", *self._random.sample(content, min(4, len(content)))])

    def common_prompt(self) -> str:
        """Six of the 150 most frequent content words."""
        return " ".join(self._random.sample(self._words[:COMMON], 6))

    def log_prompt(self) -> str:
        """A pasted log of 2,000 words: times, hexadecimal ids, paths, levels and words by frequency."""
        lines = []
        for number in range(LOG_WORDS // 10):
            request = f"{self._random.getrandbits(64):016x}"
            body = " ".join(self.content_word() for _ in range(5))
            path = f"/srv/{self.content_word()}/{self.content_word()}.py"
            level = self._random.choice(("INFO", "WARN", "ERROR"))
            clock = f"2026-03-{number % 28 + 1:02}T{number % 24:02}:{number % 60:02}:07.123Z"
            lines.append(f"{clock} {level} request={request} {path}:{number} {body} took={number}ms")
        return "\n".join(lines)

    def transcript(self, turns: int = 200) -> bytes:
        """A session transcript as the client writes it: prompts, answers, edits and a todo list."""
        rows: list[object] = []
        for turn in range(turns):
            rows.append({"type": "user", "message": {"role": "user", "content": self.fact()}})
            call = {"type": "tool_use", "id": f"t{turn}", "name": "Edit", "input": self._edit(turn)}
            text = {"type": "text", "text": " ".join(self.fact() for _ in range(4))}
            rows.append({"type": "assistant", "message": {"role": "assistant", "content": [text, call]}})
        states = ("completed", "in_progress", "pending")
        todos = [{"content": self.fact(), "status": state} for state in states]
        plan = {"type": "tool_use", "id": "todo", "name": "TodoWrite", "input": {"todos": todos}}
        rows.append({"type": "assistant", "message": {"role": "assistant", "content": [plan]}})
        rows.append({"type": "user", "message": {"role": "user", "content": self.fact()}})
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    def _edit(self, turn: int) -> dict[str, str]:
        path = f"/src/module_{turn % 9}.py"
        return {"file_path": path, "old_string": self.fact(), "new_string": self.fact()}
