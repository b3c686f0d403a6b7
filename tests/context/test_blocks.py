"""Managed blocks: found only where they are, replaced alone, taken out to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from gmhooks.context import blocks
from gmhooks.context.blocks import CONTEXT, INSTRUCTIONS, BlockFault, begin, end
from tests.context.documents import markdown

OLD = blocks.render(CONTEXT, "## Memory\n- old", facts=1)
NEW = blocks.render(CONTEXT, "## Memory\n- new", facts=1)


def test_l07_a_block_inside_a_persons_text_is_found_and_verified() -> None:
    found = blocks.scan(f"# Mine\n\n{OLD}\n\nmine too\n").of(CONTEXT)

    assert [(each.verified, each.body, each.first_line, each.last_line) for each in found] == [
        (True, "## Memory\n- old", 3, 7)
    ]


def test_l08_an_edited_body_is_found_and_not_verified() -> None:
    (block,) = blocks.scan(OLD.replace("- old", "- old\n- typed by hand")).blocks

    assert not block.verified


def test_l16_the_hash_holds_on_a_checkout_with_other_line_ends() -> None:
    (block,) = blocks.scan(OLD.replace("\n", "\r\n") + "\r\n").blocks

    assert block.verified


def test_l10_two_blocks_become_one_at_the_first_place() -> None:
    text = f"before\n{OLD}\nbetween\n{OLD}\nafter\n"

    assert blocks.put(text, CONTEXT, NEW) == f"before\n{NEW}\nbetween\nafter\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", f"{NEW}\n"),
        ("text\n", f"text\n\n{NEW}\n"),
        ("text", f"text\n\n{NEW}"),
        ("a\r\nb\r\n", "a\r\nb\r\n\r\n" + NEW.replace("\n", "\r\n") + "\r\n"),
        ("a\rb\r", "a\rb\r\r" + NEW.replace("\n", "\r") + "\r"),
        (f"{OLD}", NEW),
        (f"a\n{OLD}  \nb", f"a\n{NEW}\nb"),
        (f"```\n{OLD}\n```\n", f"```\n{OLD}\n```\n\n{NEW}\n"),
        (f"~~~\n{OLD}\n~~~\n", f"~~~\n{OLD}\n~~~\n\n{NEW}\n"),
        (f"````\n```\n{begin(CONTEXT)}\n````\n", f"````\n```\n{begin(CONTEXT)}\n````\n\n{NEW}\n"),
        (f"see `{begin(CONTEXT)}`\n", f"see `{begin(CONTEXT)}`\n\n{NEW}\n"),
        (f"    {begin(CONTEXT)}\n", f"    {begin(CONTEXT)}\n\n{NEW}\n"),
        ("``` a ` b\nx\n", f"``` a ` b\nx\n\n{NEW}\n"),
    ],
)
def test_l11_a_block_is_replaced_in_place_or_appended_after_one_blank_line(text: str, wanted: str) -> None:
    assert blocks.put(text, CONTEXT, NEW) == wanted


def test_l14_a_block_that_says_the_same_leaves_the_text_alone() -> None:
    text = "mine\r\n" + NEW.replace("\n", "  \r\n", 1).replace("-->\n", "-->\t\n") + "\n"

    assert blocks.put(text, CONTEXT, NEW) == text


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (f"a\n{begin(CONTEXT)}\nhalf\nmine\n", "half_block", 2),
        (f"{end(CONTEXT)}\nmine\n{begin(CONTEXT)}\n", "half_block", 1),
        (f"{begin(CONTEXT)}\n{begin(CONTEXT)}\n{end(CONTEXT)}\n", "nested_block", 2),
        (f"{begin(INSTRUCTIONS)}\n{OLD}\n{end(INSTRUCTIONS)}\n", "nested_block", 2),
        (f"<!--\n{OLD}\n-->\n", "ambiguous_marker", 2),
        (f"```py\nprint(1)\n\n{OLD}\n", "ambiguous_marker", 4),
        ("mine\n```\nnever closed\n", "ambiguous_marker", 2),
        ("<!-- never\nclosed\n", "ambiguous_marker", 1),
    ],
)
def test_markers_that_may_be_something_else_are_refused_with_their_line(text: str, code: str, line: int) -> None:
    with pytest.raises(BlockFault) as caught:
        blocks.put(text, CONTEXT, NEW)

    assert (caught.value.code, caught.value.line) == (code, line)


def test_an_unclosed_fence_inside_the_block_does_not_hide_its_end() -> None:
    text = f"a\n{begin(CONTEXT)}\n```\nx\n{end(CONTEXT)}\nb\n"

    assert blocks.put(text, CONTEXT, NEW) == f"a\n{NEW}\nb\n"


@pytest.mark.parametrize("text", ["", "mine\n", "mine", "mine\r\n\r\n", "mine\n\n\n"])
@pytest.mark.parametrize("order", [(CONTEXT, INSTRUCTIONS), (INSTRUCTIONS, CONTEXT)])
def test_two_families_go_in_any_order(text: str, order: tuple[str, str]) -> None:
    both = blocks.put(blocks.put(text, INSTRUCTIONS, blocks.render(INSTRUCTIONS, "x")), CONTEXT, NEW)

    for family in order:
        both = blocks.take(both, family)
    assert both == text


@settings(max_examples=400, deadline=None)
@given(markdown())
def test_putting_and_taking_out_gives_the_same_text_or_a_refusal(text: str) -> None:
    try:
        put = blocks.put(text, CONTEXT, NEW)
    except BlockFault:
        return

    assert put.startswith(text)
    assert blocks.put(put, CONTEXT, NEW) == put
    assert [block.verified for block in blocks.scan(put).of(CONTEXT)] == [True]
    assert blocks.take(put, CONTEXT) == text


@settings(max_examples=400, deadline=None)
@given(markdown(), markdown())
def test_replacing_touches_nothing_outside_the_markers(before: str, after: str) -> None:
    text = f"{before}\n{OLD}\n{after}"
    try:
        put = blocks.put(text, CONTEXT, NEW)
    except BlockFault:
        return

    (block,) = blocks.scan(put).of(CONTEXT)
    for old in blocks.scan(text).of(CONTEXT):
        assert (put[: block.start], put[block.stop :]) == (text[: old.start], text[old.stop :])
