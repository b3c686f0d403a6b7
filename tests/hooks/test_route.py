"""Which project a process works for: one answer for hooks and commands, and never a guess."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gmhooks.hooks import route
from gmhooks.hooks.route import RouteError, agent_id, directory, for_cli, for_hook, prepared


def prepare(root: Path) -> Path:
    (root / ".graymatter").mkdir(parents=True)
    (root / ".graymatter" / "MEMORY.md").write_text("x")
    return root


def hook(project_dir: Path | str | None, cwd: Path | str = "", **env: str) -> route.Route:
    environ = {name.encode(): value.encode() for name, value in env.items()}
    if project_dir is not None:
        environ[b"CLAUDE_PROJECT_DIR"] = os.fsencode(project_dir)
    return for_hook(environ, str(cwd))


def git(*words: str, cwd: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "GIT_CONFIG_NOSYSTEM": "1"}
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *name, *words], cwd=cwd, env=env, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository `app` with linked worktrees `fix` beside it and `.claude/worktrees/task` in it."""
    root = tmp_path.resolve() / "app"
    root.mkdir()
    git("init", cwd=root)
    git("commit", "--allow-empty", "-m", "start", cwd=root)
    git("worktree", "add", "../fix", "-b", "fix", cwd=root)
    git("worktree", "add", ".claude/worktrees/task", "-b", "task", cwd=root)
    return root


def test_the_project_variable_decides_alone(tmp_path: Path) -> None:
    project, other = prepare(tmp_path / "Project A"), prepare(tmp_path / "other")
    found = hook(project, other)
    assert (found.root, found.data_dir) == (str(project), f"{project}/.graymatter")
    assert (found.agent_id, found.rule) == ("project-a", "CLAUDE_PROJECT_DIR")


@pytest.mark.parametrize("value", ["", "relative", "/does/not/exist", "/etc/hosts", "/d" * 3000, "/nul\ttab"])
def test_an_invalid_project_variable_is_an_error_and_no_fall_through(tmp_path: Path, value: str) -> None:
    with pytest.raises(RouteError) as caught:
        hook(value, prepare(tmp_path / "p"))
    assert caught.value.code == "bad_project_dir"


def test_without_the_variable_the_payload_decides_then_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = prepare(tmp_path / "first"), prepare(tmp_path / "second")
    monkeypatch.chdir(second)
    assert (hook(None, first).root, hook(None, first).rule) == (str(first), "payload cwd")
    assert (hook(None).root, hook(None).rule) == (str(second), "process cwd")


@pytest.mark.parametrize("cwd", ["../..", "does/not", "/does/not/exist", "/d" * 3000, "/\ud800", "/a\0b", "~"])
def test_a_payload_cwd_that_is_no_directory_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cwd: str
) -> None:
    monkeypatch.chdir(prepare(tmp_path / "p"))
    with pytest.raises(RouteError) as caught:
        for_hook({}, cwd)
    assert caught.value.code == "bad_cwd"


def test_a_hook_does_not_climb_into_a_store_above(tmp_path: Path) -> None:
    prepare(tmp_path)
    below = tmp_path / "below"
    below.mkdir()
    assert not prepared(hook(None, below).data_dir)


def test_a_deleted_working_directory_is_an_error_only_when_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, gone = prepare(tmp_path / "p"), tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert hook(None, project).root == str(project)
    with pytest.raises(RouteError) as caught:
        hook(None)
    assert caught.value.code == "bad_cwd"
    monkeypatch.chdir(tmp_path)


def test_a_link_to_a_project_is_the_project(tmp_path: Path) -> None:
    project = prepare(tmp_path / "real")
    (tmp_path / "alias").symlink_to("real")
    (tmp_path / "far").symlink_to(tmp_path / "alias" / "..")
    assert hook(tmp_path / "alias").root == str(project)
    assert hook(tmp_path / "far" / "real" / ".").root == str(project)


def test_a_loop_of_links_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert directory(f"{tmp_path}/loop/x") == ""


@given(st.text(max_size=60) | st.lists(st.sampled_from(["..", ".", "", "etc", "\ud800", "\0", "\n"])).map("/".join))
def test_any_path_is_a_real_directory_or_nothing(path: str) -> None:
    for text in (path, "/" + path):
        found = directory(text)
        assert not found or (os.path.isdir(found) and os.path.realpath(found) == found)


@pytest.mark.parametrize("kind", ["root", "home", "temporary", "own temporary"])
def test_a_place_for_everything_is_a_project_only_if_somebody_prepared_it(tmp_path: Path, kind: str) -> None:
    place = {"root": Path("/"), "temporary": Path("/tmp")}.get(kind, tmp_path)
    env = {"home": {"HOME": str(tmp_path)}, "own temporary": {"TMPDIR": str(tmp_path) + "/"}}.get(kind, {})
    with pytest.raises(RouteError) as caught:
        hook(place, **env)
    assert caught.value.code == "not_a_project"
    if place == tmp_path:
        prepare(place)
        assert hook(place, **env).root == str(place)


def test_prepared_means_a_real_folder_with_marker_or_store(tmp_path: Path) -> None:
    folder = tmp_path / ".graymatter"
    assert not prepared(str(folder))
    folder.mkdir()
    assert not prepared(str(folder))
    (folder / "MEMORY.md").symlink_to("/etc/hosts")
    assert not prepared(str(folder))
    (folder / "gray.mdb").write_bytes(b"")
    assert prepared(str(folder))
    (tmp_path / "link").symlink_to(folder)
    assert not prepared(str(tmp_path / "link"))


def test_a_worktree_works_for_its_main_checkout(repo: Path) -> None:
    prepare(repo)
    for tree in (repo.parent / "fix", repo / ".claude" / "worktrees" / "task"):
        for found in (hook(tree), hook(None, tree), hook(repo, tree), for_cli(str(tree), None, {})):
            assert (found.root, found.agent_id) == (str(repo), "app")


def test_a_worktree_with_a_store_of_its_own_keeps_it(repo: Path) -> None:
    prepare(repo)
    tree = prepare(repo.parent / "fix")
    assert hook(tree).agent_id == "fix"
    assert for_cli(str(tree), None, {}).agent_id == "fix"
    entered = hook(repo, tree)
    assert (entered.agent_id, entered.rule) == ("fix", "worktree entered by cwd")


def test_worktrees_can_be_isolated(repo: Path) -> None:
    prepare(repo)
    (repo / ".graymatter" / "hooks.conf").write_text("worktree=isolated\n")
    tree = repo.parent / "fix"
    assert (hook(tree).root, prepared(hook(tree).data_dir)) == (str(tree), False)


def test_a_folder_below_a_worktree_stands_for_the_prepared_one_in_the_main_checkout(repo: Path) -> None:
    prepare(repo / "part")
    for name in ("part", "other"):
        (repo.parent / "fix" / name).mkdir()
    assert hook(repo.parent / "fix" / "part").root == str(repo / "part")
    assert hook(repo.parent / "fix" / "other").root == str(repo.parent / "fix" / "other")


@pytest.mark.parametrize("by", ["CLAUDE_PROJECT_DIR", "payload cwd"])
def test_a_folder_of_a_repository_stands_for_the_nearest_prepared_one_above_it(repo: Path, by: str) -> None:
    prepare(repo)
    for below in (repo / "src" / "deep", repo / "part" / "deep", repo.parent / "fix" / "src" / "deep"):
        below.mkdir(parents=True)
    prepare(repo / "part")

    def found(folder: Path) -> tuple[str, str]:
        route = hook(folder) if by == "CLAUDE_PROJECT_DIR" else hook(None, folder)
        return route.root, route.rule

    above = f"nearest .graymatter above {by}"
    assert found(repo / "src" / "deep") == (str(repo), above)
    assert found(repo / "part" / "deep") == (str(repo / "part"), above)
    assert found(repo.parent / "fix" / "src" / "deep") == (str(repo), f"main checkout of {by}")
    prepare(repo.parent / "fix")
    assert found(repo.parent / "fix" / "src" / "deep") == (str(repo.parent / "fix"), above)


def test_nothing_above_a_repository_or_outside_of_one_is_used(tmp_path: Path) -> None:
    around = prepare(tmp_path.resolve() / "around")
    for inner, inside in (("own", True), ("plain", False)):
        below = around / inner / "deep"
        below.mkdir(parents=True)
        if inside:
            (around / inner / ".git").mkdir()
        assert hook(below).root == str(below)
    (around / ".git").mkdir()
    assert hook(around / "plain" / "deep").root == str(around)
    assert hook(around / "plain" / "deep", HOME=str(around)).root == str(around / "plain" / "deep")


def test_a_worktree_folder_without_git_belongs_to_the_project_around_it(tmp_path: Path) -> None:
    project = prepare(tmp_path / "app")
    tree = project / ".claude" / "worktrees" / "task"
    tree.mkdir(parents=True)
    assert hook(tree).root == str(project)


def test_a_git_file_that_its_repository_does_not_know_leads_nowhere(repo: Path) -> None:
    prepare(repo)
    forged = repo.parent / "forged"
    forged.mkdir()
    (forged / ".git").write_text((repo.parent / "fix" / ".git").read_text())
    assert hook(forged).root == str(forged)


@pytest.mark.parametrize("common", ["../../app/.git", "{repo}/.git"])
@pytest.mark.parametrize("private", ["own", "worktrees/own", ".git.d/worktrees/own"])
def test_a_folder_that_brings_both_sides_of_a_worktree_leads_nowhere(repo: Path, private: str, common: str) -> None:
    prepare(repo)
    forged = repo.parent / "forged"
    own = forged / private
    own.mkdir(parents=True)
    up = "../" * len(Path(private).parts)
    (forged / ".git").write_text(f"gitdir: {private}\n")
    (own / "gitdir").write_text(f"{up}.git\n")
    (own / "commondir").write_text(("" if common[0] == "{" else up[3:]) + common.format(repo=repo) + "\n")
    assert hook(forged).root == str(forged)
    assert hook(repo, forged).root == str(repo)


@pytest.mark.parametrize("content", ["", "gitdir:", "gitdir: nowhere", "gitdir: .", "gitdir: /\n", "x" * 9000, "\0"])
def test_an_odd_git_file_leads_nowhere(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content)
    assert hook(tmp_path).root == str(tmp_path)


def test_a_moved_repository_with_relative_links_is_followed(repo: Path) -> None:
    prepare(repo)
    private = repo / ".git" / "worktrees" / "fix"
    (repo.parent / "fix" / ".git").write_text("gitdir: ../app/.git/worktrees/fix\n")
    (private / "gitdir").write_text("../../../../fix/.git\n")
    moved = repo.parent.with_name("moved")
    repo.parent.rename(moved)
    assert hook(moved / "fix").root == str(moved / "app")
    moved.rename(repo.parent)


def test_a_command_takes_the_nearest_store_below_the_git_root(tmp_path: Path) -> None:
    root = tmp_path / "app"
    (root / ".git").mkdir(parents=True)
    (root / "part" / "deep").mkdir(parents=True)
    prepare(tmp_path)
    assert (for_cli(str(root / "part" / "deep"), None, {}).root, for_cli(str(root), None, {}).rule) == (
        str(root),
        "git root",
    )
    prepare(root / "part")
    found = for_cli(str(root / "part" / "deep"), None, {})
    assert (found.root, found.rule) == (str(root / "part"), "nearest .graymatter")


def test_a_command_does_not_climb_to_the_home_directory(tmp_path: Path) -> None:
    prepare(tmp_path)
    below = tmp_path / "x" / "y"
    below.mkdir(parents=True)
    environ = {b"HOME": os.fsencode(tmp_path)}
    assert (for_cli(str(below), None, environ).root, for_cli(str(below), None, environ).rule) == (
        str(below),
        "working directory",
    )
    assert for_cli(str(tmp_path), None, environ).root == str(tmp_path)


def test_the_flag_moves_the_store_and_not_the_identity(tmp_path: Path) -> None:
    project = prepare(tmp_path / "app")
    for flag in ("elsewhere", f"{project}/elsewhere"):
        found = for_cli(str(project), flag, {})
        assert (found.agent_id, found.data_dir) == ("app", f"{project}/elsewhere")


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        ("/code/my-project", "my-project"),
        ("/code/My Project", "my-project"),
        ("/opt/Tools_4.Devs", "tools-4-devs"),
        ("/x/--a--", "a"),
        ("/x/..%2f..", "2f"),
        ("/x/$(x) `y`", "x-y"),
        ("/", "project"),
        ("/x/---", "project"),
        ("/x/проект Ω", "проект-ω"),
        ("/x/項目", "項目"),
        ("/x/हिन्दी", "हिन्दी"),
        ("/x/Straße", "strasse"),
        ("/x/ＡＢＣ", "abc"),
        ("/x/cafe\u0301", "café"),
        ("/x/a\udcffb", "a-b"),
        ("/x/🚀", "project"),
    ],
)
def test_the_agent_id_is_the_name_of_the_root(root: str, expected: str) -> None:
    assert agent_id(root) == expected


@given(st.text(min_size=1).filter(lambda name: "/" not in name))
def test_an_agent_id_is_stable_and_never_a_path(name: str) -> None:
    made = agent_id("/x/" + name)
    assert made
    assert not set(made) & set("/\\. \n\0")
    assert agent_id("/x/" + made) == made


def test_nothing_is_created(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    hook(tmp_path / "p")
    for_cli(str(tmp_path / "p"), "store", {})
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["p"]
