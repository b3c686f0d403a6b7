"""After a purge no file of ours holds the text any more, in whatever form it was written."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from gmhooks.hooks.trail import note
from gmhooks.memory.api import Memory
from gmhooks.memory.correcting import set_pin
from gmhooks.memory.errors import NotFound
from gmhooks.memory.linking import RELATION, link_names
from gmhooks.memory.purging import Erased, remove_copies
from gmhooks.store.audit import newest, record
from gmhooks.store.backup import listed_files, make
from gmhooks.store.env import Store, open_read
from gmhooks.store.errors import StoreError, StoreFull
from gmhooks.store.ids import decode, encode
from gmhooks.store.nodes import canonical, find_edge, find_node, link
from gmhooks.store.records import USER
from gmhooks.store.spool import Spooled, put
from gmhooks.store.writer import run
from tests.hooks.project import Project

TEXT = 'The "zanzibar" handshake\nis a wink'
PART = b"zanzibar"


def _holding(folder: str | Path) -> list[str]:
    return [path.name for path in sorted(Path(folder).rglob("*")) if path.is_file() and PART in path.read_bytes()]


def test_no_byte_of_the_text_stays_in_the_data_directory(memory: Memory) -> None:
    saved = memory.remember("app", TEXT)
    memory.remember("app", "Stays")
    memory.recall("app", "handshake")
    memory.save_checkpoint("app", {"prompt": TEXT.upper(), "n": 1})
    memory.save_checkpoint("app", {"prompt": "stays"})
    run(memory.data_dir, lambda store: record(store, json.dumps({"old_text": TEXT}).encode(), 1))
    note(memory.data_dir, "user-prompt", "saved", 1, saved.short_id)
    note(memory.data_dir, "user-prompt", "saved", 1, "OTHER1")
    put(memory.data_dir, Spooled(b"\7" * 16, 9, "app", TEXT, USER, 0))
    Path(memory.data_dir, "spool", "torn.fact.tmp").write_bytes(TEXT.encode())
    assert "gray.mdb" in _holding(memory.data_dir)
    done = memory.purge(TEXT, ["app"])
    assert [fact.id for fact in done.facts] == [saved.id]
    assert _holding(memory.data_dir) == []
    log = Path(memory.data_dir, "hooks.log").read_text()
    assert (saved.short_id in log, "OTHER1" in log) == (False, True)
    assert [fact.text for fact in memory.list(retired=True)] == ["Stays"]
    assert [point.body["state"] for point in memory.checkpoints("app")] == [{"prompt": "stays"}, {"prompt": "", "n": 1}]
    assert any("transcripts" in place for place in done.out_of_reach)


def test_names_and_links_made_of_the_text_go_and_what_only_it_spoke_for(memory: Memory) -> None:
    saved = memory.remember("app", TEXT)
    other = memory.remember("app", "Stays")

    def draw(store: Store) -> None:
        record(store, json.dumps({"action": "link", "new_text": f"{canonical(TEXT)} -> wink"}).encode(), 1)
        link_names(store, "app", TEXT, "wink", 1)
        link(store, "both", "spoke", "r", 1, [decode(saved.id), decode(other.id)])
        link(store, "only", "it", "r", 1, [decode(saved.id)])
        link(store, "nobody", "spoke", "r", 1, [])

    run(memory.data_dir, draw)
    memory.purge(saved.id, ["app"])

    with closing(open_read(memory.data_dir)) as store:
        assert find_node(store, canonical(TEXT)) is None
        assert find_node(store, "wink") is not None
        kept = find_edge(store, "both", "spoke", "r")
        assert kept is not None
        assert kept.receipts == [decode(other.id)]
        assert find_edge(store, "nobody", "spoke", "r") is not None
        assert find_edge(store, "only", "it", "r") is None
        assert find_edge(store, canonical(TEXT), "wink", RELATION) is None
        assert [json.loads(body) for _, body in newest(store, 9)] == [{"action": "link", "new_text": ""}]
    assert _holding(memory.data_dir) == []


def test_a_retired_fact_can_still_be_purged_with_its_copies(memory: Memory) -> None:
    first = memory.remember("app", TEXT)
    memory.forget(TEXT, ["app"])
    memory.remember("app", TEXT)
    assert len(memory.purge(f"[{first.short_id}]", ["app"]).facts) == 2
    assert (memory.list(retired=True), _holding(memory.data_dir)) == ([], [])


def test_the_same_text_of_another_agent_stays_and_is_named(memory: Memory) -> None:
    memory.remember("app", TEXT)
    memory.remember("app", TEXT, shared=True)
    assert memory.purge(TEXT, ["app", "__shared__"]).also_at == ("__shared__",)
    assert [fact.agent_id for fact in memory.list()] == ["__shared__"]
    assert memory.purge(TEXT, ["app", "__shared__"]).also_at == ()
    assert _holding(memory.data_dir) == []


def test_a_copy_in_the_users_own_directory_is_told(memory: Memory) -> None:
    memory.remember("app", TEXT)
    kept = Path(memory.user_dir, "backups", "CLAUDE.md")
    kept.parent.mkdir(parents=True)
    kept.write_text(TEXT)
    assert str(kept) in memory.purge(TEXT, ["app"]).out_of_reach


def test_a_purge_that_failed_half_way_is_finished_by_the_next(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("app", TEXT)

    def full(folder: str) -> int:
        raise StoreFull("no space")

    with monkeypatch.context() as broken:
        broken.setattr("gmhooks.memory.upkeep.compact", full)
        with pytest.raises(StoreFull):
            memory.purge(TEXT, ["app"])
    assert "gray.mdb" in _holding(memory.data_dir)
    with pytest.raises(NotFound, match="done now"):
        memory.purge(TEXT, ["app"])
    assert _holding(memory.data_dir) == []
    assert not Path(memory.data_dir, "purging").exists()


def test_copies_of_the_store_that_hold_the_text_go_and_a_fresh_backup_comes(memory: Memory) -> None:
    memory.remember("app", "Stays")
    clean = make(memory.data_dir, 1_780_000_000)
    memory.remember("app", TEXT)
    make(memory.data_dir, 1_780_000_500)
    replaced = Path(memory.data_dir, "gray.mdb.replaced-20260101T000000Z")
    replaced.write_bytes(Path(memory.data_dir, "gray.mdb").read_bytes())
    done = memory.purge(TEXT, ["app"])
    assert sorted(Path(path).name for path in done.removed) == ["asked-20260528T203500Z.mdb", replaced.name]
    assert _holding(memory.data_dir) == []
    backups = listed_files(memory.data_dir)
    assert (len(backups), clean.path in backups) == (2, True)


def test_what_nobody_stored_cannot_be_purged(memory: Memory) -> None:
    memory.remember("app", TEXT)
    with pytest.raises(NotFound):
        memory.purge("zanzibar", ["app"])
    assert len(memory.list()) == 1


def test_a_block_that_showed_the_fact_is_gone_from_the_session_state(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.add("Zanzibar handshakes are winks")
    assert project.prompt("what are zanzibar handshakes?").lines == ["Zanzibar handshakes are winks"]
    assert b"Zanzibar" in (project.data / "state").read_bytes()
    memory = Memory(project.data, project.user_dir)
    memory.purge("Zanzibar handshakes are winks", [project.root.name])
    left = [path.name for path in project.data.rglob("*") if path.is_file() and b"anzibar" in path.read_bytes()]
    assert left == []
    assert project.prompt("what are zanzibar handshakes?", session="s2").stdout == b""


def test_what_only_mentions_the_text_stays(memory: Memory) -> None:
    for text in ("VPN", "spool", "top_k"):
        memory.remember("app", text)
    memory.save_checkpoint("app", {"prompt": "Fix the VPN gateway", "files": ["spool.py"], "todos": ["vpn", "top_k"]})
    run(memory.data_dir, lambda store: record(store, b'{"action": "add", "new_text": "A VPN of 1.50"}', 1))
    run(memory.data_dir, lambda store: link(store, "vpn gateway", "spool folder", "r", 1, []) and None)
    Path(memory.data_dir, "hooks.conf").write_text("top_k = 5\n")
    kept = Spooled(b"\7" * 16, 9, "app", "Deploys go through the VPN gateway", USER, 0)
    rewritten = Spooled(b"\6" * 16, 9, "app", "A spool of VPN and top_k", USER, 0)
    for each in (kept, rewritten):
        put(memory.data_dir, each)
    ours = {name: Path(memory.data_dir, name).read_bytes() for name in ("MEMORY.md", ".gitignore", "hooks.conf")}
    done = [memory.purge(text, ["app"]) for text in ("VPN", "spool", "top_k")]
    assert [each.removed for each in done] == [(), (), ()]
    assert {name: Path(memory.data_dir, name).read_bytes() for name in ours} == ours
    assert {fact.text for fact in memory.list()} == {kept.text, rewritten.text}
    (point,) = memory.checkpoints("app")
    assert point.body["state"] == {"prompt": "Fix the VPN gateway", "files": ["spool.py"], "todos": ["", ""]}
    named = f"checkpoint [{point.short_id}] of app"
    assert [each.changed for each in done] == [(named,), (), (named,)]
    with closing(open_read(memory.data_dir)) as store:
        assert find_node(store, "vpn gateway") is not None
        assert [body for _, body in newest(store, 9)] == [b'{"action": "add", "new_text": "A VPN of 1.50"}']


def test_a_save_that_is_spooled_while_a_purge_is_at_work_stays(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.remember("app", "VPN")
    kept = Spooled(b"\7" * 16, 9, "app", "Deploys go through the VPN gateway", USER, 0)
    others = Spooled(b"\6" * 16, 9, "other", "VPN", USER, 0)
    spool = Path(memory.data_dir, "spool")

    def meanwhile(data_dir: str, erased: Erased) -> list[str]:
        for each in (kept, others, Spooled(b"\5" * 16, 9, "app", "vpn.", USER, 0)):
            put(data_dir, each)
        (spool / kept.name).rename(spool / f"{kept.name}.tmp")
        removed = remove_copies(data_dir, erased)
        (spool / f"{kept.name}.tmp").rename(spool / kept.name)
        return removed

    monkeypatch.setattr("gmhooks.memory.upkeep.remove_copies", meanwhile)
    assert [Path(path).stem for path in memory.purge("VPN", ["app"]).removed] == [encode(b"\5" * 16)]
    memory.remember("app", "Next")
    assert {fact.text for fact in memory.list("app")} == {kept.text, "Next"}
    assert [fact.text for fact in memory.list("other")] == ["VPN"]


def test_a_save_on_its_way_goes_with_its_audit_entry(memory: Memory) -> None:
    memory.remember("app", "VPN")
    spool = Path(memory.data_dir, "spool")
    for number, text in enumerate(("VPN", "The VPN gateway"), 1):
        made = Spooled(bytes([number]) * 16, 9, "app", text, USER, 0, b'{"new_text":"%b"}' % text.encode())
        put(memory.data_dir, made)
        (spool / made.name).rename(spool / f"{made.name}.tmp")
    assert [Path(path).name for path in memory.purge("VPN", ["app"]).removed] == [f"{encode(bytes([1]) * 16)}.fact.tmp"]


def test_a_prompt_that_asked_to_save_the_text_is_blanked_in_a_checkpoint(memory: Memory) -> None:
    memory.remember("app", "The zanzibar handshake is a wink")
    memory.save_checkpoint("app", {"prompt": "remember: the zanzibar handshake is a wink.\n\nThen go on"})
    memory.purge("The zanzibar handshake is a wink", ["app"])
    assert memory.checkpoints("app")[0].body["state"] == {"prompt": ""}
    assert _holding(memory.data_dir) == []


def test_a_copy_that_cannot_be_removed_leaves_the_fact_to_be_purged_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember("app", TEXT)
    make(memory.data_dir, 1_780_000_500)

    def denied(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "denied", str(path))

    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", denied)
        with pytest.raises((StoreError, OSError)):
            memory.purge(TEXT, ["app"])
    assert len(memory.purge(TEXT, ["app"]).facts) == 1
    assert _holding(memory.data_dir) == []
    assert len(listed_files(memory.data_dir)) == 1


def test_what_others_keep_in_the_users_own_directory_is_not_read(memory: Memory) -> None:
    memory.remember("app", TEXT)
    for folder in ("venv/lib", "reports"):
        Path(memory.user_dir, folder).mkdir(parents=True)
        Path(memory.user_dir, folder, "file").write_text(TEXT)
    told = memory.purge(TEXT, ["app"]).out_of_reach
    assert [place for place in told if place.startswith(memory.user_dir)] == [
        str(Path(memory.user_dir, "reports/file"))
    ]


def test_purges_at_once_follow_one_another(memory: Memory) -> None:
    texts = [f"Fact number {number}" for number in range(4)]
    for text in texts:
        memory.remember("app", text)
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda text: memory.purge(text, ["app"]), texts))
    assert [each.facts[0].text for each in done] == texts
    assert not Path(memory.data_dir, "purging").exists()


@pytest.mark.parametrize("form", ["{}", "[{}]", "`{}`", "- [{}]"])
def test_every_form_of_an_id_names_a_retired_fact(memory: Memory, form: str) -> None:
    saved = memory.remember("app", TEXT)
    run(memory.data_dir, lambda store: set_pin(store, "app", saved.id, 5))
    memory.forget(TEXT, ["app"])
    target = form.format(saved.short_id)
    with pytest.raises(NotFound, match="already retired"):
        memory.forget(target, ["app"])
    assert [fact.id for fact in run(memory.data_dir, lambda store: set_pin(store, "app", target, 0))] == [
        decode(saved.id)
    ]
    assert [fact.id for fact in memory.purge(target, ["app"]).facts] == [saved.id]
