"""What a run has come to, wherever people see it: the proof first, then the code, and nothing that
matters is cut.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.views.conftest import HOSTILE, Teller, proven

from podium.core import events
from podium.core.run import Run, Status
from podium.proof.delivery import NOTHING_RAN, as_text, delivery_of
from podium.views import safe
from podium.views.asking import asking
from podium.views.board.board import Board
from podium.views.closing import closing
from podium.views.frame import frame
from podium.views.gate import gate_from
from podium.views.look import Look, plain
from podium.views.report.report import markdown
from podium.views.text import listing, status

PASSED = proven("passed", 297, before=(285, 0, 0))
NEVER = proven("not_run", exit=127, why="mocha: not found")
RED = proven("failed_before", 4, ["t::a", "t::b"], before=(4, 2, 0))


def row(
    path: str, change: str = "M", kind: str = "code", added: int | None = 1, removed: int | None = 0
) -> dict[str, Any]:
    return {"path": path, "status": change, "added": added, "removed": removed, "kind": kind}


FILES = [
    row("docs/a.md", "A", "document"),
    row("src/b.py", "M", added=2, removed=1),
    row("src/c.py", "D", added=0, removed=9),
    row("tests/test_new.py", "A", "test", added=6),
    row("tests/test_old.py", "M", "test", added=0, removed=3),
    row("package.json", "M", "machinery"),
    row("logo.png", "A", added=None, removed=None),
]
WEAK = {
    "path": "tests/test_old.py",
    "how": "edited",
    "key": "build/1",
    "by": "ada",
    "lines": ["-assert total == 3", "+assert total"],
}
CHANGES = {"files": FILES, "total": len(FILES), "weakened": [WEAK]}


def gate(**more: Any) -> dict[str, Any]:
    fields = {"key": "approve-completion", "kind": "approval", "prompt": "Accept?"}
    return {**fields, "choices": ["approved"], "subject": {"qa.md": "sha256:" + "ab" * 32}, **more}


def shown(fields: dict[str, Any], width: int = 100, most: int | None = None) -> list[str]:
    lines = asking(Board(), gate_from(fields), width, commands=False, most=most)
    return [line.strip() for line in plain(lines)]


# -- the gate


def test_a_gate_tells_the_proof_then_the_code_then_asks_and_names_documents_last() -> None:
    assert shown(gate(evidence=[PASSED], changes=CHANGES)) == [
        "◆ Your turn: approve-completion",
        "test: 297 passed (12 new)",
        "weakened  tests/test_old.py: edited; accepted by ada",
        "7 files changed, +10 −13: 1 machinery file, 2 tests, 1 document",
        "M tests/test_old.py  −3      test",
        "M package.json       +1      test machinery",
        "A logo.png           binary",
        "M src/b.py           +2 −1",
        "D src/c.py           −9",
        "A tests/test_new.py  +6      test",
        "A docs/a.md          +1      document",
        "Accept?",
        "qa.md  abababababab",
    ]


@pytest.mark.parametrize("most", range(4, 14))
def test_in_little_space_files_fold_and_are_counted_and_the_proof_stays(most: int) -> None:
    files = [row(f"src/m{number:03}.py", "A") for number in range(200)]
    lines = shown(gate(evidence=[NEVER, PASSED], changes={"files": files, "total": 200}), 80, most)
    assert len(lines) <= most
    assert lines[1] == "TESTS DID NOT RUN: mocha: not found"
    assert any(line.startswith("Accept?") for line in lines)
    named = sum(line.startswith("A src/m") for line in lines)
    if named:
        assert f"… and {200 - named} more files: {200 - named} code files" in lines


def test_files_of_the_code_are_not_listed_twice() -> None:
    digests = {"src/b.py": "sha256:" + "cd" * 32, "plan.md": "sha256:" + "ab" * 32}
    lines = shown(gate(evidence=[PASSED], changes=CHANGES, subject=digests))
    assert sum("src/b.py" in line for line in lines) == 1
    assert lines[-1].startswith("plan.md")


def test_before_there_is_code_a_gate_tells_what_was_red_before() -> None:
    red = proven("failed", 4, ["t::a", "t::b"], why="2 tests failed")
    lines = shown(gate(baseline=[red]))
    assert lines[1] == "before the run: test: 2 failed: t::a, t::b"


def test_how_a_step_changed_tests_stands_before_its_code() -> None:
    fields = gate(
        key="build/1/weakened-1",
        kind="high_risk",
        prompt="build/1 changed how this project is tested.\n  tests/test_old.py: edited",
        changes={"files": FILES, "total": 7},
        evidence=[PASSED],
    )
    lines = shown(fields)
    assert lines[0] == "◆ Your turn: build/1 (tests were changed)"
    asked = lines.index("build/1 changed how this project is tested.")
    assert lines.index("test: 297 passed (12 new)") < asked
    assert asked < lines.index("7 files changed, +10 −13: 1 machinery file, 2 tests, 1 document")


@pytest.mark.parametrize(
    ("key", "kind", "title"),
    [
        ("specification/1/question-1", "question", "specification/1"),
        ("preflight", "question", "before the run begins"),
        ("approve-plan", "high_risk", "approve-plan (high risk)"),
        ("build/2/drift-1", "drift", "build/2 (somebody changed a file)"),
    ],
)
def test_a_gate_says_whose_turn_it_is_and_where(key: str, kind: str, title: str) -> None:
    assert shown(gate(key=key, kind=kind))[0] == f"◆ Your turn: {title}"


def test_names_of_files_hide_nothing_and_move_nothing() -> None:
    files = [row("ev\x1b[31mil\nname.py", "A"), row(HOSTILE, "D"), row("caf\udce9.py", "A")]
    fields = gate(evidence=[PASSED], changes={"files": files, "total": 3})
    lines = shown(fields, 80)
    assert any("ev\\x1b[31mil\\nname.py" in line for line in lines)
    assert any("caf\\udce9.py" in line for line in lines)
    assert all(line.isprintable() and safe.cells(line) <= 80 for line in lines)
    assert all(line.isprintable() for line in as_text(delivery_of(fields)))


@pytest.mark.parametrize(
    "fields",
    [
        {"changes": {"files": "none", "total": "many", "weakened": 3}},
        {"changes": {"files": [None, {}, {"path": "a", "added": "x", "kind": 3}]}},
        {"evidence": [{"state": "passed", "tests": {"passed": "x"}}, 3], "baseline": {}},
    ],
)
def test_what_is_not_as_it_should_be_is_left_out(fields: dict[str, Any]) -> None:
    assert shown(gate(**fields))[0] == "◆ Your turn: approve-completion"


# -- the end


def ended(steps: Any, outcome: str, **more: Any) -> Board:
    teller = Teller()
    teller.tell(events.run_started(Run(step="build"), "harness", ["t.md"], "1.0.0"))
    run = Run(step="done", status=Status.COMPLETE)
    teller.tell(events.run_completed(run, outcome, "none", **more))
    return Board(steps, "T001", teller.events)


def test_an_end_that_nothing_proves_looks_unlike_one_that_is_proven(steps, told) -> None:
    board = ended(steps, "complete_unproven", changes=CHANGES)
    assert (
        plain(frame(board, Look(width=100)))[0].rstrip().split("  ")[-2].strip()
        == "complete, unproven"
    )
    lines = plain(closing(board, 100))
    assert lines[0].startswith(" Complete, unproven, after")
    assert lines[1] == f" proof {NOTHING_RAN}"
    summary = told(status="complete", step="done", outcome="complete_unproven")
    assert "complete, unproven" in listing([summary])
    assert "complete, unproven" in markdown([], summary)


def test_a_change_of_documents_alone_needs_no_command(steps) -> None:
    board = ended(steps, "complete", changes={"files": FILES[:1], "total": 1})
    assert NOTHING_RAN not in "\n".join(plain(closing(board, 100)))


def test_the_last_words_tell_the_code_and_where_all_of_it_is_listed(steps) -> None:
    files = [row(f"src/m{number:03}.py", "A") for number in range(200)]
    changes = {"files": [*files, FILES[4]], "total": 201}
    lines = plain(closing(ended(steps, "complete", evidence=[PASSED], changes=changes), 80))
    assert lines[1] == " proof test: 297 passed (12 new)"
    assert lines[2] == " code  201 files changed, +200 −3: 1 test"
    assert lines[3].split() == ["M", "tests/test_old.py", "−3", "test"]
    assert "       … and 190 more files: 190 code files" in lines
    assert "       podium report T001-k3f9 lists them all" in lines


def test_a_blocked_run_names_the_failing_tests_and_what_was_printed_last(steps) -> None:
    names = [f"tests/test_a.py::test_{number:02}" for number in range(30)]
    output = "\n".join(f"line {number}" for number in range(40)) + "\nE  assert 1 == 2"
    record = {**proven("failed", 4, names, new=tuple(names)), "output": output}
    teller = Teller()
    teller.tell(events.run_started(Run(step="build"), "harness", ["t.md"], "1.0.0"))
    teller.begin("build/1", "build", "build")
    teller.end("build/1", "fail", "done", 1.0, evidence=[record], reason="test: 30 failed")
    teller.tell(events.run_blocked(Run(step="build", status=Status.BLOCKED), "test", "build/1"))
    lines = plain(closing(Board(steps, "T001", teller.events), 100))
    assert sum("tests/test_a.py::test_" in line and "fails" not in line for line in lines) >= 18
    assert "       … and 11 more" in lines
    assert "       │ E  assert 1 == 2" in lines
    assert "       │ line 10" not in lines, "the step has all of it"
    assert any(line.startswith(" next  podium resume T001-k3f9 --because") for line in lines)


# -- status and report


def test_status_begins_with_the_proof_of_a_run_that_waits(steps, at_gate, told) -> None:
    fields = gate(key="approve-build", evidence=[NEVER], changes=CHANGES)
    text = status(told(gates=(fields,)), at_gate, steps=steps, width=100)
    assert text.index("TESTS DID NOT RUN: mocha: not found") < text.index("7 files changed")
    assert text.index("7 files changed") < text.index("podium approve")


def test_the_report_begins_with_the_proof_the_weakened_tests_and_every_file(steps, told) -> None:
    files = [row(f"src/m{number:03}.py", "A") for number in range(198)]
    changes = {"files": [*files, row("a|b`.py")], "total": 199, "weakened": [WEAK]}
    teller = Teller()
    teller.tell(events.run_started(Run(step="build"), "harness", ["t.md"], "1.0.0"))
    run = Run(step="done", status=Status.COMPLETE)
    end = events.run_completed(run, "complete", "passed", evidence=[RED], changes=changes)
    teller.tell(end)
    text = markdown(teller.events, told(status="complete", step="done"), steps)
    parts = [
        "- test: 2 failed, the same 2 as before: t::a, t::b",
        "## Weakened tests",
        "```diff\n-assert total == 3\n+assert total\n```",
        "## Code",
        "199 files changed, +199.",
        "<details><summary>159 more files</summary>",
        "## Run",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)
    assert all(f"`src/m{number:03}.py`" in text for number in range(198))


def test_no_line_of_a_weakened_test_ends_its_block(steps, told) -> None:
    weak = {**WEAK, "lines": ["+```", "+````", "+# heading", "+<script>"]}
    teller = Teller()
    teller.tell(events.run_started(Run(step="build"), "harness", ["t.md"], "1.0.0"))
    changes = {"files": FILES, "total": 7, "weakened": [weak]}
    end = events.run_completed(Run(step="done"), "complete", "passed", changes=changes)
    teller.tell(end)
    text = markdown(teller.events, told(status="complete", step="done"), steps)
    assert "`````diff\n+```\n+````\n+# heading\n+<script>\n`````" in text
