"""The checkout and the run's folder as trees: what goes along, what the store gets, and that
only changes are read.
"""

import os
from pathlib import Path

import pytest
from tests.fakes.project import make
from tests.fakes.repository import git

from podium.engine.git.snapshot import Own
from podium.engine.workspace import Workspace
from podium.fleet.parcels.objects import Objects
from podium.fleet.parcels.trees import ProjectTree, RunTree


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def tree_of(project: Path, above: int | None = None) -> ProjectTree:
    found = Workspace.find(project, project / ".podium")
    return ProjectTree(found.git, project / ".podium" / "cache" / "x.index", Own(".podium"), above)


def listed(project: Path, tree: str) -> set[str]:
    return set(git(project, "ls-tree", "-r", "--name-only", tree).splitlines())


def test_the_tree_is_the_checkpoint_of_the_engine_at_every_change(project: Path) -> None:
    mine, workspace = tree_of(project), Workspace.find(project, project / ".podium")

    def same() -> None:
        assert mine.write(()) == workspace.checkpoint("x", "2026-01-02T03:04:05.000Z").tree

    same()
    (project / "src/app.py").write_text("VALUE = 2\n")
    (project / "new.py").write_text("NEW = 1\n")
    same()
    (project / "new.py").write_text("NEW = 2\n")
    (project / "src/old.py").unlink()
    same()
    (project / "new.py").unlink()
    (project / "new.py").mkdir()
    (project / "new.py" / "inner.py").write_text("a folder where a file was\n")
    (project / "src/app.py").unlink()
    (project / "src/app.py").symlink_to("elsewhere")
    same()
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "all")
    same()
    (project / "tool.sh").write_text("#!/bin/sh\n")
    (project / "tool.sh").chmod(0o755)
    git(project, "init", "-q", "nested")
    same()


def test_a_person_who_stages_something_ignored_has_it_go_along(project: Path) -> None:
    mine = tree_of(project)
    (project / "secret.log").write_text("ignored\n")
    assert "secret.log" not in listed(project, mine.write(()))
    git(project, "add", "--force", "secret.log")
    assert "secret.log" in listed(project, mine.write(()))


def test_a_submodule_stays_what_it_is(project: Path, tmp_path: Path) -> None:
    inner = make(tmp_path / "inner")
    git(
        project,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(inner),
        "inner",
    )
    git(project, "commit", "-q", "-m", "with a submodule")
    (project / "inner" / "more.py").write_text("uncommitted in the submodule\n")
    git(project / "inner", "commit", "-q", "--allow-empty", "-m", "ahead")
    assert tree_of(project).write(()) == git(project, "rev-parse", "HEAD^{tree}").strip()


def test_documents_go_along_though_git_ignores_them_and_follow_their_file(project: Path) -> None:
    mine = tree_of(project)
    (project / "build").mkdir()
    (project / "build/plan.md").write_text("one\n")
    tree = mine.write({"build/plan.md", "gone.md"})
    assert git(project, "show", f"{tree}:build/plan.md") == "one\n"
    (project / "build/plan.md").write_text("two two\n")
    assert git(project, "show", f"{mine.write({'build/plan.md'})}:build/plan.md") == "two two\n"
    (project / "build/plan.md").unlink()
    assert "build/plan.md" not in listed(project, mine.write({"build/plan.md"}))


def test_very_many_files_may_vanish_and_appear_at_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.fleet.parcels.trees.FEW", 10)
    mine, workspace = tree_of(project), Workspace.find(project, project / ".podium")
    (project / "many").mkdir()
    for number in range(40):
        (project / "many" / f"{number}.txt").write_text(str(number))
    (project / "build").mkdir()
    (project / "build/plan.md").write_text("ignored\n")
    documents = {f"many/{number}.txt" for number in range(40)} | {"build/plan.md"}
    assert listed(project, mine.write(documents)) >= documents
    for number in range(30):
        (project / "many" / f"{number}.txt").unlink()
    (project / "build/plan.md").unlink()
    assert mine.write(documents) == workspace.checkpoint("x", "2026-01-02T03:04:05.000Z").tree


def test_nothing_is_read_where_nothing_changed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tree_of(project)
    tree = mine.write(())
    called: list[str] = []
    real = ProjectTree._run

    def run(self: ProjectTree, *words: str, **more: object) -> bytes:
        called.append(words[0])
        return real(self, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ProjectTree, "_run", run)
    assert mine.write(()) == tree
    assert called == ["ls-files"]


def test_with_a_store_large_and_ignored_files_stay_out_of_git(project: Path) -> None:
    mine = tree_of(project, above=1000)
    (project / "small.bin").write_bytes(b"x" * 1000)
    (project / "large.bin").write_bytes(b"x" * 1001)
    (project / "src/app.py").write_bytes(b"#" * 2000)
    (project / "secret.log").write_text("ignored and named\n")
    (project / "link").symlink_to("large.bin")
    tree = mine.write({"secret.log", "small.bin"})
    assert mine.large == {"large.bin", "src/app.py", "secret.log"}
    assert mine.ignored == {"secret.log"}
    assert listed(project, tree) >= {"small.bin", "link"}
    assert "large.bin" not in listed(project, tree)
    assert (
        git(project, "show", f"{tree}:src/app.py") == "VALUE = 1\n"
    )  # as committed: a branch must not look as if it were gone
    (project / "src/app.py").write_bytes(b"#\n")
    (project / "large.bin").unlink()
    assert git(project, "show", f"{mine.write({'secret.log'})}:src/app.py") == "#\n"
    assert mine.large == {"secret.log"}


def test_without_a_store_what_is_untracked_and_very_large_stays_behind(project: Path) -> None:
    with open(project / "huge.bin", "wb") as file:
        file.truncate(51 * 1024 * 1024)
    assert "huge.bin" not in listed(project, tree_of(project).write(()))


def test_the_runs_folder_goes_along_without_what_the_database_has(project: Path) -> None:
    folder = project / ".podium" / "runs" / "R1"
    for name in (
        "steps/a/prompt.md",
        "journal.jsonl",
        "children/x/1/journal.jsonl",
        "inbox/m.json",
        "lock",
        "state.json",
        "big.log",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x" * (2000 if name == "big.log" else 5))
    (folder / "steps/link").symlink_to("a")
    mine = RunTree(folder, Objects(Workspace.find(project, project / ".podium").git), above=1000)
    tree = mine.write()
    assert listed(project, tree) == {"steps/a/prompt.md", "steps/link"}
    assert mine.large == {"big.log"}
    prompt = folder / "steps/a/prompt.md"
    prompt.write_text("other")
    os.utime(prompt, (1_000_000_000, 1_000_000_000))
    second = mine.write()
    assert git(project, "show", f"{second}:steps/a/prompt.md") == "other"
    prompt.write_text("OTHER")
    os.utime(prompt, (1_000_000_000, 1_000_000_000))
    assert git(project, "show", f"{mine.write()}:steps/a/prompt.md") == "OTHER"
    prompt.unlink()
    assert listed(project, mine.write()) == {"steps/link"}
