"""A link lands only where it stays in the project, through whatever other links it leads."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.engine.test_workspace import DATE, RUN, Make, make, opened, sh, templates, write

from podium.engine.workspace import CodeView, Workspace, trailers_of

__all__ = ["make", "templates"]


@pytest.fixture
def space(make: Make) -> Workspace:
    """A project whose user has links: into it by a way round, and out of it."""
    made = make("repository")
    os.symlink("src/deep/../main.py", made.project / "round")
    os.symlink("/etc", made.project / "etc")
    os.symlink("/etc/hosts", made.project / "docs/hosts")
    sh(made.project, "add", "-A")
    sh(made.project, "commit", "-qm", "links")
    return made


def allowed(space: Workspace, view: CodeView, **links: str) -> dict[str, bool]:
    for name, target in links.items():
        os.symlink(target, view.project / name)
    return {each.path: each.allowed for each in space.changes(view)}


@pytest.mark.parametrize(
    "target",
    ["readme.md", "src", "src/../readme.md", ".", "link", "round", "src/deep/../../docs", "none/at/all", "itself", "scratch/x"],
)
def test_a_link_that_stays_in_the_project_may_land(space: Workspace, target: str) -> None:
    assert allowed(space, opened(space), itself=target) == {"itself": True}


@pytest.mark.parametrize(
    "target",
    ["/etc/passwd", "..", "../top/readme.md", "src/../..", "etc", "etc/passwd", "docs/hosts", ".git/hooks", "src/.GIT", "none/../..",
     "none/../readme.md", "src/deep/../../../x"],
)  # fmt: skip
def test_a_link_that_leads_out_never_lands(space: Workspace, target: str) -> None:
    assert allowed(space, opened(space), new=target) == {"new": False}


def test_links_that_lead_out_together_never_land(space: Workspace) -> None:
    view = opened(space)
    (view.folder / "d").mkdir()
    os.symlink("..", view.folder / "d/a")
    found = allowed(space, view, up="d/a/d/a/../..", hooks="d/a/.git/hooks", fine="d/a/readme.md")
    assert found == {"d/a": True, "fine": True, "hooks": False, "up": False}


def test_a_link_of_the_user_is_not_turned_by_what_it_leads_through(space: Workspace) -> None:
    view = opened(space)
    shutil.rmtree(view.folder / "src/deep")
    os.symlink("..", view.folder / "src/deep")
    assert allowed(space, view) == {"src/deep": False, "src/deep/util.py": True}


def test_a_link_to_what_was_hidden_is_followed_too(space: Workspace) -> None:
    view = opened(space, hidden=("docs/**",))
    assert allowed(space, view, new="docs/hosts", other="docs/plan.md") == {"new": False, "other": True}


def test_a_link_beside_a_project_in_a_subfolder_leads_out(make: Make) -> None:
    space = make("subfolder")
    found = allowed(space, opened(space), out="../../lib", back="../web/readme.md", fine="src/../readme.md")
    assert found == {"back": False, "fine": True, "out": False}


def test_a_removed_link_is_an_ordinary_change(space: Workspace) -> None:
    view = opened(space)
    (view.folder / "etc").unlink()
    (view.folder / "link").unlink()
    write(view.folder, {"link": "a file"})
    assert allowed(space, view) == {"etc": True, "link": True}


def test_work_side_by_side_that_leads_out_together_is_a_clash(space: Workspace) -> None:
    base = space.checkpoint("before", DATE, run_id=RUN)
    views = [space.open_view(space.toplevel.parent / name, base) for name in ("one", "two")]
    os.symlink("src/deep/../../docs", views[0].folder / "there")
    shutil.rmtree(views[1].folder / "src/deep")
    os.symlink("../docs", views[1].folder / "src/deep")
    os.unlink(views[1].folder / "round")
    commits = []
    for view in views:
        found = space.changes(view)
        assert all(each.allowed for each in found)
        commits.append(space.commit(view, RUN, "work", trailers_of(RUN, view.folder.name), DATE, [each.path for each in found]))
    space.land(commits[0], base)
    assert space.merge(commits[1], base, "two", DATE, RUN) is None


def test_links_that_lead_nowhere_else_are_merged(space: Workspace, tmp_path: Path) -> None:
    base = space.checkpoint("before", DATE, run_id=RUN)
    view = space.open_view(tmp_path / "one", base)
    os.symlink("docs/plan.md", view.folder / "there")
    commit = space.commit(view, RUN, "work", trailers_of(RUN, "one"), DATE, ["there"])
    write(space.project, {"readme.md": "meanwhile"})
    assert space.merge(commit, base, "one", DATE, RUN) is not None
