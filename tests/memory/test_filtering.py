"""A checkpoint holds no private part and no secret, wherever in the JSON it stands."""

from __future__ import annotations

import pytest

from gmhooks.hooks.admit import Refused
from gmhooks.memory.api import Memory
from gmhooks.memory.filtering import DEEPEST, filtered

SECRET = "AKIA" + "IOSFODNN7EXAMPL3"
NOTE = "(withheld: secret)"


def test_keys_are_filtered_as_values_are() -> None:
    given = {SECRET: [1], "a<private>b</private>": {SECRET: SECRET}, "n": [None, True, 1.5, "  x\0  "]}
    assert filtered(given) == ({NOTE: [1], "a": {NOTE: NOTE}, "n": [None, True, 1.5, "x"]}, 3)


def test_members_whose_keys_become_equal_all_stay() -> None:
    assert filtered({SECRET: 1, SECRET[:-1] + "4": 2, NOTE: 3}) == ({NOTE: 1, f"{NOTE} 2": 2, f"{NOTE} 3": 3}, 2)


def test_long_strings_keep_their_length() -> None:
    assert filtered(["x y " * 1000 + "z"]) == (["x y " * 1000 + "z"], 0)


def test_what_is_nested_too_deep_is_refused() -> None:
    state: object = "end"
    for _ in range(DEEPEST):
        state = [state]
    assert filtered(state) == (state, 0)
    with pytest.raises(Refused, match="50 levels"):
        filtered({"a": state})


def test_a_saved_checkpoint_has_no_secret_in_its_keys(memory: Memory) -> None:
    memory.save_checkpoint("app", {SECRET: 1, "<private>hush</private>k": {"a": 1}})
    assert memory.checkpoints("app")[0].body["state"] == {NOTE: 1, "k": {"a": 1}}
