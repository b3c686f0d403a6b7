"""A healthy set-up as a user has it: an installed copy of the package, a home, a project with facts and wired hooks."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.init.packed_copy import INTERPRETER, Copy, copied

LIMIT_S = 120
RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from gmhooks.cli.main import main; sys.exit(main(sys.argv[1:]))"
_PREPARE = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from gmhooks.init import install
from gmhooks.init.prepare import prepare_project
from gmhooks.store.writer import save
root, user_dir, scope = sys.argv[1:]
install._build_pack = lambda: True
prepare_project(root + "/.graymatter", user_dir)
save(root + "/.graymatter", [("my-app", "The staging VPN profile is called corp-eu", 0, 0)], 1, True, user_dir=user_dir)
report = install.install(scope, root, user_dir)
assert not report.refused, report.message
"""
_PACK = "import sys; sys.path.insert(0, sys.argv[1]); from gmhooks.init.pack import build; assert build(say=print)"
_EXAMINE = """
import json, os, sys
sys.path.insert(0, sys.argv.pop(1))
from gmhooks.doctor.report import as_object, examine
from gmhooks.doctor.view import Surroundings
from gmhooks.hooks.route import for_cli
from gmhooks.memory.places import user_dir
at = Surroundings(for_cli(os.getcwd()), user_dir(os.environ), dict(os.environ), mounts=sys.argv[1], managed=sys.argv[2])
for finding in examine(at, runs=0, with_delivery=False):
    print(json.dumps(as_object(finding)))
"""


def installed_site(target: Path) -> Copy:
    """The package as an installer lays it, with bytecode and pack."""
    site = copied(target)
    subprocess.run([INTERPRETER, "-I", "-c", _PACK, str(site.site)], check=True, timeout=LIMIT_S)
    return site


@dataclass
class Setup:
    """One user's machine. `environ` is added to the environment of what is run; `prepared`: the home is there already."""

    site: Copy
    home: Path
    scope: str = "local"
    environ: dict[str, str] = field(default_factory=dict)
    prepared: bool = False

    def __post_init__(self) -> None:
        if self.prepared:
            return
        self.project.mkdir(parents=True)
        config = self.home / ".claude"
        config.mkdir()
        trusted = {"projects": {str(self.project): {"hasTrustDialogAccepted": True}}}
        (self.home / ".claude.json").write_text(json.dumps(trusted))
        self.inside(_PREPARE, str(self.project), str(self.user_dir), self.scope)

    @property
    def project(self) -> Path:
        return self.home / "my-app"

    @property
    def data(self) -> Path:
        return self.project / ".graymatter"

    @property
    def user_dir(self) -> Path:
        return self.home / ".local/share/gmhooks"

    @property
    def launcher(self) -> Path:
        return self.user_dir / "gmhooks-hook"

    @property
    def settings(self) -> Path:
        return self.project / ".claude" / "settings.local.json"

    def env(self) -> dict[str, str]:
        """What a login shell would pass on."""
        clean = {"PATH": os.defpath, "HOME": str(self.home)}
        return clean | self.environ

    def inside(
        self, script: str, *words: str, check: bool = True, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run Python code among the installed copy's modules, without writing bytecode."""
        ran = subprocess.run(
            [INTERPRETER, "-B", "-I", "-c", script, str(self.site.site), *words],
            cwd=cwd or self.project, env=self.env(), capture_output=True, text=True, timeout=LIMIT_S, check=False,
        )  # fmt: skip
        assert not check or ran.returncode == 0, ran.stderr[-2000:]
        return ran

    def doctor(self, *words: str, expected: Iterable[int] = (0, 1), cwd: Path | None = None) -> list[dict[str, Any]]:
        """The findings of `graymatter hooks doctor --json`."""
        ran = self.inside(RUN, "hooks", "doctor", "--json", *(words or ("--runs", "0")), check=False, cwd=cwd)
        found = [json.loads(line) for line in ran.stdout.splitlines()]
        assert ran.returncode in expected, (ran.returncode, ran.stdout, ran.stderr)
        assert ran.stderr == ""
        assert ran.returncode == any(each["status"] == "fail" for each in found), ran.stdout
        return found

    def doctor_with(self, mounts: Path | str = "", managed: Path | str = "") -> list[dict[str, Any]]:
        """The findings when the kernel's table of mounts, or the administrator's folder, is this one."""
        ran = self.inside(_EXAMINE, str(mounts), str(managed))
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def edit(self, change: Callable[[dict[str, Any]], object], path: Path | None = None) -> None:
        """Change a JSON file of the client's."""
        path = path or self.settings
        body = json.loads(path.read_text()) if path.exists() else {}
        change(body)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(body, indent=2))

    def entry(self, event: str, **fields: object) -> None:
        """Change fields of the entry of an event; None removes one."""

        def change(body: dict[str, Any]) -> None:
            entry = body["hooks"][event][0]["hooks"][0]
            entry.update(fields)
            for name in [name for name, value in fields.items() if value is None]:
                del entry[name]

        self.edit(change)


def bad(findings: list[dict[str, Any]]) -> list[str]:
    """Ids of what fails or warns, each once."""
    return sorted({each["name"] for each in findings if each["status"] in ("warn", "fail")})
