"""Hot, for texts that are not plain: what a fact may not carry into a block is replaced by what looks like it.

Newlines become a visible sign and tabs a space; that alone does not count as altering a fact.
"""

from __future__ import annotations


def tame(text: str) -> tuple[str, bool]:
    """The text as one harmless line, and whether it had to be altered (folding of blanks aside)."""
    ascii_only = text.isascii()
    if not text.isprintable():
        text = " ⏎ ".join([line for line in [raw.strip() for raw in text.splitlines()] if line])
        text = text.replace("\t", " ")
    plain = text
    if not ascii_only:
        from gmhooks.text.clean import clean

        text = clean(text)[0].replace("＜", "<").replace("﹤", "<").replace("｀", "`")
    elif not text.isprintable():
        text = "".join([c for c in text if c.isprintable()])
    if "<" in text:
        text = _without_tags(text)
    while "``" in text:
        text = text.replace("``", "`")
    while "~~~" in text:
        text = text.replace("~~~", "~~")
    if "![" in text:
        text = text.replace("![", "! [")
    return text, text != plain


def _without_tags(text: str) -> str:
    """Every `<` that could open a tag, comment or token marker, replaced by a look-alike."""
    parts = text.split("<")
    out = parts[0]
    for part in parts[1:]:
        follow = part[:64].lstrip()
        while follow and not follow[0].isprintable():
            follow = follow[1:].lstrip()
        first = follow[:1]
        harmful = first.isalpha() or first in "/|!?" or not first.isascii() if first else len(part) > 64
        out += ("‹" if harmful else "<") + part
    return out
