"""Generated Markdown: prose, fences, comments and other tools' blocks in every mixture of line ends."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = st.sampled_from(
    [
        "", "# Title", "text", "- item", "```", "```py", "~~~", "<!-- note -->", "<!--", "-->", "    code", "> quote",
        "<other-tool>", "@AGENTS.md", "  trailing  ", "\u2028odd\u0085", "日本語", "e\u0301",
        "`<!-- graymatter:context:begin -->`",
        "<!-- graymatter:context -->", "\t", "---", "| a | b |",
    ]
)  # fmt: skip
_ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])


@st.composite
def markdown(draw: st.DrawFn) -> str:
    """A text; usually one line end, sometimes mixed, with or without the last one."""
    own = draw(_ENDS)
    mixed = draw(st.integers(0, 4)) == 0
    rows = draw(st.lists(_WORDS, max_size=14))
    text = "".join(row + (draw(_ENDS) if mixed else own) for row in rows)
    return text if draw(st.booleans()) else text.rstrip("\r\n")
