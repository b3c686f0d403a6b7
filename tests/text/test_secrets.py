"""Texts with a credential are recognised; texts that only look like one pass.

Look-alikes are invented and kept in parts, joined in memory only, so that no scanner finds one in this file.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.text.clean import clean
from gmhooks.text.secrets import find
from tests.shared_material import SHARED, needs_shared

_MIXED = "FaKe3" * 20
_CAPITALS = "FAKE7" * 20

CREDENTIALS = [
    ("aws_access_key", ["AS", "IA", _CAPITALS[:16]]),
    ("github_token", ["gh", "o_", _MIXED[:36]]),
    ("gitlab_token", ["gl", "pat-", _MIXED[:20]]),
    ("openai_key", ["sk", "-", _MIXED[:48]]),
    ("openai_key", ["sk", "-svcacct-", _MIXED[:48]]),
    ("openrouter_key", ["sk", "-or-", "v1-", _MIXED[:64]]),
    ("anthropic_key", ["sk", "-ant-", "api03-", _MIXED[:90]]),
    ("slack_token", ["xo", "xb-", "12-34-", _MIXED[:24]]),
    ("slack_webhook", ["https://hooks.sl", "ack.com/serv", "ices/T00/B00/", _MIXED[:24]]),
    ("discord_webhook", ["https://discord.com/a", "pi/webhooks/", "123456789/", _MIXED[:60]]),
    ("stripe_key", ["rk", "_live_", _MIXED[:24]]),
    ("google_api_key", ["AI", "za", _MIXED[:35]]),
    ("google_oauth_token", ["ya", "29.", _MIXED[:40]]),
    ("google_oauth_secret", ["GOC", "SPX-", _MIXED[:28]]),
    ("huggingface_token", ["h", "f_", _MIXED[:34]]),
    ("sendgrid_key", ["S", "G.", _MIXED[:22], ".", _MIXED[:43]]),
    ("digitalocean_token", ["do", "p_v1_", _MIXED[:64]]),
    ("docker_token", ["dck", "r_pat_", _MIXED[:27]]),
    ("vault_token", ["hv", "s.", _MIXED[:40]]),
    ("shopify_token", ["shp", "at_", _MIXED[:32]]),
    ("groq_key", ["gs", "k_", _MIXED[:52]]),
    ("azure_key", ["SharedAccess", "Key=", _MIXED[:43], "="]),
    ("basic_auth_header", ["Authorization: Ba", "sic ", _MIXED[:24]]),
    ("bearer_token", ["bea", "rer ", _MIXED[:24]]),
    ("basic_auth_url", ["redis:/", "/:", "fake-pw@", "cache.test:6379"]),
    ("jwt", ["e", "yJ", "FAKEFAKE", ".e", "yJ", "FAKEFAKE", ".", "FAKEFAKE"]),
    ("private_key", ["-----BEGIN OPENSSH ", "PRIVATE", " KEY-----\n", _MIXED[:70]]),
]
ASSIGNMENTS = [
    ["pass", "word=", "Fake-pw-1"],
    ["PASS", "WORD = ", "'fake-pw-1'"],
    ['{"pass', 'word": "', 'fakepw123"}'],
    ["the db pass", "wd is ", "fakepw123"],
    ["export API_", "KEY=", "fakefake1234"],
    ["api ", "key: ", "fakefake1234"],
    ["AWS_SECRET_ACCESS_", "KEY: ", "fake/fake+1234"],
    ["client_sec", "ret=>", "fakefake1234"],
    ["tok", "en := ", "`fakefake1234`"],
    ["pass", "phrase: ", "fake-horse-battery"],
    ["pw", "d: ", "73910264"],
    ["run it with --pass", "word ", "fakepw123 --yes"],
    ["run it with --api-", "key ", "fakepw123"],
    ["pass", "word = ", "fakefakehorse"],
    ["das Pass", "wort: ", "falsch42falsch"],
    ["contra", "seña: ", "falsa42falsa"],
    ["Пар", "оль: ", "fake42fake"],
    ["密", "码：", "fake42fake"],
]
HARMLESS = [
    "password: required for admin",
    "the password is required",
    "token: refreshed every hour by the gateway",
    "set TOKEN=${TOKEN} and PASSWORD=$DB_PASSWORD",
    "api_key=settings.api_key",
    "api key: os.environ['API_KEY_V1']",
    "secret = load_secret(name1)",
    "the API token is base64-encoded",
    "secret: oauth2 sha256",
    "the secretary: Jonathan99x",
    "--token authenticates and --password-file /run/pw1 reads a file",
    "password=<password1234>",
    "password=xxxxxxxxxxxx",
    "token: your-token-here-1",
    "primary key: user_id_v22",
    "the max token = 128000000",
    "pwd: /home/me/project1",
    "token_type=bearer; password_reset=enabled1",
    "Bearer authentication is required everywhere",
    "https://user:${PASS}@host/ and https://host/a:b@c",
    "clone https://github.com/org/repo and ssh://git@host:22/x",
    "gh" + "p_" + "x" * 36 + " is the form of a token",
    "we set npm_config_registry and hf_hub_download",
    "PEM files start with -----BEGIN " + "PRIVATE KEY-----",
    "the ASIA region, SG.1 and the task-runner",
    "password manager: 1Password",
    "contraseña: obligatoria para administradores",
    "das Passwort wird in der Nacht rotiert",
    "",
]


@pytest.mark.parametrize("index", range(len(CREDENTIALS)))
@pytest.mark.parametrize("frame", ["{}", "use {} for the build", "KEY='{}'", "línea {}.\nmás"])
def test_a_credential_is_recognised_wherever_it_stands(index: int, frame: str) -> None:
    rule, parts = CREDENTIALS[index]
    assert find(frame.format("".join(parts))) == rule


@pytest.mark.parametrize("index", range(len(ASSIGNMENTS)))
def test_a_labelled_value_is_recognised(index: int) -> None:
    assert find("".join(ASSIGNMENTS[index])) == "password_assignment"


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_passes(text: str) -> None:
    assert find(text) is None


def test_full_width_letters_hide_nothing() -> None:
    rule, parts = CREDENTIALS[0]
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in "".join(parts))
    assert find(wide) == rule


def test_too_short_a_credential_is_only_a_word() -> None:
    assert find("".join(["gh", "p_", "FAKE"])) is None


@given(st.text(max_size=200))
def test_any_text_can_be_judged(text: str) -> None:
    assert find(text) is None or isinstance(find(text), str)


@needs_shared
def test_the_corpus_of_credentials_is_refused_and_the_harmless_texts_pass() -> None:
    assert SHARED is not None
    folder = SHARED / "corpora" / "facts"
    wrong = []
    for case in json.loads((folder / "index.json").read_text())["cases"]:
        if case["cat"] not in ("secret", "benign", "fence", "instruction", "unicode"):
            continue
        text = "".join(json.loads((folder / case["file"]).read_text())["parts"])
        rule = find(clean(text)[0])
        outcome = "saved" if rule is None else "refused"
        allowed = case["expect"].get("save")
        reason = case["expect"].get("reason", f"secret:{rule}")
        if case["cat"] != "instruction" and outcome not in allowed:
            wrong.append(case["id"])
        if rule is not None and reason != f"secret:{rule}":
            wrong.append(case["id"])
    assert wrong == []
