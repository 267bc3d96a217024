"""One step whole."""

from __future__ import annotations

import json
from pathlib import Path

from tests.views import teams
from tests.views.conftest import TOTAL, Teller, proven

from podium.core import events
from podium.core.history import History
from podium.core.records import StepRecord
from podium.views.report.ledger import Ledger
from podium.views.show import Material, read_step, shown, shown_gate
from podium.views.style import Style


def show(record: StepRecord, folder: Path) -> str:
    return shown(record, read_step(folder), where=str(folder))


def test_a_step_with_all_its_files(at_second_build, tmp_path):
    files = {
        "brief.json": json.dumps(
            {"inputs": [["plan", "a/plan.md", "sha256:" + "0" * 64]], "code": "write"}
        ),
        "prompt.md": "# build: build/1\n\nDo it.",
        "transcript.jsonl": '{"ts":"2026-01-31T12:00:00Z","kind":"run","command":"pytest"}\nnot json\n',  # noqa: E501
        "output.md": "All good.",
        "verdict.json": '{"status":"done"}',
        "changes.patch": "@@ -1 +1 @@\n-a\n+b\n",
        "quarantine.patch": "+sneaky\n",
        "evidence-test.txt": "1 failed",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    text = show(History(at_second_build).steps["build/1"], tmp_path)
    for expected in (
        "ok (done)",
        "000000000000  a/plan.md  (plan)",
        "Do it.",
        "12:00:00 runs pytest",
        "All good.",
        '"status": "done"',
        "+b",
        "+sneaky",
        "1 failed",
        f"✗ test: 1 failed: {TOTAL}\n    pytest -q | tail\n    {TOTAL}",
        "quarantined harness/run-state.md",
        "try 1 ended as crash: exit code 137",
        "read confined, write audited",
        "1.2k in · 340 out · $0.01",
    ):
        assert expected in text


def test_a_step_without_files_is_shown_from_the_journal(at_second_build, tmp_path):
    text = show(History(at_second_build).steps["build/2"], tmp_path / "none")
    assert "running" in text
    assert "tokens unknown · cost unknown" in text


def test_links_are_not_followed(at_second_build, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    folder = tmp_path / "step"
    folder.mkdir()
    (folder / "output.md").symlink_to(secret)
    assert "hunter2" not in show(History(at_second_build).steps["build/1"], folder)


def test_hostile_material_is_harmless(attack, hostile):
    record = History(attack).steps["build/1"]
    texts = dict.fromkeys(
        ("prompt.md", "output.md", "changes.patch", "transcript.jsonl", "verdict.json", "evidence"),
        hostile,
    )
    text = shown(record, Material({**texts, "brief.json": "[" * 100_000}), where=hostile)
    assert all(line.isprintable() and len(line) <= 520 for line in text.split("\n"))
    colored = shown(record, Material(texts), style=Style(color=True))
    assert "\x1b[2J" not in colored
    gate = shown_gate(History(attack).gates["ask"])
    assert all(line.isprintable() for line in gate.split("\n"))


def test_long_patches_are_cut_unless_asked_for_in_full(at_second_build):
    record = History(at_second_build).steps["build/1"]
    material = Material({"changes.patch": "+line\n" * 1000})
    assert "… 600 more lines" in shown(record, material)
    assert "more lines" not in shown(record, material, full=True)


def test_a_check_is_shown_with_who_decided_and_what_it_wrote(tmp_path):
    record = next(
        each for each in Ledger(teams.to_waves().events).steps if each.key == "ct-verdict/1"
    )
    text = shown(record, Material({"artifact~docs~review.md": "# Review\n"}))
    assert "by         the program, which wrote the documents below" in text
    assert "── docs/review.md" in text
    assert "# Review" in text
    assert "usage" not in text


def test_a_commit_is_shown_with_its_paths():
    record = next(each for each in Ledger(teams.second_attempt()).steps if each.key == "commit/1")
    assert "✓ commit 0000001abc\n    a.py" in shown(record, Material())


def test_what_git_did_is_shown_in_its_words_and_not_as_a_command():
    t = Teller()
    t.tell(events.step_started("git-move/1", "git_move", "git", "", 1, {}))
    found = [
        {"name": "git create", "said": "on fix/A-1_x"},
        {"name": "checkout", "branch": "fix/A-1_x"},
    ]
    t.end("git-move/1", "ok", "fix/A-1_x", 1.0, evidence=found)
    text = shown(History(t.events).steps["git-move/1"], Material())
    assert "✓ git create: on fix/A-1_x\n✓ checkout\n" in f"{text}\n"
    assert "None" not in text


def test_the_output_of_commands_and_those_that_were_not_run_are_shown(tmp_path):
    t = Teller()
    t.tell(events.step_started("verify/1", "verify", "command", "", 1, {}))
    ran = proven("passed", 4, name="verification-1", command="pytest")
    absent = proven("not_run", name="verification-2", command="mocha", why="mocha: not found")
    t.end("verify/1", "ok", "1 of 2 run", 1.0, evidence=[ran, absent])
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "verification-1.txt").write_text("4 passed\n")
    text = show(History(t.events).steps["verify/1"], tmp_path)
    assert "✓ `pytest`: 4 passed\n    pytest\n" in text
    assert "✗ `mocha` DID NOT RUN: mocha: not found\n    mocha\n" in text
    assert "── evidence/verification-1.txt" in text
    assert "4 passed" in text
