"""A desk with gmhooks wired into the real client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.installed import Program
from tests.journeys.client import client_binary, fake_api
from tests.journeys.desk import Desk

FOREIGN_SETTINGS = b'{\n  "model": "opus",\n  "permissions": {\n    "allow": ["Bash(ls:*)"]\n  }\n}\n'


@pytest.fixture(scope="session")
def api_module() -> ModuleType:
    return fake_api()


@pytest.fixture(scope="session")
def client(api_module: ModuleType) -> str:
    return client_binary(api_module)


@pytest.fixture
def bare_desk(tmp_path: Path, client: str, api_module: ModuleType, program: Program) -> Iterator[Desk]:
    """A project that has never seen gmhooks."""
    with api_module.FakeAPI(record=tmp_path / "requests.jsonl") as api:
        yield Desk(tmp_path, program, api, api_module, client)


@pytest.fixture
def desk(bare_desk: Desk) -> Desk:
    """A project after `graymatter init --hooks`."""
    bare_desk.graymatter("init", "--hooks")
    return bare_desk
