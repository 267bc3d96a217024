"""The demo of `feature`: the design is sent back once, three tasks run side by side,
verification finds a fault.
"""

from __future__ import annotations

from typing import Any

from podium.cli.demos.project import Story

_ROWS = '''\
def to_csv(rows: list[list[str]]) -> str:
    """Rows as comma-separated lines."""
    return "".join(",".join(row) + "\\n" for row in rows)
'''
_ROWS_MENDED = '''\
import csv
import io


def to_csv(rows: list[list[str]]) -> str:
    """Rows as comma-separated lines; what holds a comma or a quote is quoted."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\\n").writerows(rows)
    return out.getvalue()
'''
_NOTES = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    title: str
    text: str

    def row(self) -> list[str]:
        return [self.title, self.text]
"""
_NAMES = '''\
def file_name(title: str) -> str:
    """A safe name for an exported file."""
    kept = "".join(sign if sign.isalnum() else "-" for sign in title.lower())
    return f"{kept.strip('-') or 'notes'}.csv"
'''
_EXPORT = '''\
from textkit.notes import Note
from textkit.rows import to_csv


def export(notes: list[Note]) -> str:
    """All notes as one CSV text."""
    return to_csv([["title", "text"], *(note.row() for note in notes)])
'''
_TEST_EXPORT = """\
import unittest

from textkit.export import export
from textkit.names import file_name
from textkit.notes import Note


class Export(unittest.TestCase):
    def test_notes_become_lines(self) -> None:
        self.assertEqual("title,text\\na,b\\n", export([Note("a", "b")]))

    def test_a_comma_does_not_split_a_note(self) -> None:
        self.assertIn('"b, c"', export([Note("a", "b, c")]))

    def test_names_are_safe(self) -> None:
        self.assertEqual("my-day.csv", file_name("My day!"))
"""
_DOCS = (
    "# Export\n\n`textkit.export.export(notes)` gives all notes as CSV; `file_name(title)` names "
    "the file.\n"
)
REQUEST = "Export notes as CSV files"
FOLDER = "docs/feature/export-notes-as-csv-files"


def story(pace: float) -> Story:
    look = (
        "log @",
        "show @ ct-verdict/1",
        "report @",
        f"git diff --no-index /dev/null {FOLDER}/review.md",
    )
    return Story(
        inputs=(REQUEST,), scenario=scenario(pace), policy={"approval_mode": True}, look=look
    )


def _task(name: str, goal: str, files: list[str], depends: str = "none", agent: str = "") -> str:
    listed = "\n".join(f"- `{each}`" for each in files)
    who = f"**agent:** {agent}\n" if agent else ""
    return (
        f"# Task {name}\n\n**Task Goal:** {goal}\n**depends_on:** {depends}\n{who}\n"
        f"## In-scope\n\n{listed}\n\n## Out-of-scope\n\n- Everything else\n\n"
        f"## Acceptance Criteria\n\n- [ ] {goal}\n\n## Estimated Effort\n\nLow (30 lines)\n\n"
        "## Test Requirements\n\n- One test for each criterion\n\n## Implementation Steps\n\n"
        "1. Test first, then code\n\n"
        "## Completion Checklist\n\n- [ ] Done\n"
    )


def _plan(mode: str, waves: list[list[str]]) -> str:
    lines = ["# Plan", "", f"Planning Mode: {mode}", "", "## Execution Waves"]
    for number, wave in enumerate(waves, 1):
        lines += ["", f"### Wave {number} (parallel)", "", *(f"- {each}" for each in wave)]
    lines += ["", "## Dependency Graph", "", "01, 02, 03 → 04, 05", "", "## Pre-Mortem", ""]
    lines += [
        "| What may go wrong | Likelihood | What prevents it |",
        "|---|---|---|",
        "| Odd signs in notes | Medium | A test |",
        "",
    ]
    return "\n".join(lines)


def _first_plan() -> dict[str, str]:
    waves = [
        [
            "01-rows (depends_on: none)",
            "02-notes (depends_on: none)",
            "03-names (depends_on: none)",
        ],
        ["04-export (depends_on: 01, 02)", "05-docs (depends_on: 03)"],
    ]
    return {
        "@plan": _plan("initial", waves),
        "tasks/01-rows.md": _task("01-rows", "Rows become CSV lines", ["textkit/rows.py"]),
        "tasks/02-notes.md": _task("02-notes", "A note is a value", ["textkit/notes.py"]),
        "tasks/03-names.md": _task(
            "03-names", "Exported files have safe names", ["textkit/names.py"]
        ),
        "tasks/04-export.md": _task(
            "04-export",
            "All notes are exported",
            ["textkit/export.py", "tests/test_export.py"],
            "01, 02",
        ),
        "tasks/05-docs.md": _task(
            "05-docs", "The export is documented", ["docs/export.md"], "03", "documentation-writer"
        ),
    }


def scenario(pace: float) -> dict[str, Any]:
    used = {"usage": {"tokens_in": 3800, "tokens_out": 700, "cost_usd": 0.02}, "sleep": pace}

    def built(said: str, **files: str) -> list[dict[str, Any]]:
        return [{"write": dict(files), "say": f"DONE: {said}", **used}]

    def remembers(agent: str, step: str, said: str) -> dict[str, Any]:
        """What an agent that works alone adds to the memory that all agents read."""
        return {"append": {f"{FOLDER}/memory.md": f"- [{agent}, step-{step}] {said}\n"}}

    planned = remembers("planner", "4", "Three tasks first, because they share no file.")

    risky = {
        "severity": "High",
        "where": "design, Interfaces",
        "what": "File names come from titles unchecked",
    }
    broken = {
        "severity": "Major",
        "where": "textkit/rows.py",
        "what": "A comma in a note splits its line",
    }
    fixed = {
        "@plan": _plan("replan", [["06-quoting (depends_on: 01)"]]),
        "tasks/06-quoting.md": _task(
            "06-quoting", "Commas and quotes survive", ["textkit/rows.py"], "01"
        ),
    }
    return {
        "agents": {
            "ct-security": [
                {"behave": "well", "verdict": {"severity": "High", "findings": [risky]}, **used},
                {"behave": "well", **used},
            ],
            "planner": [
                {
                    "write": _first_plan(),
                    "say": "DONE: 5 tasks created, 2 waves",
                    **planned,
                    **used,
                },
                {
                    "write": fixed,
                    "say": "DONE: 1 tasks created, 1 waves",
                    **remembers("planner", "4", "One task mends the quoting."),
                    **used,
                },
            ],
            "v-tests": [
                {
                    "behave": "well",
                    "verdict": {
                        "status": "NEEDS_REVISION",
                        "summary": "1 test fails",
                        "findings": [broken],
                    },
                    **used,
                },
                {"behave": "well", **used},
            ],
            "spec": [
                {
                    "behave": "well",
                    **remembers("spec", "2", "Notes are exported as they are."),
                    **used,
                }
            ],
            "designer": [
                {
                    "behave": "well",
                    **remembers("designer", "3", "One module for each thing."),
                    **used,
                },
                {
                    "behave": "well",
                    **remembers("designer", "3", "Names of files are made safe."),
                    **used,
                },
            ],
            "r-quality": [
                {
                    "behave": "well",
                    "verdict": {
                        "severity": "Minor",
                        "findings": [
                            {
                                "severity": "Minor",
                                "where": "textkit/export.py",
                                "what": "The header could be a constant",
                            }
                        ],
                    },
                    **used,
                }
            ],
        },
        "keys": {
            "synthesis": [
                {
                    "behave": "well",
                    **remembers("researcher", "1.2", "Nothing exports notes yet."),
                    **used,
                }
            ],
            "wave/1/01-rows": built("01-rows", **{"textkit/rows.py": _ROWS}),
            "wave/1/02-notes": built("02-notes", **{"textkit/notes.py": _NOTES}),
            "wave/1/03-names": built("03-names", **{"textkit/names.py": _NAMES}),
            "wave/2/04-export": built(
                "04-export", **{"textkit/export.py": _EXPORT, "tests/test_export.py": _TEST_EXPORT}
            ),
            "wave/2/05-docs": built("05-docs", **{"docs/export.md": _DOCS}),
            "fix/1/wave/1/06-quoting": built("06-quoting", **{"textkit/rows.py": _ROWS_MENDED}),
        },
        "defaults": {"behave": "well", **used},
    }
