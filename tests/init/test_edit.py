"""Appending looks like the file around it, and removing the appended slot gives the file back."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gmhooks.init.edit import append, remove, replace, style_of
from gmhooks.init.jsonc import Node, parse, value_of
from tests.init.documents import scattered, settings_values


def boxes(node: Node) -> list[Node]:
    inner = [each for slot in node.slots for each in boxes(slot.value)]
    return [node, *inner] if node.kind in ("object", "array") else inner


@settings(max_examples=300, deadline=None)
@given(settings_values(), st.integers(0, 2**32), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.data())
def test_append_then_remove_gives_the_text_back(
    value: dict[str, object], seed: int, eol: str, comments: bool, data: st.DataObject
) -> None:
    text = scattered(value, random.Random(seed), eol, comments=comments)
    root = parse(text, comments=comments)
    number = data.draw(st.integers(0, len(boxes(root)) - 1))
    box = boxes(root)[number]
    assume(box.find("new") is None)
    longer = append(text, root, box, {"x": [1]}, key="new" if box.kind == "object" else None)
    again = boxes(parse(longer, comments=comments))[number]
    assert value_of(longer, again.slots[-1].value) == {"x": [1]}
    assert len(again.slots) == len(box.slots) + 1
    if box.slots:
        assert remove(longer, again, len(box.slots)) == text


@settings(max_examples=200, deadline=None)
@given(settings_values(), st.integers(0, 2**32), st.booleans(), st.data())
def test_removing_any_slot_leaves_a_valid_text_without_it(
    value: dict[str, object], seed: int, comments: bool, data: st.DataObject
) -> None:
    text = scattered(value, random.Random(seed), "\n", comments=comments)
    root = parse(text, comments=comments)
    full = [number for number, box in enumerate(boxes(root)) if box.slots]
    assume(full)
    number = data.draw(st.sampled_from(full))
    box = boxes(root)[number]
    index = data.draw(st.integers(0, len(box.slots) - 1))
    shorter = remove(text, box, index)
    left = boxes(parse(shorter, comments=comments))[number]
    expected = [value_of(text, slot.value) for at, slot in enumerate(box.slots) if at != index]
    assert [value_of(shorter, slot.value) for slot in left.slots] == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "a": 1\n}', '{\n  "a": 1,\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"k": {\r\n\t\t"x": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}'),
        ('{"a":1}', '{"a":1,"k":{"x":[1]}}'),
        ('{ "a": 1 }', '{ "a": 1, "k": {"x": [1]} }'),
        ("{}", '{\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'),
        ('{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "k": {\n    "x": [\n      1\n    ]\n  },\n}'),
        ('{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'),
        ("{ // none\n}", '{ // none\n  "k": {\n    "x": [\n      1\n    ]\n  }\n}'),
    ],
)
def test_a_new_member_is_laid_out_like_its_neighbours(before: str, after: str) -> None:
    root = parse(before, comments=True)
    assert append(before, root, root, {"x": [1]}, key="k") == after


def test_a_replaced_value_keeps_to_one_line_where_the_old_one_did() -> None:
    text = '{\n  "a": {"b": 1},\n  "c": {\n    "d": 2\n  }\n}'
    root = parse(text)
    flat = replace(text, root, root.slots[0].value, {"n": [1]})
    assert flat == text.replace('{"b": 1}', '{"n": [1]}')
    broken = replace(text, root, root.slots[1].value, {"n": 1})
    assert broken == text.replace('"d": 2', '"n": 1')


def test_the_majority_of_line_ends_wins() -> None:
    text = '{\r\n"a":\n1,\r\n"b": 2\r\n}'
    assert style_of(text, parse(text)).eol == "\r\n"
