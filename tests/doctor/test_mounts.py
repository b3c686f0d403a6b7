"""The kernel's table of mounts tells the file system of a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from gmhooks.doctor.mounts import NETWORK, kind_of, read_table

TABLE = r"""22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:30 / /srv rw shared:5 - nfs4 server:/export rw
31 30 0:31 / /srv/local rw - xfs /dev/vdb rw
32 22 0:32 / /media/my\040share rw - cifs //server/share rw
nonsense
33 22 0:33
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/you/app", "ext4"),
        ("/srv/app", "nfs4"),
        ("/srv", "nfs4"),
        ("/srvfoo", "ext4"),
        ("/srv/local/app", "xfs"),
        ("/media/my share/app", "cifs"),
    ],
)
def test_the_deepest_mount_above_a_path_decides(path: str, kind: str) -> None:
    assert kind_of(path, TABLE) == kind


def test_a_table_that_does_not_help_gives_no_kind(tmp_path: Path) -> None:
    assert kind_of("/home", "") == ""
    assert read_table(str(tmp_path / "absent")) == ""


def test_network_kinds_hold_the_common_ones_and_no_local_one() -> None:
    assert {"nfs", "nfs4", "cifs", "9p", "fuse.sshfs", "drvfs"} <= NETWORK
    assert not {"ext4", "xfs", "btrfs", "apfs", "tmpfs", "overlay"} & NETWORK
