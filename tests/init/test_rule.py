"""The rule for our tools goes in beside what is allowed and comes out to the byte, in whatever order hooks come and go."""

from __future__ import annotations

from pathlib import Path

import pytest

from gmhooks.init import ledger
from gmhooks.init.install import install, uninstall
from gmhooks.init.mcp_entry import allow
from gmhooks.init.refusal import Refusal
from gmhooks.init.rule import RULE, Job, path_in

TEXTS = [
    None,
    b"",
    b" \r\n",
    b"{}",
    b"{ }\n",
    b'{"permissions": {}}',
    b'{"permissions": { "allow": [ ] } }',
    b'{\r\n\t"permissions": {\r\n\t\t"deny": []\r\n\t},\r\n\t"n": 1.50\r\n}\r\n',
    b'\xef\xbb\xbf{"permissions": {"allow": ["Bash(ls)"]}, "model": "opus"}',
]


@pytest.fixture
def own(tmp_path: Path, _no_pack: None) -> str:
    return str(tmp_path / "own")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(path_in(str(tmp_path)))


def put(file: Path, text: bytes | None) -> None:
    if text is not None:
        file.parent.mkdir()
        file.write_bytes(text)


def bytes_of(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


@pytest.mark.parametrize("text", TEXTS)
def test_the_rule_comes_out_again_to_the_byte(tmp_path: Path, own: str, file: Path, text: bytes | None) -> None:
    put(file, text)
    assert allow(str(tmp_path), own).outcome == ("created" if text is None else "updated")
    assert RULE.encode() in file.read_bytes()
    assert allow(str(tmp_path), own).outcome == "unchanged"
    job = Job(str(tmp_path), own, remove=True)
    job.run(dry_run=False)
    assert job.result.outcome == "removed"
    assert bytes_of(file) == text
    assert file.parent.exists() == (text is not None)
    assert ledger.listed(own) == []


@pytest.mark.parametrize("first_out", ["hooks", "rule"])
@pytest.mark.parametrize("first_in", ["hooks", "rule"])
@pytest.mark.parametrize("text", TEXTS)
def test_hooks_and_rule_come_and_go_in_any_order(
    tmp_path: Path, own: str, file: Path, text: bytes | None, first_in: str, first_out: str
) -> None:
    put(file, text)
    steps = {
        "hooks": (lambda: install("local", tmp_path, own), lambda: uninstall("local", tmp_path, own)),
        "rule": (lambda: allow(str(tmp_path), own), lambda: Job(str(tmp_path), own, remove=True).run(dry_run=False)),
    }
    for name in sorted(steps, key=lambda name: name != first_in):
        steps[name][0]()
    for name in sorted(steps, key=lambda name: name != first_out):
        steps[name][1]()
    assert bytes_of(file) == text
    assert file.parent.exists() == (text is not None)
    assert ledger.listed(own) == []


def test_a_rule_of_the_users_own_is_recorded_as_nothing_of_ours(tmp_path: Path, own: str, file: Path) -> None:
    put(file, b'{"permissions": {"allow": ["' + RULE.encode() + b'"]}}')
    assert allow(str(tmp_path), own).outcome == "unchanged"
    assert ledger.listed(own) == []


@pytest.mark.parametrize(
    ("text", "code"), [(b"[]", "not_object"), (b'{"permissions": []}', "wrong_type"), (b"{", "invalid_json")]
)
def test_a_file_that_is_not_sound_is_refused(tmp_path: Path, own: str, file: Path, text: bytes, code: str) -> None:
    put(file, text)
    with pytest.raises(Refusal) as caught:
        Job(str(tmp_path), own, remove=False).run(dry_run=False)
    assert caught.value.code == code
    assert file.read_bytes() == text
