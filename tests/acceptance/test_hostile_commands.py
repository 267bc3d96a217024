"""A test of a project that decides gates, starts runs and rewrites settings: it is a command of the
engine, and comes to nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.fakes.project import SPEC, Project

SOURCE = Path(__file__).parents[2] / "src"
TOML = '[commands]\ntest = "sh tests.sh"\n[isolation]\nconfine = "{confine}"\n'


@pytest.fixture
def victim(tmp_path: Path) -> Project:
    """Another project of the same person, whose run waits at a gate."""
    (tmp_path / "victim").mkdir()
    project = Project.at(tmp_path / "victim")
    assert project.run().gates == ("approve-build",)
    return project


@pytest.fixture
def own(tmp_path: Path) -> Project:
    (tmp_path / "own").mkdir()
    return Project.at(tmp_path / "own")


def attack(own: Project, confine: str, *lines: str) -> str:
    """A whole run whose test command does this first; returns what it printed."""
    own.write("podium.toml", TOML.format(confine=confine))
    script = "\n".join([*(f"( {line} ) 2>&1" for line in lines), "exit 0", ""])
    own.write("tests.sh", script)
    own.through()
    (said,) = own.folder.rglob("steps/build/1/evidence/test*")
    return said.read_text()


def podium(project: Project, *words: str) -> str:
    """The command line with nothing of the environment."""
    home = project.home
    return (
        f"env -i PATH=/usr/bin:/bin HOME={home} PYTHONPATH={SOURCE} {sys.executable} -m podium "
        f"{' '.join(words)} --project {project.root}"
    )


@pytest.mark.parametrize("confine", ["auto", "off"])
@pytest.mark.parametrize("way", ["{}", "setsid {}", "{} & wait", "(setsid {} &) ; sleep 3"])
def test_a_test_approves_no_run_of_the_person(
    own: Project, victim: Project, confine: str, way: str
) -> None:
    said = attack(own, confine, way.format(podium(victim, "approve", victim.run_id, "--go")))
    if confine == "off" and ";" not in way:
        assert "decisions are for people" in said
    assert victim.events("gate.decided") == []
    assert victim.app.summary(victim.run_id).gates[0]["key"] == "approve-build"


@pytest.mark.parametrize("confine", ["auto", "off"])
def test_a_test_starts_no_run(own: Project, victim: Project, confine: str) -> None:
    line = podium(victim, "run", "feature", "words", "--yes-i-approve-all-gates")
    said = attack(own, confine, line)
    if confine == "off":
        assert "runs are started and continued by people" in said
    assert [each.name for each in (victim.root / ".podium/runs").iterdir()] == [victim.run_id]


def test_a_test_in_a_room_changes_nothing_of_this_project_or_another(
    own: Project, victim: Project
) -> None:
    inbox = victim.folder / "inbox"
    before = (victim.snapshot(), sorted(inbox.rglob("*")), victim.text("podium.toml"))
    hook = own.root / ".git/hooks/pre-commit"
    places = [
        victim.root / "podium.toml",
        victim.root / SPEC,
        victim.folder / "state.json",
        inbox / "approve-build-99.json",
        own.root / "podium.toml",
        own.root / "harness/roles/qa-agent.md",
        hook,
    ]
    attack(
        own,
        "auto",
        *(f"mkdir -p {each.parent}; echo forged > {each}" for each in places),
        f"echo forged > {own.root}/.podium/runs/{own.run_id}/inbox/approve-completion-99.json",
    )
    assert (victim.snapshot(), sorted(inbox.rglob("*")), victim.text("podium.toml")) == before
    assert own.text("podium.toml") == TOML.format(confine="auto")
    assert "forged" not in own.text("harness/roles/qa-agent.md")
    assert not hook.exists()
    assert own.events("gate.decided") == []
