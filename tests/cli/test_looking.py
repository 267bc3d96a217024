"""status, list, log, show, report, graph, check, roles, agents, doctor."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.conftest import Podium
from tests.fakes.app import RUN, App, journal
from tests.views import teams, tickets
from tests.views.conftest import Teller, _to_first_gate

from podium.cli.commands.show import _last
from podium.core.digest import canonical
from podium.wiring import scaffold_text


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["list"],
        ["show", "@"],
        ["show", "@", "specification"],
        ["report", "@"],
        ["graph", "harness"],
        ["graph", "harness", "--svg"],
        ["check", "harness"],
        ["roles"],
        ["agents"],
        ["doctor"],
        ["completion", "bash"],
        ["rewind", "@", "--to", "x"],
        ["cancel", "@"],
        ["init"],
    ],
)
def test_every_command_has_one_json_object(
    words: list[str], podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium(*words, "--json") == 0
    assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_status_shows_the_gate(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("status") == 0
    said = capsys.readouterr().out
    assert RUN in said
    assert "approve" in said


def test_status_of_a_run_that_is_not_there(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("status", "nope") == 2
    assert "there is no run 'nope'" in capsys.readouterr().err


def test_list_names_every_run(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    podium("list")
    assert RUN in capsys.readouterr().out


def test_log_is_readable_or_as_stored(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    podium("log", "@")
    assert "specification" in capsys.readouterr().out
    podium("log", "@", "--json")
    assert capsys.readouterr().out.splitlines() == [canonical(event) for event in journal()]


def test_the_log_leaves_out_what_is_routine_unless_all_of_it_is_asked_for(
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    saved = {
        **journal()[-1],
        "type": "document.saved",
        "path": "harness/run-state.md",
        "digest": "ab" * 32,
    }
    monkeypatch.setattr(app, "events", lambda *_: [*journal(), saved])
    podium("log", "@")
    told = capsys.readouterr()
    assert "run-state.md" not in told.out
    assert "routine events are not shown; --all shows them" in told.err
    podium("log", "@", "--all")
    told = capsys.readouterr()
    assert "saved harness/run-state.md" in told.out
    assert not told.err


def test_following_ends_with_the_run(
    podium: Podium,
    app: type[App],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []
    ended = {**journal()[-1], "type": "run.completed", "outcome": "complete", "hash": "f" * 64}
    monkeypatch.setattr("time.sleep", waits.append)
    monkeypatch.setattr(app, "events", lambda *_: journal() if not waits else [*journal(), ended])
    assert podium("log", "@", "--follow", "--json") == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert len(waits) == 1


def test_show_takes_a_step_by_its_name_in_any_round(
    podium: Podium, app: type[App], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project / ".podium" / "runs" / RUN / "steps" / "specification"
    folder.mkdir(parents=True)
    (folder / "prompt.md").write_text("Write it.\n")
    assert podium("show", "@", "specification/1", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["key"], told["files"]["prompt.md"]) == ("specification", "Write it.\n")


@pytest.mark.parametrize(
    ("spoken", "key"),
    [("design", "design/2"), ("design/2", "design/2"), ("design/1", "design"), ("qa", "qa/2")],
)
def test_a_bare_name_means_its_last_round_where_the_first_has_no_number_too(
    spoken: str, key: str
) -> None:
    assert _last(["design", "qa/1", "design/2", "qa/2", "research/design"], spoken) == key


def test_show_names_every_part_of_a_step_and_takes_one_line(
    podium: Podium, app: type[App], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project / ".podium" / "runs" / RUN / "steps" / "specification"
    folder.mkdir(parents=True)
    (folder / "prompt.md").write_text("Write it.\n")
    (folder / "verdict.json").write_text('{"status": "done"}')
    assert podium("show", "@", "specification", "--json") == 0
    (line,) = capsys.readouterr().out.splitlines()
    told = json.loads(line)
    assert {
        "brief",
        "prompt",
        "view",
        "diff",
        "artifacts",
        "verdict",
        "evidence",
        "usage",
    } <= told.keys()
    assert (told["prompt"], told["verdict"], told["diff"]) == (
        "Write it.\n",
        {"status": "done"},
        None,
    )


def test_show_suggests_the_nearest_step(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("show", "@", "specifcation") == 2
    assert "did you mean specification?" in capsys.readouterr().err


def test_check_proves_the_shipped_workflow(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("check", "harness", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["states"] > 10
    assert told["violations"] == []
    assert (told["worst_case"]["dispatches"], told["worst_case"]["stage_runs"]) == (63, 9)


def test_check_knows_the_projects_policy(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text("[policy.harness]\nmax_remediations = 0\n")
    podium("check", "harness", "--json")
    assert json.loads(capsys.readouterr().out)["worst_case"]["stage_runs"] == 5


def test_check_answers_for_a_policy_that_is_asked_about(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text("[policy.harness]\nmax_remediations = 3\n")
    (project / "other.toml").write_text("max_remediations = 0\nrepair_attempts = 0\n")
    assert (
        podium("check", "harness", "--policy", "other.toml", "--set", "repair_attempts=2", "--json")
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["policy"] == {"max_remediations": 0, "repair_attempts": 2}
    assert (told["worst_case"]["stage_runs"], told["worst_case"]["dispatches"]) == (5, 5 * 7 + 3)
    (project / "line.toml").write_text(scaffold_text("harness", "stages.toml"))
    assert podium("check", "line.toml", "--set", "max_remediations=0", "--json") == 0
    assert json.loads(capsys.readouterr().out)["worst_case"]["stage_runs"] == 5
    assert podium("check", "harness", "--policy", "none.toml", "--set", "max_remediation=1") == 2
    said = capsys.readouterr().err
    assert "none.toml: cannot be read" in said
    assert "did you mean max_remediations?" in said


def test_check_tells_what_bounds_tokens_and_cost_and_what_would(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "line.toml").write_text(scaffold_text("harness", "stages.toml"))
    podium("check", "line.toml")
    said = capsys.readouterr().out
    assert "no bound on tokens: `[budget] tokens` or `step_tokens` would bound them\n" in said
    assert "no bound on cost_usd: `[budget] cost_usd` or `step_cost_usd` would bound it\n" in said
    (project / "podium.toml").write_text("[budget]\ntokens = 5000000\nestimate_usd = 0.25\n")
    podium("check", "line.toml")
    said = capsys.readouterr().out
    assert (
        "at most 5,000,000 tokens by the budget, and one more call of the agent that reaches "
        "it (without the gateway: the rest"
    ) in said
    assert "15.75 US dollars where no agent says its cost" in said
    assert "no bound on tokens" not in said
    podium("check", "line.toml", "--json")
    worst = json.loads(capsys.readouterr().out)["worst_case"]
    assert (
        worst["tokens"],
        worst["estimated_usd"],
        worst["overshoot"],
        list(worst["unbounded"]),
    ) == (5000000, 15.75, {"tokens": 1}, ["cost_usd"])


def test_graph_is_mermaid_or_a_picture(podium: Podium, capsys: pytest.CaptureFixture[str]) -> None:
    podium("graph", "harness")
    assert capsys.readouterr().out.startswith("stateDiagram-v2")
    podium("graph", "harness", "--svg")
    assert capsys.readouterr().out.startswith("<svg")


def test_doctor_fails_on_wrong_settings_and_says_how_to_mend(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text("[comands]\ntest = 'x'\n")
    assert podium("doctor") == 2
    said = capsys.readouterr().out
    assert said.count("comands is not known") == 1
    assert "FAIL  settings: podium.toml: comands is not known" in said
    assert "-> did you mean commands?" in said
    assert "FAIL  workflows: not looked at, because the settings cannot be read" in said


@pytest.mark.parametrize(
    ("command", "code", "line", "way_out"),
    [
        (
            "nosuchtool --run",
            2,
            "FAIL  commands: TESTS DID NOT RUN: nosuchtool: not found (`nosuchtool --run`, ",
            "correct [commands] test in podium.toml, or install what it needs",
        ),
        (
            "./gone.sh",
            2,
            "FAIL  commands: TESTS DID NOT RUN: ./gone.sh: not found (`./gone.sh`, ",
            "correct [commands] test in podium.toml, or install what it needs",
        ),
        (
            "cd web && ls",
            2,
            "FAIL  commands: TESTS DID NOT RUN: cd: no folder web (`cd web && ls`, ",
            "correct [commands] test in podium.toml, or install what it needs",
        ),
        ("./here.sh -q", 0, "ok    commands: test: 1 passed (`./here.sh -q`, ", ""),
        (
            "./here.sh && exit 3",
            0,
            "warn  commands: test: failed (exit 3), though 1 tests passed (`./here.sh && exit 3`, ",
            "[proof] before says whether what fails already may still fail after a run",
        ),
    ],
)
def test_doctor_runs_the_commands_in_a_view(
    podium: Podium,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    code: int,
    line: str,
    way_out: str,
) -> None:
    (project / "here.sh").write_text("#!/bin/sh\necho 1..1; echo ok 1 - it is here\n")
    (project / "here.sh").chmod(0o755)
    (project / "podium.toml").write_text(f'[commands]\ntest = "{command}"\n')
    assert podium("doctor") == code
    told = capsys.readouterr().out
    assert line in told
    assert (f"-> {way_out}" if way_out else line) in told
    assert "podium.toml, 1 value set" in told


def test_doctor_shows_both_outputs_of_a_command_that_a_view_breaks(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """HOME is private in a view."""
    (Path(os.environ["HOME"]) / "answer").write_text("ok 1 - from home\n")
    (project / "podium.toml").write_text('[commands]\ntest = "echo 1..1; cat ~/answer"\n')
    assert podium("doctor") == 2
    told = capsys.readouterr().out
    assert (
        "FAIL  commands: `echo 1..1; cat ~/answer` passes in your checkout and not in a view"
    ) in told
    view, checkout = told.partition("In a view:")[2].split("In your checkout:")
    assert "No such file or directory" in view
    assert "ok 1 - from home" in checkout
    assert "[view] bring" in checkout


def test_doctor_says_which_kind_of_view_this_machine_gives_and_why(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text('[view]\nkind = "copy"\n')
    podium("doctor")
    assert "ok    views: copy: a copy of all files for each step" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            '[agents.mine]\nbackend = "claud"\n',
            "FAIL  agent mine: [agents.mine]: unknown backend 'claud' (did you mean 'claude'?)",
        ),
        ('agent = "nobody"\n', "FAIL  agent nobody: no agent is called 'nobody'"),
        ('[roles.qa]\nagent = "scripted:gone.yaml"\n', "FAIL  agent scripted:gone.yaml: "),
    ],
)
def test_doctor_names_an_agent_that_no_run_could_use(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str], settings: str, said: str
) -> None:
    (project / "podium.toml").write_text(settings)
    assert podium("doctor") == 2
    assert said in capsys.readouterr().out


def test_doctor_names_a_role_that_no_workflow_has(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text(
        '[roles.bild]\nagent = "human"\n[roles.planner]\nagent = "human"\n'
    )
    assert podium("doctor") == 2
    said = capsys.readouterr().out
    assert (
        "FAIL  role: podium.toml: roles.bild is not a role of any workflow\n        -> did "
        "you mean build?"
    ) in said
    assert "roles.planner" not in said


def test_doctor_finds_missing_workflow_files(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("init", "harness")
    (project / "harness" / "roles" / "qa-agent.md").unlink()
    assert podium("doctor") == 2
    assert "missing: harness/roles/qa-agent.md" in capsys.readouterr().out


def test_roles_name_the_agent_of_each(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text('agent = "claude"\n[roles.qa]\nagent = "codex"\n')
    podium("roles", "--json")
    agents = {each["role"]: each["agent"] for each in json.loads(capsys.readouterr().out)["roles"]}
    assert (agents["qa"], agents["build"]) == ("codex", "claude")


def test_roles_that_only_some_inputs_of_a_workflow_need_are_listed_too(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("roles", "roadmap", "--json") == 0
    assert "planner" in [each["role"] for each in json.loads(capsys.readouterr().out)["roles"]]


ODD = "---\nname: qa\ndescription: Use when: done\n---\n# QA\n"


def test_roles_say_where_each_definition_comes_from(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".claude" / "agents").mkdir(parents=True)
    (project / ".claude" / "agents" / "qa.md").write_text(ODD)
    assert podium("roles", "harness", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    found = {each["role"]: (each["from"], each["definition"]) for each in told["roles"]}
    assert (found["qa"], found["build"]) == (("project", ".claude/agents/qa.md"), ("built-in", ""))
    assert all(each["digest"].startswith("sha256:") for each in told["roles"])
    assert len(told["warnings"]) == 1
    podium("roles", "harness")
    assert "warn  .claude/agents/qa.md:3: is not YAML" in capsys.readouterr().out


def test_doctor_and_check_name_a_role_file_that_cannot_be_used(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".github" / "agents").mkdir(parents=True)
    (project / ".github" / "agents" / "planner.agent.md").write_text(ODD)
    assert podium("doctor") == 2
    assert (
        capsys.readouterr().out.count("FAIL  role: .github/agents/planner.agent.md:3: is not YAML")
        == 1
    )
    assert podium("check", "ticket", "--json") == 2
    assert "planner.agent.md:3" in json.loads(capsys.readouterr().out)["roles"][0]
    assert podium("check", "ticket") == 2
    assert "BAD ROLE .github/agents/planner.agent.md:3" in capsys.readouterr().out
    podium("roles")
    assert "FAIL  .github/agents/planner.agent.md:3" in capsys.readouterr().out


def test_doctor_warns_of_a_definition_that_is_used_with_a_doubt(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".claude" / "agents").mkdir(parents=True)
    (project / ".claude" / "agents" / "qa.md").write_text(ODD)
    podium("doctor")
    assert "warn  role: .claude/agents/qa.md:3: is not YAML" in capsys.readouterr().out


def test_show_lists_what_is_below_an_item(
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(app, "events", lambda *_: teams.second_attempt())
    assert podium("show", "@", "item/US-2", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["key"].rpartition("US-2/")[2] for each in told["steps"]] == [
        "implement/1",
        "testing/1",
        "implement/2",
    ]
    assert told["key"] == "item/US-2"
    podium("show", "@", "item/US-2")
    assert "✗ item/US-2/testing/1" in capsys.readouterr().out


def test_show_takes_a_task_or_a_group_by_its_name(
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(app, "events", lambda *_: tickets.whole().told)
    monkeypatch.setattr(app, "workflow", lambda *_: tickets.Ticket(tickets.POLICY))
    monkeypatch.setenv("COLUMNS", "60")
    assert podium("show", "@", "TASK-2") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "TASK-2 · group A · accepted · attempt 2 of 5"
    assert lines[2].startswith("✗ validate/1")
    assert lines[3] == f"    {tickets.SAID}"
    assert podium("show", "@", "B", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["key"] for each in told["steps"]] == [
        "iteration/0/task/TASK-4/1",
        "iteration/0/review/TASK-4/1",
    ]
    assert podium("show", "@", "TASK-22") == 2
    assert "did you mean TASK-" in capsys.readouterr().err


def test_show_knows_gates(
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    teller = Teller()
    _to_first_gate(teller)
    monkeypatch.setattr(app, "events", lambda *_: teller.events)
    assert podium("show", "@", "approve-build") == 0
    assert "Build this plan?" in capsys.readouterr().out


def test_the_log_shows_the_text_that_an_event_carries(
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = {
        **journal()[-1],
        "type": "roadmap.iteration",
        "item": "US-1",
        "status": "done",
        "text": "## Iteration\n- one\n",
    }
    monkeypatch.setattr(app, "events", lambda *_: [told])
    podium("log", "@")
    assert capsys.readouterr().out.splitlines()[1:] == ["         ## Iteration", "         - one"]


def test_the_list_says_which_item_a_run_is_at(
    podium: Podium,
    app: type[App],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(app, "events", lambda *_: teams.second_attempt())
    monkeypatch.setattr(app, "workflow", lambda *_: teams.Loop())
    monkeypatch.setattr(app, "summarised", replace(app.summarised, workflow="roadmap", step="item"))
    podium("list")
    assert "item US-2: implement" in capsys.readouterr().out
    podium("status")
    assert "item US-2: implement, attempt 2 of 3; 1 of 3 items done" in capsys.readouterr().out


def test_graph_of_a_loop_shows_its_items_too(
    podium: Podium, capsys: pytest.CaptureFixture[str]
) -> None:
    podium("graph", "roadmap")
    assert "  state item {" in capsys.readouterr().out
    podium("graph", "roadmap", "--svg")
    assert capsys.readouterr().out.count("<svg") == 3
