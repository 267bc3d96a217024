"""What a person reads before they decide is exactly what the digests stand for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.fakes.evidence import evidence

from podium.cli import subject_texts
from podium.cli.subject_texts import stored_sections, subject_sections
from podium.core.digest import MISSING, digest
from podium.views.gate import Gate, gate_from


def gate(**subject: str) -> Gate:
    return Gate("approve", "approval", "Build this?", subject=subject)


def test_files_are_shown_whole_with_the_digests_of_what_is_shown(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("the plan\n")
    sections, marks = subject_sections(tmp_path, gate(plan="sha256:other", gone="sha256:x"))
    assert [(each.title, each.text) for each in sections] == [
        ("the question", "Build this?"),
        ("gone", "(there is no such file)"),
        ("plan", "the plan\n"),
    ]
    assert marks == {"plan": digest(b"the plan\n"), "gone": MISSING}


def test_a_pipe_in_the_place_of_a_file_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "plan")
    sections, marks = subject_sections(tmp_path, gate(plan="sha256:x"))
    assert (sections[1].text, marks["plan"]) == ("(no plain file)", "unreadable")


def test_a_file_that_is_too_long_says_how_much_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject_texts, "MOST_BYTES", 10)
    (tmp_path / "plan").write_text("x" * 25)
    sections, marks = subject_sections(tmp_path, gate(plan="sha256:x"))
    assert sections[1].text.endswith("(cut here: 15 more bytes, in the file)")
    assert marks["plan"] == digest(b"x" * 25)


def test_of_a_run_on_other_machines_only_the_very_content_of_the_gate_is_shown(
    tmp_path: Path,
) -> None:
    step = tmp_path / "steps/plan/1"
    step.mkdir(parents=True)
    (step / "artifact~docs~plan.md").write_text("as approved")
    (step / "artifact~docs~other.md").write_text("something else")
    about = Gate(
        "approve",
        "approval",
        "Go?",
        subject={"docs/plan.md": digest(b"as approved"), "docs/other.md": digest(b"meant")},
    )
    texts = {each.title: each.text for each in stored_sections(tmp_path, about)}
    assert texts["docs/plan.md"] == "as approved"
    assert texts["docs/other.md"] == "(not on this machine; it is on the run's branch)"


def test_a_person_reads_first_what_is_proven_then_weakened_tests_then_every_file(
    tmp_path: Path,
) -> None:
    files = [
        {"path": f"src/{number:03}.py", "status": "A", "added": 1, "removed": 0, "kind": "code"}
        for number in range(300)
    ]
    weak = {"path": "tests/a.py", "how": "skipped", "key": "build/1", "lines": ["+@skip"]}
    asked = gate_from(
        {
            "key": "approve",
            "prompt": "Accept?",
            "evidence": [evidence()],
            "changes": {"files": files, "total": 300, "weakened": [weak]},
        }
    )
    proof, weakened, code, question = subject_sections(tmp_path, asked)[0]
    assert (proof.text, weakened.title, weakened.text) == (
        "test: passed",
        "tests/a.py: skipped",
        "+@skip",
    )
    assert (code.title, len(code.text.splitlines())) == ("the code: 300 files changed, +300", 300)
    assert question.text == "Accept?"
