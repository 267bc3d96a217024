"""A link lands only where it stays in the project, through whatever other links it leads."""

from __future__ import annotations

import os
import shutil

import pytest
from tests.fakes.mounted import at_work
from tests.fakes.projects import DATE, RUN, Make, sh, view_of, write

from podium.engine.views.code_view import Kind
from podium.engine.workspace import CodeView, Workspace, trailers_of


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
    with at_work(view) as top:
        for name, target in links.items():
            os.symlink(target, top / view.inner / name)
    return {each.path: each.allowed for each in space.changes(view)}


@pytest.mark.parametrize(
    "target",
    [
        "readme.md",
        "src",
        "src/../readme.md",
        ".",
        "link",
        "round",
        "src/deep/../../docs",
        "none/at/all",
        "itself",
        "scratch/x",
    ],
)
def test_a_link_that_stays_in_the_project_may_land(
    space: Workspace, kind: Kind, target: str
) -> None:
    assert allowed(space, view_of(space, kind), itself=target) == {"itself": True}


@pytest.mark.parametrize(
    "target",
    [
        "/etc/passwd",
        "..",
        "../top/readme.md",
        "src/../..",
        "etc",
        "etc/passwd",
        "docs/hosts",
        ".git/hooks",
        "src/.GIT",
        "none/../..",
        "none/../readme.md",
        "src/deep/../../../x",
    ],
)
def test_a_link_that_leads_out_never_lands(space: Workspace, kind: Kind, target: str) -> None:
    assert allowed(space, view_of(space, kind), new=target) == {"new": False}


def test_links_that_lead_out_together_never_land(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        (top / "d").mkdir()
        os.symlink("..", top / "d/a")
    found = allowed(space, view, up="d/a/d/a/../..", hooks="d/a/.git/hooks", fine="d/a/readme.md")
    assert found == {"d/a": True, "fine": True, "hooks": False, "up": False}


def test_a_link_of_the_user_is_not_turned_by_what_it_leads_through(
    space: Workspace, kind: Kind
) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        shutil.rmtree(top / "src/deep")
        os.symlink("..", top / "src/deep")
    assert allowed(space, view) == {"src/deep": False, "src/deep/util.py": True}


def test_a_link_to_what_was_hidden_is_followed_too(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind, hidden=("docs/**",))
    assert allowed(space, view, new="docs/hosts", other="docs/plan.md") == {
        "new": False,
        "other": True,
    }


def test_a_link_beside_a_project_in_a_subfolder_leads_out(make: Make, kind: Kind) -> None:
    space = make("subfolder")
    found = allowed(
        space,
        view_of(space, kind),
        out="../../lib",
        back="../web/readme.md",
        fine="src/../readme.md",
    )
    assert found == {"back": False, "fine": True, "out": False}


def test_a_removed_link_is_an_ordinary_change(space: Workspace, kind: Kind) -> None:
    view = view_of(space, kind)
    with at_work(view) as top:
        (top / "etc").unlink()
        (top / "link").unlink()
        write(top, {"link": "a file"})
    assert allowed(space, view) == {"etc": True, "link": True}


def test_work_side_by_side_that_leads_out_together_is_a_clash(space: Workspace, kind: Kind) -> None:
    base = space.checkpoint("before", DATE, run_id=RUN)
    views = [view_of(space, kind, name, base) for name in ("one", "two")]
    with at_work(views[0]) as top:
        os.symlink("src/deep/../../docs", top / "there")
    with at_work(views[1]) as top:
        shutil.rmtree(top / "src/deep")
        os.symlink("../docs", top / "src/deep")
        os.unlink(top / "round")
    commits = []
    for view in views:
        found = space.changes(view)
        assert all(each.allowed for each in found)
        commits.append(
            space.commit(
                view,
                RUN,
                "work",
                trailers_of(RUN, view.home.name),
                DATE,
                [each.path for each in found],
            )
        )
    space.land(commits[0], base)
    assert space.merge(commits[1], base, "two", DATE, RUN) is None


def test_links_that_lead_nowhere_else_are_merged(space: Workspace, kind: Kind) -> None:
    base = space.checkpoint("before", DATE, run_id=RUN)
    view = view_of(space, kind, "one", base)
    with at_work(view) as top:
        os.symlink("docs/plan.md", top / "there")
    commit = space.commit(view, RUN, "work", trailers_of(RUN, "one"), DATE, ["there"])
    write(space.project, {"readme.md": "meanwhile"})
    assert space.merge(commit, base, "one", DATE, RUN) is not None
