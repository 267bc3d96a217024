"""Markdown as agents and people write it, and what a declaration reads in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from podium.documents import (
    Document,
    Entries,
    Flag,
    Many,
    Named,
    Number,
    Prose,
    Table,
    Text,
    Titled,
    Within,
    Word,
    part,
    record,
)

SCALE = Word(("None", "Minor", "Major", "Blocker"), {"critical": "Blocker"})
RESOLVED = r"(?:fully |now |already )?(?:resolved|fixed|closed)(?: in .*)?"


@record(title="Finding")
class Finding:
    what: str = part("What", at=Titled(), default="")
    severity: str = part("Severity", value=SCALE, mark=True, merge="worst", default="Blocker")
    where: str = part("Where", default="")


@record(title="Review {id} — {title}")
class Review:
    id: str = part(at=Titled(r"review\s+(?P<id>\S+)\s*[:—-]\s*(?P<title>.*)"))
    title: str = part(at=Titled(r"review\s+(?P<id>\S+)\s*[:—-]\s*(?P<title>.*)"))
    author: str = part("Author", at="head", merge="once", default="")
    status: str = part(
        "Status", "Verdict", value=Word(("Pass", "Fail"), {"passed": "Pass"}), merge="worst"
    )
    goal: str = part("Goal", at="section", value=Prose(), default="", warn=True)
    files: tuple[str, ...] = part("Files", "Related Files", default=())
    score: float = part("Score", value=Number(whole=False), default=0.0)
    failed: int = part("Failed", at="anywhere", default=0)
    approvals: Mapping[str, bool] = part(
        at="anywhere", value=Named(Flag(), prefix="Require Approval Before "), factory=dict
    )
    paths: Mapping[str, str] = part(
        at=Within(("Paths",)), value=Named(Text(), skip=("none", "")), factory=dict
    )
    findings: tuple[Finding, ...] = part(
        "Findings",
        value=Many(Table(Finding)),
        factory=tuple,
        entries=Entries(
            anywhere=True,
            among=r"findings|open issues",
            aside=r"praise|summary",
            resolved=RESOLVED,
        ),
    )


REVIEW = Document("review.md", Review)
HEAD = "# Review R1 — The parser\n\nStatus: Pass\n\n"


def read(text: str) -> Any:
    return REVIEW.read(text).value


# --- the title


@pytest.mark.parametrize(
    ("title", "values"),
    [
        ("# Review R1 — The parser", ("R1", "The parser")),
        ("# review R1: `code` in it", ("R1", "`code` in it")),
        ("# **Review R1 — The parser**", ("R1", "The parser")),
        ("Review R1 - x\n===", ("R1", "x")),
        ("# Other\n\n## Review R1 - x", ("R1", "x")),
    ],
)
def test_the_title_is_read_by_its_pattern(title: str, values: tuple[str, str]) -> None:
    value = read(f"{title}\n\nStatus: Pass\n")
    assert (value.id, value.title) == values


def test_what_is_missing_is_said_with_the_way_out() -> None:
    assert REVIEW.check("# Nothing\n") == (
        "review.md:1: id is missing (expected a text that is not empty)",
        "review.md:1: title is missing (expected a text that is not empty)",
        "review.md:1: 'Status' is missing (expected one of Pass, Fail)",
    )


# --- a value after its label


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Status: Pass", "Pass"),
        ("**Status:** fail — two gaps", "Fail"),
        ("- **Status**: `Pass`", "Pass"),
        ("**Status: Pass**", "Pass"),
        ("- [x] Verdict: passed", "Pass"),
        ("## Status\n\nPass", "Pass"),
        ("## 4. Status\n\n**Fail** (see below)", "Fail"),
        ("### **Verdict:** Pass", "Pass"),
        ("## Status: Fail", "Fail"),
        ("## Status\n\n- [ ] Pass\n- [x] Fail", "Fail"),
        ("## Status\n\nResult: ✅ Pass", "Pass"),
        ("## Status\n\nIt was read twice.\n\nPass", "Pass"),
        ("**Verdict**: Pass.", "Pass"),
        ("Status: Pass <!-- Pass or Fail -->", "Pass"),
    ],
)
def test_a_word_is_read_wherever_its_label_may_stand(text: str, status: str) -> None:
    reading = REVIEW.read(f"# Review R1: x\n\n{text}\n")
    assert (reading.value.status, reading.faults) == (status, ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "```\nStatus: Pass\n```",
        "> Status: Pass",
        "<!-- Status: Pass -->",
        "The Status: Pass was given",
        "| Status: Pass |",
        "- Low: an old note\n  - **Status:** Pass",
        "1. A note\n\n   **Status:** Fail",
    ],
)
def test_a_word_in_code_quotes_prose_and_notes_is_not_the_documents(text: str) -> None:
    assert REVIEW.check(f"# Review R1: x\n\n{text}\n") == (
        "review.md:1: 'Status' is missing (expected one of Pass, Fail)",
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Status: maybe", "review.md:3: status is 'maybe' (expected one of Pass, Fail)"),
        (
            "Status: Psas",
            "review.md:3: status is 'Psas' (expected one of Pass, Fail; did you mean 'Pass'?)",
        ),
        ("## Status\n\nNone of the tests pass\n", "review.md:3: status is 'None of the tests pass"),
        ("Status: Pass / Fail", "review.md:3: status is 'Pass / Fail'"),
    ],
)
def test_another_word_is_a_fault_at_its_line(text: str, fault: str) -> None:
    (only,) = REVIEW.check(f"# Review R1: x\n\n{text}\n")
    assert only.startswith(fault)


@pytest.mark.parametrize(
    ("text", "status", "warnings"),
    [
        ("Status: Pass\n\n## Verdict\nFail\n", "Fail", ("'Status' is both Pass and Fail",)),
        ("## Status\nPass\n\n## Notes\n\n**Status:** carried forward\n", "Pass", ()),
        ("## Notes\n\n**Status:** carried forward\n\n## Status\nPass\n", "Pass", ()),
        ("Status: Pass\n\n- Low: x\n  - Status: Fail\n", "Pass", ()),
    ],
)
def test_of_two_words_the_worse_counts_and_it_is_said(
    text: str, status: str, warnings: tuple[str, ...]
) -> None:
    reading = REVIEW.read(f"# Review R1: x\n\n{text}")
    assert reading.value.status == status
    assert tuple(warning.what for warning in reading.warnings if "both" in warning.what) == warnings


@pytest.mark.parametrize(
    ("text", "score", "faults"),
    [
        ("Score: 71", 71, 0),
        ("Score: **7.5** of 10", 7.5, 0),
        ("Score: high", 0.0, 1),
        ("Score: -1", 0.0, 1),
        ("Score: 1e400", 0.0, 1),
    ],
)
def test_a_number_is_read_with_words_behind_it(text: str, score: float, faults: int) -> None:
    reading = REVIEW.read(HEAD + text)
    assert (reading.value.score, len(reading.faults)) == (score, faults)


@pytest.mark.parametrize(
    ("text", "author", "faults"),
    [
        ("Author: Ada", "Ada", 0),
        ("## Notes\n\nAuthor: Ada", "", 0),
        ("Author: Ada\nAuthor: Bob", "Ada", 1),
    ],
)
def test_a_value_of_the_head_stands_there_once(text: str, author: str, faults: int) -> None:
    strict = Document("review.md", Review, contradictions="fault")
    reading = strict.read(f"# Review R1: x\nStatus: Pass\n{text}\n")
    assert (reading.value.author, len(reading.faults)) == (author, faults)


# --- sections


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("## Goal\n\nOne.\n\nTwo: three.\n\n---\n\n## Next\nno", "One.\n\nTwo: three."),
        ("## 1. GOAL\nOne\n### Deeper\n- Status: x\n", "One\n### Deeper\n- Status: x"),
        ("## Goal (in short)\n```mermaid\ngraph\n```\n", "```mermaid\ngraph\n```"),
        ("## Goal\n<!-- say it -->\n", ""),
        ("Goal: no section\n", ""),
    ],
)
def test_a_section_is_read_whole(text: str, goal: str) -> None:
    assert read(HEAD + text).goal == goal


def test_what_only_should_be_there_is_a_warning() -> None:
    reading = REVIEW.read(HEAD + "## Goal\n\n")
    assert reading.faults == ()
    assert [str(warning) for warning in reading.warnings] == [
        "review.md:5: goal is empty (expected a text that is not empty)"
    ]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("Files: a.py, b.py", ("a.py", "b.py")),
        ("**Files:** none", ()),
        ("## Files\n- a.py\n- b.py\n", ("a.py", "b.py")),
        ("## Related files\n\n1. `a.py`\n2. b.py, the second\n", ("a.py", "b.py, the second")),
        ("## Files\n\n- None\n", ()),
        ("## Files\n\nNo issues found.\n", ()),
        ("## Files\n\na.py, b.py\n", ("a.py", "b.py")),
        ("## Files\n* a.py\n  and its tests\n  - nested\n* b.py", None),
        ("**Files:**\n- a.py\n- Status: kept\n\n**Other:** x\n", ("a.py", "Status: kept")),
        ("- **Files:**\n  - a.py\n  - b.py\n- **Other:** x\n", ("a.py", "b.py")),
        ("## Files\n- \\- dash\n- \\[x] box\n", ("- dash", "[x] box")),
    ],
)
def test_a_list_is_read_in_each_form(text: str, files: tuple[str, ...] | None) -> None:
    expected = ("a.py and its tests - nested", "b.py") if files is None else files
    assert read(HEAD + text).files == expected


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("## Paths\n\nSpec: a.md\n- **Design**: `b.md`\nNote: none\n", True),
        ("## Other\n\nSpec: a.md\n", False),
    ],
)
def test_a_table_of_names_is_read_from_its_section(text: str, paths: bool) -> None:
    assert read(HEAD + text).paths == ({"Spec": "a.md", "Design": "b.md"} if paths else {})


def test_names_behind_a_prefix_are_read_anywhere() -> None:
    text = "## A\nRequire approval before build: Yes\n## B\n- **Require Approval Before QA:** no\n"
    assert read(HEAD + text).approvals == {"build": True, "QA": False}
    (fault,) = REVIEW.check(HEAD + "Require Approval Before QA: perhaps\n")
    assert fault.startswith("review.md:5: approvals.QA is 'perhaps' (expected true or false")


# --- entries


@pytest.mark.parametrize(
    ("text", "findings"),
    [
        ("## Findings\n\n### [Severity: Major] It fails\nWhere: a.py\n", [("Major", "It fails")]),
        ("## Findings\n\n- **Major:** It fails\n- [Minor] Names\n", ["Major", "Minor"]),
        ("## Findings\n\n### Major\n- It fails\n- So does it\n### Minor\n- x\n", None),
        ("## Findings\n\n| Severity | What |\n|---|---|\n| Major | It fails |\n", ["Major"]),
        ("## Findings\n\nSeverity: Major\nWhat: a\n\nSeverity: Minor\nWhat: b\n", None),
        ("## Findings\n\n#### 1. It fails (Major)\n\nWords.\n\n#### 2. b (Minor)\n", None),
        ("## Findings\n\n- It fails\n  - Severity: Major\n- b\n  - Severity: Minor\n", None),
        ("## Findings\n\nNo issues found.\n", []),
        ("## Findings\n\n- None\n", []),
        ("## Open Issues\n\n- Something\n", ["Blocker"]),
        ("## Notes\n\n- Something\n", []),
        ("## Praise\n\n- Clean names\n- Major: it fails\n", []),
        ("## Praise\n\n### Major: it fails\n", ["Major"]),
        ("## Words\n\n**[Severity: Critical]** It fails\n", ["Blocker"]),
        ("## Words\n\nThe severity: major was discussed.\n", []),
        ("## Findings\n\n- [Resolved] Major: It fails\n- Minor: x\n", ["Minor"]),
        ("## Findings\n\n- **Blocker (parser):** Fully fixed\n", []),
        ("## Findings\n\n- **Blocker:** Fixed width of 3 columns is too small\n", ["Blocker"]),
        ("## Findings\n\n### Major: It fails\nStatus: resolved in 1b2c\n", []),
        ("## Findings\n\n### Major: It fails\nStatus: not resolved\n", ["Major"]),
        ("## Findings\n\n- Minor/Major: x\n", ["Major"]),
        ("## Findings\n\n- [ ] Major: x\n- [x] Minor: y\n", ["Major", "Minor"]),
        ("```\n### Major: x\n```\n> ### Major: y\n", []),
    ],
)
def test_findings_are_read_in_each_form(text: str, findings: list[Any] | None) -> None:
    value = read(HEAD + text)
    if findings is None:
        findings = ["Major", "Minor"] if "So does" not in text else ["Major", "Major", "Minor"]
    found = [each.severity for each in value.findings]
    assert found == [each if isinstance(each, str) else each[0] for each in findings]
    assert value.status == "Pass"


def test_an_entry_has_its_own_parts_and_their_lines() -> None:
    text = HEAD + "## Findings\n\n### Major: It fails\n\n- **Where:** a.py\n- **Severity:** huge\n"
    reading = REVIEW.read(text)
    assert reading.value.findings == (
        Finding(what="Major: It fails", severity="Major", where="a.py"),
    )
    assert reading.line_of(("findings", 0, "where")) == 9
    assert reading.line_of(("findings", 0)) == 7


@record(
    r"`?(?P<path>[^`\s]+)`?\s*[—-]\s*(?P<action>\w+)(?:: (?P<why>.*))?",
    line="`{path}` — {action}: {why}",
)
class Change:
    path: str
    action: Literal["create", "modify"]
    why: str = part(default="")


@record(title="Plan")
class Plan:
    changes: tuple[Change, ...] = part("Changes", at="section")


PLAN = Document("plan.md", Plan)


def test_an_entry_on_one_line_is_read_by_its_pattern() -> None:
    reading = PLAN.read("# Plan\n\n## Changes\n\n- `a.py` — create: new\n- b.py - modify\n- c.py\n")
    assert reading.value.changes[:2] == (
        Change(path="a.py", action="create", why="new"),
        Change(path="b.py", action="modify"),
    )
    assert [str(fault) for fault in reading.faults] == [
        "plan.md:7: changes[2].path is missing (expected a text that is not empty)",
        "plan.md:7: changes[2].action is missing (expected one of create, modify)",
    ]
    assert PLAN.read(PLAN.render(reading.value)).value.changes[:2] == reading.value.changes[:2]
