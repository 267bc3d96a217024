"""A person as the agent: parked with a folder or asked at the terminal, and verified like any
other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.project import NO_GATES, QA, SPEC, Project

PO = {"po-spec": "human"}
BUILDER = {"build": "human"}


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """What a good specification looks like."""
    (tmp_path / "other").mkdir()
    other = Project.at(tmp_path / "other")
    other.run(until="specification")
    return other.text(SPEC)


def folder(project: Project) -> Path:
    """Where the gate that is open now tells the person to work."""
    prompt = project.events("gate.opened")[-1]["prompt"]
    found = re.search(r" in (/\S+), as the prompt", prompt)
    assert found, prompt
    return Path(found[1])


def put(where: Path, path: str, text: str) -> None:
    (where / path).parent.mkdir(parents=True, exist_ok=True)
    (where / path).write_text(text)


# -- without a terminal


def test_without_a_terminal_the_step_is_parked_with_a_folder(project: Project) -> None:
    ended = project.run(roles=PO)
    assert (ended.exit_code, ended.stop, ended.gates) == (10, "parked", ("specification/parked-1",))
    assert ended.advice == (f"podium answer {project.run_id} --choice done --go",)
    here = folder(project)
    assert (here / "harness/tasks/T001-sample.md").is_file()
    assert not (here / "src").exists()
    assert SPEC in ended.reason
    assert project.state("Stop Reason") == project.report("Stop Reason")
    assert project.resume().gates == ("specification/parked-1",)
    assert len(project.events("step.started")) == 1


def test_the_work_of_a_person_is_verified_once_they_say_that_it_is_done(
    project: Project, spec: str
) -> None:
    project.run(roles=PO)
    here = folder(project)
    put(here, SPEC, spec)
    project.answer(choice="done")
    ended = project.resume()
    assert ended.gates == ("approve-build",)
    assert project.text(SPEC) == spec
    assert project.done()[0] == "specification"
    assert not here.exists()


def test_an_incomplete_answer_is_asked_for_again_and_the_files_are_still_there(
    project: Project, spec: str
) -> None:
    project.run(roles=PO)
    here = folder(project)
    put(here, SPEC, spec.replace("## Risks", "## Hopes"))
    project.answer(choice="done")
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("specification/parked-2",))
    assert "section 'Risks' is missing" in ended.reason
    assert folder(project) == here
    assert "## Hopes" in (here / SPEC).read_text()
    assert not project.path(SPEC).exists()
    put(here, SPEC, spec)
    project.answer(choice="done")
    assert project.resume().gates == ("approve-build",)
    assert project.text(SPEC) == spec


def test_done_without_having_done_anything_is_asked_for_again(project: Project) -> None:
    project.run(roles=PO)
    project.answer(choice="done")
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("specification/parked-2",))
    assert "is missing" in ended.reason


def test_the_folder_survives_several_pauses(project: Project, spec: str) -> None:
    project.run(roles=PO)
    here = folder(project)
    put(here, SPEC, spec[: len(spec) // 2])
    for _ in range(3):
        assert project.resume().exit_code == 10
    assert (here / SPEC).read_text() == spec[: len(spec) // 2]


def test_a_file_outside_the_contract_is_taken_away_and_the_rest_stays(
    project: Project, spec: str
) -> None:
    project.run(roles=PO)
    here = folder(project)
    put(here, SPEC, spec)
    put(here, "notes.md", "my notes\n")
    project.answer(choice="done")
    ended = project.resume()
    assert ended.exit_code == 10
    assert project.event("contract.violated")["paths"] == ["notes.md"]
    assert "notes.md" in ended.reason
    assert (here / SPEC).read_text() == spec
    assert not (here / "notes.md").exists()
    assert (
        "my notes"
        in next(iter(project.folder.glob("steps/specification/**/quarantine.patch"))).read_text()
    )
    project.answer(choice="done")
    assert project.resume().gates == ("approve-build",)


def test_an_edited_input_is_noticed_for_a_person_too(project: Project, spec: str) -> None:
    project.run(roles=PO)
    here = folder(project)
    put(here, SPEC, spec)
    with open(here / "harness/tasks/T001-sample.md", "a") as file:
        file.write("\nDecision: Approved\n")
    project.answer(choice="done")
    assert project.resume().exit_code == 10
    assert project.event("contract.violated")["kind"] == "protected"


# -- Build


def test_a_person_builds_and_the_code_is_proved_and_landed(project: Project) -> None:
    ended = project.run(roles=BUILDER, policy=NO_GATES)
    assert ended.gates == ("build/1/parked-1",)
    here = folder(project)
    assert (here / "src/app.py").read_text() == "VALUE = 1\n"
    put(here, "src/app.py", "VALUE = 2\n")
    (here / "src/old.py").unlink()
    project.answer(choice="done")
    assert project.resume().exit_code == 0
    assert project.text("src/app.py") == "VALUE = 2\n"
    assert not project.path("src/old.py").exists()
    assert project.event("step.finished", key="build/1")["evidence"][0]["exit"] == 0


def test_failing_tests_are_told_to_the_person_and_their_code_is_still_there(
    project: Project,
) -> None:
    project.run(roles=BUILDER, policy=NO_GATES)
    here = folder(project)
    put(here, "src/app.py", "VALUE = 'broken'\n")
    project.answer(choice="done")
    ended = project.resume()
    assert (ended.exit_code, ended.gates) == (10, ("build/1/parked-2",))
    assert "sh tests.sh" in ended.reason
    assert folder(project) == here
    assert (here / "src/app.py").read_text() == "VALUE = 'broken'\n"
    assert project.text("src/app.py") == "VALUE = 1\n"
    put(here, "src/app.py", "VALUE = 2\n")
    project.answer(choice="done")
    assert project.resume().exit_code == 0
    assert project.text("src/app.py") == "VALUE = 2\n"


def test_a_person_may_say_why_no_change_is_needed(project: Project) -> None:
    project.run(roles=BUILDER, policy=NO_GATES)
    project.answer(text="No change needed: it is there already.")
    assert project.resume().exit_code == 0
    assert "it is there already" in project.said("build/1")


def test_a_person_whose_checkout_moved_on_overwrites_nothing(project: Project) -> None:
    project.run(roles=BUILDER, policy=NO_GATES)
    put(folder(project), "src/app.py", "VALUE = 2\n")
    project.write("src/app.py", "VALUE = 3\n")
    project.answer(choice="done")
    ended = project.resume()
    assert (ended.exit_code, ended.stop, ended.gates) == (10, "drift", ("build/1/drift-1",))
    assert project.text("src/app.py") == "VALUE = 3\n"
    assert project.step("build/1", "drift-1/src/app.py").read_text() == "VALUE = 2\n"
    project.answer(choice="take")
    assert project.resume().exit_code == 0
    assert project.text("src/app.py") == "VALUE = 2\n"


def test_a_person_may_be_wrong_more_often_than_a_program_and_keeps_the_folder(
    project: Project, spec: str
) -> None:
    project.run(roles=PO)
    here = folder(project)
    for number in (2, 3, 4):
        put(here, SPEC, spec.replace("## Risks", f"## Hopes {number}"))
        project.answer(choice="done")
        assert project.resume().gates == (f"specification/parked-{number}",)
        assert f"## Hopes {number}" in (folder(project) / SPEC).read_text()
    put(here, SPEC, spec)
    project.answer(choice="done")
    assert project.resume().gates == ("approve-build",)


# -- at the terminal


Typed = Callable[[str], str | None]


def at_terminal(project: Project, typed: Typed) -> list[str]:
    """A person who is shown a text and types what the function gives back; all texts shown."""
    shown: list[str] = []

    async def ask(text: str) -> str | None:
        shown.append(text)
        return typed(text)

    project.ask = ask
    return shown


def work_place(text: str) -> Path:
    found = re.search(r"Work in (\S+)", text)
    assert found
    return Path(found[1])


def test_enter_means_done(project: Project, spec: str) -> None:
    def typed(text: str) -> str:
        put(work_place(text), SPEC, spec)
        return "\n"

    shown = at_terminal(project, typed)
    assert project.run(roles=PO).gates == ("approve-build",)
    assert len(shown) == 1
    assert "po-spec" in shown[0]
    assert project.text(SPEC) == spec


def test_text_is_the_answer_in_words(project: Project) -> None:
    def typed(text: str) -> str:
        put(work_place(text), "src/app.py", "VALUE = 2\n")
        return "Changed the value.\n"

    at_terminal(project, typed)
    assert project.run(roles=BUILDER, policy=NO_GATES).exit_code == 0
    assert project.said("build/1").strip() == "Changed the value."
    assert project.text("src/app.py") == "VALUE = 2\n"


@pytest.mark.parametrize("line", ["q\n", None])
def test_q_and_a_closed_terminal_pause_the_run_and_keep_the_folder(
    project: Project, spec: str, line: str | None
) -> None:
    def typed(text: str) -> str | None:
        put(work_place(text), SPEC, spec[:100])
        return line

    at_terminal(project, typed)
    ended = project.run(roles=PO)
    assert (ended.exit_code, ended.gates) == (10, ("specification/parked-1",))
    here = folder(project)
    assert (here / SPEC).read_text() == spec[:100]
    put(here, SPEC, spec)
    project.answer(choice="done")
    assert project.resume().gates == ("approve-build",)


def test_an_incomplete_answer_at_the_terminal_is_asked_for_again_with_what_is_wrong(
    project: Project, spec: str
) -> None:
    def typed(text: str) -> str:
        where = work_place(text) / SPEC
        if where.exists():
            assert "## Hopes" in where.read_text()
            put(work_place(text), SPEC, spec)
        else:
            put(work_place(text), SPEC, spec.replace("## Risks", "## Hopes"))
        return ""

    shown = at_terminal(project, typed)
    assert project.run(roles=PO).gates == ("approve-build",)
    assert len(shown) == 2
    assert "section 'Risks' is missing" in shown[1]


def test_a_person_reviews_with_a_document_like_anybody(project: Project, tmp_path: Path) -> None:
    (tmp_path / "third").mkdir()
    other = Project.at(tmp_path / "third")
    other.through()
    review = other.text(QA)

    def typed(text: str) -> str:
        put(work_place(text), QA, review)
        return ""

    at_terminal(project, typed)
    assert project.run(roles={"qa": "human"}, policy=NO_GATES).exit_code == 0
    assert project.event("step.finished", key="qa/1")["verdict"] == "Pass"
