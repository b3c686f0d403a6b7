"""Per-user record of what we wrote into which file, and backups of users' files.

One JSON file per edited file in ``<user_dir>/ledger/``; backups in ``<user_dir>/backups/``, never beside the
user's file. A record that cannot be read counts as absent: removal then goes by the file's structure alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field, replace

from gmhooks.init.own import make_own_folder, write_own

_VERSION = 1
_KEPT_BACKUPS = 5
RULE_PART = "rule"
SPARE_PART = "spare"
"""Records of backups that we made beside people's files; `written` is their text's hash."""
PARTS = ("", RULE_PART)


@dataclass(frozen=True, slots=True)
class Trace:
    """How a file was before us, as far as its present text does not tell.

    ``containers``: JSON pointer → text of the empty object or array that we filled. ``blank``: the whole text if
    it held no value. ``absent``: there was no file.
    """

    containers: dict[str, str] = field(default_factory=dict)
    blank: str | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """What we know about one file: fingerprints of our entries, hash of the text as we left it, made folders, and the data
    directory of the project it was written for, if for one."""

    path: str
    written: str
    entries: tuple[str, ...] = ()
    trace: Trace = field(default_factory=Trace)
    folders: tuple[str, ...] = ()
    store: str = ""


def digest(data: bytes) -> str:
    """Return the hash by which a file's bytes are recognised."""
    return hashlib.sha256(data).hexdigest()


def load(user_dir: str, target: str, part: str = "") -> Record | None:
    """Return the record of the real path ``target``, None if there is no readable one. Two of our additions to one file
    have records of their own, told apart by ``part``."""
    return _read(_record_path(user_dir, target, part))


def listed(user_dir: str, part: str | None = None) -> list[Record]:
    """Return all readable records, or those of one part, by path."""
    folder = os.path.join(user_dir, "ledger")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    found = (_read(os.path.join(folder, name)) for name in names if _is_record(name, part))
    return sorted((record for record in found if record is not None), key=lambda record: record.path)


def save(user_dir: str, record: Record, part: str = "") -> None:
    """Write the record. Raises `OSError`."""
    path = _record_path(user_dir, record.path, part)
    _folder(user_dir, "ledger")
    body = {"version": _VERSION, **asdict(record)}
    write_own(path, json.dumps(body, indent=1, sort_keys=True).encode() + b"\n")


def forget(user_dir: str, target: str, part: str = "") -> None:
    """Remove the record and the file's backups that say the same as the file does now. What it knew of the file's origin
    goes on in the records of other parts that are still in the file."""
    path = _record_path(user_dir, target, part)
    record = _read(path)
    if record is not None:
        _hand_on(user_dir, record)
    if os.path.exists(path):
        os.unlink(path)
    if os.path.exists(target):
        with open(target, "rb") as file:
            spare = backup_path(user_dir, target, file.read())
        if os.path.exists(spare):
            os.unlink(spare)


def backup_path(user_dir: str, target: str, data: bytes) -> str:
    """Return where ``data`` of ``target`` is kept: named by file, real path and content."""
    stem = f"{os.path.basename(target)}.{_key(target)[:12]}"
    return os.path.join(user_dir, "backups", f"{stem}.{digest(data)[:16]}")


def back_up(user_dir: str, target: str, data: bytes) -> str:
    """Keep ``data`` (0600) and the four backups of this file made before it; return the path."""
    path = backup_path(user_dir, target, data)
    folder = _folder(user_dir, "backups")
    write_own(path, data)
    stem = os.path.basename(path).rpartition(".")[0] + "."
    held = [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(stem)]
    held.sort(key=lambda each: os.stat(each).st_mtime_ns, reverse=True)
    for old in held[_KEPT_BACKUPS:]:
        os.unlink(old)
    return path


def _hand_on(user_dir: str, gone: Record) -> None:
    """Let the other parts of a file know what one found there first: no file, a blank one, an empty object."""
    trace = gone.trace
    if not (trace.absent or trace.blank is not None or "" in trace.containers):
        return
    for part in PARTS:
        other = load(user_dir, gone.path, part)
        if other is not None and other != gone:
            root = {"": trace.containers[""]} if "" in trace.containers else {}
            known = replace(other.trace, containers=other.trace.containers | root, blank=trace.blank, absent=trace.absent)
            save(user_dir, replace(other, trace=known, folders=gone.folders + other.folders), part)


def _folder(user_dir: str, name: str) -> str:
    make_own_folder(user_dir)
    folder = os.path.join(user_dir, name)
    make_own_folder(folder)
    return folder


def _is_record(name: str, part: str | None) -> bool:
    stem, _, ending = name.rpartition(".")
    return ending == "json" and part in (None, stem.partition(".")[2])


def _key(target: str) -> str:
    return digest(os.fsencode(target))[:32]


def _record_path(user_dir: str, target: str, part: str) -> str:
    return os.path.join(user_dir, "ledger", f"{_key(target)}{part and '.'}{part}.json")


def _read(path: str) -> Record | None:
    try:
        with open(path, "rb") as file:
            body = json.loads(file.read())
        if body.pop("version") != _VERSION:
            return None
        trace = Trace(**body.pop("trace"))
        entries, folders = tuple(body.pop("entries")), tuple(body.pop("folders"))
        return Record(trace=trace, entries=entries, folders=folders, **body)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
