"""P2: a power cut at any moment of a run of saves, rebuilt from its system calls.

What was synced is there. Of the rest any part may be: a random subset, none, or the earliest of the 4 KiB blocks that were
written, and the earliest of the names that were changed. Files keep their identity across renames.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gmhooks.store.layout import seal, unseal
from tests.faults.ground import Ground
from tests.faults.judge import judge
from tests.faults.outcome import Outcome

BLOCK = 4096
SPOOL = "spool"
_SAVES = """
import sys
from gmhooks.store.lock import try_lock, unlock
from gmhooks.store.writer import save
for n in range(int(sys.argv[2])):
    busy = try_lock(sys.argv[1], 9, 0.01) if n % 5 == 4 else None
    save(sys.argv[1], [("project", f"saved before the cut {n}", 0, 0)], 1_700_000_000_000_000 + n)
    if busy is not None:
        unlock(busy)
    sys.stdout.write(f"ACK {n}\\n")
    sys.stdout.flush()
"""
_CALLS = (
    "openat,open,lseek,pwrite64,pwritev,write,writev,ftruncate,fsync,fdatasync,"
    "rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,fstat,newfstatat"
)
_INODE = re.compile(r"st_ino=(\d+)")
_LINE = re.compile(r"^\d+\s+(\w+)\((.*)\)\s+= (-?\d+)(?:<(.*?)>)?")
_FD = re.compile(r"^(\d+)<((?:\\x[0-9a-f]{2})*)>")
_HEX = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass
class File:
    """One file: what is safe, and the blocks that are not yet, in the order they were written; `inode` once asked for."""

    safe: bytearray = field(default_factory=bytearray)
    loose: list[tuple[int, bytes]] = field(default_factory=list)
    inode: int = 0

    def write(self, at: int, data: bytes, synced: bool) -> None:
        """Take a write, block by block."""
        if synced:
            _put(self.safe, at, data)
            return
        while data:
            size = BLOCK - at % BLOCK
            self.loose.append((at, data[:size]))
            at, data = at + size, data[size:]

    def sync(self) -> None:
        """Everything is safe."""
        for at, data in self.loose:
            _put(self.safe, at, data)
        self.loose.clear()


@dataclass
class Disk:
    """The files of a data directory by name: those that are safe, those that are seen, and the changes in between."""

    safe: dict[str, File] = field(default_factory=dict)
    seen: dict[str, File] = field(default_factory=dict)
    changes: list[tuple[str, File | None]] = field(default_factory=list)

    def name(self, path: str, file: File | None) -> None:
        """Give a file a name, or (None) take the name away."""
        self.changes.append((path, file))
        _name(self.seen, path, file)

    def sync_names(self, folder: str) -> None:
        """The names in a folder are safe."""
        kept = []
        for path, file in self.changes:
            if os.path.dirname(path) == folder:
                _name(self.safe, path, file)
            else:
                kept.append((path, file))
        self.changes = kept


def cuts(ground: Ground, states: int, saves: int = 200, seed: int = 1) -> Outcome:
    """Cut the power `states` times in a run of saves, some of them beside another writer; what was acknowledged is there."""
    outcome = Outcome()
    if shutil.which("strace") is None:
        outcome.not_run = "needs strace"
        return outcome
    for name in ("states", "acknowledged saves lost", "damaged"):
        outcome.count(name, 0)
    ground.cli("remember", "there before the trace")
    disk = _loaded(ground.data)
    log = _traced(ground, saves)
    moments = sum(step[0] != "inode" for step, _ in _steps(log, str(ground.data)))
    rng = random.Random(seed)
    chosen = sorted(rng.randrange(1, moments) for _ in range(states))
    folder = ground.base / "after"
    acknowledged: set[str] = {"there before the trace"}
    with judge() as looker:
        at = -1
        for disk_step, said in _steps(log, str(ground.data)):
            if said:
                acknowledged.add(said)
            else:
                _apply(disk, disk_step)
            at += disk_step[0] != "inode"
            while chosen and chosen[0] <= at:
                chosen.pop(0)
                mode = ("random", "none", "prefix")[outcome.figures["states"] % 3]
                _rebuild(disk, ground.data, folder, mode, rng)
                seen = looker.ask(folder, "settle", ground.user_dir)
                lost = acknowledged - set(seen.stored)
                outcome.count("states")
                outcome.count(f"states {mode}")
                outcome.count("acknowledged saves lost", len(lost))
                outcome.count("damaged", bool(seen.problems or seen.died))
                outcome.expect(not lost, f"cut at step {at} ({mode}): {len(lost)} acknowledged saves are gone")
                outcome.expect(
                    not seen.problems and not seen.died, f"cut at step {at} ({mode}): {seen.died} {seen.problems[:1]}"
                )
    outcome.count("saves", len(acknowledged) - 1)
    return outcome


def _loaded(folder: Path) -> Disk:
    disk = Disk()
    for path in folder.rglob("*"):
        if path.is_file():
            disk.safe[str(path)] = disk.seen[str(path)] = File(bytearray(path.read_bytes()))
    return disk


def _traced(ground: Ground, saves: int) -> Path:
    log = ground.base / "trace"
    subprocess.run(
        ["strace", "-f", "-qq", "-y", "-xx", "-v", "-s", "4000000", "-e", f"trace={_CALLS}", "-o", str(log),
         *ground.program.inside(_SAVES, str(ground.data), str(saves))],
        env=ground.env, stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    return log


def _steps(log: Path, folder: str) -> Iterator[tuple[tuple[str, list[str], bytes, int], str]]:
    """((call, paths, data, number), "") of every call on the data directory, and ((…), text) for an acknowledgement."""
    synced: set[int] = set()
    places: dict[int, int] = {}
    with open(log, encoding="ascii", errors="replace") as lines:
        for line in lines:
            found = _LINE.match(line)
            if found is None or int(found[3]) < 0:
                continue
            call, arguments, result = found[1], found[2], int(found[3])
            own = _FD.match(arguments)
            fd, path = (int(own[1]), _text(own[2])) if own else (-1, "")
            strings = [_bytes(each) for each in _HEX.findall(arguments)]
            if call == "write" and fd == 1 and strings and strings[0].startswith(b"ACK"):
                yield ("", [], b"", 0), f"saved before the cut {int(strings[0].split()[1])}"
            elif call in ("openat", "open"):
                name = strings[0].decode()
                (synced.add if "O_DSYNC" in arguments else synced.discard)(result)
                places[result] = 0
                if name.startswith(folder) and "O_CREAT" in arguments:
                    yield ("create", [name], b"", 0), ""
            elif call.startswith(("rename", "unlink")):
                names = [each.decode() for each in strings]
                if names and names[0].startswith(folder):
                    yield (call[:6], names, b"", 0), ""
            elif call in ("fstat", "newfstatat"):
                inode = _INODE.search(arguments)
                if path.startswith(folder) and inode is not None:
                    yield ("inode", [path], b"", int(inode[1])), ""
            elif call == "lseek":
                places[fd] = result
            elif path.startswith(folder):
                numbers = [int(each) for each in re.findall(r", (\d+)", _HEX.sub("", arguments))]
                kind = {"fsync": "sync", "fdatasync": "sync", "ftruncate": "cut"}.get(call, "write")
                place = places.get(fd, 0) if call in ("write", "writev") else (numbers[-1] if numbers else 0)
                if call in ("write", "writev"):
                    places[fd] = place + result
                yield (kind + ("!" if fd in synced and kind == "write" else ""), [path], b"".join(strings), place), ""


def _apply(disk: Disk, step: tuple[str, list[str], bytes, int]) -> None:
    kind, names, data, number = step
    if not kind:
        return
    if kind == "create":
        if names[0] not in disk.seen:
            disk.name(names[0], File())
    elif kind == "rename":
        disk.name(names[1], disk.seen[names[0]])
        disk.name(names[0], None)
    elif kind == "unlink":
        disk.name(names[0], None)
    elif kind == "sync" and names[0] not in disk.seen:
        disk.sync_names(names[0])
    else:
        file = disk.seen.get(names[0])
        if file is None:
            return  # LMDB's lock file by another name, or a folder
        if kind == "inode":
            file.inode = number
        elif kind == "sync":
            file.sync()
            disk.sync_names(os.path.dirname(names[0]))  # a synced new file has its name: ext4 and xfs write both
        elif kind.startswith("write"):
            file.write(number, data, kind.endswith("!"))


def _rebuild(disk: Disk, source: Path, target: Path, mode: str, rng: random.Random) -> None:
    """Write what a cut leaves below `target`."""
    shutil.rmtree(target, ignore_errors=True)
    names = dict(disk.safe)
    count = {"none": 0, "prefix": rng.randint(0, len(disk.changes)), "random": rng.randint(0, len(disk.changes))}[mode]
    for path, file in disk.changes[:count]:
        _name(names, path, file)
    for path, file in names.items():
        data = bytearray(file.safe)
        kept = {"none": 0, "prefix": rng.randint(0, len(file.loose)), "random": len(file.loose)}[mode]
        for at, block in file.loose[:kept]:
            if mode != "random" or rng.random() < 0.5:
                _put(data, at, block)
        place = target / Path(path).relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        if place.parent.name == SPOOL:
            _keep_identity(place, bytes(data), file.inode)
    (target / SPOOL).mkdir(exist_ok=True)
    (target / "gray.mdb-lock").unlink(missing_ok=True)


def _keep_identity(place: Path, data: bytes, inode: int) -> None:
    """A record of the spool is sealed for its file, which a cut leaves as it is: seal what was whole for its new one."""
    name = place.name.encode()
    body = unseal(name + inode.to_bytes(8, "little"), data)
    if body is not None:
        with open(place, "r+b") as file:
            file.write(seal(name + os.fstat(file.fileno()).st_ino.to_bytes(8, "little"), body))


def _put(data: bytearray, at: int, block: bytes) -> None:
    data.extend(bytes(max(0, at + len(block) - len(data))))
    data[at : at + len(block)] = block


def _name(names: dict[str, File], path: str, file: File | None) -> None:
    if file is None:
        names.pop(path, None)
    else:
        names[path] = file


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _text(text: str) -> str:
    return _bytes(text).decode("utf-8", "replace")
