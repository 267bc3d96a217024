"""A person changes a file while an agent works on the same one: nothing is overwritten, nothing
is lost, they decide.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import feature as features
from tests.fakes.feature import FeatureProject
from tests.fakes.governed import Governed, writes
from tests.fakes.governed import plan as governed_plan
from tests.fakes.project import QA, SPEC, WELL, Project
from tests.fakes.repository import git
from tests.fakes.roadmap import FILE, Make, built, item
from tests.fakes.ticket import TicketProject, planned, task

from podium.cli.subject_texts import diff_sections
from podium.core.errors import UsageError
from podium.engine import landings
from podium.views.gate import Gate, gate_from
from podium.web.pages.gate import Offer
from podium.web.reading import offers

APP = "src/app.py"
MINE = "VALUE = 1\nMINE = 1\n"
GATE = "build/1/drift-1"


def edited(project: Project, path: str = APP, line: str = "MINE = 1") -> str:
    """A command of a person in the checkout, in the time of an agent."""
    return project.by_hand(f"echo {shlex.quote(line)} >> {project.path(path)}")


def build(project: Project, **more: Any) -> dict[str, Any]:
    return {
        "write": {APP: "VALUE = 2\n", "src/new.py": "NEW = 1\n"},
        "run": edited(project),
        "say": "done",
        **more,
    }


def held(project: Project, agents: dict[str, Any] | None = None) -> None:
    again = {"append": {APP: "BOTH = 1\n"}, "say": "done on yours"}
    ended = project.through(agents or {"build": [build(project), again]})
    assert (ended.exit_code, ended.stop, ended.gates) == (10, "drift", (GATE,))
    assert project.text(APP) == MINE
    assert not project.path("src/new.py").exists()


def test_the_run_pauses_at_a_gate_that_says_what_can_be_done(project: Project) -> None:
    held(project)
    opened = project.event("gate.opened", kind="drift")
    assert (opened["key"], opened["choices"]) == (GATE, ["take", "redo"])
    assert opened["subject"] == {APP: project.event("document.drifted")["now"]}
    what, *rest = opened["prompt"].splitlines()
    assert what == f"{APP} changed in your checkout while build/1 was working on it."
    assert [each.partition(":")[0] for each in rest[1:]] == ["take", "redo"]
    summary = project.app.summary(project.run_id)
    assert summary.advice == tuple(
        f"podium answer {project.run_id} --choice {each} --go" for each in ("take", "redo")
    )
    assert (project.state("Current Stage"), project.state("Current Status")) == ("Build", "Blocked")
    assert project.state("Stop Reason") == project.report("Stop Reason") == what
    assert project.resume().gates == (GATE,)


def test_the_agents_version_lies_beside_for_a_look(project: Project) -> None:
    held(project)
    assert project.step("build/1", f"drift-1/{APP}").read_text() == "VALUE = 2\n"
    assert "+VALUE = 2" in project.step("build/1", "changes.patch").read_text()


def test_the_terminal_and_the_dashboard_show_how_the_two_versions_differ(project: Project) -> None:
    held(project)
    about = gate_from(project.event("gate.opened", kind="drift"))
    first = diff_sections(project.app, project.run_id, about)[0]
    assert first.title == f"{APP}: from the version in your checkout to the other one"
    assert {"-MINE = 1", "+VALUE = 2"} <= set(first.text.splitlines())
    where = project.app.project
    assert offers(where, where, project.run_id, project.events(), GATE) == [
        Offer(APP, MINE, "VALUE = 2\n")
    ]


def test_of_protected_files_the_versions_that_were_laid_aside_are_shown(project: Project) -> None:
    held(project)
    aside = project.app.folder(project.run_id) / "guard/aside"
    aside.mkdir(parents=True)
    (aside / "0").write_text("Current Stage: Complete\n")
    (aside / "index.json").write_text(json.dumps([{"name": "harness/run-state.md", "file": "0"}]))
    first = diff_sections(
        project.app, project.run_id, Gate("qa/drift-1", "drift", "Yours?", ("keep", "restore"))
    )[0]
    assert first.title.startswith("harness/run-state.md: ")
    assert "+Current Stage: Complete" in first.text


def test_taking_the_result_puts_all_of_it_in_and_keeps_a_copy_of_theirs(project: Project) -> None:
    held(project)
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert (project.text(APP), project.text("src/new.py")) == ("VALUE = 2\n", "NEW = 1\n")
    assert project.step("build/1", f"yours-1/{APP}").read_text() == MINE
    assert project.started().count("build/1") == 1
    assert project.event("step.merged")["over"] == [APP]
    assert len([each for each in project.events("document.saved") if each["path"] == APP]) == 1


def test_taking_the_result_leaves_what_else_a_person_changed(project: Project) -> None:
    work = build(project, run=f"{edited(project)}; {edited(project, 'src/old.py')}")
    held(project, {"build": [work]})
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert (project.text(APP), project.text("src/old.py")) == (
        "VALUE = 2\n",
        "OLD = True\nMINE = 1\n",
    )


def test_doing_it_again_begins_with_the_persons_version(project: Project) -> None:
    held(project)
    project.answer(choice="redo")
    assert project.resume().exit_code == 0
    assert project.text(APP) == f"{MINE}BOTH = 1\n"
    assert project.started().count("build/1") == 2
    assert "redo" in project.prompt("build/1")
    assert "+VALUE = 2" in project.step("build/1", "attempt-1/changes.patch").read_text()
    assert project.events("contract.violated") == []


def test_a_decision_counts_for_the_version_it_was_taken_about(project: Project) -> None:
    held(project)
    project.answer(choice="take")
    project.write(APP, "VALUE = 'newer'\n")
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, (GATE,))
    assert project.event("gate.stale")["because"] == [f"{APP} changed"]
    assert project.text(APP) == "VALUE = 'newer'\n"
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert project.text(APP) == "VALUE = 2\n"
    assert project.step("build/1", f"yours-1/{APP}").read_text() == "VALUE = 'newer'\n"


def test_another_file_of_the_step_that_is_changed_before_the_decision_is_asked_about_too(
    project: Project,
) -> None:
    held(project)
    project.answer(choice="take")
    project.write("src/new.py", "MINE = 2\n")
    assert project.resume().gates == (GATE,)
    assert project.text("src/new.py") == "MINE = 2\n"
    assert set(project.events("gate.opened")[-1]["subject"]) == {APP, "src/new.py"}


def test_a_version_that_was_taken_back_by_its_author_is_no_hindrance(project: Project) -> None:
    held(project)
    project.write(APP, "VALUE = 1\n")
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert project.text(APP) == "VALUE = 2\n"


def test_an_edit_after_the_decision_was_carried_out_is_an_edit_like_any(project: Project) -> None:
    held(
        project,
        {
            "build": [build(project)],
            "qa": [{**WELL, "run": edited(project, line="LATER = 1")}, WELL],
        },
    )
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert project.text(APP) == "VALUE = 2\nLATER = 1\n"
    assert [each for each in project.events("gate.stale") if each["key"] == GATE] == []


def test_rewinding_with_the_code_puts_the_persons_version_back(project: Project) -> None:
    held(project)
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    project.rewind("build", restore_code=True)
    assert project.text(APP) == MINE
    assert not project.path("src/new.py").exists()


def test_only_these_answers_are_taken_and_no_approval_in_advance_covers_them(
    project: Project,
) -> None:
    held(project)
    with pytest.raises(UsageError, match="take, redo"):
        project.answer(choice="approved")
    assert project.resume(approve_all=True).exit_code == 10


def test_a_folder_of_a_person_in_the_place_of_a_new_file_can_only_be_kept(project: Project) -> None:
    work = {
        "write": {"src/new.py": "NEW = 1\n"},
        "run": project.by_hand("mkdir src/new.py; touch src/new.py/a"),
        "say": "done",
    }
    ended = project.through(
        {"build": [work, {"write": {"src/other.py": "NEW = 1\n"}, "say": "done"}]}
    )
    assert ended.gates == (GATE,)
    assert project.event("gate.opened", kind="drift")["choices"] == ["redo"]
    project.answer(choice="redo")
    assert project.resume().exit_code == 0
    assert project.path("src/new.py/a").exists()


def test_a_new_file_of_a_person_where_the_step_makes_one_is_asked_about(project: Project) -> None:
    work = {
        "write": {"src/new.py": "NEW = 1\n"},
        "run": edited(project, "src/new.py", "mine"),
        "say": "done",
    }
    assert project.through({"build": [work]}).gates == (GATE,)
    assert project.text("src/new.py") == "mine\n"
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert project.text("src/new.py") == "NEW = 1\n"


def test_a_file_that_a_person_deleted_meanwhile_is_asked_about(project: Project) -> None:
    work = {"write": {APP: "VALUE = 2\n"}, "run": project.by_hand(f"rm {APP}"), "say": "done"}
    assert project.through({"build": [work]}).gates == (GATE,)
    assert project.event("gate.opened", kind="drift")["subject"] == {APP: "missing"}
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert project.text(APP) == "VALUE = 2\n"


# -- documents


@pytest.mark.parametrize("choice", ["take", "redo"])
def test_a_document_that_a_person_writes_meanwhile_is_not_overwritten_unasked(
    project: Project, choice: str
) -> None:
    work = {
        **WELL,
        "run": project.by_hand(f"mkdir -p $(dirname {SPEC}); echo 'my own words' >> {SPEC}"),
    }
    ended = project.through({"po-spec": [work, WELL]})
    assert (ended.exit_code, ended.gates) == (10, ("specification/drift-1",))
    assert project.text(SPEC) == "my own words\n"
    assert "## Lifecycle Check" in project.step("specification", f"drift-1/{SPEC}").read_text()
    project.answer(choice=choice)
    assert project.resume().exit_code == 0
    assert "## Lifecycle Check" in project.text(SPEC)
    assert project.started().count("specification") == (1 if choice == "take" else 2)


def test_a_document_of_an_earlier_round_is_written_anew_without_a_question(
    project: Project,
) -> None:
    back = {
        "write": {
            "@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
        },
        "say": "no",
    }
    assert project.through({"qa": [back, WELL]}).exit_code == 0
    assert project.events("gate.opened") == []
    assert "Back to Build" not in project.text(QA)


# -- what an earlier attempt made


def test_work_of_a_refused_attempt_does_not_come_over_a_persons_edit(project: Project) -> None:
    first = {"write": {APP: "VALUE = 'broken'\n"}, "run": edited(project), "say": "done"}
    second = {"write": {"src/new.py": "NEW = 1\n"}, "say": "done"}
    assert project.through({"build": [first, second]}).exit_code == 0
    assert project.text(APP) == MINE


# -- a process that dies


def test_a_run_whose_process_was_killed_at_the_gate_goes_on_with_either_answer(
    tmp_path: Path,
) -> None:
    for choice, app in (("take", "VALUE = 2\n"), ("redo", f"{MINE}BOTH = 1\n")):
        project = Project.at(tmp_path / choice) if (tmp_path / choice).mkdir() is None else None
        assert project is not None
        held(project)
        # As if it had died before it could say that it rests: the last line of the journal is torn
        # off.
        journal = project.folder / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        while b'"gate.opened"' not in lines[-1]:
            lines.pop()
        journal.write_bytes(b"".join(lines))
        assert project.resume().gates == (GATE,)
        project.answer(choice=choice)
        assert project.resume().exit_code == 0
        assert project.text(APP) == app


@pytest.mark.parametrize("last", [b'"step.held"', b'"step.finished"'])
def test_a_question_that_a_crash_tore_off_is_asked_or_the_step_done_again(
    project: Project, last: bytes
) -> None:
    held(project)
    journal = project.folder / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    while last not in lines[-1]:
        lines.pop()
    journal.write_bytes(b"".join(lines))
    ended = project.resume()
    assert project.text(APP).startswith(MINE)
    if last == b'"step.held"':
        assert ended.gates == (GATE,)
        project.answer(choice="take")
        assert project.resume().exit_code == 0
        assert project.text(APP) == "VALUE = 2\n"
    else:
        assert ended.exit_code == 0
        assert project.text(APP) == f"{MINE}BOTH = 1\n"


def test_work_that_was_taken_arrives_after_a_crash(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    held(project)
    project.answer(choice="take")

    def dead(_: object) -> None:
        raise SystemExit("the process is gone")

    with monkeypatch.context() as patched:
        patched.setattr(landings, "land_now", dead)
        with pytest.raises(SystemExit):
            project.resume()
    assert project.text(APP) == MINE
    assert project.resume().exit_code == 0
    assert (project.text(APP), project.text("src/new.py")) == ("VALUE = 2\n", "NEW = 1\n")
    assert project.started().count("build/1") == 1


def test_an_edit_between_the_record_and_the_landing_is_kept_and_the_step_done_on_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dead(_: object) -> None:
        raise SystemExit("the process is gone")

    work = [
        {"write": {APP: "VALUE = 2\n"}, "say": "done"},
        {"append": {APP: "BOTH = 1\n"}, "say": "on yours"},
    ]
    assert project.through({"build": work}, until="implementation-planning").exit_code == 0
    with monkeypatch.context() as patched:
        patched.setattr(landings, "land_now", dead)
        with pytest.raises(SystemExit):
            project.resume()
    project.write(APP, MINE)
    assert project.resume().exit_code == 0
    assert project.text(APP) == f"{MINE}BOTH = 1\n"
    assert "before its work had arrived" in str(project.events("step.stale"))


def test_kill_nine_while_a_decided_step_is_done_again_changes_nothing_of_the_persons(
    project: Project,
) -> None:
    slow = {"append": {APP: "BOTH = 1\n"}, "sleep": 30, "say": "done on yours"}
    held(
        project,
        {"build": [build(project), slow, {"append": {APP: "BOTH = 1\n"}, "say": "done on yours"}]},
    )
    project.answer(choice="redo")
    words = [
        sys.executable,
        "-m",
        "podium",
        "resume",
        project.run_id,
        "--project",
        str(project.root),
        "--quiet",
    ]
    started = subprocess.Popen(
        words,
        env={**os.environ, **project.environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while project.started().count("build/1") < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    assert project.text(APP) == MINE
    assert project.resume().exit_code == 0
    assert project.text(APP) == f"{MINE}BOTH = 1\n"


# -- child runs and clusters


@pytest.mark.parametrize("choice", ["take", "redo"])
def test_a_child_run_waits_with_its_parent_and_both_go_on(road: Make, choice: str) -> None:
    project = road(item("US-1"), item("US-2"))
    first = built(APP, "VALUE = 2\n", run=edited(project))
    again = {**built(APP, "VALUE = 1\nMINE = 1\nBOTH = 1\n")}
    ended = project.go(
        {"implement": [first, again if choice == "redo" else built("src/b.py"), built("src/b.py")]}
    )
    gate = "item/US-1/implement/1/drift-1"
    assert (ended.exit_code, ended.gates) == (10, (gate,))
    assert project.text(APP) == MINE
    project.answer(choice=choice)
    ended = project.resume()
    if (
        choice == "redo"
    ):  # the agent's line stands right below one that the person has not committed
        assert (ended.exit_code, f"{APP} had changes of yours" in ended.reason) == (20, True)
        git(project.root, "commit", "-qm", "Mine", APP)
        ended = project.resume()
    assert ended.exit_code == 0, ended.reason
    assert project.text(APP) == ("VALUE = 2\n" if choice == "take" else f"{MINE}BOTH = 1\n")
    assert project.committed("US-1") == ([FILE, APP] if choice == "take" else [FILE])


@pytest.mark.parametrize("choice", ["take", "redo"])
def test_one_of_several_side_by_side_that_clashes_with_a_person_waits_and_all_come_in(
    feature: FeatureProject, choice: str
) -> None:
    one, two = features.task("01-one", files=[APP]), features.task("02-two", files=["src/two.py"])
    waves = features.planner({"01-one": (), "02-two": ()}, t01_one=one, t02_two=two)
    clash = {
        "write": {APP: "VALUE = 2\n"},
        "run": feature.by_hand(f"echo 'VALUE = 3' > {APP}"),
        "say": "DONE: one",
    }
    keys = {
        "*01-one*": [clash, {"write": {APP: "VALUE = 4\n"}, "say": "DONE: one"}],
        "*02-two*": [features.builds("two", src__two_py="TWO = 2\n")],
    }
    ended = feature.feature({"planner": [waves]}, keys=keys)
    assert (ended.exit_code, ended.stop) == (10, "drift")
    assert feature.text(APP) == "VALUE = 3\n"
    feature.answer(choice=choice)
    ended = feature.resume()
    assert ended.exit_code == 0, ended.reason
    assert feature.text(APP) == ("VALUE = 2\n" if choice == "take" else "VALUE = 4\n")
    assert feature.text("src/two.py") == "TWO = 2\n"


@pytest.mark.parametrize("choice", ["take", "redo"])
def test_a_task_of_a_ticket_waits_and_is_committed_as_decided(tmp_path: Path, choice: str) -> None:
    project = TicketProject.at(tmp_path)
    planner = planned(task(1, APP))
    work = {**WELL, "write": {APP: "VALUE = 2\n"}, "run": edited(project)}
    again = {
        "append": {APP: "BOTH = 1\n"},
        "verdict": {"status": "DONE", "summary": "on yours"},
        "say": "DONE",
    }
    ended = project.run({"planner": [planner], "developer": [work, again]})
    assert (ended.exit_code, ended.stop) == (10, "drift"), ended.reason
    assert project.text(APP) == MINE
    project.answer(choice=choice)
    ended = project.resume()
    assert ended.exit_code == 0, ended.reason
    assert project.text(APP) == ("VALUE = 2\n" if choice == "take" else f"{MINE}BOTH = 1\n")
    assert git(project.root, "show", f"HEAD:{APP}") == project.text(APP)


@pytest.mark.parametrize("choice", ["take", "redo"])
def test_a_governed_phase_waits_and_counts_no_failure(tmp_path: Path, choice: str) -> None:
    project = Governed.of(tmp_path)
    files = [{"path": APP, "action": "modify", "reason": "holds the part"}]
    work = writes(APP, "VALUE = 2\n", run=edited(project))
    again = writes(APP, f"{MINE}BOTH = 1\n")
    ended = project.go(
        {"planner": [governed_plan({"files": files})], "core-implementer": [work, again]}
    )
    assert (ended.exit_code, ended.stop) == (10, "drift"), ended.reason
    assert project.text(APP) == MINE
    project.answer(choice=choice)
    ended = project.on()
    assert ended.exit_code == 0, ended.reason
    assert project.text(APP) == ("VALUE = 2\n" if choice == "take" else f"{MINE}BOTH = 1\n")
    assert project.events("retry.scheduled") == []


def test_the_runs_branch_keeps_the_work_that_was_not_taken(project: Project) -> None:
    held(project)
    assert git(project.root, "show", f"podium/{project.run_id}:{APP}") == "VALUE = 2\n"
