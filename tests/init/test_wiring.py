"""What status says about each settings file, without changing one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gmhooks.init.install import install
from gmhooks.init.wiring import launcher_ready, wirings

pytestmark = pytest.mark.usefixtures("_no_pack")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    for name in ("home", "app"):
        (tmp_path / name).mkdir()
    return str(tmp_path / "app"), str(tmp_path / "home" / "user")


def _states(folders: tuple[str, str]) -> dict[str, str]:
    return {wiring.scope: wiring.state for wiring in wirings(*folders)}


def test_nothing_installed_is_absent_everywhere_and_stays_so(folders: tuple[str, str], tmp_path: Path) -> None:
    assert _states(folders) == {"local": "absent", "project": "absent", "user": "absent"}
    assert not launcher_ready(folders[1])
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["app", "home"]


def test_installed_outdated_and_unreadable_are_told_apart(folders: tuple[str, str], tmp_path: Path) -> None:
    install("local", *folders)
    install("user", *folders)
    (tmp_path / "app" / ".claude" / "settings.json").write_text("{")
    settings = tmp_path / "home" / ".claude" / "settings.json"
    body = json.loads(settings.read_text())
    del body["hooks"]["SessionEnd"]
    settings.write_text(json.dumps(body))
    assert _states(folders) == {"local": "installed", "project": "refused", "user": "outdated"}
    assert launcher_ready(folders[1])
