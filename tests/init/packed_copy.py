"""A copy of the package as an installer lays it: LMDB beside it, so that a pack can be built."""

from __future__ import annotations

import compileall
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import lmdb

import gmhooks

INTERPRETER = str(Path(sys._base_executable).resolve())  # type: ignore[attr-defined]
PACKAGE = Path(gmhooks.__file__).parent


@dataclass(frozen=True)
class Copy:
    """Where a copied package lies."""

    site: Path

    @property
    def package(self) -> Path:
        return self.site / "gmhooks"

    @property
    def shim(self) -> Path:
        return self.package / "hooks" / "shim.py"

    def run(
        self, stdin: bytes, *words: str, cwd: Path, env: dict[str, str] | None = None, **more: object
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the shim as the launcher does, in a clean environment."""
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            [INTERPRETER, "-I", "-S", str(self.shim), *words],
            input=stdin,
            cwd=cwd,
            env={"PATH": "/usr/bin:/bin"} if env is None else env,
            capture_output=True,
            timeout=60,
            check=False,
            **more,
        )


def copied(target: Path, *, patient: bool = False) -> Copy:
    """Copy the sources to `target` and lay this environment's LMDB beside them.

    `patient`: its hooks may take half a minute, for tests of what they say: a busy machine makes every program late."""
    shutil.copytree(PACKAGE, target / "gmhooks", ignore=shutil.ignore_patterns("__pycache__"))
    if patient:
        watch = target / "gmhooks" / "hooks" / "watch.py"
        text, found = re.subn(r"^((?:END_)?LIMITS) = .*$", r"\1 = (25.0, 30.0)", watch.read_text(), flags=re.MULTILINE)
        assert found == 2
        watch.write_text(text)
    (target / "lmdb").symlink_to(Path(str(lmdb.__file__)).parent, target_is_directory=True)
    compileall.compile_dir(target / "gmhooks", quiet=2)
    return Copy(target)
