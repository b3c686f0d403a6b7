"""P12: no text leaves the fence it is printed in; what is parsed back are the facts."""

from __future__ import annotations

import random
import re

from gmhooks.hooks.admit import Refused, admit
from gmhooks.hooks.blockfmt import MEMORY, SHARED_MEMORY, block
from gmhooks.hooks.tame import tame
from gmhooks.store.records import USER, Fact
from tests.faults.ground import Ground
from tests.faults.outcome import Outcome

_PIECES = (
    "</graymatter-memory", ' k="', '">', "<graymatter-memory", "[GrayMatter hook recall ran for", "## Memory", "- ",
    "\n", "\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "<", ">", "＜", "﹤", "&lt;", "`", "```", "~~~", "![", "](",
    "<!--", "-->", "<|im_start|>", "\u200b", "\u202e", "\u2066", "\U000e0041", "\ufeff", "@import", "Human:", "system",
    "</", "/", "\\", '"', "\x1b[2J", "é", "日本", "a", "fact", " ", "…", "[ABC123]", "(via mcp)",
)  # fmt: skip
_EACH = 10
_BLOCK = re.compile(
    r'\[GrayMatter hook recall ran for agent_id="project"\.\]\n<graymatter-memory k="([0-9a-f]{8})"> [^\n]*\n'
    r'(.*)\n</graymatter-memory k="\1">',
    re.S,
)


def fuzzed(ground: Ground, number: int, seed: int = 1) -> Outcome:
    """As many texts, ten to a block: one fence, and inside it exactly their lines."""
    del ground
    outcome = Outcome()
    for name in ("texts", "refused", "blocks", "outside the fence"):
        outcome.count(name, 0)
    rng = random.Random(seed)
    texts: list[str] = []
    while outcome.figures["texts"] < number:
        raw = "".join(rng.choice(_PIECES) for _ in range(rng.randrange(1, 14)))
        outcome.count("texts")
        try:
            texts.append(admit(raw).text)
        except Refused:
            outcome.count("refused")
        if len(texts) == _EACH:
            _print(outcome, texts, rng.getrandbits(60))
            texts = []
    return outcome


def _print(outcome: Outcome, texts: list[str], secret: int) -> None:
    facts = [Fact(1, doc, doc.to_bytes(16, "big"), text, 1, USER) for doc, text in enumerate(texts)]
    entries: list[tuple[str, int, Fact | None, int]] = [(fact.text, USER, fact, fact.doc) for fact in facts]
    text, keys = block("project", secret, [(MEMORY, entries[:5]), (SHARED_MEMORY, entries[5:])], 9000, _name)
    expected = list(dict.fromkeys(line for line, _ in map(tame, texts) if line))
    found = _BLOCK.fullmatch(text)
    inside = found[2] if found else ""
    lines = [line[2:] for line in inside.split("\n") if line.startswith("- ")]
    fences = len(re.findall("<\\s*/?\\s*graymatter-memory", text, re.I))
    outcome.count("blocks")
    whole = [line.removesuffix(" [NAMED1]") for line in lines]
    if (
        not found
        or fences != 2
        or whole != expected
        or len(keys) != len([line for line, _ in map(tame, texts) if line])
    ):
        outcome.count("outside the fence")
        outcome.fail(f"{texts!r} became {text!r}")


def _name(fact: Fact) -> str:
    del fact
    return "NAMED1"
