"""Names made of parts: the whole is kept, and every part can be asked for."""

from __future__ import annotations

import pytest

from gmhooks.text.tokens import terms


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("MAX_RETRY_COUNT", ["max_retry_count", "max", "retri", "count"]),
        ("http2_server", ["http2_server", "http2server", "http2", "http", "2", "server"]),
        ("foo-bar", ["foo-bar", "foobar", "foo", "bar"]),
        ("rollBacks", ["rollback", "roll", "back"]),
        ("src/auth/token.py", ["src/auth/token.py", "src", "auth", "token.py", "token", "py"]),
        ("src\\auth", ["src/auth", "src", "auth"]),
        ("api.v2.example.com", ["api.v2.example.com", "api", "v2", "2", "exampl", "com"]),
        ("1.2.3", ["1.2.3", "1", "2", "3"]),
        ("10.0.0.1:8443", ["10.0.0.1:8443", "10.0.0.1", "10", "0", "0", "1", "8443"]),
        ("2024-01-15", ["2024-01-15", "2024", "01", "15"]),
        ("--no-verify", ["--no-verify", "noverifi", "no", "verifi"]),
        ("C++", ["c++"]),
        ("C#,", ["c#"]),
        (".env", [".env", "env"]),
        ("@scope/pkg", ["@scope/pkg", "scope", "pkg"]),
        ("10ms", ["10ms", "ms", "10"]),
        ("p99", ["p99", "99"]),
        ("OAuth", ["oauth", "auth"]),
        ("__init__", ["init"]),
        ("3f786850e387", ["3f786850e387"]),
        ("O'Reilly", ["o", "reilli"]),
        ("fn(getId)", ["fn", "getid", "get", "id"]),
        ("ÉcoleNormale", ["ecolenormal", "ecol", "normal"]),
    ],
)
def test_a_name_gives_its_whole_and_its_parts(name: str, expected: list[str]) -> None:
    assert terms(name) == expected


@pytest.mark.parametrize("ending", [".", ",", ":", "!", "?", ")", "'", '"', ";", "..."])
@pytest.mark.parametrize("name", ["token.py", "foo-bar", "v1.2", "plain"])
def test_punctuation_around_a_name_is_no_part_of_it(name: str, ending: str) -> None:
    assert terms(f'("{name}{ending}') == terms(name)


def test_a_very_long_name_is_cut() -> None:
    assert terms("x1" * 100) == [("x1" * 100)[:64]]
