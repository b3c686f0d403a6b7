"""The pack changes how fast hooks start and nothing else; a pack in doubt is no pack."""

from __future__ import annotations

import ast
import json
import marshal
import os
import re
import shutil
from collections.abc import Callable
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from gmhooks.hooks.wire import NAMES
from gmhooks.init import pack
from gmhooks.store.ids import new_id
from gmhooks.store.records import USER
from gmhooks.store.spool import Spooled, put
from tests.hooks.project import PAYLOADS, Project
from tests.init.hot_functions import transcript_in
from tests.init.packed_copy import PACKAGE, Copy, copied


@pytest.fixture
def site(tmp_path: Path) -> Copy:
    return copied(tmp_path / "site", patient=True)


@pytest.fixture(scope="module")
def packed_and_not(tmp_path_factory: pytest.TempPathFactory) -> tuple[Copy, Copy]:
    plain, packed = (copied(tmp_path_factory.mktemp("site") / name, patient=True) for name in ("plain", "packed"))
    assert pack.build(packed.package) is not None
    return plain, packed


@pytest.fixture
def packed(packed_and_not: tuple[Copy, Copy], tmp_path: Path) -> Copy:
    """A site with a pack, to be damaged."""
    _, packed = packed_and_not
    return Copy(Path(shutil.copytree(packed.site, tmp_path / "packed", symlinks=True)))


def origin(site: Copy, tmp_path: Path) -> str:
    """Where a hook run took its code from: `pack` if it answers although the modules are gone, else `file`."""
    home = tmp_path / f"home{len(list(tmp_path.iterdir()))}"
    home.mkdir()
    project = Project(home)
    project.add("Integration tests need the staging VPN")
    start = {"session_id": "s", "cwd": str(project.root), "hook_event_name": "SessionStart", "source": "startup"}

    def answer() -> bytes:
        done = site.run(json.dumps(start).encode(), f"--user-dir={project.user_dir}", "session-start", cwd=project.root)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    start_module = site.package / "hooks" / "main.py"
    aside = [start_module, *start_module.parent.glob("__pycache__/main.*")]
    for file in aside:
        file.rename(file.with_suffix(".aside"))
    try:
        if b"staging VPN" in answer():
            return "pack"
    finally:
        for file in aside:
            file.with_suffix(".aside").rename(file)
    assert b"staging VPN" in answer()
    return "file"


Step = tuple[str, bytes, dict[str, str]]  # event, stdin, further variables


def payload(project: Project, name: str, **fields: object) -> bytes:
    whole = {"session_id": "s", "cwd": str(project.root), "hook_event_name": name, **fields}
    return json.dumps(whole, ensure_ascii=False).encode()


def prompt(project: Project, text: str, **fields: object) -> Step:
    return "user-prompt", payload(project, "UserPromptSubmit", prompt=text, **fields), {}


def recorded(project: Project) -> list[Step]:
    """What the real client sent, in the order of a session."""
    steps: list[Step] = []
    order = ("SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd")
    for file in sorted(PAYLOADS.glob("*.json"), key=lambda file: (order.index(file.name.split(".")[0]), file.name)):
        text = file.read_text().replace("{{PROJECT}}", str(project.root)).replace("{{HOME}}", str(project.home))
        fields = json.loads(text)
        Path(fields["cwd"]).mkdir(parents=True, exist_ok=True)
        steps.append((NAMES[fields["hook_event_name"]], text.encode(), {}))
    return steps


def session(project: Project) -> list[Step]:
    """Recalls, saves, corrections and refusals of one session, from start to end."""
    transcript = transcript_in(project.home)
    start = payload(project, "SessionStart", source="startup")
    texts = (
        "where is the staging VPN profile",
        "wie heißt das VPN-Profil für Ärzte?",
        "測試 伺服器 在 哪裡",
        "remember: the build server is called anvil\nremember shared: Grüße stehen im Wiki\u200b",
        "remember: token ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "remember: is this a question?",
        "where is the build server",
        "forget: the build server is called anvil",
        "forget: nothing of the kind",
        "<private>secret VPN</private> staging VPN?",
        "<system-reminder>not this</system-reminder> staging VPN profile",
        "memory off",
        "remember: not while it is off",
        "memory on",
        "alias: vpn = tunnel",
        "long staging VPN line 0123456789abcdef\n" * 300,
        "thanks",
    )
    return [
        ("session-start", start, {}),
        *(prompt(project, text) for text in texts),
        ("pre-compact", payload(project, "PreCompact", trigger="auto", transcript_path=str(transcript)), {}),
        ("session-start", payload(project, "SessionStart", source="compact"), {}),
        ("session-end", payload(project, "SessionEnd", reason="other", transcript_path=str(transcript)), {}),
    ]


def refused(project: Project) -> list[Step]:
    """Input and surroundings that cannot be used."""
    asked = prompt(project, "where is the staging VPN profile")[1]
    return [
        ("user-prompt", b"no object", {}),
        ("user-prompt", b'{"prompt": "cut off', {}),
        ("user-prompt", b"", {}),
        ("user-prompt", asked[:-1] + b', "more": "' + b"x" * (9 << 20) + b'"}', {}),
        ("user-prompt", asked, {"CLAUDE_PROJECT_DIR": "nowhere"}),
        ("user-prompt", payload(project, "SessionStart", source="startup"), {}),
        ("user-prompt", payload(project, "Elicitation"), {}),
        ("session-start", b"[]", {}),
        ("pre-compact", payload(project, "PreCompact", trigger="auto", transcript_path="/nowhere"), {}),
        ("session-end", asked, {}),
    ]


def unusable(project: Project) -> list[Step]:
    (project.data / "gray.mdb").write_bytes(b"no store" * 2000)
    return session(project)


def cut(project: Project) -> list[Step]:
    data = (project.data / "gray.mdb").read_bytes()
    (project.data / "gray.mdb").write_bytes(data[: len(data) // 2])
    return session(project)


def untrusted(project: Project) -> list[Step]:
    shutil.rmtree(Path(project.user_dir) / "trust")
    return session(project)


def missing(project: Project) -> list[Step]:
    (project.data / "gray.mdb").unlink()
    return session(project)


def waiting(project: Project) -> list[Step]:
    """Saves lie in the spool."""
    put(
        str(project.data),
        Spooled(new_id(1, bytes(16)), 1, project.root.name, "The spooled VPN is called wait", USER, 0),
    )
    return session(project)


@pytest.mark.parametrize(
    "steps", [recorded, session, refused, unusable, cut, untrusted, missing, waiting], ids=lambda steps: steps.__name__
)
def test_packed_and_unpacked_hooks_say_and_note_the_same(
    packed_and_not: tuple[Copy, Copy], tmp_path: Path, steps: Callable[[Project], list[Step]]
) -> None:
    told = []
    for name, site in zip("ab", packed_and_not, strict=True):
        home = tmp_path / name
        home.mkdir()
        project = Project(home, "same")
        project.add("The staging VPN profile is called corp-eu", "Ärzte nutzen das VPN-Profil praxis", age_s=90_000)
        project.add("Pinned: releases need two reviews", pinned=True)
        project.add("Staging belongs to everybody", shared=True)
        said = []
        spool = os.open(project.data / "spool", os.O_RDONLY)
        flock(spool, LOCK_EX)  # the work after a session finds another at it, and holds no lock that a step would meet
        for number, (event, stdin, variables) in enumerate(steps(project)):
            env = {"PATH": "/usr/bin:/bin", "GRAYMATTER_CLOCK": f"@{1_780_000_000 + 60 * number}", **variables}
            done = site.run(stdin, f"--user-dir={project.user_dir}", event, cwd=project.root, env=env)
            assert (done.returncode, done.stderr) == (0, b"")
            said.append(without_ids(done.stdout.replace(bytes(home), b"")))
        os.close(spool)
        log = project.data / "hooks.log"
        noted = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        told.append((said, [(note["event"], note["code"], unsigned(note, home)) for note in noted]))
    assert told[0] == told[1]
    assert told[1][1], "no receipt"
    assert not [note for note in told[1][1] if note[1] in ("unexpected", "recall_failed")]


def unsigned(note: dict[str, str], home: Path) -> str:
    return re.sub(r"session [0-9a-f]+|\b[0-9A-HJKMNP-TV-Z]{6,26}\b", "", note["detail"].replace(str(home), ""))


def without_ids(text: bytes) -> bytes:
    return re.sub(rb'k=."?[0-9a-f]+|\b[0-9A-HJKMNP-TV-Z]{6,26}\b', b"", text)


def test_a_built_pack_is_used(packed: Copy, tmp_path: Path) -> None:
    assert origin(packed, tmp_path) == "pack"
    pack.pack_path(packed.package).unlink()
    assert origin(packed, tmp_path) == "file"


def damage_head(data: bytes) -> bytes:
    return data[:100] + bytes([data[100] ^ 1]) + data[101:]


def damage_units(data: bytes) -> bytes:
    """A flipped bit in the unit of each event."""
    return data[: pack.HEAD] + bytes([byte ^ (at % 997 == 0) for at, byte in enumerate(data[pack.HEAD :])])


def cut_short(data: bytes) -> bytes:
    return data[: pack.HEAD + 100_000]


@pytest.mark.parametrize(
    "damage",
    [damage_head, damage_units, cut_short, lambda data: data[:50], lambda data: b"", lambda data: os.urandom(9000)],
)
def test_a_damaged_pack_falls_back_to_the_files_in_silence(packed: Copy, tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    built = pack.pack_path(packed.package)
    built.write_bytes(damage(built.read_bytes()))
    assert origin(packed, tmp_path) == "file"


def test_the_pack_of_another_installation_is_not_used(packed: Copy, tmp_path: Path) -> None:
    os.utime(packed.shim, ns=(1, 1))
    assert origin(packed, tmp_path) == "file"


def test_the_pack_of_another_interpreter_is_not_used(
    site: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "MAGIC_NUMBER", b"xxxx")
    pack.build(site.package)
    assert origin(site, tmp_path) == "file"


def test_a_folder_that_cannot_be_written_gives_no_pack_and_the_reason(site: Copy) -> None:
    folder = site.package / "hooks" / "__pycache__"
    shutil.rmtree(folder)
    folder.write_text("in the way")
    reasons: list[str] = []
    assert pack.build(site.package, reasons.append) is None
    assert "__pycache__" in reasons[0]


def test_sources_edited_in_place_are_not_packed(site: Copy, tmp_path: Path) -> None:
    (site.site / "lmdb").unlink()
    built = pack.build(site.package)
    assert built is not None
    assert built.stat().st_size < pack.HEAD + 1000
    assert origin(site, tmp_path) == "file"


def test_a_second_build_replaces_the_first(packed: Copy, tmp_path: Path) -> None:
    first = pack.pack_path(packed.package)
    before = first.stat()
    assert pack.build(packed.package) == first
    assert first.stat().st_ino != before.st_ino
    assert origin(packed, tmp_path) == "pack"


def test_a_damaged_cold_part_is_silence(packed: Copy, tmp_path: Path) -> None:
    built = pack.pack_path(packed.package)
    data = built.read_bytes()
    units = marshal.loads(data[8 : pack.HEAD])[3]
    cold = pack.HEAD + 2 * units
    built.write_bytes(data[:cold] + bytes(byte ^ 1 for byte in data[cold:]))
    project = Project(tmp_path)
    event, stdin, _ = prompt(project, "remember: the build server is called anvil")
    done = packed.run(stdin, f"--user-dir={project.user_dir}", event, cwd=project.root)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert project.facts() == []


def test_a_hook_without_an_event_word_runs_from_the_files(packed: Copy, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.add("The staging VPN profile is called corp-eu")
    stdin = prompt(project, "where is the staging VPN profile")[1]
    assert b"corp-eu" in packed.run(stdin, f"--user-dir={project.user_dir}", cwd=project.root).stdout


def test_the_list_of_hot_functions_is_not_out_of_date() -> None:
    known = set()
    for file in (file for folder in pack.HOT for file in (PACKAGE / folder).glob("*.py")):
        module = f"gmhooks.{file.parent.name}.{file.stem}"
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                known.add(f"{module}:{node.name}")
            if isinstance(node, ast.ClassDef):
                known |= {f"{module}:{node.name}.{sub.name}" for sub in node.body if isinstance(sub, ast.FunctionDef)}
    listed = set().union(*map(pack.hot_functions, pack.EVENTS))
    assert len(listed) > 100
    gone = listed - known
    assert len(gone) < len(listed) / 10, "run `python -m tests.init.hot_functions > gmhooks/init/hot.txt` again"
