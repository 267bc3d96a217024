"""Role definitions of any program, in a whole run: what is told, recorded, remarked and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes.project import Project

from podium.cli import main as command_line
from podium.core.digest import digest
from podium.core.errors import InputError

QA = "harness/roles/qa-agent.md"
HEAD = "---\nname: build\ndescription: builds\ntools: [Read, Edit]\nx-own: 1\n---\n"
ODD = "---\nname: build\ndescription: Use when: done\n---\n# Builder\n\nBuild with care.\n"


def chosen(project: Project, path: str, text: str) -> None:
    project.write(path, text)
    project.write(
        "podium.toml",
        project.text("podium.toml") + f'[roles.build]\ndefinition = "{path}"\n',
    )


def test_the_prompt_has_the_body_and_the_record_the_digest_of_the_file(project: Project) -> None:
    text = f"{HEAD}\n# Builder\n\nBuild with care.\n"
    chosen(project, ".github/agents/build.agent.md", text)
    project.through()
    prompt = project.prompt("build/1")
    assert "Build with care." in prompt
    assert "x-own" not in prompt
    started = project.event("step.started", key="build/1")
    assert started["definition"] == {
        "from": ".github/agents/build.agent.md",
        "digest": digest(text),
    }
    brief = json.loads(project.step("build/1", "brief.json").read_text(encoding="utf-8"))
    assert brief["definition_digest"] == digest(text)


def test_every_dispatch_says_what_it_was_told_by(project: Project) -> None:
    project.through()
    dispatched = [each for each in project.events("step.started") if each["kind"] == "dispatch"]
    assert dispatched
    assert all(each["definition"]["digest"].startswith("sha256:") for each in dispatched)


def test_a_definition_that_cannot_be_read_keeps_a_run_from_beginning(project: Project) -> None:
    project.write(QA, ODD)
    before = project.snapshot()
    with pytest.raises(InputError, match=r"harness/roles/qa-agent\.md:3"):
        project.through()
    assert project.snapshot() == before
    assert not project.folder.exists()


def test_a_definition_spoilt_meanwhile_keeps_a_run_from_going_on(project: Project) -> None:
    project.run()
    project.approve()
    project.write(QA, ODD)
    with pytest.raises(InputError, match=r"harness/roles/qa-agent\.md:3"):
        project.resume()
    assert not project.events("run.resumed")


def test_a_blocked_run_goes_on_once_the_definition_of_its_role_was_edited(project: Project) -> None:
    ended = project.through(
        {"tech-lead": [{"say": "The plan is written."}, {"say": "Still."}, {"behave": "well"}]}
    )
    assert ended.exit_code == 20
    assert project.resume().exit_code == 20
    project.edit("harness/roles/tech-lead-agent.md", "# ", "# Careful ")
    assert project.resume().exit_code == 0
    assert "the definition of tech-lead was edited" in project.events("run.resumed")[-1]["reason"]


def test_a_doubtful_definition_is_remarked_once_for_each_command(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    chosen(project, ".claude/agents/build.md", ODD)
    monkeypatch.chdir(project.root)
    agent = project.scenario()
    assert (
        command_line.main(["run", "harness", "harness/tasks/T001-sample.md", "--agent", agent])
        == 10
    )
    assert capsys.readouterr().err.count(".claude/agents/build.md:3: is not YAML") == 1
