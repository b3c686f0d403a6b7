"""Hot: the settings of one project, from the flat `hooks.conf`, and its off switch."""

from __future__ import annotations

import posix

_MOST = 1 << 16
_SWITCH = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}
_RANGES = {"top_k": (1, 50), "prompt_budget": (0, 9_500), "start_budget": (0, 9_500)}
_CHOICES = {
    "worktree": ("shared", "isolated"),
    "packet_policy": ("native", "lexical"),
    "learn_aliases": ("off", "on", "any"),
}


class Conf:
    """Settings with their defaults; budgets in UTF-8 bytes; `problems` lists lines that were not understood."""

    __slots__ = (
        "inject",
        "learn_aliases",
        "packet_policy",
        "problems",
        "prompt_budget",
        "save",
        "start_budget",
        "top_k",
        "worktree",
    )

    def __init__(self) -> None:
        self.inject = True
        self.save = True
        self.worktree = "shared"
        self.top_k = 3
        self.prompt_budget = 1_536
        self.start_budget = 4_096
        self.packet_policy = "native"
        self.learn_aliases = "off"
        self.problems: list[str] = []


def read(data_dir: str, trusted: bool = True) -> Conf:
    """The settings in `data_dir`; an absent or unreadable file means the defaults. Of a place that is not `trusted` only the
    switches count: a repository may bring silence, nothing else."""
    conf = Conf()
    raw = _content(data_dir + "/hooks.conf")
    if raw:
        for number, line in enumerate(raw.decode("utf-8", "replace").split("\n"), 1):
            line = line.strip()
            if line and not line.startswith("#") and not _apply(conf, line):
                conf.problems.append(f"line {number}")
    if not trusted:
        inject, save = conf.inject, conf.save
        conf = Conf()
        conf.inject, conf.save = inject, save
    return conf


def _apply(conf: Conf, line: str) -> bool:
    key, equals, value = line.partition("=")
    key, value = key.strip(), value.strip()
    if not equals:
        return False
    if key in ("inject", "save"):
        if value.lower() not in _SWITCH:
            return False
        setattr(conf, key, _SWITCH[value.lower()])
    elif key in _RANGES:
        low, high = _RANGES[key]
        if not (value.isascii() and value.isdigit() and len(value) < 9 and low <= int(value) <= high):
            return False
        setattr(conf, key, int(value))
    elif value in _CHOICES.get(key, ()):
        setattr(conf, key, value)
    else:
        return False
    return True


def paused(data_dir: str, now_us: int) -> bool:
    """True while the file `off` is there: for good when it is empty, else until the epoch second written in it."""
    raw = _content(data_dir + "/off")
    if raw is None:
        return False
    text = raw.strip()
    try:
        return not text or now_us < float(text) * 1e6
    except ValueError:
        return True


def _content(path: str) -> bytes | None:
    """The first bytes of a regular file, or None."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except OSError:
        return None
    try:
        return posix.read(fd, _MOST)
    except OSError:
        return None
    finally:
        posix.close(fd)
