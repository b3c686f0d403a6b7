"""Hot, for saves only: credentials in base64, as secrets of clusters, registries and HTTP keep them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_RUN = _ALPHABET + "-_"
_SHORTEST, _LOGIN, _KEY = 24, 12, 40
_MOST = 4096
_LOGIN_LABELS = ("basic", "auth")
# How the DER of a private key begins, by RFC 5208, 5915 and 8410, and the form of OpenSSH. "MII" and three characters for
# the length come before the others: the version 0 of PKCS #1 and #8, which no certificate and no public key has.
_KEY_STARTS = ("b3BlbnNzaC1rZXktdjEA", "MHcCAQEEI", "MIGkAgEBBDA", "MIHcAgEBBEI", "MC4CAQAwBQYDK2V", "MIGHAgEAMBMGByqG",
               "MIG2AgEAMBAGByqG", "MIHuAgEAMBAGByqG")  # fmt: skip
_RSA_STARTS = ("IBAAK", "IBADANBgkqhkiG9w0BAQ")


def judge(text: str, find: Callable[[str], str | None]) -> str | None:
    """Return the rule that something in base64 in the text matches, or None.

    `find` judges what it says in the clear. A login (`name:password`) counts only where a label says that it is one.
    """
    plain = "".join([c if c in _RUN else " " for c in text])
    at = 0
    for run in plain.split():
        at = plain.find(run, at)
        if len(run) >= _KEY and _is_key(run):
            return "private_key"
        said = _decoded(run) if len(run) >= _LOGIN else ""
        rule = find(said) if len(run) >= _SHORTEST and said else None
        if rule:
            return rule
        if ":" in said[1:-1] and _is_labelled(text[max(0, at - 16) : at]):
            return "basic_auth_header"
        at += len(run)
    return None


def _is_key(run: str) -> bool:
    return run.startswith(_KEY_STARTS) or (run[:3] == "MII" and run[6:].startswith(_RSA_STARTS))


def _is_labelled(before: str) -> bool:
    return before.lower().rstrip(" \t\"'`\\=:>").endswith(_LOGIN_LABELS)


def _decoded(run: str) -> str:
    """Return what a run says, white space as single spaces; nothing if that is no printable ASCII."""
    run = run[:_MOST].replace("-", "+").replace("_", "/")
    bits = 0
    for character in run:
        bits = bits << 6 | _ALPHABET.find(character)
    size = len(run) * 6
    raw = (bits >> size % 8).to_bytes(size // 8, "big")
    said = " ".join(raw.decode().split()) if raw.isascii() else ""
    return said if said.isprintable() else ""
