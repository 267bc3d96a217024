"""Findings and statuses read from the members' documents: from structure alone, and the worst
where in doubt.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.verdict import Verdict
from podium.workflows.feature.clusters.clusters import Seen
from podium.workflows.feature.clusters.observation import observed
from podium.workflows.feature.findings.findings import (
    MAX_FINDINGS,
    MAX_TEXT,
    Finding,
    Reading,
    as_data,
    from_data,
    merged,
    read_ct,
    read_object,
    read_review,
    read_v_build,
    read_v_feature,
    read_v_tasks,
    read_v_tests,
)

BLOCK = "### [Severity: High] Slow start\n\n- **What:** it waits\n- **Where:** main.py\n"


@pytest.mark.parametrize(
    "block",
    [
        BLOCK,
        "### [Severity: High] Slow start\n\n**What:** it waits\n\n**Where:** main.py\n",
        "### [Severity: High] Slow start\nWhat: it waits\nWhere: main.py\n",
        "### [ severity : HIGH ]: Slow start\n* **What**: it\n  waits\n* **Where**: `main.py`\n",
        "### [Severity: **High**] Slow start\n**What:**\n\nit waits\n\n**Where:**\nmain.py\n",
        "#### [Severity: High] — Slow start\n\n##### What\n\nit waits\n\n##### Where\n\nmain.py\n",
        "### Slow start [Severity: High]\nWhat: it waits\nLocation: main.py\n",
        "### [High] Slow start\nWhat: it waits\nWhere: main.py\n",
        "### Slow start\n\n- **Severity:** High\n- **What:** it waits\n- **Where:** main.py\n",
        "### Slow start\n\n- What: it waits\n- Where: main.py\n- Severity: High — likely\n",
        "- [Severity: High] Slow start\n  - What: it waits\n  - Where: main.py\n",
        "1. **[Severity: High] Slow start**\n   What: it waits\n   Where: main.py\n",
        "- ### [Severity: High] Slow start\n  What: it waits\n  Where: main.py\n",
        "[Severity: High] Slow start\n===\nWhat: it waits\nWhere: main.py\n",
        "### High: Slow start\nWhat: it waits\nWhere: main.py\n",
        "### High — Slow start\n\n- **What:** it waits\n- **Where:** main.py\n",
        "### 🔴 **High** - Slow start\nWhat: it waits\nWhere: main.py\n",
        "### 1. HIGH: Slow start\nWhat: it waits\nWhere: main.py\n",
        "### Slow start (High)\nWhat: it waits\nWhere: main.py\n",
        "### High\n\n#### Slow start\n\n- What: it waits\n- Where: main.py\n",
        "## High Severity Findings (1)\n\n### Slow start\nWhat: it waits\nWhere: main.py\n",
        "- **High:** Slow start\n  - What: it waits\n  - Where: main.py\n",
        "**High** — Slow start\n\nWhat: it waits\nWhere: main.py\n",
    ],
)
def test_a_finding_is_a_block_with_a_severity(block: str) -> None:
    found = read_ct(f"# Review\n\n{block}\n## Cross-Cutting Observations\n\nNone.\n", "ct-security")
    assert found.severity == "High"
    assert found.findings == (
        Finding("High", "main.py", "it waits", ("ct-security",), (), "Slow start"),
    )
    assert found.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        (
            "## Findings\n\n### Blocker: SQL injection\n\nThe query in src/db.py:12 is built from "
            "user input.\n"
        ),
        "## Blocker\n\n- src/db.py:12: query built from user input\n",
        "## Blocker\n\nThe query in src/db.py:12 is built from user input.\n",
        "## Blockers\n\n1. No validation of the query\n",
        "## Blocker (1)\n\n### SQL injection\n\nThe query is built from user input.\n",
        "## Critical / Major issues\n\n- src/db.py:12\n",
        "## Blocker\n\n| Where | Problem |\n|---|---|\n| src/db.py | injection |\n",
        "**Blocker**\n\n- src/db.py:12: query built from user input\n",
        "- **Blocker**: SQL injection in src/db.py\n",
        "Blocker: SQL injection in src/db.py\n",
    ],
)
def test_a_blocker_in_other_spellings_than_the_one_asked_for_is_a_blocker(text: str) -> None:
    found = read_review(f"# R-Security\n\n{text}\n## Summary\n\nOne finding.\n", "r-security")
    assert (found.severity, len(found.findings)) == ("Blocker", 1)


def test_what_stands_under_the_heading_of_a_severity_has_it() -> None:
    text = (
        "# R\n\n## Blocker\n\nNone.\n\n## Major\n\n- a is slow\n  and late\n- b is slow\n\n## "
        "Minor\n\n### c\n\nWhat: it\nWhere: c.py\n\n## Notes\n\n- fine\n"
    )
    assert [(each.severity, each.what) for each in read_review(text).findings] == [
        ("Major", "a is slow"),
        ("Major", "b is slow"),
        ("Minor", "it"),
    ]
    assert read_review("## Minor\n\n### [Severity: Blocker] x\n").severity == "Blocker"


@pytest.mark.parametrize(
    "said",
    [
        "",
        "None",
        "- None.",
        "N/A",
        "No blockers were found.",
        "*None identified*",
        "—",
        "No critical or major issues found",
        "Nothing to report.",
        "0",
    ],
)
def test_the_heading_of_a_severity_with_none_of_it_is_no_finding(said: str) -> None:
    assert (
        read_review(f"# R\n\n## Blocker\n\n{said}\n\n## Summary\n\nAll is well.\n").severity
        == "None"
    )
    assert (
        read_review(
            f"# R\n\n## Blocker: {said.strip('-* ') or 'none'}\n\n## Summary\n\nBlocker: 0\n"
        ).severity
        == "None"
    )


@pytest.mark.parametrize(
    "title",
    [
        "High-level design",
        "Critical Thinking: Security",
        "Major changes",
        "Low hanging fruit",
        "Critical path (see below)",
        "Overall Risk Level: Low",
    ],
)
def test_a_title_that_only_begins_with_such_a_word_is_no_finding(title: str) -> None:
    assert read_ct(f"# {title}\n\n## {title}\n\nSome words.\n\n- a point\n").findings == ()


def test_a_table_with_a_severity_and_a_description_holds_findings() -> None:
    table = (
        "| Severity | Where | What |\n|---|---|---|\n| High | main.py | it waits |\n| Low | a.py "
        "| it \\| b |\n"
    )
    assert read_ct(table).findings == (
        Finding("High", "main.py", "it waits"),
        Finding("Low", "a.py", "it \\| b"),
    )
    counts = "| Severity | Count |\n|---|---|\n| Critical | 0 |\n| High | 2 |\n"
    assert read_ct(counts).findings == ()


def test_every_part_of_a_review_is_read() -> None:
    text = (
        "### [Severity: Major] No limit\n- **What:** no limit\n- **Where:** api.py:3\n- "
        "**Why:** it can be flooded\n"
        "- **Suggested Fix:** a limit,\n  and a test\n- **Affects Tasks:** 01, 03-api\n"
    )
    assert read_review(text, "r-quality").findings == (
        Finding(
            "Major",
            "api.py:3",
            "no limit",
            ("r-quality",),
            ("01", "03-api"),
            "No limit",
            (("Why", "it can be flooded"), ("Suggested Fix", "a limit, and a test")),
        ),
    )
    design = (
        "### [Severity: Low] x\nWhat: x\nLikelihood: rare\nImpact: small\nAssumption at risk: one "
        "user\n"
    )
    assert dict(read_ct(design).findings[0].notes) == {
        "Likelihood": "rare",
        "Impact": "small",
        "Assumption at risk": "one user",
    }


@pytest.mark.parametrize(
    "said",
    ["Terrible", "Critical/High/Medium/Low", "", "?", "High-ish", "Blocker", "Major", "Minor"],
)
def test_a_severity_that_nobody_defined_for_a_design_is_critical(said: str) -> None:
    assert read_ct(f"### [Severity: {said}] x\n").severity == "Critical"
    assert read_ct(f"### x\nSeverity: {said}\n").severity == "Critical"


@pytest.mark.parametrize(
    "said", ["Terrible", "Blocker/Major/Minor", "", "High", "Medium", "Low", "Critical", "critical"]
)
def test_a_severity_that_nobody_defined_for_a_review_is_a_blocker_and_so_is_critical(
    said: str,
) -> None:
    assert read_review(f"### [Severity: {said}] x\n").severity == "Blocker"


def test_a_block_that_forgot_its_severity_has_the_worst() -> None:
    assert read_ct("### Slow\nWhat: it waits\nWhere: main.py\n").severity == "Critical"
    assert read_ct("### Slow\nWhat: it waits\n").findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "## Findings\n\n### SQL injection\n\nThe login builds a query from what was sent.\n",
        "## Findings\n\n### SQL injection\n\n**What:** the login builds a query\n",
        "## Findings\n\n### SQL injection\n\n#### What\n\nthe login builds a query\n",
        "## Findings\n\n### [Urgent] SQL injection\n\nThe login.\n",
        "## Security Issues\n\n- SQL injection in login.py\n- None of the forms has a token\n",
        "## Findings\n\n1. SQL injection in login.py\n",
        "## Findings\n\n| Issue | Where |\n|---|---|\n| SQL injection | login.py |\n",
        "### Finding 1: SQL injection\n\nThe login.\n",
        "### SQL injection\n\n- **Where:** login.py\n- **Suggested Fix:** bind it\n",
        (
            "## Findings\n\n### [Severity: Minor] Names\n\n- **What:** short\n\n### SQL injection\n"
            "\nThe login.\n"
        ),
    ],
)
def test_a_finding_without_any_severity_has_the_worst(text: str) -> None:
    assert read_review(f"# Review\n\n{text}").severity == "Blocker"
    assert read_ct(f"# Design Review\n\n{text}").severity == "Critical"


@pytest.mark.parametrize(
    "text",
    [
        "## Findings\n\nNone.\n",
        "## Findings\n\n- None\n",
        "## Findings\n\nThe code is well structured.\n",
        "## Findings\n\n- Blocker: 0\n- Major: 0\n- Minor: 0\n",
        "## Findings\n\n### By area\n\nNo issues found. All queries are bound.\n",
        "## Findings\n\n### Summary\n\nEverything was read.\n",
        "## Findings\n\nFiles that were read:\n\n- a.py\n- b.py\n",
        (
            "## Findings\n\n### Login\n\nRead in full.\n\n#### [Severity: Minor] Names\n\n- "
            "**What:** short\n- **Where:** a.py\n"
        ),
        (
            "## Findings\n\n- Names are short (Minor)\n- Long line\n  - **Severity:** Minor\n  - "
            "**Where:** a.py\n- Old\n  **Severity:** Minor\n"
        ),
        "## Positive Findings\n\n- Small functions\n",
        "## Resolved Issues\n\n- SQL injection\n",
        "## Findings\n\nNone.\n\n## Summary\n\n- a.py was read\n",
    ],
)
def test_what_says_that_there_is_nothing_or_how_bad_it_is_does_not_have_it(text: str) -> None:
    assert read_review(f"# Review\n\n{text}").severity in {"None", "Minor"}


@pytest.mark.parametrize(
    "title",
    [
        "Strengths",
        "Key strengths",
        "What went well",
        "What works well",
        "What is good",
        "Well done",
        "Praise",
        "Positive aspects",
        "Good practices",
        "Looks good",
        "Kudos",
        "What worked",
        "What we like",
    ],
)
def test_praise_among_findings_is_none_and_hides_none(title: str) -> None:
    praise = (
        f"# Review\n\n## Findings\n\n### {title}\n\nThe functions are small.\n\n- Names say what "
        "they mean\n"
    )
    assert read_review(praise).severity == "None"
    assert read_review(f"{praise}\n### SQL injection\n\nThe login.\n").severity == "Blocker"
    assert (
        read_review(
            f"{praise}\n#### [Severity: Major] Names\n\n- **What:** short\n- **Where:** a.py\n"
        ).severity
        == "Major"
    )


@pytest.mark.parametrize(
    "title",
    ["What is wrong", "What went wrong", "Strengthen the login", "Good practices are ignored"],
)
def test_a_title_that_only_begins_like_praise_is_a_finding(title: str) -> None:
    assert (
        read_review(f"# Review\n\n## Findings\n\n### {title}\n\nThe login.\n").severity == "Blocker"
    )


def test_of_two_severities_of_one_finding_the_worse_counts() -> None:
    assert read_ct("### [Severity: Low] x\n**Severity:** High\n").severity == "High"
    assert read_ct("### [Severity: Low] [Severity: Critical] x\n").severity == "Critical"
    assert len(read_ct("### [Severity: Low] x\n**Severity:** High\n").findings) == 1


def test_findings_may_follow_each_other_as_lines() -> None:
    text = (
        "## Findings\n\nWhat: a\nSeverity: High\n\nWhat: b\nSeverity: Low\n\nSeverity: Medium\n"
        "What: c\n"
    )
    assert [(each.what, each.severity) for each in read_ct(text).findings] == [
        ("a", "High"),
        ("b", "Low"),
        ("c", "Medium"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Review\n\nNothing to say.\n",
        f"# Review\n\n```markdown\n{BLOCK}```\n",
        "# Review\n\n> ### [Severity: Critical] x\n> What: y\n",
        "# Review\n\n<!--\n### [Severity: Critical] x\n-->\n",
        "# Review\n\nThere is no [Severity: Critical] finding. Severity is fine.\n",
        "# Review\n\n- [Critical](#critical)\n",
        "# Review\n\nWe mark them `[Severity: Critical]`.\n",
        "# Review\n\n### [Severity: None] Nothing found\n",
        "# Review\n\n    ### [Severity: Critical] x\n",
        "# Review\n\n### \\[Severity: Critical\\] x\n",
    ],
)
def test_code_quotes_comments_and_prose_hold_no_finding(text: str) -> None:
    assert read_ct(text) == read_review(text) == Reading("None")


@pytest.mark.parametrize("read", [read_ct, read_review])
def test_an_empty_document_has_no_findings_and_a_warning(
    read: Callable[[str, str], Reading],
) -> None:
    assert read(" \n\n", "x") == Reading(
        "None", warnings=("x: the document is empty and counts as no findings",)
    )


def test_a_document_that_is_all_code_cannot_be_read_and_is_the_worst() -> None:
    found = read_ct(f"```markdown\n{BLOCK}```\n", "ct-strategy")
    assert (found.severity, len(found.findings), len(found.warnings)) == ("Critical", 1, 1)
    assert read_review(f"> {BLOCK}").severity == "Blocker"


def test_gaps_are_the_rows_of_the_coverage_table_that_are_not_covered() -> None:
    text = (
        "# x\n\n## Requirement Coverage\n\n| Requirement | Covered | Notes |\n|---|---|---|\n"
        "| FR-1 | Yes | |\n| FR-2 | ✅ Covered — well | |\n| FR-3 | Partial | no limit |\n| "
        "FR-4 | |\n"
    )
    assert read_ct(text).gaps == ("FR-3 — Partial — no limit", "FR-4")


def test_too_many_findings_keep_the_worst_and_long_texts_are_cut_with_a_warning() -> None:
    many = "".join(f"### [Severity: Minor] m{number}\n" for number in range(MAX_FINDINGS + 50))
    found = read_review(f"{many}### [Severity: Blocker] last\n", "r-security")
    assert (len(found.findings), found.severity, found.findings[-1].title) == (
        MAX_FINDINGS,
        "Blocker",
        "last",
    )
    assert found.warnings == ("r-security: 251 findings; only the worst 200 are kept",)
    long = read_ct(
        f"### [Severity: Low] {'t' * 600}\nWhat: {'w ' * 600}\nWhere: {'x' * 500}\n", "c"
    )
    assert [
        len(text)
        for text in (long.findings[0].title, long.findings[0].what, long.findings[0].where)
    ] == [500] * 3
    assert long.warnings == (f"c: texts longer than {MAX_TEXT} characters were cut (2)",)


def test_the_same_place_and_thing_is_one_finding_with_every_source() -> None:
    found = [
        Finding("Low", "main.py", "it waits", ("ct-strategy",), ("10",), "", (("Impact", "b"),)),
        Finding(
            "High",
            " MAIN.py",
            "It  waits",
            ("ct-security",),
            ("9",),
            "Slow",
            (("Impact", "a"), ("Why", "x")),
        ),
        Finding("Critical", "main.py", "it breaks", ("ct-security",)),
    ]
    assert merged(found) == (
        found[2],
        Finding(
            "High",
            " MAIN.py",
            "It  waits",
            ("ct-security", "ct-strategy"),
            ("9", "10"),
            "Slow",
            (("Impact", "a"), ("Why", "x")),
        ),
    )


WORDS = st.sampled_from(["a", "A ", "b", "c  d", "C D"])
FINDINGS = st.lists(
    st.builds(
        Finding,
        st.sampled_from(["Low", "Medium", "High", "Critical"]),
        WORDS,
        WORDS,
        st.lists(st.sampled_from(["x", "y"]), max_size=2).map(tuple),
        st.lists(st.sampled_from(["2", "10"]), max_size=2).map(tuple),
        WORDS,
        st.lists(st.tuples(st.sampled_from(["Why", "Impact"]), WORDS), max_size=2).map(tuple),
    ),
    max_size=6,
)


@given(FINDINGS, st.randoms())
def test_merging_does_not_depend_on_the_order_and_is_done_once(
    found: list[Finding], chance: object
) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merged(shuffled) == merged(found) == merged(merged(found))
    assert {source for each in merged(found) for source in each.sources} == {
        s for each in found for s in each.sources
    }


@given(FINDINGS)
def test_a_finding_survives_json(found: list[Finding]) -> None:
    for each in merged(found):
        assert from_data(json.loads(json.dumps(as_data(each)))) == each


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Minor", "Major", "Blocker"]),
            st.from_regex(r"[a-z]{1,8}( [a-z]{1,8})?", fullmatch=True),
        ),
        max_size=5,
    )
)
def test_findings_written_as_the_template_says_are_read_back(parts: list[tuple[str, str]]) -> None:
    text = "".join(
        f"### [Severity: {severity}] T\n\n- **What:** {what}\n- **Where:** w\n\n"
        for severity, what in parts
    )
    assert [(each.severity, each.what) for each in read_review("# R\n\n" + text).findings] == parts


LINES = st.lists(
    st.sampled_from(
        [
            *(
                "### [Severity: High] x",
                "## Findings",
                "What: a",
                "- **Where:** b",
                "Severity: Low",
                "| Severity | What |",
                "|---|---|",
            ),
            *(
                "| High | x |",
                "```",
                "> q",
                "",
                "## Status",
                "Status: PASS",
                "PASS",
                "- 01-a: verified",
                "## Failing Task IDs",
                "- 03",
            ),
            *(
                "Cross-Task Integration Issue: Yes",
                "Failed: 2",
                "### Failing Test Details",
                "| Task | Status |",
                "| 01 | failed |",
            ),
        ]
    )
).map("\n".join)


@given(LINES)
def test_any_document_is_at_least_as_bad_as_its_worst_finding(text: str) -> None:
    for read, order in (
        (read_ct, ("None", "Low", "Medium", "High", "Critical")),
        (read_review, ("None", "Minor", "Major", "Blocker")),
        *(
            (each, ("PASS", "PARTIAL", "FAIL"))
            for each in (read_v_build, read_v_tests, read_v_tasks, read_v_feature)
        ),
    ):
        found = read(text, "m")
        worst = max((each.severity for each in found.findings), key=order.index, default=order[0])
        assert order.index(found.severity) >= order.index(worst)


@pytest.mark.parametrize(
    "text",
    [
        "Status: PASS",
        "# v\n\n**Status:** PASS (12 s)",
        "## Status\n\nPASS",
        "## Status\n\n**PASS** — clean",
        "## Status: Pass",
        "- Status: ✅ PASS",
        "| Field | Value |\n|---|---|\n| Status | PASS |",
        "## Status\n\nStatus: PASS",
        "Status: PASS\n\n## Result\n\nIt was built.",
    ],
)
def test_a_build_that_says_pass_passes(text: str) -> None:
    assert read_v_build(text) == Reading("PASS")
    assert read_v_tests(text).severity == "PASS"


@pytest.mark.parametrize(
    "text",
    [
        "Status: FAIL",
        "Status: OK",
        "Status:",
        "Status: PASS/FAIL",
        "Status: PASS with warnings",
        "Everything builds, PASS.",
        "## Status\n\n## Build System\n\nmake",
        "## Status\n\n```\nPASS\n```",
        "> Status: PASS",
        "```\nStatus: PASS\n```",
        "Status: PASS\n\nResult: FAIL",
        "Status: PASS\nStatus: FAIL",
        "Status: PARTIAL",
    ],
)
def test_a_build_that_says_anything_else_fails(text: str) -> None:
    assert read_v_build(text).severity == "FAIL"


def test_a_status_that_cannot_be_read_is_named() -> None:
    assert read_v_build("Status: fine").warnings == (
        "v-build: status 'fine' is not one of pass, passed, fail, failed, which counts as FAIL",
    )
    assert read_v_tests("prose").warnings == (
        "v-tests: no status that could be read, which counts as FAIL",
    )


@pytest.mark.parametrize("read", [read_v_build, read_v_tests, read_v_tasks, read_v_feature])
def test_an_empty_verification_document_is_no_finding_and_a_warning(
    read: Callable[[str], Reading],
) -> None:
    found = read("\n")
    assert (found.severity, found.findings, len(found.warnings)) == ("PASS", (), 1)


@pytest.mark.parametrize(
    ("text", "severity", "cross_task"),
    [
        ("Status: PARTIAL", "PARTIAL", False),
        ("Status: PASS\nFailed: 0\nCross-Task Integration Issue: No", "PASS", False),
        ("Status: PASS\nFailed: 2", "FAIL", False),
        ("Status: PASS\n\n| Passed | Failed |\n|---|---|\n| 3 | 1 |", "FAIL", False),
        ("Status: PASS\n\n| Count | Number |\n|---|---|\n| Failed | 1 |", "FAIL", False),
        ("Status: PASS\n\n## Failing Test Details\n\n### test_a\n\nError: no\n", "FAIL", False),
        ("Status: PASS\n\n## Failing Test Details\n\nNone.\n", "PASS", False),
        ("Status: PASS\n\nCross-Task Integration Issue: Yes", "PARTIAL", True),
        ("Status: FAIL\n\n- **Cross-Task Integration Issue:** Yes — 01 and 02", "FAIL", True),
        ("Status: PASS\n\nCross-Task Integration Issue: perhaps", "PARTIAL", True),
    ],
)
def test_tests_are_as_bad_as_the_worst_that_is_said_of_them(
    text: str, severity: str, cross_task: bool
) -> None:
    found = read_v_tests(text)
    assert (found.severity, found.cross_task) == (severity, cross_task)


def test_a_failing_test_is_a_finding_with_its_tasks() -> None:
    text = (
        "Status: FAIL\n\n## Failing Test Details\n\n### test_a\n\n- Error: 1 is not 2\n- Affects "
        "Tasks: 03\n"
    )
    assert read_v_tests(text).findings == (
        Finding("FAIL", "test_a", "1 is not 2", ("v-tests",), ("03",)),
    )
    assert read_v_tests(text).tasks == ("03",)


@pytest.mark.parametrize(
    ("text", "severity", "tasks"),
    [
        ("- 01-a: verified\n- 02-b: verified\n\n## Failing Task IDs\n\nNone\n", "PASS", ()),
        ("## Failing Task IDs\n\nNo failing tasks.\n", "PASS", ()),
        ("- 01-a: verified\n- 02-b: partially-verified\n", "PARTIAL", ("02-b",)),
        ("- 01-a — failed — it crashes\n", "FAIL", ("01-a",)),
        ("### 01-a\n\nStatus: verified\n\n### 02-b\n\n**Status:** failed\n", "FAIL", ("02-b",)),
        ("### 01-a: verified\n### 02-b — failed\n", "FAIL", ("02-b",)),
        (
            "| Task | Status |\n|---|---|\n| 01-a | verified |\n| `02-b` | **failed** |\n",
            "FAIL",
            ("02-b",),
        ),
        (
            "- 01-a: verified\n\n## Failing Task IDs\n\n- 02-b\n- 10-c — slow, and late\n",
            "FAIL",
            ("02-b", "10-c"),
        ),
        ("Status: verified\n\nFailing Task IDs: 02-b, 03\n", "FAIL", ("02-b", "03")),
        ("- 01-a: verified\n\n## Failing Task IDs: 02-b\n", "FAIL", ("02-b",)),
        (
            (
                "- 01-a: verified\n\n## Failing Task IDs\n\n| Task ID | Why |\n|---|---|\n| 02-b "
                "| slow |\n"
            ),
            "FAIL",
            ("02-b",),
        ),
        ("- 01-a: verified\n\n## Failing Task IDs\n\nall of them\n", "FAIL", ()),
        ("- 01-a: verified\n- 02-b: kaputt\n", "FAIL", ()),
        ("| Task | Status |\n|---|---|\n| 01-a | okay |\n", "FAIL", ()),
        ("All tasks are verified.\n", "FAIL", ()),
        ("## Status\n\n- 01-a: verified\n", "PASS", ()),
    ],
)
def test_tasks_are_as_bad_as_the_worst_of_them(
    text: str, severity: str, tasks: tuple[str, ...]
) -> None:
    found = read_v_tasks(text)
    assert (found.severity, found.tasks) == (severity, tasks)


def test_why_a_task_fails_is_not_taken_for_its_status() -> None:
    found = read_v_tasks("- 01-a: verified\n\n## Failing Task IDs\n\n- 02-b: it hangs\n")
    assert (found.tasks, found.warnings) == (("02-b",), ())


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("- AC1: met\n- AC2: it counts — met\n\n## Readiness\n\nReady\n", "PASS"),
        ("- AC1: met\n- AC2: it counts — not-met (see log)\n\n## Readiness\n\nReady\n", "FAIL"),
        (
            "| Criterion | Status |\n|---|---|\n| AC1 | partially-met |\n\nReadiness: Ready\n",
            "PARTIAL",
        ),
        ("Readiness: Partially Ready\n", "PARTIAL"),
        ("Readiness: Not Ready\n", "FAIL"),
        ("Readiness: soon\n", "FAIL"),
        ("Readiness: Ready\nRegressions: 2\n", "PARTIAL"),
        ("Readiness: Ready\nRegressions: none\n", "PASS"),
        ("It is ready.\n", "FAIL"),
    ],
)
def test_a_feature_is_as_bad_as_its_worst_criterion(text: str, severity: str) -> None:
    assert read_v_feature(text).severity == severity


@pytest.mark.parametrize(
    "line",
    [
        "- 01" + " — verified x" * 40_000,
        "|" * 300_000,
        "[severity:" * 50_000,
        "[" + " " * 300_000,
        "Status: " + "*" * 300_000,
        "Where:" + " " * 300_000 + "x",
        "- 03\n" * 20_000,
        "".join(f"- {number}-x: failed\n" for number in range(5_000)),
    ],
)
def test_hostile_lines_take_linear_time(line: str) -> None:
    before = time.process_time()
    for read in (read_ct, read_review, read_v_build, read_v_tests, read_v_tasks, read_v_feature):
        read(f"## Failing Task IDs\n\n{line}\n\n### {line}\n")
    assert time.process_time() - before < 6


def test_an_object_is_read_in_the_words_of_its_cluster() -> None:
    data = {
        "severity": "Major",
        "tasks": ["01"],
        "findings": [{"severity": "Critical", "where": "a", "what": "b"}],
    }
    assert read_object(data, "r-quality") == Reading(
        "Blocker", (Finding("Blocker", "a", "b", ("r-quality",)),), ("01",)
    )
    assert read_object({"severity": "Medium"}, "ct-strategy") == Reading("Medium")
    assert (
        read_object({"findings": [{"severity": "", "what": "b"}]}, "ct-strategy").severity
        == "Critical"
    )
    assert read_object({"findings": [{"what": "b"}]}, "r-quality").severity == "Blocker"
    assert read_object({"severity": "wobbly"}, "v-tests") == Reading("FAIL")
    assert read_object({}, "r-testing") == Reading("None")


def test_a_mild_line_does_not_hide_its_document_nor_a_mild_document_its_line() -> None:
    mild = Verdict("ok", "DONE", "fine", {})
    assert observed("r-security", mild, "### [Severity: Blocker] x\n").seen == Seen(
        "r-security", "DONE", "Blocker"
    )
    assert observed("v-tests", mild, "Status: FAIL").seen == Seen("v-tests", "DONE", "FAIL")
    harsh = Verdict("revise", "NEEDS_REVISION", "no", {"severity": "Major", "tasks": ["02"]})
    found = observed("r-quality", harsh, "# Fine\n\nNothing.\n")
    assert (found.seen, found.tasks) == (Seen("r-quality", "NEEDS_REVISION", "Major"), ("02",))


@pytest.mark.parametrize(
    ("verdict", "text", "status"),
    [
        (None, None, "MISSING"),
        (None, "x", "ERROR"),
        (Verdict("ok", "DONE"), None, "MISSING"),
        (Verdict("fail", "ERROR"), None, "ERROR"),
        (Verdict("ok", "done"), "x", "ERROR"),
        (Verdict("ok", "DONE"), "x", "DONE"),
        (Verdict("ok", "DONE"), "", "DONE"),
    ],
)
def test_a_member_without_a_document_or_an_answer_is_no_result(
    verdict: Verdict | None, text: str | None, status: str
) -> None:
    assert observed("ct-strategy", verdict, text).seen.status == status


def test_one_problem_in_the_document_and_in_the_object_is_one_finding() -> None:
    sent = Verdict(
        "ok",
        "DONE",
        "",
        {"findings": [{"severity": "Critical", "where": "main.py", "what": "It waits"}]},
    )
    found = observed("ct-security", sent, BLOCK)
    assert (found.seen.severity, len(found.findings), found.findings[0].title) == (
        "Critical",
        1,
        "Slow start",
    )
