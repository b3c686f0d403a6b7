"""Which verbs exist, in the order help lists them; the module of a verb is loaded only when it is used."""

from __future__ import annotations

VERBS: tuple[tuple[str, str], ...] = (
    ("init", "prepare this project's memory and, with --hooks, wire Claude Code"),
    ("uninstall", "take out of your files what init, hooks and context-sync put there"),
    ("hooks", "install, uninstall or run the Claude Code hooks"),
    ("mcp", "serve the memory tools to MCP clients, on stdin and stdout or over HTTP"),
    ("remember", "save one fact"),
    ("recall", "find the facts that fit a question"),
    ("list", "show stored facts, newest first"),
    ("revise", "replace one fact by a new text (also: update, supersede)"),
    ("forget", "retire one fact, or with --purge erase it"),
    ("undo", "take back the last save or forget"),
    ("pin", "keep a fact at the top of every session start"),
    ("unpin", "undo pin"),
    ("alias", "let words that mean the same find the same facts"),
    ("log", "show what hooks put into sessions"),
    ("checkpoint", "list, print and save where sessions stopped"),
    ("agents", "list whose facts this store holds"),
    ("adopt", "give a renamed project's facts to this project"),
    ("consolidate", "let unused facts fade, and erase what has faded"),
    ("export", "write every fact as a line of JSON"),
    ("import", "enter exported facts, all or none"),
    ("status", "say whether memory is on, and why not, and what it holds"),
    ("whoami", "print the project root, the store, the agent id and the rule that chose them"),
    ("trust", "check a store that came from elsewhere and allow it to be used"),
    ("repair", "check the store and rebuild a damaged one from what can be read"),
    ("backup", "make a verified copy of the store, or list the copies"),
    ("restore", "bring a backup back"),
    ("doctor", "examine the project, its clients, what is stored, or instruction files"),
    ("context-sync", "keep the most valuable facts in a managed block of AGENTS.md or CLAUDE.md"),
    ("pause", "keep the hooks of this project silent for a while"),
    ("resume", "undo pause, and the prompt memory off, as the prompt memory on does"),
    ("config", "read or change this project's settings"),
    ("bench", "measure how well facts are found, on data with known answers"),
)

SAME = {"update": "revise", "supersede": "revise"}
_FILES = {"import": "import_facts"}
NAMES = tuple(name for name, _ in VERBS)


def module_of(verb: str) -> str:
    """Name of the module that implements a verb of VERBS."""
    return f"gmhooks.cli.verbs.{_FILES.get(verb) or verb.replace('-', '_')}"
