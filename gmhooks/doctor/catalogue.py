"""Every check by its id: what a finding of it means, and the remedy. docs/hooks.md shows the same table."""

from __future__ import annotations

CHECKS: dict[str, tuple[str, str]] = {
    "settings.json": (
        "a settings file is not strict JSON, so the client ignores the whole file",
        "correct the named line; comments and trailing commas count as errors",
    ),
    "settings.file": (
        "a settings file cannot be read as the client would read it",
        "make it a readable regular file in UTF-8 that holds one object",
    ),
    "settings.shape": (
        "`hooks`, or one event in it, has the wrong type, so the client drops it",
        "give `hooks` an object and each event a list of groups",
    ),
    "settings.unknown_event": (
        "our entry stands under an event name that the client does not know",
        "move the entry to the right event, or `graymatter hooks uninstall --force`, then `graymatter hooks install`",
    ),
    "client.hooks_disabled": (
        "`disableAllHooks` is set: the client runs no hook",
        "remove `disableAllHooks` from the named file",
    ),
    "client.managed_only": (
        "the administrator allows only hooks from managed settings",
        "ask the administrator; nothing in your own settings can change it",
    ),
    "client.safe_mode": (
        "`CLAUDE_CODE_SAFE_MODE` is set: the client starts without hooks",
        "unset the variable, in the shell and in `env` of the settings",
    ),
    "client.trust": (
        "the client does not trust this folder: no hook runs in a terminal session here",
        "start `claude` in the project and accept the folder",
    ),
    "client.auto_memory": (
        "the client's own notes on this project hold facts that are stored here too: the model may be told both",
        "nothing, or set `autoMemoryEnabled` to false in the client's settings; a correction here does not reach its notes",
    ),
    "hook.registered": (
        "one or more of the four events have no entry of ours",
        "graymatter hooks install",
    ),
    "hook.vanished": (
        "the entries were installed into this file and are gone; a running client may have written its settings back",
        "close running sessions, then `graymatter hooks install`; to agree with the removal, `graymatter hooks uninstall`",
    ),
    "hook.duplicate": (
        "one event has more than one entry of ours",
        "keep one: `graymatter hooks doctor --fix` within a file, else uninstall one scope or disable the plugin",
    ),
    "hook.event": (
        "an entry's argument names another event than the one it stands under; such a hook stays silent",
        "`graymatter hooks uninstall --force`, then `graymatter hooks install`",
    ),
    "hook.edited": (
        "an entry was edited by hand",
        "nothing, if it was meant; else `graymatter hooks install --force`",
    ),
    "hook.path": (
        "an entry calls a launcher in another place than the present one",
        "graymatter hooks doctor --fix",
    ),
    "hook.timeout_absurd": (
        "a timeout over 60: the unit is seconds, so a stuck hook would freeze the session",
        "set it to 5 (session end: 10), or run `graymatter hooks install --force`",
    ),
    "hook.timeout": (
        "a timeout that the client refuses, or one too short for the hook to finish",
        "set it to 5 (session end: 10), or run `graymatter hooks install --force`",
    ),
    "hook.shell_form": (
        "an entry without `args` starts a shell first: slower, and a path with a space breaks it",
        "graymatter hooks install --force",
    ),
    "hook.command": (
        "an entry calls graymatter past the launcher: slower, and every failure shows in the session",
        "remove the entry, then `graymatter hooks install`",
    ),
    "hook.server": (
        "prompts go to the MCP server, which is not registered or rejected in Claude Code: every prompt shows a failed hook",
        "`graymatter hooks install --via command`; or `graymatter init --mcp`, and take it out of `disabledMcpjsonServers`",
    ),
    "hook.options": (
        "a matcher or an option keeps an entry from running when it should",
        "`graymatter hooks uninstall --force`, then `graymatter hooks install`",
    ),
    "launcher.present": (
        "the launcher that the entries call is missing or no regular file",
        "graymatter hooks doctor --fix",
    ),
    "launcher.mode": (
        "the launcher may not be executed, or belongs to or can be changed by others",
        "graymatter hooks doctor --fix",
    ),
    "launcher.text": (
        "the launcher does not hold its three lines",
        "graymatter hooks doctor --fix",
    ),
    "launcher.interpreter": (
        "the recorded Python is gone or cannot be run",
        "graymatter hooks doctor --fix",
    ),
    "launcher.slow_python": (
        "the recorded Python is a script or a version manager's shim, several times slower than the real one",
        "graymatter hooks doctor --fix",
    ),
    "launcher.python": (
        "the recorded Python is too old, or cannot load LMDB from the recorded installation",
        "graymatter hooks doctor --fix; if that does not help, install gmhooks again",
    ),
    "launcher.shim": (
        "the file that the launcher runs is missing, or belongs to another installation than this command",
        "graymatter hooks doctor --fix; if that does not help, install gmhooks again",
    ),
    "launcher.user_dir": (
        "the launcher names another per-user directory than the one it lies in, so no store is trusted",
        "graymatter hooks doctor --fix",
    ),
    "package.pack": (
        "the pack of the hot modules is missing, stale or damaged: hooks start more slowly",
        "graymatter hooks doctor --fix",
    ),
    "package.bytecode": (
        "bytecode is missing or is not that of the sources",
        "graymatter hooks doctor --fix",
    ),
    "package.editable": (
        "gmhooks is installed in editable form: hooks start more slowly",
        "install it without `-e`, in an environment of its own",
    ),
    "project.root": (
        "this directory cannot be a project",
        "change to your project; `graymatter init --here` if you mean this very directory",
    ),
    "store.missing": (
        "the project has no store, so hooks stay silent here",
        "graymatter init",
    ),
    "store.untrusted": (
        "the store is not in your registry: it is neither read nor written",
        "graymatter trust",
    ),
    "store.damaged": (
        "the store cannot be opened, or its contents contradict each other",
        "`graymatter doctor --repair`, or restore the data directory from a backup",
    ),
    "store.suspect": (
        "hooks died while they used the store, so it is left alone until it was checked",
        "wait for the check, which a hook starts by itself; `graymatter doctor --repair` if it finds damage",
    ),
    "store.newer": (
        "a newer version wrote the store and this one may not read it",
        "upgrade gmhooks",
    ),
    "store.not_a_directory": (
        "a file, a FIFO or a link has the data directory's name",
        "move it away, then graymatter init",
    ),
    "store.access": (
        "the data directory or its files belong to somebody else, are open to others or may not be read",
        "chmod 700 the directory and chmod 600 its files; chown them if they are not yours",
    ),
    "store.busy": (
        "another process has held the store's write lock for seconds",
        "end that process, or try again",
    ),
    "store.network_fs": (
        "the data directory lies on a network file system, where locks and memory maps are not reliable",
        "move the project to a local disk, or mount a local directory there",
    ),
    "store.read_only": (
        "the data directory lies on a read-only file system: facts are shown, saves fail",
        "make the file system writable, or work in a copy of the project",
    ),
    "store.files": (
        "a file beside the store is not the regular file it should be",
        "remove it; the next hook makes a new one",
    ),
    "spool.stuck": (
        "saves have been waiting for long, or cannot be read",
        "`graymatter remember` any fact moves them into the store; files that cannot be read stay until you remove them",
    ),
    "scope.guard": (
        "hooks act where nothing was prepared, or the home directory itself is a project, shared by all that starts there",
        "remove `.graymatter` from the named directory if that was not intended",
    ),
    "switch.paused": (
        "memory is paused in this project",
        "graymatter resume",
    ),
    "switch.environment": (
        "`GRAYMATTER_DISABLE=1` is set: hooks end at once",
        "unset it, in the shell and in `env` of the settings",
    ),
    "switch.config": (
        "showing facts or saving from prompts is switched off in this project",
        "graymatter config set inject on; graymatter config set save on",
    ),
    "config.lines": (
        "lines of hooks.conf are not understood and have no effect",
        "correct or remove them in hooks.conf; `graymatter config` lists what it understands",
    ),
    "config.budget": (
        "a budget is above what the client passes on whole, so it has no effect",
        "set it to 9,500 bytes or less: `graymatter config set prompt_budget 1536`",
    ),
    "log.failures": (
        "hooks failed during the last 24 hours",
        "look up the named codes under Receipts in docs/hooks.md; hooks.log has the lines",
    ),
    "log.last_seen": (
        "when each event last left a receipt; silence without one is the normal case",
        "",
    ),
    "replay.answer": (
        "a recorded command, run as the client runs it on a private copy of the store, does not answer as it must",
        "graymatter hooks doctor --fix; if that does not help, install gmhooks again",
    ),
    "replay.speed": (
        "the cost of the prompt hook as a ratio to an empty Python program, and where it goes",
        "see package.pack and launcher.slow_python; on a loaded machine run it again",
    ),
    "delivery": (
        "whether the newest transcript of this project shows the block on its way to the model",
        "look at hook.*, client.* and replay.*; then ask a question that a fact answers, and run it again",
    ),
    "fix": (
        "what `--fix` repaired",
        "",
    ),
}


def remedy(check: str) -> str:
    """The remedy line of a check; KeyError for one that does not exist."""
    return CHECKS[check][1]
