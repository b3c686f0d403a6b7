"""`recall --explain --as-hook`: what the prompt hook would show, and why."""

from __future__ import annotations

import pytest

from tests.cli.program import Place

HOOK = ("recall", "--explain", "--as-hook")


def test_the_block_comes_with_its_reasons(place: Place) -> None:
    place.ok("remember", "Alembic migrations run nightly")
    said = place.ok(*HOOK, "when do the migrations run?").out
    assert "- Alembic migrations run nightly" in said
    assert "strong: the evidence is strong: 1 of 1 facts looked at are shown" in said
    assert "migrat: in 1 fact" in said


def test_silence_comes_with_its_reason(place: Place) -> None:
    place.ok("remember", "Alembic migrations run nightly")
    assert place.ok(*HOOK, "thanks").out.startswith("Nothing would be shown.\nsilent: every word of the prompt")
    data = place.ok(*HOOK, "kafka", "--json").data
    assert (data["tier"], data["block"], data["facts"]) == ("silent", "", [])


OTHERS = (("--top-k", "2"), ("--min-confidence", "verified"), ("--neighbours",))


@pytest.mark.parametrize("words", [("--as-hook",), *((*HOOK[1:], *other) for other in OTHERS)])
def test_options_that_the_hook_does_not_have_are_refused(place: Place, words: tuple[str, ...]) -> None:
    assert place.run("recall", *words, "thanks").code == 2
