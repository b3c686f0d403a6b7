"""Which kind of file system a path lies on, from the kernel's table of mounts."""

from __future__ import annotations

import os
import re

_NETWORK = (
    "nfs nfs3 nfs4 cifs smb3 smbfs smb2 9p afs ceph glusterfs lustre fuse.sshfs fuse.glusterfs fuse.ceph fuse.rclone "
    "fuse.s3fs drvfs davfs fuse.davfs2 ncpfs gpfs beegfs ocfs2 vboxsf prl_fs fuse.vmhgfs-fuse webdav afpfs"
)
NETWORK = frozenset(_NETWORK.split())
TABLE = "/proc/self/mountinfo"
_OCTAL = re.compile(r"\\([0-7]{3})")


def kind_of(path: str, table: str) -> str:
    """The file system type of `path` by a mount table in the form of /proc/self/mountinfo; "" when it does not say."""
    real = os.path.realpath(path)
    best, kind = "", ""
    for line in table.splitlines():
        before, dash, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if not dash or len(fields) < 5:
            continue
        point = _OCTAL.sub(lambda code: chr(int(code[1], 8)), fields[4])
        if len(point) >= len(best) and (real == point or real.startswith(point.rstrip("/") + "/")):
            best, kind = point, kinds[0]
    return kind


def read_table(path: str) -> str:
    """The text of a mount table; "" where there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def network_kind(path: str) -> str:
    """The kind of the network file system that `path` lies on now; "" for a local or unknown one."""
    kind = kind_of(path, read_table(TABLE))
    return kind if kind in NETWORK else ""
