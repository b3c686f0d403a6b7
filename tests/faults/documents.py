"""Random settings, server and instruction files: sound ones in every layout, and some that are damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from gmhooks.context.blocks import CONTEXT, INSTRUCTIONS, begin, end
from tests.init.documents import scattered

_KEYS = (
    "model",
    "env",
    "permissions",
    "allow",
    "hooks",
    "mcpServers",
    "servers",
    "mcp",
    "statusLine",
    "a b",
    "é",
    "x/y~z",
)
_EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd", "Stop", "PreToolUse")
_TEXTS = ("", "opus", 'a "b" \\ c', "// no comment", "/* nor this */", "日本語", "\u2028", "},", "[x]", "a\tb\n")
_TABLES = ("mcpServers", "servers", "mcp")
_ENDS = ("\n", "\n", "\n", "\r\n", "\r")
_MARKDOWN = (
    "", "", "# Title", "text", "- item", "1. one", "<!-- note -->", "-->", "    code", "> quote",
    "```\ncode\n```", "```py\n~~~\n```", "~~~ x\n````\n~~~~", "<!-- over\n\nlines -->", f"```\n{begin(CONTEXT)}\n```",
    "<other-tool>", "@AGENTS.md", "  trailing  ", "\u2028odd\u0085", "日本語", "e\u0301", "\t", "---", "| a | b |",
    "\x0bvt\x0c",
    f"`{begin(CONTEXT)}`", f"    {begin(CONTEXT)}", "<!-- graymatter:context -->", "<!-- other:begin -->",
    "<!-- other:end -->",
)  # fmt: skip
_UNENDED = ("```", "~~~~", "<!--")
_MARKERS = tuple(mark(family) for family in (CONTEXT, INSTRUCTIONS) for mark in (begin, end))
_TOML_LINES = (
    "# a comment = [x]", "", "", 'title = "a \\" b # no comment"', "count = 1_000", "float = 6.02e23", "hex = 0xDEAD_beef",
    "when = 1979-05-27T07:32:00-08:00", "path = 'C:\\x\\[y]'", "a.b.c = true", "list = [1, 2, # two\n  3,\n]",
    'text = """\n[mcp_servers.fake]\n"quoted" \\\n  end"""', "raw = '''\n[not.a.table]\n'it''s'''",
    'inline = { a = 1, "b c" = [{}] }',
    "nan = nan", '"quoted key" = "é日本"',
)  # fmt: skip
_TOML_HEADS = (
    "[table{n}]", "[ spaced . table{n} ]", '["quo.ted{n}"]', "[[array{n}]]", "[a{n}.b.c]  # behind",
    "[mcp_servers.alpha{n}]",
    "[mcp_servers.alpha{n}.env]", '[mcp_servers."x y{n}"]', "['mcp_servers'.lit{n}]", "[mcp_servers.graymatter2]",
)  # fmt: skip


def json_file(chance: Random) -> bytes:
    """A JSON object as clients keep it, or something near it."""
    return _finished(chance, _laid_out(chance, _settings(chance), comments=False))


def jsonc_file(chance: Random) -> bytes:
    """The same with comments and trailing commas."""
    return _finished(chance, _laid_out(chance, _settings(chance), comments=True))


def toml_file(chance: Random) -> bytes:
    """Tables, dotted keys, inline tables and strings over several lines."""
    rows = [_shaken(chance, row) for row in _drawn(chance, _TOML_LINES, 5)]
    if chance.random() < 0.05:
        rows.append('mcp_servers.inline = { command = "x" }')
    for number in range(chance.randint(0, 5)):
        rows.append(chance.choice(_TOML_HEADS).format(n=number))
        rows += [_shaken(chance, row) for row in _drawn(chance, _TOML_LINES, 3)]
    if chance.random() < 0.03:
        rows += ["[mcp_servers.graymatter]", 'command = "my own"']
    eol = chance.choice(("\n", "\n", "\r\n"))
    return _finished(
        chance, "".join(row.replace("\n", eol) + eol for row in rows) + chance.choice(("", "", eol, "# end"))
    )


def markdown_file(chance: Random) -> bytes:
    """Prose, fences, comments, other tools' blocks and lone markers, in one line end or several."""
    own, mixed = chance.choice(_ENDS), chance.random() < 0.2
    rows = _drawn(chance, _MARKDOWN, 14)
    for pool in (_UNENDED, _MARKERS):
        if chance.random() < 0.1:
            rows.insert(chance.randint(0, len(rows)), chance.choice(pool))
    if chance.random() < 0.05:
        family = chance.choice((CONTEXT, INSTRUCTIONS))
        rows += [begin(family), "typed by a person", end(family)]
    lines = [line for row in rows for line in row.split("\n")]
    text = "".join(line + (chance.choice(_ENDS) if mixed else own) for line in lines)
    return _finished(chance, text if chance.random() < 0.6 else text.rstrip("\r\n"))


def _drawn(chance: Random, pool: tuple[str, ...], most: int) -> list[str]:
    return [chance.choice(pool) for _ in range(chance.randint(0, most))]


def _shaken(chance: Random, row: str) -> str:
    """A line under a key of its own, perhaps indented, so that lines can repeat."""
    if "=" in row and not row.startswith("#"):
        key = f"k{chance.getrandbits(40)}"
        row = f"{key}.{row}" if chance.random() < 0.3 else f"{key} ={row.partition('=')[2]}"
    return chance.choice(("", "", "  ", "\t")) + row


def _settings(chance: Random) -> dict[str, Any]:
    found = {chance.choice(_KEYS): _value(chance, 3) for _ in range(chance.randint(0, 5))}
    if chance.random() < 0.5:
        found["hooks"] = {chance.choice(_EVENTS): _groups(chance) for _ in range(chance.randint(0, 4))}
    if chance.random() < 0.6:
        names = _drawn(chance, _TEXTS, 3)
        found[chance.choice(_TABLES)] = {name or "alpha": _server(chance) for name in names}
    if chance.random() < 0.05:
        found.setdefault(chance.choice(_TABLES), {})
        for table in _TABLES:
            if isinstance(found.get(table), dict):
                found[table]["graymatter"] = _server(chance)
    if chance.random() < 0.3:
        found["permissions"] = {"allow": [f"Bash({number})" for number in range(chance.randint(0, 3))]}
    return found


def _groups(chance: Random) -> list[Any]:
    handlers = [{"type": "command", "command": chance.choice(("echo hi", "/opt/a b/run --x", "gmhooks-hook"))}]
    return [{"hooks": handlers * chance.randint(0, 2)} for _ in range(chance.randint(0, 3))]


def _server(chance: Random) -> Any:
    more = {"env": {}} if chance.random() < 0.3 else {}
    return {"command": chance.choice(_TEXTS), "args": _drawn(chance, _TEXTS, 2), **more}


def _value(chance: Random, depth: int) -> Any:
    kind = chance.randint(0, 7 if depth else 4)
    if kind < 5:
        return (None, True, chance.randint(-(10**20), 10**20), chance.random() * 1e9, chance.choice(_TEXTS))[kind]
    if kind == 5:
        return [_value(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    return {chance.choice(_KEYS): _value(chance, depth - 1) for _ in range(chance.randint(0, 4))}


def _laid_out(chance: Random, value: Any, *, comments: bool) -> str:
    eol = chance.choice(_ENDS)
    layouts: tuple[Callable[[], str], ...] = (
        lambda: _indented(chance, value, eol),
        lambda: scattered(value, chance, eol, comments=comments),
        lambda: json.dumps(value, separators=(",", ":") if chance.random() < 0.5 else None),
    )
    text = chance.choice(layouts)()
    if comments and chance.random() < 0.3:
        text = text.replace("," + eol, f", // why, not{eol}", 2)
        text = chance.choice((f"// top {{{eol}", "/* a */ ")) + text + chance.choice(("", f"{eol}// end }}"))
    return chance.choice(("", "", eol, " ")) + text + chance.choice(("", eol, eol * 2, " "))


def _indented(chance: Random, value: Any, eol: str) -> str:
    indent = chance.choice((1, 2, 4, "\t"))
    return json.dumps(value, indent=indent, ensure_ascii=chance.random() < 0.5).replace("\n", eol)


def _finished(chance: Random, text: str) -> bytes:
    """The bytes: most as they are, some with a BOM, some damaged, some of another encoding, some empty."""
    draw = chance.random()
    if draw < 0.02:
        return chance.choice((b"", b" \n", b"\xef\xbb\xbf", b"\n\n"))
    if draw < 0.03:
        return text.encode("utf-16", "surrogatepass")
    if draw < 0.15 and text:
        at, stop = sorted(chance.randint(0, len(text)) for _ in range(2))
        text = chance.choice((text[:at], text[:at] + text[stop:], text[:stop] + text[at:], text[:at] + "}" + text[at:]))
    data = text.encode("utf-8", "surrogatepass")
    if 0.15 <= draw < 0.16:
        at = chance.randint(0, len(data))
        data = data[:at] + b"\xff\xc0" + data[at:]
    return (b"\xef\xbb\xbf" if chance.random() < 0.1 else b"") + data
