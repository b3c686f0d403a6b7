"""Credentials in base64 are recognised by what they say; base64 that says something else passes.

Everything is invented, and encoded while the tests run, so that no scanner finds anything in this file.
"""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.text.secrets import find

_TOKEN = "gh" + "p_" + "FaKe3" * 8
_PEM = "-----BEGIN {} KEY-----\n" + ("FaKe3" * 12 + "\n") * 6 + "-----END {} KEY-----\n"

# The bytes that private keys begin with in DER: PKCS #1, PKCS #8, SEC 1, Ed25519, and the form of OpenSSH.
_PRIVATE = [
    "308204a40201000282010100",
    "3082025d02010002818100",
    "308204bd020100300d06092a864886f70d0101010500048204a7",
    "307702010104200f0f",
    "302e020100300506032b657004220420",
    "308187020100301306072a8648ce3d020106082a8648ce3d030107",
    "6f70656e7373682d6b65792d763100",
]
# A public key and a certificate.
_PUBLIC = ["30820122300d06092a864886f70d01010105000382010f00", "3082030930820291a00302010202"]


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def _body(start: str) -> str:
    return b64encode(bytes.fromhex(start) + bytes(range(120))).decode()


@pytest.mark.parametrize("said", [_TOKEN, f"deploy:{_TOKEN}", f"TOKEN={_TOKEN}\nHOST=h\n", f"{_TOKEN}\n"])
@pytest.mark.parametrize("frame", ["{}", "data: {}", "see '{}'.", "a={}&b=1"])
def test_a_known_token_in_base64_is_recognised(said: str, frame: str) -> None:
    assert find(frame.format(_encoded(said))) == "github_token"


def test_the_other_alphabet_missing_padding_and_a_second_layer_hide_nothing() -> None:
    run = urlsafe_b64encode(f"???>>>{_TOKEN}".encode()).decode().rstrip("=")
    assert "_" in run
    assert find(run) == "github_token"
    assert find(_encoded(_encoded(_TOKEN))) == "github_token"


def test_passwords_that_a_secret_of_a_cluster_holds_are_recognised() -> None:
    assert find("data: " + _encoded("pass" + "word=Fake-pw-1\n")) == "password_assignment"
    assert find("dsn " + _encoded("postgres" + "://u:fake-pw@db.test/x")) == "basic_auth_url"


@pytest.mark.parametrize(
    "frame", ['"auth": "{}"', "_auth={}", '{{"Authorization": "Basic {}"}}', "header basic {}", "Proxy-Auth: {}"]
)
def test_a_login_beside_its_label_is_recognised(frame: str) -> None:
    assert find(frame.format(_encoded("bob:fake-horse"))) == "basic_auth_header"


@pytest.mark.parametrize("start", _PRIVATE)
def test_the_body_of_a_private_key_needs_no_header(start: str) -> None:
    assert find(f"it begins\n{_body(start)}") == "private_key"


def test_a_whole_key_file_in_base64_is_recognised_and_a_certificate_passes() -> None:
    assert find("client-key-data: " + _encoded(_PEM.format("RSA PRIVATE", "RSA PRIVATE"))) == "private_key"
    assert find("certificate-authority-data: " + _encoded(_PEM.format("PUBLIC", "PUBLIC"))) is None


@pytest.mark.parametrize("start", _PUBLIC)
def test_public_keys_and_certificates_pass(start: str) -> None:
    assert find(_body(start)) is None


@pytest.mark.parametrize(
    "text",
    [
        _encoded("a long and harmless sentence: nobody minds it"),
        "the auth header is basic authentication",
        "auth: " + _encoded("bob and alice"),
        "auth: " + _encoded(":leading-colon"),
        "login " + _encoded("bob:fake-horse"),
        "src/auth/password_reset/token_generator.py",
        "sha512-" + b64encode(bytes(range(64))).decode(),
        "data:image/png;base64," + b64encode(b"\x89PNG" + bytes(range(200))).decode(),
    ],
)
def test_other_base64_and_long_words_pass(text: str) -> None:
    assert find(text) is None


@given(st.binary(max_size=80))
def test_any_bytes_in_base64_can_be_judged(raw: bytes) -> None:
    text = f"auth {b64encode(raw).decode()}"
    assert find(text) in (None, "basic_auth_header", "password_assignment")
