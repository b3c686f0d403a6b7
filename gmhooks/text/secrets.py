"""Hot, for saves only: recognises a text that carries a credential, by shape and by label, never by entropy."""

from __future__ import annotations

_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_ALNUM = _UPPER + _LOWER + _DIGITS
_NAME = _ALNUM + "_-"
_BASE64 = _ALNUM + "+/="
_TO_LOWER = str.maketrans(_UPPER, _LOWER)
_LONGEST = 512

# (what the credential begins with, rule, characters that follow, how many at least)
_PREFIXES = (
    ("AKIA", "aws_access_key", _UPPER + _DIGITS, 16),
    ("ASIA", "aws_access_key", _UPPER + _DIGITS, 16),
    ("ghp_", "github_token", _ALNUM, 30),
    ("gho_", "github_token", _ALNUM, 30),
    ("ghu_", "github_token", _ALNUM, 30),
    ("ghs_", "github_token", _ALNUM, 30),
    ("ghr_", "github_token", _ALNUM, 30),
    ("github_pat_", "github_token", _NAME, 40),
    ("glpat-", "gitlab_token", _NAME, 20),
    ("sk-ant-", "anthropic_key", _NAME, 20),
    ("sk-proj-", "openai_key", _NAME, 20),
    ("sk-svcacct-", "openai_key", _NAME, 20),
    ("sk-admin-", "openai_key", _NAME, 20),
    ("sk-or-v1-", "openrouter_key", _ALNUM, 32),
    ("sk-", "openai_key", _ALNUM, 32),
    ("hooks.slack.com/services/", "slack_webhook", _NAME + "/", 20),
    ("xoxb-", "slack_token", _NAME, 20),
    ("xoxp-", "slack_token", _NAME, 20),
    ("xoxa-", "slack_token", _NAME, 20),
    ("xoxs-", "slack_token", _NAME, 20),
    ("xapp-", "slack_token", _NAME, 20),
    ("sk_live_", "stripe_key", _ALNUM, 16),
    ("rk_live_", "stripe_key", _ALNUM, 16),
    ("sk_test_", "stripe_key", _ALNUM, 16),
    ("whsec_", "stripe_key", _BASE64, 24),
    ("npm_", "npm_token", _ALNUM, 30),
    ("pypi-AgE", "pypi_token", _NAME, 40),
    ("AIza", "google_api_key", _NAME, 35),
    ("ya29.", "google_oauth_token", _NAME, 20),
    ("GOCSPX-", "google_oauth_secret", _NAME, 20),
    ("hf_", "huggingface_token", _ALNUM, 30),
    ("gsk_", "groq_key", _ALNUM, 40),
    ("SG.", "sendgrid_key", _NAME + ".", 50),
    ("dop_v1_", "digitalocean_token", _ALNUM, 40),
    ("dckr_pat_", "docker_token", _NAME, 20),
    ("hvs.", "vault_token", _NAME, 24),
    ("shpat_", "shopify_token", _ALNUM, 32),
    ("/api/webhooks/", "discord_webhook", _NAME + "/", 40),
    ("AGE-SECRET-KEY-1", "age_key", _UPPER + _DIGITS, 50),
    ("AccountKey=", "azure_key", _BASE64, 40),
    ("SharedAccessKey=", "azure_key", _BASE64, 40),
)
_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "passwort", "kennwort", "contraseña", "mot de passe", "senha",
              "пароль", "Пароль", "密码", "パスワード")  # fmt: skip
_LABELS = (*_PASSWORDS, "secret", "token", "key")
_KEY_KINDS = ("api", "access", "secret", "private", "account", "auth", "signing", "encryption")
_QUOTES = "\"'`"
_NOT_A_VALUE = (
    "<", "$", "{", "%", "*", "[", "(", "/", "~", "./", "http:", "https:", "your", "process.env", "os.environ",
    "env.", "env:", "secrets.", "vault:", "op:", "arn:", "file:", "xxx", "...",
)  # fmt: skip
_PLAIN_WORDS = frozenset(
    ("required", "optional", "undefined", "changeme", "placeholder", "redacted", "encrypted", "disabled", "enabled",
     "rotation", "forbidden", "mandatory", "generated", "available", "protected", "configured", "something",
     "anything", "authentication", "authorization", "environment", "integer", "boolean")
)  # fmt: skip
# Names of techniques that hold a digit, and so look like a password beside a label.
_TECHNIQUES = ("base64", "base58", "oauth2", "sha256", "sha512", "sha1", "ed25519", "rs256", "hs256", "es256",
               "aes256", "x509", "k8s", "utf8", "utf-8", "argon2", "pbkdf2", "ipv4", "ipv6", "s3")  # fmt: skip


def find(text: str) -> str | None:
    """Return the rule that a credential in the text matches, or None.

    Expects text without invisible characters, as `clean` returns it.
    """
    if not text.isascii():
        from gmhooks.text.fold import compatible

        text = compatible(text)
    for prefix, rule, characters, least in _PREFIXES:
        if prefix in text and _follows(text, prefix, characters, least):
            return rule
    lower = text.translate(_TO_LOWER)
    if "eyj" in lower and _jwt(text):
        return "jwt"
    if "private key" in lower and _private_key(text):
        return "private_key"
    if "://" in text and _url_password(text):
        return "basic_auth_url"
    if "bearer " in lower and _bearer(text, lower):
        return "bearer_token"
    if "authorization: basic " in lower and _follows(lower, "authorization: basic ", _BASE64, 12):
        return "basic_auth_header"
    if _labelled(text, lower):
        return "password_assignment"
    if "basic " in lower or "auth" in lower or max(map(len, text.split()), default=0) >= 24:
        from gmhooks.text.encoded import judge

        return judge(text, find)
    return None


def _run(text: str, at: int, characters: str) -> str:
    """Return the run of such characters that begins at this place."""
    part = text[at : at + _LONGEST]
    return part[: len(part) - len(part.lstrip(characters))]


def _is_filler(run: str) -> bool:
    """Tell whether a run is xxxx, 0000 or the like."""
    return len(set(run)) < 4


def _follows(text: str, prefix: str, characters: str, least: int) -> bool:
    """Tell whether the prefix begins a word somewhere and enough such characters follow it."""
    at = text.find(prefix)
    while at >= 0:
        end = at + len(prefix)
        if prefix[0] not in _ALNUM or not at or text[at - 1] not in _ALNUM:
            run = _run(text, end, characters)
            if len(run) >= least and not _is_filler(run):
                return True
        at = text.find(prefix, end)
    return False


def _jwt(text: str) -> bool:
    at = text.find("eyJ")
    while at >= 0:
        parts = _run(text, at, _NAME + ".").split(".")
        if len(parts) > 2 and parts[1][:3] == "eyJ" and len(parts[2]) >= 8:
            return True
        at = text.find("eyJ", at + 3)
    return False


def _private_key(text: str) -> bool:
    """Tell whether a PEM or PGP header of a private key has a body behind it."""
    at = text.find("-----BEGIN ")
    while at >= 0:
        end = text.find("-----", at + 11)
        if end >= 0 and "PRIVATE KEY" in text[at:end]:
            body = text[end + 5 :].partition("-----END")[0]
            if len("".join(body.split())) >= 16:
                return True
        at = text.find("-----BEGIN ", at + 11)
    return False


def _url_password(text: str) -> bool:
    at = text.find("://")
    while at >= 0:
        words = text[at + 3 : at + _LONGEST].split(None, 1)
        authority = words[0] if words else ""
        for mark in "/?#<>\"'`":
            authority = authority.partition(mark)[0]
        password = authority.rpartition("@")[0].partition(":")[2]
        if password and not _is_placeholder(password.lower()) and password.lower() not in _LABELS:
            return True
        at = text.find("://", at + 3)
    return False


def _bearer(text: str, lower: str) -> bool:
    at = lower.find("bearer ")
    while at >= 0:
        run = _run(text, at + 7, _BASE64 + "._~-")
        if len(run) >= 20 and not _is_filler(run) and (len(run) >= 32 or _has_digit(run)):
            return True
        at = lower.find("bearer ", at + 7)
    return False


def _has_digit(value: str) -> bool:
    return any(digit in value for digit in _DIGITS)


def _is_placeholder(lower: str) -> bool:
    return lower.startswith(_NOT_A_VALUE) or "(" in lower or _is_filler(lower) or lower in _PLAIN_WORDS


def _labelled(text: str, lower: str) -> bool:
    """Tell whether a password, secret, token or key is given a value."""
    for label in _LABELS:
        at = lower.find(label)
        while at >= 0:
            end = at + len(label)
            before = lower[max(0, at - 16) : at]
            rest = text[end : end + 256]
            if rest[:1] == " " and before.rpartition(" ")[2].startswith("--"):
                rest = ":" + rest
            known = label != "key" or before.rstrip("_- ").endswith(_KEY_KINDS)
            if known and _is_given(rest, label):
                return True
            at = lower.find(label, end)
    return False


def _is_given(rest: str, label: str) -> bool:
    """Tell whether what follows a label is `= value`, `: value` or `is value`, and the value is a secret."""
    after = rest.lstrip("\\\"'`*]) \t")
    if not after or rest[0] in _NAME:
        return False
    tight = after[0] == "="
    certain = tight or after[0] == ":"
    if not certain:
        word, _, after = after.partition(" ") if after[:3] != "is:" else ("is", "", after[2:])
        if word not in ("is", "was"):
            return False
    value = after.lstrip("=:>*\\ \t")
    quote = value[:1]
    if quote and quote in _QUOTES:
        value, _, after = value[1:].partition(quote)
        last = True
    else:
        line = value.partition("\n")[0]
        word, _, after = line.partition(" ")
        value = word.rstrip(".,;:!?)]}\"'`*")
        last = not after.strip()
    return len(value) >= 8 and _is_secret(value, label, tight, certain and last)


def _is_secret(value: str, label: str, tight: bool, alone: bool) -> bool:
    """Judge a value of eight characters or more beside a label."""
    lower = value.translate(_TO_LOWER)
    if _is_placeholder(lower) or " " in value:
        return False
    if not value.strip(_DIGITS + "-_.:,/+"):
        return value.isdigit() and label in _PASSWORDS
    for technique in _TECHNIQUES:
        lower = lower.replace(technique, "")
    if _has_digit(lower):
        return True
    names = lower.replace("_", "").replace("-", "").replace(".", "")
    if names.isalpha() and ("." in lower or any(known in lower for known in _LABELS)):
        return False
    return tight or alone
