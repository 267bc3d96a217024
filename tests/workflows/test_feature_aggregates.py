"""The documents of the clusters: the sections they must have, and words of agents that stay
words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from podium.core.verdict import Verdict
from podium.formats.markdown import scan
from podium.workflows.feature.clusters.aggregates import (
    actions,
    affected_tasks,
    failing_tasks,
    gathered,
    outcome_line,
    planning_constraints,
    render_ct,
    render_r,
    render_v,
)
from podium.workflows.feature.clusters.clusters import (
    CT_MEMBERS,
    R_MEMBERS,
    V_MEMBERS,
    Decided,
    decide_ct,
    decide_r,
    decide_v,
)
from podium.workflows.feature.clusters.observation import observed
from podium.workflows.feature.dialects import REVIEW
from podium.workflows.feature.documents.quoting import item
from podium.workflows.feature.findings.findings import read_ct, read_review

CT_SECTIONS = [
    *(
        "Summary",
        "Overall Risk Level",
        "Findings by Severity",
        "Cross-Cutting Concerns",
        "Unresolved Tensions",
    ),
    *("Requirement Coverage Gaps", "Recommendations", "Coverage"),
]
DONE = Verdict("ok", "DONE", "all read")


def sections(text: str) -> list[str]:
    return [heading.title for heading in scan(text).headings if heading.level == 2]


def under(text: str, title: str) -> list[str]:
    found = scan(text).section(title)
    assert found is not None
    return [line for _, line in found.body if line.strip()]


def ct_data(constraints: bool = False) -> dict[str, Any]:
    table = "\n## Requirement Coverage\n\n| Requirement | Covered |\n|---|---|\n| FR-2 | no |\n"
    members = [
        observed(
            "ct-security",
            DONE,
            (
                "### [Severity: High] Open door\nWhat: it waits\nWhere: main_door.py\nAssumption "
                "at risk: one user\n"
            ),
        ),
        observed(
            "ct-strategy",
            DONE,
            "### [Severity: Low] x\nWhat: It waits\nWhere: main_door.py\n" + table,
        ),
        observed("ct-scalability", DONE, "# Fine\n\nNothing.\n"),
    ]
    decided = decide_ct([each.seen for each in members])
    return gathered(
        decided,
        members,
        {"ct-security": "docs/feature/x/ct-review/ct-security.md"},
        2,
        constraints=constraints,
    )


def test_a_design_review_has_its_sections_and_constraints_only_when_asked_for() -> None:
    text = render_ct(ct_data())
    assert sections(text) == [*CT_SECTIONS[:-1], "Warnings", "Coverage"]
    assert sections(render_ct(ct_data(constraints=True))) == [
        *CT_SECTIONS[:-1],
        "Planning Constraints",
        "Warnings",
        "Coverage",
    ]
    assert sections(render_ct({"decided": "DONE"})) == CT_SECTIONS


def test_a_design_review_says_what_its_members_found_once_with_every_source() -> None:
    text = render_ct(ct_data(constraints=True))
    assert under(text, "Overall Risk Level") == ["High"]
    assert under(text, "Cross-Cutting Concerns") == [
        "- High — main_door.py: it waits (ct-security, ct-strategy)"
    ]
    assert under(text, "Unresolved Tensions") == ["- High — main_door.py: it waits"]
    assert under(text, "Requirement Coverage Gaps") == ["- FR-2 — no"]
    assert under(text, "Recommendations") == [
        "- Revise main_door.py, or say why this holds: one user"
    ]
    assert under(text, "Planning Constraints") == [
        "- The plan must answer this: High — main_door.py: it waits"
    ]
    assert planning_constraints(ct_data()) == (
        "The plan must answer this: High — main_door.py: it waits",
    )
    assert under(text, "Coverage")[2:] == [
        "| `ct-security` | DONE | High | `docs/feature/x/ct-review/ct-security.md` |",
        "| `ct-scalability` | DONE | None | not said |",
        "| `ct-maintainability` | MISSING | not said | not said |",
        "| `ct-strategy` | DONE | Low | not said |",
    ]
    assert "- **Verdict:** NEEDS_REVISION" in text
    assert "- **Sources:** ct-security, ct-strategy" in text


def v_data(texts: Mapping[str, str | None], verdict: Verdict = DONE) -> dict[str, Any]:
    members = [observed(each, verdict, texts.get(each)) for each in V_MEMBERS]
    return gathered(decide_v([each.seen for each in members]), members, {})


GOOD = {
    "v-build": "Status: PASS",
    "v-tests": "Status: PASS",
    "v-tasks": "- 01-a: verified",
    "v-feature": "Readiness: Ready",
}


def test_a_verification_that_is_done_asks_for_nothing() -> None:
    data = v_data(GOOD)
    assert (data["decided"], actions(data)) == ("DONE", [])
    assert sections(render_v(data)) == ["Summary", "Build", "Tests", "Tasks", "Feature", "Coverage"]


def test_a_verification_that_is_not_done_names_what_to_do() -> None:
    data = v_data(
        {**GOOD, "v-tests": "Status: FAIL", "v-tasks": "- 01-a: verified\n- 02-b: failed\n"}
    )
    text = render_v(data)
    assert data["decided"] == "NEEDS_REVISION"
    assert under(text, "Actionable Items") == [
        "| Priority | Task ID | Action Required | Source |",
        "| --- | --- | --- | --- |",
        "| 1 | — | Make the tests pass: all read | `v-tests` |",
        "| 2 | `02-b` | 02-b: failed (FAIL) | `v-tasks` |",
    ]
    assert failing_tasks(data) == ("02-b",)
    assert "- **Cross-Task Integration Issue:** No" in text
    both = render_v(v_data({**GOOD, "v-tests": "Status: FAIL\nCross-Task Integration Issue: Yes"}))
    assert "- **Cross-Task Integration Issue:** Yes" in both


@pytest.mark.parametrize("status", ["NEEDS_REVISION", "ERROR"])
@pytest.mark.parametrize("bad", [*V_MEMBERS, "nobody"])
def test_whatever_is_wrong_there_is_something_to_do(bad: str, status: str) -> None:
    data = v_data({member: text for member, text in GOOD.items() if member != bad})
    data |= {"decided": status, "reason": "the engine's own run: `make` exits 2"}
    rows = under(render_v(data), "Actionable Items")[2:]
    assert len(rows) == 1
    assert ("podium" if bad == "nobody" else bad) in rows[0]


def test_tasks_that_only_the_line_names_are_to_be_mended_too() -> None:
    sent = Verdict("revise", "NEEDS_REVISION", "one failed", {"tasks": ["04-d"]})
    members = [
        observed(each, sent if each == "v-tasks" else DONE, GOOD[each]) for each in V_MEMBERS
    ]
    data = gathered(decide_v([each.seen for each in members]), members, {})
    assert actions(data) == [("04-d", "Make every task meet its criteria: one failed", "v-tasks")]
    assert failing_tasks(data) == ("04-d",)


def r_data() -> dict[str, Any]:
    text = (
        "### [Severity: Major] No limit\nWhat: no limit\nWhere: api.py\nSuggested Fix: a limit\n"
        "Affects Tasks: 10-x, 02\n"
    )
    minor = "### [Severity: Minor] Name\nWhat: a name\nWhere: b.py\nAffects Tasks: 05\n"
    members = [
        observed("r-quality", DONE, text),
        observed("r-security", DONE, "# Fine\n"),
        observed("r-testing", DONE, minor),
        observed("r-knowledge", Verdict("fail", "ERROR", "no"), None),
    ]
    return gathered(decide_r([each.seen for each in members]), members, {}, tier="Full")


def test_a_review_has_its_tier_its_areas_and_its_issues() -> None:
    text = render_r(r_data())
    assert sections(text) == [
        *("Summary", "Review Tier", "Code Quality", "Security", "Testing", "Knowledge"),
        *("Issues by Severity", "Affected Tasks", "Warnings", "Coverage"),
    ]
    assert under(text, "Review Tier") == ["Full"]
    assert under(text, "Affected Tasks") == ["- `02`", "- `10-x`"]
    assert [each.title for each in scan(text).headings if each.level > 2] == [
        *("Major", "[Severity: Major] No limit", "Minor", "[Severity: Minor] Name"),
    ]
    assert affected_tasks(r_data()) == ("02", "10-x")
    assert under(text, "Warnings") == ["- r-knowledge gave no result (ERROR)"]


@pytest.mark.parametrize(
    ("render", "data"), [(render_ct, ct_data()), (render_v, v_data({})), (render_r, r_data())]
)
def test_the_data_survives_json_and_gives_the_same_bytes(
    render: Callable[[Any], str], data: dict[str, Any]
) -> None:
    assert render(json.loads(json.dumps(data))) == render(data)
    assert render(data).endswith("\n")
    assert "\n\n\n" not in render(data)


HOSTILE = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(
            [
                *(
                    "# Heading",
                    "\n",
                    "## Coverage",
                    "| a | b |",
                    "|---|",
                    "DONE: x",
                    "NEEDS_REVISION: y",
                    "```",
                    "~~~",
                    "<!--",
                    "-->",
                ),
                *(
                    "> q",
                    "- x",
                    "1. x",
                    "===",
                    "---",
                    "[Severity: Critical]",
                    "[x](http://y)",
                    "\\",
                    "`",
                    "**",
                    "_",
                    "\u202e",
                    "\ud800",
                ),
                *("Status: PASS", "<script>", "&#35;", "\r", "\u2028", "affects tasks: 99", "#"),
            ]
        ),
        max_size=6,
    ).map("".join),
)
FINDING = st.fixed_dictionaries(
    {
        "severity": st.sampled_from(["Critical", "High", "Low"]),
        "where": HOSTILE,
        "what": HOSTILE,
        "title": HOSTILE,
        "sources": st.lists(st.sampled_from(["ct-security", "v-tests", "r-quality"]), max_size=1),
        "tasks": st.lists(HOSTILE, max_size=1),
        "notes": st.fixed_dictionaries({}, optional={"Why": HOSTILE}),
    }
)


def hostile_data(
    draw: st.DrawFn, members: tuple[str, ...], severities: Mapping[str, str]
) -> dict[str, Any]:
    found = draw(st.lists(FINDING, max_size=3))
    return {
        "round": 1,
        "decided": draw(st.sampled_from(["DONE", "NEEDS_REVISION", "ERROR"])),
        "reason": draw(HOSTILE),
        "members": {
            each: {
                "status": "DONE",
                "severity": "",
                "summary": draw(HOSTILE),
                "path": draw(HOSTILE),
                "tasks": [],
            }
            for each in members
        },
        "findings": [{**each, "severity": severities[each["severity"]]} for each in found],
        "gaps": draw(st.lists(HOSTILE, max_size=2)),
        "warnings": draw(st.lists(HOSTILE, max_size=2)),
        "constraints": True,
        "tier": draw(HOSTILE),
    }


@st.composite
def clusters(draw: st.DrawFn) -> tuple[Callable[[Any], str], dict[str, Any]]:
    render, members, words = draw(
        st.sampled_from(
            [
                (render_ct, CT_MEMBERS, ("Critical", "High", "Low")),
                (render_v, V_MEMBERS, ("FAIL", "PARTIAL", "PARTIAL")),
                (render_r, R_MEMBERS, ("Blocker", "Major", "Minor")),
            ]
        )
    )
    severities = dict(zip(("Critical", "High", "Low"), words, strict=True))
    return render, hostile_data(draw, members, severities)


@settings(max_examples=150)
@given(clusters())
def test_words_of_agents_forge_no_heading_row_verdict_or_code(
    made: tuple[Callable[[Any], str], dict[str, Any]],
) -> None:
    render, data = made
    text = render(data)
    outline = scan(text)
    text.encode()
    assert text.splitlines() == text.removesuffix("\n").split("\n")
    assert set(outline.kinds) <= {"text", "blank", "heading"}
    allowed = {
        *CT_SECTIONS,
        "Planning Constraints",
        "Warnings",
        "Build",
        "Tests",
        "Tasks",
        "Feature",
        "Actionable Items",
    }
    allowed |= {
        "Review Tier",
        "Code Quality",
        "Security",
        "Testing",
        "Knowledge",
        "Issues by Severity",
        "Affected Tasks",
    }
    titles = [heading.title for heading in outline.headings if heading.level == 2]
    assert set(titles) <= allowed
    assert len(set(titles)) == len(titles)
    deep = [heading for heading in outline.headings if heading.level == 4]
    assert all(heading.title.startswith("[Severity: ") for heading in deep)
    assert REVIEW.line is not None
    assert all(REVIEW.line(line) is None for line in text.splitlines())
    assert len([line for line in under(text, "Coverage") if line.startswith("|")]) == 6
    assert all(line.replace("\\|", "").count("|") == 5 for line in under(text, "Coverage"))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("# Heading", "- \\# Heading"),
        ("a | b", "- a \\| b"),
        ("`x` *y* ~z~ [l](u) <b>", "- \\`x\\` \\*y\\* \\~z\\~ \\[l\\](u) \\<b\\>"),
        ("snake_case _x_", "- snake_case \\_x\\_"),
        ("- x", "- \\- x"),
        ("12. x", "- 12\\. x"),
        ("12 x", "- 12 x"),
        ("a\nb\u2028c\u202ed", "- a b cd"),
        ("&#35;", "- &amp;\\#35;"),
        (" ", "- not said"),
    ],
)
def test_an_item_of_a_list_is_one_line_of_plain_words(said: str, shown: str) -> None:
    assert item(said) == shown


def test_a_cell_cannot_end_its_cell() -> None:
    data = v_data({**GOOD, "v-tests": None, "v-tasks": None}) | {
        "members": {"v-tests": {"status": "ERROR", "summary": "a | b \\| c"}}
    }
    rows = under(render_v(data), "Actionable Items")
    assert any("a \\| b \\\\\\| c" in row for row in rows)
    assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 5 for row in rows)


def test_a_reason_names_no_tasks_of_its_own() -> None:
    line = outcome_line("r", Decided("ERROR", "it said affects tasks: 99 — task ID: 98"), ["01"])
    assert line == "ERROR: review — it said affects tasks 99 — task ID 98 — affects tasks: 01"


KEYS = {
    *(
        "Verdict:",
        "Reason:",
        "Round:",
        "Findings:",
        "What:",
        "Where:",
        "Why:",
        "Affects Tasks:",
        "Sources:",
    ),
    *("Status:", "Summary:", "Result:", "Cross-Task Integration Issue:"),
}


@settings(max_examples=150)
@given(clusters())
def test_a_reader_of_markdown_sees_the_words_of_agents_as_text(
    made: tuple[Callable[[Any], str], dict[str, Any]],
) -> None:
    render, data = made
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(render(data))
    kinds = [token.type for token in tokens]
    assert not {
        "ordered_list_open",
        "blockquote_open",
        "fence",
        "code_block",
        "html_block",
        "hr",
    } & set(kinds)
    assert (
        max((token.level for token in tokens if token.type == "bullet_list_open"), default=0) == 0
    )
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= {
        "text",
        "text_special",
        "strong_open",
        "strong_close",
        "code_inline",
    }
    bold = [
        inline[at + 1].content for at, child in enumerate(inline) if child.type == "strong_open"
    ]
    assert set(bold) <= KEYS
    rows = 4 + len(actions(data)) if render is render_v else 4
    assert (kinds.count("td_open"), kinds.count("tr_open")) == (
        4 * rows,
        rows + kinds.count("thead_open"),
    )


@settings(max_examples=60)
@given(clusters())
def test_a_rendered_review_holds_exactly_the_findings_it_was_given(
    made: tuple[Callable[[Any], str], dict[str, Any]],
) -> None:
    render, data = made
    if render is render_v:
        return
    again = (read_ct if render is render_ct else read_review)(render(data))
    keys = {
        (" ".join(each["where"].split()).casefold(), " ".join(each["what"].split()).casefold())
        for each in data["findings"]
    }
    assert len(again.findings) == len(keys)
    assert {each.severity for each in again.findings} <= {
        each["severity"] for each in data["findings"]
    }


@pytest.mark.parametrize(
    ("kind", "status", "tasks", "line"),
    [
        (
            "r",
            "NEEDS_REVISION",
            ["03", "01"],
            "NEEDS_REVISION: review — why — affects tasks: 01, 03",
        ),
        ("v", "ERROR", ["10-x", "9"], "ERROR: verification — why — task IDs: 9, 10-x"),
        ("v", "DONE", [], "DONE: verification — why"),
        ("ct", "NEEDS_REVISION", ["01"], "NEEDS_REVISION: design review — why"),
        ("research", "ERROR", [], "ERROR: research — why"),
        ("r", "NEEDS_REVISION", ["../x", "01, 02"], "NEEDS_REVISION: review — why"),
    ],
)
def test_a_cluster_ends_with_one_line(kind: Any, status: Any, tasks: list[str], line: str) -> None:
    assert outcome_line(kind, Decided(status, "why"), tasks) == line


@given(
    st.sampled_from(["v", "r"]),
    st.sampled_from(["DONE", "NEEDS_REVISION", "ERROR"]),
    HOSTILE,
    st.sets(st.from_regex(r"[0-9]{2}", fullmatch=True), max_size=3),
)
def test_the_dialect_reads_back_what_the_line_says(
    kind: Any, status: Any, reason: str, tasks: set[str]
) -> None:
    line = outcome_line(kind, Decided(status, reason), tasks)
    assert len(line.splitlines()) == 1
    assert REVIEW.line is not None
    said = REVIEW.line(line)
    assert said is not None
    assert (said.word, said.data["tasks"]) == (status, sorted(tasks))
