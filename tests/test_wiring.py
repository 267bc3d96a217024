"""The composition root: settings, options and a request become one engine for one run, and a
resumed run keeps its own.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import NO_GATES, STATE, TASK, Project

from podium.agents.protocol import Answer, Job
from podium.core.errors import InputError, PodiumError, UsageError
from podium.engine.services import Services
from podium.wiring import App, Parts, scaffold_text
from podium.wiring_values import RunOptions
from podium.workflows.harness.entry import ENTRY


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in [each for each in os.environ if each.startswith(("PODIUM_", "GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    return Project.at(tmp_path, "plain")


def request(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project.folder / "request.json").read_text())
    return found


def services(
    project: Project,
    options: RunOptions | None = None,
    environ: dict[str, str] | None = None,
    **asked: Any,
) -> Services:
    app = App(
        project.root,
        parts=Parts({**project.environ, **(environ or {})}, clock=project.clock, cwd=project.root),
    )
    told = {
        "agent": "",
        "roles": {},
        "policy": app.settings.policy_of("harness", {}),
        "commands": {},
        **asked,
    }
    return app._services(ENTRY, told, options or RunOptions())


class Named:
    """An agent that is only asked for its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def perform(self, job: Job) -> Answer:
        raise AssertionError("nobody is dispatched here")


# -- starting


def test_a_run_is_named_after_its_task(project: Project) -> None:
    assert project.run().run == "T001-0001"


def test_a_run_may_be_given_its_name(project: Project) -> None:
    assert project.run(run_id="first-try").run == "first-try"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("command:./nope.sh", "there is no program .*nope.sh"),
        ("command:no-such-program --now", "no-such-program is not on the PATH"),
        ("command:./README.md", "README.md is not executable"),
        ("mine", "nope.sh"),
        ("scripted:", "needs a scenario"),
    ],
)
def test_an_agent_that_cannot_be_started_is_told_before_the_run_is_there(
    project: Project, agent: str, words: str
) -> None:
    (project.root / "README.md").write_text("no program\n")
    (project.root / "podium.toml").write_text(
        '[agents.mine]\nbackend = "acp"\ncommand = "./nope.sh"\n'
    )
    with pytest.raises(UsageError, match=words):
        project.run(agent=agent)
    assert not (project.root / ".podium/runs").exists()


def test_a_folder_for_views_that_cannot_be_made_is_told_before_anything_is_written(
    project: Project,
) -> None:
    (project.root / "file").write_text("")
    (project.root / "podium.toml").write_text('[store]\nviews = "file/x"\n')
    with pytest.raises(InputError, match=r"\[store\] views: .*/file is not a folder"):
        project.run()
    assert not (project.root / ".podium/runs").exists()
    (project.root / "podium.toml").write_text('[commands]\ntest = "sh tests.sh"\n')
    project.run()
    (project.root / "podium.toml").write_text('[store]\nviews = "file/x"\n')
    project.approve()
    with pytest.raises(InputError, match="is not a folder"):
        project.resume()


@pytest.mark.parametrize("name", ["-x", "a/b", "..", "x" * 65, "a b"])
def test_a_name_that_is_no_folder_name_is_refused(project: Project, name: str) -> None:
    with pytest.raises(UsageError, match="--run-id"):
        project.run(run_id=name)


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("harnes", "did you mean harness?"),
        ("other", "choose one of: feature, governed, harness, roadmap, ticket"),
    ],
)
def test_an_unknown_workflow_is_refused_with_the_nearest_or_with_those_there_are(
    project: Project, name: str, way: str
) -> None:
    with pytest.raises(UsageError) as refused:
        project.app.start(name, [TASK], RunOptions())
    assert str(refused.value) == f"there is no workflow {name!r}; {way}"


def test_without_an_agent_nothing_is_started_and_nothing_written(project: Project) -> None:
    with pytest.raises(UsageError, match="no agent is set for the role po-spec"):
        project.app.start("harness", [TASK], RunOptions())
    assert not project.path(".podium/runs").exists()
    assert not project.path(STATE).exists()


def test_every_file_the_workflow_needs_must_be_there_before_anything_is_written(
    project: Project,
) -> None:
    project.path("harness/roles/qa-agent.md").unlink()
    project.path("harness/templates/run-state-template.md").unlink()
    with pytest.raises(InputError) as refused:
        project.run()
    assert {each.where for each in refused.value.faults} == {
        "harness/roles/qa-agent.md",
        "harness/templates/run-state-template.md",
    }
    assert not project.path(".podium/runs").exists()


def test_a_task_may_be_named_from_where_the_person_stands(project: Project) -> None:
    parts = Parts(
        project.environ,
        clock=project.clock,
        token=lambda: "0001",
        cwd=project.path("harness/tasks"),
    )
    ended = App(project.root, parts=parts).start(
        "harness", ["T001-sample.md"], RunOptions(agent=project.scenario())
    )
    assert ended.gates == ("approve-build",)
    assert project.state("Task File") == TASK


def test_the_request_holds_what_was_asked_after_all_overrides(project: Project) -> None:
    project.run(policy={"max_remediations": 1})
    asked = request(project)
    assert (asked["workflow"], asked["inputs"], asked["title"]) == (
        "harness",
        [TASK],
        "T001 — Add a word counter",
    )
    assert asked["policy"]["max_remediations"] == 1
    assert asked["policy"]["repair_attempts"] == 1
    assert asked["commands"]["test"] == "sh tests.sh"
    assert [each["name"] for each in asked["definition"]["stages"]][-1] == "QA"


def test_a_scenario_is_found_again_from_anywhere(project: Project) -> None:
    project.path("here").mkdir()
    project.write("here/s.yaml", "agents: {}\n")
    parts = Parts(
        project.environ, clock=project.clock, token=lambda: "0001", cwd=project.path("here")
    )
    App(project.root, parts=parts).start(
        "harness",
        [str(project.path(TASK))],
        RunOptions(agent="scripted:s.yaml", policy=NO_GATES, until="design"),
    )
    assert project.resume().exit_code == 0


# -- resuming


def test_a_run_under_way_keeps_its_stages_though_the_list_was_changed(project: Project) -> None:
    project.run()
    project.edit("harness/stages.toml", 'name = "QA"', 'name = "Quality"')
    workflow = project.app.workflow(project.run_id)
    assert "qa" in workflow.steps
    assert "quality" not in workflow.steps


def test_new_policy_and_agents_are_kept_for_later_resumes(project: Project) -> None:
    project.run()
    project.resume(policy={"max_remediations": 0}, roles={"qa": "human"}, agent="")
    asked = request(project)
    assert (asked["policy"]["max_remediations"], asked["roles"]) == (0, {"qa": "human"})
    assert asked["agent"].startswith("scripted:")


@pytest.mark.parametrize(
    "told",
    [
        {"agent": "nobody"},
        {"agent": "scripted:gone.yaml"},
        {"agent": "command:/nonexistent/agent"},
        {"roles": {"build": "nobody"}, "agent": ""},
    ],
)
def test_a_resume_with_an_agent_that_is_not_there_writes_nothing(
    project: Project, told: dict[str, Any]
) -> None:
    project.run(until="implementation-planning", policy=NO_GATES)
    before = _files(project.root)
    with pytest.raises(PodiumError):
        project.resume(**told)
    assert _files(project.root) == before
    assert project.resume().exit_code == 0


def test_a_step_whose_agent_is_gone_meanwhile_is_not_said_to_have_begun(project: Project) -> None:
    project.write("s.yaml", "agents: {}\n")
    parts = Parts(project.environ, clock=project.clock, token=lambda: "0001", cwd=project.root)
    App(project.root, parts=parts).start(
        "harness", [TASK], RunOptions(agent="scripted:s.yaml", policy=NO_GATES, until="design")
    )
    project.path("s.yaml").unlink()
    with pytest.raises(InputError, match=r"s\.yaml: cannot be read"):
        project.resume(agent="")
    assert [each["key"] for each in project.events("step.started")] == ["specification", "design"]
    assert project.resume(agent=project.scenario()).exit_code == 0
    assert not project.events("gate.opened")


def _files(folder: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def test_an_agent_named_by_the_environment_stays_with_the_run(project: Project) -> None:
    scenario = project.scenario({"design": [{"fail": "crash"}]})
    told = {**project.environ, "PODIUM_AGENT": scenario, "PODIUM_ROLES__QA__AGENT": "human"}
    App(project.root, parts=Parts(told, clock=project.clock, token=lambda: "0001")).start(
        "harness", [TASK], RunOptions(until="specification")
    )
    assert request(project)["kept"] == {
        **dict.fromkeys(("po-spec", "feature-design", "tech-lead", "build"), scenario),
        "qa": "human",
    }
    assert project.resume(until="design").exit_code == 0
    assert request(project)["agent"] == ""


@pytest.mark.parametrize("way", ["environment", "option", "role"])
def test_who_is_told_anew_wins_over_the_agent_of_the_start(project: Project, way: str) -> None:
    nobody = {**project.environ, "PODIUM_AGENT": "command:/bin/false"}
    App(project.root, parts=Parts(nobody, clock=project.clock, token=lambda: "0001")).start(
        "harness", [TASK], RunOptions()
    )
    good = project.scenario()
    told = {**project.environ, "PODIUM_AGENT": good} if way == "environment" else project.environ
    options = {
        "environment": RunOptions(because="another agent", until="specification"),
        "option": RunOptions(agent=good, until="specification"),
        "role": RunOptions(roles={"po-spec": good}, until="specification"),
    }[way]
    assert (
        App(project.root, parts=Parts(told, clock=project.clock))
        .resume("T001-0001", options)
        .exit_code
        == 0
    )


def test_a_dry_run_says_what_comes_first_and_writes_nothing(project: Project) -> None:
    before = project.snapshot()
    (planned,) = project.app.dry_run("harness", [TASK], RunOptions(agent=project.scenario()))
    assert (planned.key, planned.role) == ("specification", "po-spec")
    assert planned.agent.startswith("scripted")
    assert "harness/tasks/T001-sample.md" in planned.prompt
    assert project.snapshot() == before
    assert not project.path(".podium").exists()


def test_the_prompt_of_a_dry_run_is_the_one_that_the_agent_gets(project: Project) -> None:
    (planned,) = project.app.dry_run("harness", [TASK], RunOptions(agent=project.scenario()))
    project.run()
    sent = (project.folder / "steps/specification/prompt.md").read_text()
    assert "harness/run-state.md" in planned.prompt
    may_read = [
        text[text.index("You may read") :].split("\n\n")[0] for text in (planned.prompt, sent)
    ]
    assert may_read[0] == may_read[1]


# -- looking


def test_a_run_is_named_by_its_id_a_prefix_or_the_latest(project: Project) -> None:
    project.run()
    assert {project.app.resolve(each) for each in ("T001-0001", "T00", "@")} == {"T001-0001"}
    with pytest.raises(UsageError):
        project.app.resolve("T9")


def test_a_damaged_run_hides_no_other(project: Project) -> None:
    project.run()
    broken = project.root / ".podium/runs/T000-bad"
    broken.mkdir()
    (broken / "request.json").write_text("{")
    (broken / "journal.jsonl").write_text("no json\n{}\n")
    assert {each.run: each.status for each in project.app.list()} == {
        "T001-0001": "waiting",
        "T000-bad": "damaged",
    }


def test_a_decision_about_a_file_that_changed_says_so(project: Project) -> None:
    project.run()
    project.edit(
        "harness/artifacts/plans/T001-implementation-plan.md", "settled.", "settled, by hand."
    )
    assert "changed since the gate opened" in project.approve().advice[0]


# -- the engine's services


def test_agents_are_chosen_by_role_then_for_all_then_by_settings(project: Project) -> None:
    project.write("podium.toml", 'agent = "human"\n[roles.qa]\nagent = "scripted:q.yaml"\n')
    project.write("q.yaml", "agents: {}\n")
    plain = services(project)
    assert (plain.agent_for("build").name, plain.agent_for("qa").name.partition(":")[0]) == (
        "human",
        "scripted",
    )
    assert services(project, agent="human").agent_for("qa").name == "human"
    assert (
        services(project, agent="scripted:q.yaml", roles={"qa": "human"}).agent_for("qa").name
        == "human"
    )


@pytest.mark.parametrize(
    ("settings", "options", "person"),
    [
        ('agent = "human"', RunOptions(), True),
        ('agent = "human"', RunOptions(agent="scripted:q.yaml"), False),
        ('agent = "human"', RunOptions(agent="scripted:q.yaml", roles={"qa": "me"}), True),
        ('agent = "scripted:q.yaml"', RunOptions(), False),
        ('agent = "scripted:q.yaml"\n[roles.qa]\nagent = "human"', RunOptions(), True),
        ('agent = "scripted:q.yaml"\n[roles.interpreter]\nagent = "human"', RunOptions(), False),
    ],
)
def test_a_person_takes_part_where_one_plays_a_role_of_the_run(
    project: Project, settings: str, options: RunOptions, person: bool
) -> None:
    """What the settings say beside an agent that the command line names is nobody's role."""
    project.write("podium.toml", f'{settings}\n[agents.me]\nbackend = "human"\n')
    app = App(project.root, parts=Parts(project.environ, clock=project.clock, cwd=project.root))
    assert app.has_person(options, ["build", "qa"]) is person


def test_an_agent_given_as_a_part_replaces_all_of_them(project: Project) -> None:
    parts = Parts(project.environ, agents=lambda role: Named("spare") if role == "qa" else None)
    app = App(project.root, parts=parts)
    told = {
        "agent": "human",
        "roles": {},
        "policy": app.settings.policy_of("harness", {}),
        "commands": {},
    }
    found = app._services(ENTRY, told, RunOptions())
    assert (found.agent_for("qa").name, found.agent_for("build").name) == ("spare", "human")


def test_an_agent_is_made_once(project: Project) -> None:
    found = services(project, agent="human")
    assert found.agent_for("qa") is found.agent_for("qa")


def test_the_environment_of_agents_is_an_allow_list(project: Project) -> None:
    environ = services(
        project, environ={"AWS_SECRET": "hunter2-hunter2", "PODIUM_AGENT": "1", "LANG": "C"}
    ).environment
    assert "AWS_SECRET" not in environ
    assert "PODIUM_AGENT" not in environ
    assert environ["LANG"] == "C"


def test_secrets_of_the_environment_are_redacted(project: Project) -> None:
    assert (
        services(project, environ={"AWS_SECRET": "hunter2-hunter2"}).redact("hunter2-hunter2")
        == "[redacted]"
    )


def test_views_are_outside_the_project_and_differ_for_two_projects(
    project: Project, tmp_path: Path
) -> None:
    other = Project(tmp_path / "other", project.home)
    other.root.mkdir()
    one, two = services(project).views, services(other).views
    assert not one.is_relative_to(project.root)
    assert one != two


def test_views_are_where_the_settings_say(project: Project, tmp_path: Path) -> None:
    project.write("podium.toml", f'[store]\nviews = "{tmp_path}/mine"\n')
    assert services(project).views.is_relative_to(tmp_path / "mine")


def test_nobody_has_approved_all_gates_unless_they_said_so(project: Project) -> None:
    assert services(project).approve_all == ""
    assert services(project, RunOptions(approve_all=True, by="Ada")).approve_all == "Ada"
    assert services(project, RunOptions(approve_all=True)).approve_all == "the command line"
    assert services(project, RunOptions(by="Ada")).approve_all == ""


def test_caps_and_retries_come_from_settings_and_policy(project: Project) -> None:
    project.write(
        "podium.toml", "[budget]\ndispatches = 7\n[policy.harness]\nrepair_attempts = 2\n"
    )
    found = services(project)
    assert found.caps.dispatches == 7
    assert (
        found.retry.repair_attempts,
        found.retry.limit("validation"),
        found.retry.limit("violation"),
    ) == (2, 3, 1)


@pytest.mark.parametrize(
    ("minimum", "held"),
    [("asked", True), ("audited", True), ("mediated", False), ("confined", False)],
)
def test_an_assurance_that_cannot_be_held_is_refused_and_not_pretended(
    project: Project, minimum: str, held: bool
) -> None:
    project.write("podium.toml", f'[isolation]\nminimum = "{minimum}"\nconfine = "off"\n')
    if held:
        assert services(project).confinement() is None
        return
    with pytest.raises(UsageError, match="cannot be enforced"):
        services(project)


def test_the_scaffold_is_part_of_the_package() -> None:
    assert scaffold_text("harness", "stages.toml").count("\n[[stage]]\n") == 5


def test_a_known_program_that_is_not_here_is_told_before_anything_is_written(
    project: Project,
) -> None:
    project.variables["PATH"] = "/nonexistent"
    for settings, install in (
        ("", "@anthropic-ai/claude-code"),
        ('transport = "acp"', "claude-agent-acp"),
    ):
        project.write("podium.toml", f"[agents.claude]\n{settings}\n")
        with pytest.raises(UsageError) as caught:
            project.run(agent="claude")
        assert install in str(caught.value)
        for way in ("podium demo", "--agent human"):
            assert way in str(caught.value)
    assert not project.path(".podium/runs").exists()
