"""One step whole."""

from __future__ import annotations

import json

from podium.core.history import History
from podium.views.show import Material, show, shown, shown_gate
from podium.views.style import Style


def test_a_step_with_all_its_files(at_second_build, tmp_path):
    files = {
        "brief.json": json.dumps({"inputs": [["plan", "a/plan.md", "sha256:" + "0" * 64]], "code": "write"}),
        "prompt.md": "# build: build/1\n\nDo it.",
        "transcript.jsonl": '{"ts":"2026-01-31T12:00:00Z","kind":"run","command":"pytest"}\nnot json\n',
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
        "ok (done)", "000000000000  a/plan.md  (plan)", "Do it.", "12:00:00 runs pytest", "All good.", '"status": "done"',
        "+b", "+sneaky", "1 failed", "✗ test: pytest -q | tail: exit 1 (exit 0 before)",
        "new FAILED tests/test_app.py::test_total", "quarantined harness/run-state.md", "try 1 ended as crash: exit code 137",
        "read confined, write audited", "1.2k in · 340 out · $0.01",
    ):  # fmt: skip
        assert expected in text


def test_a_step_without_files_is_shown_from_the_journal(at_second_build, tmp_path):
    text = show(History(at_second_build).steps["build/2"], tmp_path / "none")
    assert "running" in text
    assert "– in · – out · cost –" in text


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
        ("prompt.md", "output.md", "changes.patch", "transcript.jsonl", "verdict.json", "evidence"), hostile
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
