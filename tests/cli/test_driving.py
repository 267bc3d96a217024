"""run and resume: from words to options, and what is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Podium
from tests.fakes.app import RUN, App, journal

from podium.core.digest import canonical
from podium.core.errors import UsageError
from podium.core.run import Status
from podium.engine.outcome import Ended
from podium.wiring_values import RunOptions


def options(app: type[App]) -> RunOptions:
    given: RunOptions = app.calls[-1][1]["options"]
    return given


def test_run_hands_everything_on(podium: Podium, app: type[App]) -> None:
    code = podium(
        "run",
        "harness",
        "--agent",
        "claude",
        "t.md",
        "--role",
        "qa=codex",
        "--set",
        "max_remediations=1",
        "--until",
        "design",
        "--run-id",
        "X1",
        "--state",
        "other.md",
    )
    assert code == 10
    name, told = app.calls[-1]
    assert (name, told["workflow"], told["inputs"]) == ("start", "harness", ["t.md"])
    given = told["options"]
    assert (given.agent, given.roles, given.policy) == (
        "claude",
        {"qa": "codex"},
        {"max_remediations": 1},
    )
    assert (given.until, given.run_id, given.extra, given.by) == (
        "design",
        "X1",
        {"state": "other.md"},
        "Ada",
    )
    assert not given.approve_all


@pytest.mark.parametrize("command", [["run", "harness", "t.md"], ["resume"]])
def test_where_a_run_is_recorded_is_handed_on(
    command: list[str], podium: Podium, app: type[App]
) -> None:
    podium(*command, "--record", "scenario.yaml")
    assert options(app).record == "scenario.yaml"


def test_a_set_value_wins_over_a_policy_file(podium: Podium, app: type[App], project: Path) -> None:
    (project / "p.toml").write_text("[policy.harness]\nmax_remediations = 3\nrepair_attempts = 0\n")
    podium("run", "harness", "t.md", "--set", "max_remediations=1", "--policy", "p.toml")
    assert options(app).policy == {"max_remediations": 1, "repair_attempts": 0}


def test_every_wrong_word_is_told_at_once_and_nothing_starts(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    code = podium(
        "run",
        "harness",
        "t.md",
        "--set",
        "max_remediation=1",
        "--set",
        "x",
        "--role",
        "qa",
        "--policy",
        "no.toml",
    )
    assert code == 2
    said = capsys.readouterr().err
    assert "did you mean max_remediations?" in said
    assert '"x" is not KEY=VALUE' in said
    assert '"qa" is not ROLE=AGENT' in said
    assert "no.toml: cannot be read" in said
    assert app.calls == []


def test_an_unknown_workflow_is_answered_with_the_nearest(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run", "harnes", "t.md") == 2
    assert "did you mean harness?" in capsys.readouterr().err


def test_approving_all_gates_is_loud(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    podium("run", "harness", "t.md", "--yes-i-approve-all-gates")
    assert options(app).approve_all
    assert "EVERY GATE IS APPROVED WITHOUT A PERSON" in capsys.readouterr().err


def test_an_agent_may_not_approve_all_gates(
    podium: Podium, app: type[App], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODIUM_AGENT", "1")
    assert podium("run", "harness", "t.md", "--yes-i-approve-all-gates") == 2
    assert app.calls == []


@pytest.mark.parametrize("command", [["run", "harness", "t.md"], ["resume"]])
def test_json_is_the_stored_events_one_a_line_and_nothing_else(
    command: list[str], podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium(*command, "--json") == 10
    assert capsys.readouterr().out.splitlines() == [canonical(event) for event in journal()]


def test_plain_lines_tell_people_what_happens(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    podium("run", "harness", "t.md")
    assert "specification" in capsys.readouterr().out


def test_quiet_says_nothing(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run", "harness", "t.md", "--quiet") == 10
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "")


def test_quiet_still_says_why_a_run_is_blocked(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.ended = Ended(RUN, "harness", Status.BLOCKED, "qa", "the review is malformed", "rule")
    assert podium("run", "harness", "t.md", "--quiet") == 20
    told = capsys.readouterr()
    assert told.out == ""
    assert "the review is malformed" in told.err


@pytest.mark.parametrize(
    ("status", "stop", "code"),
    [
        (Status.COMPLETE, "", 0),
        (Status.ACTIVE, "until", 0),
        (Status.WAITING, "gate", 10),
        (Status.SLEEPING, "timer", 11),
        (Status.BLOCKED, "rule", 20),
        (Status.BLOCKED, "budget", 21),
        (Status.CANCELLED, "", 30),
    ],
)
def test_where_the_run_rests_is_the_exit_code(
    status: Status, stop: str, code: int, podium: Podium, app: type[App]
) -> None:
    app.ended = Ended(RUN, "harness", status, "qa", "why", stop)
    assert podium("run", "harness", "t.md") == code


def test_a_dry_run_shows_prompt_and_contract(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run", "harness", "t.md", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "Write the specification." in said
    assert "reads" in said
    podium("run", "harness", "t.md", "--dry-run", "--json")
    assert json.loads(capsys.readouterr().out)["dispatches"][0]["key"] == "specification"


def test_resume_takes_the_latest_run_and_a_reason(podium: Podium, app: type[App]) -> None:
    podium("resume", "--because", "mended the spec", "--set", "max_remediations=4")
    name, told = app.calls[-1]
    assert (name, told["run"]) == ("resume", RUN)
    assert (told["options"].because, told["options"].policy) == (
        "mended the spec",
        {"max_remediations": 4},
    )


def test_a_run_that_rests_already_is_told_in_words(
    podium: Podium,
    app: type[App],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "_driven", lambda self: self.ended)
    assert podium("run", "harness", "t.md") == 10
    assert f"{RUN}: waiting at approve-build" in capsys.readouterr().err


def test_a_resumed_run_that_rests_already_is_told_once(
    podium: Podium,
    app: type[App],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(app, "_driven", lambda self: self.ended)
    assert podium("resume") == 10
    told = capsys.readouterr()
    assert told.out == ""
    assert f"{RUN}: waiting at approve" in told.err


def test_findings_are_told_where_a_run_is_complete_with_them(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.ended = Ended(
        RUN, "feature", Status.COMPLETE, "done", "", "", outcome="completed_with_findings"
    )
    assert podium("resume", "--json") == 0
    assert f"{RUN}: complete with findings" in capsys.readouterr().err


def test_a_step_to_stop_after_that_never_came_is_told(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.ended = Ended(RUN, "feature", Status.COMPLETE, "done", "", "")
    assert podium("run", "feature", "export the notes", "--until", "specfication") == 0
    assert "note: --until specfication: no step of that name was done" in capsys.readouterr().err
    assert podium("run", "feature", "export the notes", "--until", "specification") == 0
    assert "--until" not in capsys.readouterr().err


def test_a_role_of_the_settings_that_no_workflow_has_starts_nothing(
    podium: Podium, app: type[App], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text(
        '[roles.bild]\nagent = "human"\n[roles.r-quality]\nagent = "human"\n'
    )
    assert podium("run", "harness", "t.md") == 2
    assert (
        capsys.readouterr().err
        == "podium: podium.toml: roles.bild is not a role of any workflow (did you mean build?)\n"
    )
    assert app.calls == []


def test_a_key_of_governed_that_nothing_reads_starts_nothing_in_any_workflow(
    podium: Podium, app: type[App], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "podium.toml").write_text("[policy.governed.retry_budgets]\nfixable_mx = 1\n")
    assert podium("run", "harness", "t.md") == 2
    told = "retry_budgets.fixable_mx is not known (did you mean retry_budgets.fixable_max?)"
    assert capsys.readouterr().err == f"podium: policy.governed: {told}\n"
    assert app.calls == []


def test_a_refused_resume_says_only_why(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.raises = UsageError("--until nope: is not a step of this workflow")
    assert podium("resume", "--until", "nope") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "podium: --until nope: is not a step of this workflow\n"


def test_the_last_words_of_a_workflow_are_said_beside_a_stream_too(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    app.ended = Ended(
        RUN, "roadmap", Status.COMPLETE, "done", "", "", closing="<promise>COMPLETE</promise>"
    )
    assert podium("resume", "--json") == 0
    told = capsys.readouterr()
    assert "<promise>COMPLETE</promise>" in told.err.splitlines()
    assert "promise" not in told.out


SCENARIO = """\
agents:
  build: [{say: hello}]
  biuld: [{say: a slip}]
  default: [{say: nobody}]
  planner: [{say: of another workflow}]
"""


@pytest.mark.usefixtures("app")
def test_a_role_in_a_scenario_that_nobody_has_is_told_with_the_nearest(
    podium: Podium, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "s.yaml").write_text(SCENARIO)
    podium("run", "harness", "t.md", "--agent", "scripted:s.yaml")
    notes = [line for line in capsys.readouterr().err.splitlines() if line.startswith("note:")]
    assert notes == [
        "note: s.yaml: harness has no role 'biuld'; did you mean 'build'?",
        (
            "note: s.yaml: harness has no role 'default'; its roles: po-spec, feature-design, "
            "tech-lead, build, qa"
        ),
    ]


def test_a_scenario_that_cannot_be_read_starts_nothing(
    podium: Podium, app: type[App], capsys: pytest.CaptureFixture[str]
) -> None:
    assert podium("run", "harness", "t.md", "--agent", "scripted:none.yaml") == 2
    assert "none.yaml" in capsys.readouterr().err
    assert not [name for name, _ in app.calls if name == "start"]
