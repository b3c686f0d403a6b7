"""HTTP: who gets in, by which name, with how much, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gmhooks.mcp.serve_http import Address, BadAddress, address
from gmhooks.mcp.token import matches, obtain, token_path
from tests.mcp.desk import Desk
from tests.mcp.lean import ENVELOPE, LONGEST_S
from tests.mcp.remote import CHECKOUT, TOKEN, Http, http

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}


def post(server: Http, body: object = LIST, **headers: str) -> tuple[int, bytes]:
    """Status and body of one request; underscores in header names stand for dashes."""
    where = urlsplit(server.url)
    carrier = HTTPConnection(where.hostname or "", where.port or 0, timeout=LONGEST_S)
    given = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/list",
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    carrier.request("POST", where.path, json.dumps(body).encode(), given)
    answer = carrier.getresponse()
    found = answer.status, answer.read()
    carrier.close()
    return found


def test_only_the_token_opens_and_the_scheme_may_have_any_case(desk: Desk) -> None:
    with http(desk, env={"GRAYMATTER_HTTP_TOKEN": TOKEN}) as server:
        port = urlsplit(server.url).port
        assert post(server)[0] == 401
        for wrong in (
            "Bearer",
            "Bearer x",
            f"Basic {TOKEN}",
            TOKEN,
            f"Bearer {TOKEN}0",
            "Bearer é".encode().decode("latin-1"),
        ):
            assert post(server, Authorization=wrong)[0] == 401
        for scheme in ("Bearer", "bearer", "BEARER"):
            status, body = post(server, Authorization=f"{scheme} {TOKEN}")
            assert status == 200
            assert b"memory_reflect" in body
        good = f"Bearer {TOKEN}"
        assert post(server, Authorization=good, Host=f"localhost:{port}")[0] == 200
        assert post(server, Authorization=good, Host="evil.example")[0] == 421
        assert post(server, Authorization=good, Host=f"evil.example:{port}")[0] == 421
        assert post(server, Authorization=good, Origin=f"http://127.0.0.1:{port}")[0] == 200
        assert post(server, Authorization=good, Origin="http://evil.example")[0] == 403
        assert post(server, Authorization=good, Origin="null")[0] == 403
        assert post(server, {"a": "x" * (1 << 20)}, Authorization=good)[0] == 413
        assert post(server, Authorization=good)[0] == 200
    assert not os.path.exists(token_path(desk.user_dir, str(desk.data)))
    assert server.process.returncode == 0


def test_a_token_is_made_once_and_kept_private_outside_the_project(desk: Desk) -> None:
    (desk.data / "http-token").write_text(f"{TOKEN}\n")
    os.chmod(desk.data / "http-token", 0o600)
    path = Path(token_path(desk.user_dir, str(desk.data)))
    with http(desk) as server:
        token = path.read_text().strip()
        assert post(server, Authorization=f"Bearer {token}")[0] == 200
        assert post(server, Authorization=f"Bearer {TOKEN}")[0] == 401
    assert len(token) == 64
    assert int(token, 16) >= 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert obtain(desk.user_dir, str(desk.data), {}) == token


def test_the_hook_of_fast_mode_is_not_served(desk: Desk) -> None:
    with http(desk, "--no-auth") as server:
        call = LIST | {
            "method": "tools/call",
            "params": {"name": "hook_user_prompt", "arguments": {}, "_meta": ENVELOPE},
        }
        body = post(server, call, Mcp_Method="tools/call", Mcp_Name="hook_user_prompt")[1]
    assert b"Unknown tool" in body


@pytest.mark.parametrize(
    ("options", "status", "word"),
    [
        (["--http", "0.0.0.0:0", "--no-auth"], 1, "--no-auth is refused"),
        (["--http", ":8080", "--no-auth"], 1, "--no-auth is refused"),
        (["--http", "name.invalid:0", "--no-auth"], 1, "--no-auth is refused"),
        (["--http", "127.0.0.1"], 2, "HOST:PORT"),
        (["--http", "127.0.0.1:99999"], 2, "HOST:PORT"),
        (["--http", "127.0.0.1:0", "--no-auth", "--token", "x"], 2, "exclude"),
    ],
)
def test_what_would_expose_memory_or_makes_no_sense_is_refused(
    desk: Desk, options: list[str], status: int, word: str
) -> None:
    ran = refused(desk, desk.root, *options)
    assert ran.returncode == status
    assert word in ran.stderr
    assert ran.stdout == ""
    assert not os.path.exists(token_path(desk.user_dir, str(desk.data)))


def test_no_create_leaves_an_unprepared_directory_alone(desk: Desk, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    ran = refused(desk, fresh, "--http", "127.0.0.1:0", "--no-create")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert list(fresh.iterdir()) == []


def refused(desk: Desk, cwd: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gmhooks", "mcp", "serve", *options],
        cwd=cwd, env={"PATH": os.defpath, "HOME": str(desk.home), "PYTHONPATH": str(CHECKOUT)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found", "loopback"),
    [
        ("127.0.0.1:8080", Address("127.0.0.1", 8080), True),
        ("127.9.9.9:0", Address("127.9.9.9", 0), True),
        ("[::1]:80", Address("::1", 80), True),
        ("localhost:80", Address("localhost", 80), True),
        (":8080", Address("", 8080), False),
        ("0.0.0.0:80", Address("0.0.0.0", 80), False),
        ("[::]:80", Address("::", 80), False),
        ("example.com:80", Address("example.com", 80), False),
    ],
)
def test_an_address_knows_whether_other_machines_can_reach_it(text: str, found: Address, loopback: bool) -> None:
    assert address(text) == found
    assert found.loopback is loopback


@pytest.mark.parametrize("text", ["", "8080", "host:", "host:x", "host:-1", "host:٣"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadAddress):
        address(text)


def test_the_environment_wins_over_the_file_and_an_empty_token_opens_nothing(tmp_path: Path) -> None:
    own, data = str(tmp_path / "own"), str(tmp_path)
    made = obtain(own, data, {})
    assert obtain(own, data, {"GRAYMATTER_HTTP_TOKEN": "other"}) == "other"
    assert obtain(own, data, {"GRAYMATTER_HTTP_TOKEN": ""}) == ""
    assert obtain(own, data, {"GRAYMATTER_HTTP_TOKEN": "other"}, "given") == "given"
    assert not matches("Bearer ", "")
    assert not matches(None, "")
    Path(token_path(own, data)).write_text("\n")
    again = obtain(own, data, {})
    assert len(again) == 64
    assert again != made


def test_each_project_has_a_token_of_its_own_by_whatever_path_it_is_named(tmp_path: Path) -> None:
    own = str(tmp_path / "own")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    first, second, linked = (obtain(own, str(tmp_path / name), {}) for name in ("a", "b", "link"))
    assert first == linked != second


def test_a_token_that_others_could_have_seen_is_made_anew(tmp_path: Path) -> None:
    own, data = str(tmp_path / "own"), str(tmp_path)
    made = obtain(own, data, {})
    os.chmod(token_path(own, data), 0o640)
    again = obtain(own, data, {})
    assert again != made
    os.link(token_path(own, data), tmp_path / "second name")
    assert obtain(own, data, {}) not in (made, again)


def test_a_token_file_that_is_a_link_a_pipe_or_somebody_elses_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, data = str(tmp_path / "own"), str(tmp_path)
    obtain(own, data, {})
    path = Path(token_path(own, data))
    path.rename(tmp_path / "target")
    path.symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="symbolic"):
        obtain(own, data, {})
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(PermissionError, match="not a file of yours"):
        obtain(own, data, {})
    path.unlink()
    (tmp_path / "target").rename(path)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(PermissionError, match="not a file of yours"):
        obtain(own, data, {})
