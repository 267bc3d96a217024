"""Bad input is refused whole: every fault at once, exit 2, and not one byte written."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.fakes.project import STATE, TASK, Project
from tests.fakes.repository import git

from podium.cli.main import main
from podium.core.errors import ChainBroken, InputError

Refused = Callable[..., str]


@pytest.fixture
def refused(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Refused:
    """Run a command that must be refused, and give back what it said."""
    monkeypatch.chdir(project.root)

    def run(*words: str, agent: str = "") -> str:
        before, status = project.snapshot(), git(project.root, "status", "--porcelain", "--ignored")
        runs = project.root / ".podium" / "runs"
        known = sorted(runs.iterdir()) if runs.exists() else []
        arguments = words or ("run", "harness", TASK)
        assert main([*arguments, "--agent", agent or project.scenario()]) == 2
        assert project.snapshot() == before
        assert git(project.root, "status", "--porcelain", "--ignored") == status
        assert (sorted(runs.iterdir()) if runs.exists() else []) == known
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return said.err

    return run


# -- the task


def test_a_missing_task_is_refused_with_a_way_out(refused: Refused) -> None:
    said = refused("run", "harness", "harness/tasks/T404-nothing.md")
    assert "harness/tasks/T404-nothing.md" in said
    assert "podium init harness" in said


@pytest.mark.parametrize("words", [("run", "harness"), ("run", "harness", TASK, TASK)])
def test_no_task_or_two_are_refused(refused: Refused, words: tuple[str, ...]) -> None:
    assert "one task file" in refused(*words)


def test_a_malformed_task_is_told_all_its_faults_at_once(
    project: Project, refused: Refused
) -> None:
    project.write(
        TASK,
        (
            "# T001\n\n## Related Artifacts\n\nDesign Note: `../../etc/passwd`\nQA Review: "
            "`harness/roles/x.md`\n\n## Acceptance Criteria\n\nNone.\n\nRequire Approval Before "
            "Build: Maybe\n"
        ),
    )
    said = refused()
    for words in (
        "id is missing",
        "'Status' is missing",
        "'Summary' is missing",
        "criteria is empty",
        "leaves the project",
        "may not write to",
        "approvals.Build is 'Maybe' (expected true or false",
    ):
        assert words in said
    assert f"{TASK}:1" in said
    assert f"{TASK}:5" in said


@pytest.mark.parametrize("ident", ["../T001", "T 001", "T001/x"])
def test_a_task_id_that_is_no_file_name_is_refused(
    project: Project, refused: Refused, ident: str
) -> None:
    project.write(TASK, project.text(TASK).replace("# Task T001", f"# Task {ident}"))
    assert TASK in refused()


def test_a_task_that_is_not_text_is_refused(project: Project, refused: Refused) -> None:
    project.path(TASK).write_bytes(b"\xff\xfe\x00\x01" * 100)
    assert TASK in refused()


def test_missing_files_of_the_scaffold_are_all_named(project: Project, refused: Refused) -> None:
    gone = [
        "harness/roles/qa-agent.md",
        "harness/templates/run-state-template.md",
        "harness/templates/feature-spec-template.md",
        "harness/standards/run-id-standard.md",
        "harness/standards/coding-standard.md",
    ]
    for path in gone:
        project.path(path).unlink()
    said = refused()
    assert all(path in said for path in gone)
    assert "podium init harness" in said


def test_a_run_state_of_another_task_is_refused(project: Project, refused: Refused) -> None:
    project.run(until="specification")
    text = project.text(STATE).replace("T001", "T002")
    (project.root / ".podium").rename(project.root.parent / "elsewhere")
    project.write(STATE, text)
    assert "T002" in refused()


# -- agents, policy, settings


def test_an_unknown_agent_is_refused(refused: Refused) -> None:
    said = refused(agent="cluade")
    assert "cluade" in said
    assert "did you mean 'claude'" in said


def test_an_unknown_agent_of_a_later_role_is_refused_before_anything_runs(
    project: Project, refused: Refused
) -> None:
    assert "nobody" in refused("run", "harness", TASK, "--role", "qa=nobody")


def test_an_unknown_role_is_refused(project: Project, refused: Refused) -> None:
    assert "qaa" in refused("run", "harness", TASK, "--role", f"qaa={project.scenario()}")


def test_a_run_without_an_agent_says_how_to_name_one(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(project.root)
    assert main(["run", "harness", TASK]) == 2
    assert "--agent" in capsys.readouterr().err
    assert not project.path(".podium").exists()


@pytest.mark.parametrize(
    "setting",
    ["max_remediations=many", "max_remediations", "max_remediations=-1", "step_timeout_s=0"],
)
def test_a_policy_value_that_is_wrong_is_refused(refused: Refused, setting: str) -> None:
    assert setting.partition("=")[0] in refused("run", "harness", TASK, "--set", setting)


def test_an_unknown_policy_key_suggests_the_nearest(refused: Refused) -> None:
    assert "max_remediations" in refused("run", "harness", TASK, "--set", "max_remediation=1")


def test_an_unknown_policy_key_in_the_settings_suggests_the_nearest(
    project: Project, refused: Refused
) -> None:
    project.write("podium.toml", "[policy.harness]\nmax_remediatons = 1\n")
    said = refused()
    assert "podium.toml" in said
    assert "max_remediations" in said


@pytest.mark.parametrize(
    "name", ["require_approval_before_deployment", "require_approval_before_qa"]
)
def test_an_approval_flag_of_no_gate_is_refused(refused: Refused, name: str) -> None:
    assert name in refused("run", "harness", TASK, "--set", f"{name}=yes")


def test_settings_with_several_faults_are_told_all_of_them(
    project: Project, refused: Refused
) -> None:
    project.write(
        "podium.toml",
        (
            '[comands]\ntest = "x"\n[budget]\ndispatches = "many"\n[policy.harnes]\nx = 1\n[ui]\n'
            "life = true\n"
        ),
    )
    said = refused()
    for words in ("comands", "commands", "dispatches", "harnes", "life"):
        assert words in said


def test_settings_that_are_not_toml_are_refused_with_their_line(
    project: Project, refused: Refused
) -> None:
    project.write("podium.toml", "[commands]\ntest = = x\n")
    assert "line 2" in refused()


def test_a_scenario_with_an_unknown_field_is_refused_with_its_line(
    project: Project, refused: Refused
) -> None:
    file = project.root.parent / "bad.yaml"
    file.write_text(
        "agents:\n  qa:\n    - behave: well\n      sya: hello\n  build:\n    - fail: explode\n"
    )
    said = refused(agent=f"scripted:{file}")
    assert f"{file}:4" in said
    assert "sya" in said
    assert "'say'" in said
    assert f"{file}:6" in said


def test_a_scenario_that_is_not_there_is_refused(refused: Refused) -> None:
    assert "nowhere.yaml" in refused(agent="scripted:nowhere.yaml")


@pytest.mark.parametrize("run_id", ["../up", "-x", "a/b", "x" * 65])
def test_a_run_id_that_is_no_folder_name_is_refused(refused: Refused, run_id: str) -> None:
    assert "run-id" in refused("run", "harness", TASK, f"--run-id={run_id}")


FAULTY_TEMPLATES = [
    (
        (
            "agents:\n  qa:\n    - write:\n        '@qa':\n          template: qa\n          "
            "resutl: Pass\n"
        ),
        6,
        "template qa: unknown member 'resutl'; did you mean 'result'?",
    ),
    (
        (
            "agents:\n  qa:\n    - {behave: well}\n    - write: {'@qa': {result: Pass, criterion: "
            "{}}}\n"
        ),
        4,
        "unknown member 'criterion'",
    ),
    (
        "keys:\n  'qa/*':\n    - write: {'@qa': {template: qa, result: Isues Found}}\n",
        3,
        "result: 'Isues Found' is not one of Pass",
    ),
    (
        "keys: {qa: [{write: {'@qa': {template: qa, issues: [{what: x}]}}}]}\n",
        1,
        "unknown member of issues[0] 'what'",
    ),
    ("defaults:\n  write: {'@qa': {template: qa, x: 1}}\n", 2, "unknown member 'x'"),
    (
        '{"agents": {"qa": [\n{"write": {"@qa": {"template": "qa", "x": 1}}}]}}',
        2,
        "unknown member 'x'",
    ),
    (
        "agents:\n  po-spec:\n    - write: {'@spec': {template: spec, section: {}}}\n",
        3,
        "unknown member 'section'; known are: title, sections",
    ),
]


@pytest.mark.parametrize(("text", "line", "said"), FAULTY_TEMPLATES)
def test_a_template_of_a_scenario_with_an_unknown_member_is_refused_with_its_line(
    project: Project, refused: Refused, text: str, line: int, said: str
) -> None:
    scenario = project.root.parent / "faulty.yaml"
    scenario.write_text(text)
    told = refused("run", "harness", TASK, agent=f"scripted:{scenario}")
    assert f"faulty.yaml:{line}: " in told
    assert said in told


def test_templates_that_calls_of_another_workflow_use_are_not_judged(project: Project) -> None:
    scenario = project.root.parent / "shared.yaml"
    scenario.write_text(
        "agents: {planner: [{write: {'@plan': {tasks: []}}}]}\nkeys: {'iteration/*': [{write: "
        "{'@plan': {tasks: []}}}]}\n"
    )
    assert project.run(agent=f"scripted:{scenario}").exit_code == 10


def test_until_a_step_that_is_not_there_is_refused(refused: Refused) -> None:
    assert "desing" in refused("run", "harness", TASK, "--until", "desing")
    assert "did you mean implementation-planning?" in refused(
        "run", "harness", TASK, "--until", "implementation_planning"
    )


@pytest.mark.parametrize(
    "path",
    ["../elsewhere/run-state.md", "{tmp}/run-state.md", "harness/roles/qa-agent.md", "src/app.py"],
)
def test_a_state_path_that_is_not_its_own_place_in_the_project_is_refused(
    project: Project, refused: Refused, path: str
) -> None:
    path = path.format(tmp=project.root.parent)
    assert path in refused("run", "harness", TASK, "--state", path)


def test_an_unknown_workflow_is_refused(refused: Refused) -> None:
    assert "harness" in refused("run", "harnes", TASK)


# -- a run whose files were damaged


def test_a_broken_journal_stops_with_its_line_and_nothing_is_written(project: Project) -> None:
    project.run()
    journal = project.folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(
        b"".join([*lines[:3], lines[3].replace(b"T001-0001", b"T001-0002"), *lines[4:]])
    )
    before = {
        each: each.read_bytes()
        for each in project.folder.rglob("*")
        if each.is_file() and each.name != "lock"
    }
    with pytest.raises(ChainBroken, match=r"journal\.jsonl:4") as broken:
        project.resume()
    assert broken.value.exit_code == 20
    assert {each: each.read_bytes() for each in before} == before


def test_a_broken_journal_of_an_ended_run_does_not_hide_the_others(project: Project) -> None:
    project.run(until="specification")
    journal = project.folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"po-spec", b"nobody"))
    assert [(each.run, each.status) for each in project.app.list()] == [(project.run_id, "damaged")]


@pytest.mark.parametrize("tail", [b'{"torn', b'{"seq": 99, "type": "gate.decided"', b"\x00\x00"])
def test_a_torn_tail_is_dropped(project: Project, tail: bytes) -> None:
    project.run()
    journal = project.folder / "journal.jsonl"
    kept = journal.read_bytes()
    journal.write_bytes(kept + tail)
    assert project.resume().gates == ("approve-build",)
    assert journal.read_bytes().startswith(kept)
    assert tail not in journal.read_bytes()


def test_a_syntax_error_in_the_state_file_is_told_with_its_line_and_the_file_stays(
    project: Project,
) -> None:
    project.run()
    state = project.folder / "state.json"
    state.write_text(state.read_text().replace('"status":', '"status"', 1))
    line = next(
        at for at, text in enumerate(state.read_text().splitlines(), 1) if '"status"' in text
    )
    before, events = state.read_bytes(), (project.folder / "journal.jsonl").read_bytes()
    with pytest.raises(InputError, match=rf"state\.json:{line}") as wrong:
        project.resume()
    assert wrong.value.exit_code == 2
    assert state.read_bytes() == before
    assert (project.folder / "journal.jsonl").read_bytes() == events


@pytest.mark.parametrize(
    ("name", "value"),
    [("step", "nowhere"), ("status", "sleepy"), ("visits", [1]), ("stpe", "design")],
)
def test_a_wrong_value_in_the_state_file_is_refused_by_name(
    project: Project, name: str, value: object
) -> None:
    project.run()
    state = project.folder / "state.json"
    state.write_text(json.dumps({**json.loads(state.read_text()), name: value}, indent=2))
    before = state.read_bytes()
    with pytest.raises(InputError, match=name) as wrong:
        project.resume()
    assert wrong.value.exit_code == 2
    assert state.read_bytes() == before


def test_a_removed_state_file_is_rebuilt_from_the_journal(project: Project) -> None:
    project.run()
    (project.folder / "state.json").unlink()
    assert project.resume().gates == ("approve-build",)
    assert (project.folder / "state.json").is_file()
