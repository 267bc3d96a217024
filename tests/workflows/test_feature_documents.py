from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.formats.markdown import scan
from podium.workflows.feature.documents.documents import (
    SHAPES,
    check,
    compose,
    lacks,
    output,
    structure,
)
from podium.workflows.feature.documents.parts import Parts, says_something, words_of
from podium.workflows.feature.findings.findings import (
    read_ct,
    read_review,
    read_v_build,
    read_v_feature,
    read_v_tasks,
    read_v_tests,
)

FACTS = {"Feature": "add-login", "Date": "2026-04-20"}
CT_ROLES = ("ct-security", "ct-scalability", "ct-maintainability", "ct-strategy")
R_ROLES = ("r-quality", "r-security", "r-testing")
RESEARCH = """# Research
**Focus Area:** impact
## 1. Executive Summary
Small.
### Key findings
- One table.
## File references
`src/a.py`
## Assumptions and Limitations
None known.
## Open Questions:
None
## Research metadata
- **confidence_level:** High (all files read)
- coverage_estimate: 80%
- gaps: none
"""
BUILD = """# Build
- **Status:** PASS
- **Build System:** make
## Build Command
```sh
make
```
## Result
Exit 0.
## Errors and Warnings
## Artifacts
| Name | Path |
|---|---|
## Environment
Linux
"""


def made(name: str, **members: Any) -> str:
    return compose(SHAPES[name])(members, "", FACTS)


def faults(name: str, text: str, template: str = "") -> tuple[str, ...]:
    """With a policy that requires all sections."""
    return check(SHAPES[name], strict=True)(text, template)


def headings_of(text: str) -> list[str]:
    return [heading.title for heading in scan(text).headings]


# Shapes


def test_every_document_has_its_place_in_the_folder_of_the_feature() -> None:
    assert [shape.path for shape in SHAPES.values()] == [
        *(
            "research/architecture.md",
            "research/impact.md",
            "research/dependencies.md",
            "research/patterns.md",
        ),
        *("analysis.md", "feature.md", "design.md"),
        *(f"ct-review/{role}.md" for role in CT_ROLES),
        *(f"verification/v-{each}.md" for each in ("build", "tests", "tasks", "feature")),
        *(f"review/{role}.md" for role in R_ROLES),
        *("review/r-knowledge.md", "review/knowledge-suggestions.md"),
    ]


def test_analysis_has_ten_sections_and_design_thirteen() -> None:
    assert len(SHAPES["analysis"].headings) == 10
    assert SHAPES["analysis"].headings[-1] == "Appendix / Sources"
    assert len(SHAPES["design"].headings) == 13


# Composing


@pytest.mark.parametrize("name", SHAPES)
def test_the_shortest_document_passes_its_check_and_has_every_section_told(name: str) -> None:
    text = made(name)
    assert faults(name, text) == ()
    titles = headings_of(text)
    assert [each for each in SHAPES[name].headings if each not in titles and each != "Title"] == []


@pytest.mark.parametrize("name", SHAPES)
def test_given_sections_take_their_places_and_new_ones_come_last(name: str) -> None:
    first = SHAPES[name].headings[-1]
    text = made(name, sections={first.upper(): "Own words.", "Aside": "More words."})
    assert f"## {first}\n\nOwn words.\n" in text
    assert text.endswith("## Aside\n\nMore words.\n")


@pytest.mark.parametrize(
    ("name", "members", "words"),
    [
        ("ct-security", {"finding": []}, "did you mean 'findings'?"),
        ("ct-security", {"findings": [{"severty": "High"}]}, "did you mean 'severity'?"),
        ("ct-security", {"findings": "x"}, "findings: must be a list"),
        ("ct-security", {"findings": ["x"]}, r"findings\[0\]: must be"),
        ("v-tasks", {"tasks": ["01"]}, "tasks: must be an object"),
        ("design", {"status": "PASS"}, "unknown member of design 'status'"),
    ],
)
def test_members_that_a_document_does_not_have_are_refused(
    name: str, members: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        made(name, **members)


@pytest.mark.parametrize("role", CT_ROLES)
def test_a_composed_design_finding_is_read_back(role: str) -> None:
    text = made(
        role,
        findings=[{"severity": "High", "title": "Links", "what": "never expire", "where": "Share"}],
    )
    (finding,) = read_ct(text, role).findings
    assert (finding.severity, finding.title, finding.what, finding.where) == (
        "High",
        "Links",
        "never expire",
        "Share",
    )
    assert faults(role, text) == ()


@pytest.mark.parametrize("role", R_ROLES)
def test_a_composed_review_finding_is_read_back(role: str) -> None:
    found = {
        "severity": "Major",
        "what": "swallowed",
        "where": "a.py:1",
        "tasks": ["01-a", "02-b"],
        "fix": "raise",
    }
    (finding,) = read_review(made(role, findings=[found]), role).findings
    assert (finding.severity, finding.what, finding.where) == ("Major", "swallowed", "a.py:1")
    assert finding.tasks == ("01-a", "02-b")
    assert dict(finding.notes)["Suggested Fix"] == "raise"


def test_composed_documents_of_clusters_are_clean_without_members() -> None:
    assert [read_ct(made(role)).severity for role in CT_ROLES] == ["None"] * 4
    assert [read_review(made(role)).severity for role in R_ROLES] == ["None"] * 3
    assert read_ct(made("ct-security")).gaps == ()
    for read, name in (
        (read_v_build, "v-build"),
        (read_v_tests, "v-tests"),
        (read_v_tasks, "v-tasks"),
        (read_v_feature, "v-feature"),
    ):
        reading = read(made(name))
        assert (reading.severity, reading.findings, reading.warnings) == ("PASS", (), ())


def test_composed_failures_of_the_verification_are_read_back() -> None:
    assert read_v_build(made("v-build", status="FAIL", errors=["a.c:1: no"])).severity == "FAIL"
    tests = read_v_tests(made("v-tests", failing=["t::one"], cross_task=True))
    assert (tests.severity, tests.cross_task) == ("FAIL", True)
    assert not read_v_tests(made("v-tests", failing=["t::one"])).cross_task
    assert read_v_tests(made("v-tests", status="PARTIAL")).severity == "PARTIAL"
    assert read_v_tasks(made("v-tasks", failing=["01-a"])).tasks == ("01-a",)
    some = read_v_tasks(made("v-tasks", tasks={"01-a": "verified", "02-b": "partially-verified"}))
    assert (some.severity, some.tasks) == ("PARTIAL", ("02-b",))
    assert read_v_feature(made("v-feature", criteria={"AC-1": "not-met"})).severity == "FAIL"
    assert read_v_feature(made("v-feature", readiness="Partially Ready")).severity == "PARTIAL"


@pytest.mark.parametrize("name", ["v-build", "v-tests", "v-tasks", "v-feature"])
def test_a_failed_verification_passes_its_check(name: str) -> None:
    assert faults(name, made(name, status="FAIL")) == ()


def test_research_says_how_sure_it_is() -> None:
    text = made("research/impact", confidence_level="low", gaps=["tests", "scripts"])
    assert "- confidence_level: low" in text
    assert "- gaps: tests, scripts" in text
    assert faults("research/impact", text) == ()


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from((*CT_ROLES, *R_ROLES)),
    st.lists(
        st.fixed_dictionaries(
            {
                "severity": st.sampled_from(["Critical", "Blocker", "Minor", "Low", "odd", ""]),
                "what": st.text(max_size=30),
            },
            optional={"where": st.text(max_size=30), "title": st.text(max_size=30)},
        ),
        max_size=3,
    ),
)
def test_hostile_members_make_as_many_findings_as_were_given(
    role: str, given_findings: list[dict[str, str]]
) -> None:
    text = made(role, findings=given_findings)
    found = (read_ct if role.startswith("ct-") else read_review)(text, role).findings
    assert len(found) == len(given_findings)
    assert faults(role, text) == ()


# Checking


def test_headings_keys_and_rows_in_any_spelling_count() -> None:
    assert faults("research/impact", RESEARCH) == ()
    assert faults("v-build", BUILD) == ()


def test_a_block_of_yaml_holds_the_metadata() -> None:
    text = RESEARCH.partition("- **confidence_level")[0]
    text += "```yaml\nconfidence_level: medium\ncoverage_estimate: 70%\ngaps: [tests]\n```\n"
    assert faults("research/impact", text) == ()


def test_a_specification_may_spell_its_sections_longer() -> None:
    titles = (
        *(
            "Background & Context",
            "Functional Requirements",
            "Non functional requirements",
            "Constraints",
        ),
        *(
            "2. Acceptance criteria",
            "Edge Cases and Errors",
            "User Story / Flows",
            "Test Scenarios",
        ),
        "Risks and Dependencies",
    )
    text = "# Login\n" + "".join(f"\n### {title}\n\nWords.\n" for title in titles)
    assert faults("feature", text) == ()


@pytest.mark.parametrize("name", SHAPES["feature"].required[1:])
def test_a_missing_section_of_the_specification_is_named(name: str) -> None:
    text = made("feature").replace(f"## {name}\n\n{name}: settled.\n", "")
    assert faults("feature", text) == (f"'{name}' is missing: write it as a section `## {name}`",)


def test_functional_is_not_found_in_non_functional() -> None:
    text = made("feature").replace("## Functional\n\nFunctional: settled.\n", "")
    assert len(faults("feature", text)) == 1


@pytest.mark.parametrize(
    "body", ["", "<!-- say it -->", "TBD", "- [ ]", "<describe the findings>", "…", "{{FINDINGS}}"]
)
def test_an_empty_section_is_named(body: str) -> None:
    text = RESEARCH.replace("- One table.", body)
    assert faults("research/impact", text) == (
        "'Findings' is empty: say what belongs there, or `None` and why",
    )


def test_every_fault_is_told_at_once() -> None:
    found = faults("research/impact", "# Research\n\nWords.\n")
    assert len(found) == 7 + 3


@pytest.mark.parametrize(
    "said", ["sure", "high/medium/low", "high | medium | low", "high or medium", "very high"]
)
def test_a_word_outside_the_list_is_refused(said: str) -> None:
    text = RESEARCH.replace("High (all files read)", said)
    assert faults("research/impact", text) == (
        f"'confidence_level' is '{said}'; it must be one of high, medium, low",
    )


@pytest.mark.parametrize(
    "said",
    ["high", "**Medium**", "low, since little was read", "`high`", "✅ high — sure", "High."],
)
def test_a_word_of_the_list_counts_with_its_remarks(said: str) -> None:
    assert faults("research/impact", RESEARCH.replace("High (all files read)", said)) == ()


@pytest.mark.parametrize("said", ["MAYBE", "PASS/FAIL", "", "unknown"])
def test_a_build_must_say_pass_or_fail(said: str) -> None:
    assert len(faults("v-build", BUILD.replace("PASS", said))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Status: FAIL",
        "# Build\n\n## Status\n\nFAIL — no compiler\n",
        "| Status | FAIL |",
        "## Status: **FAILED**",
    ],
)
def test_a_failed_build_needs_no_form(text: str) -> None:
    assert faults("v-build", text) == ()


def test_a_passed_build_shows_its_work() -> None:
    assert len(faults("v-build", "Status: PASS\n")) == 7


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ct-security", "### [Severity: Critical] Admin is open\n"),
        ("ct-security", "### [Severity: Catastrophic] Nobody knows this word\n\nWhat: x\n"),
        ("r-security", "### [Severity: Blocker] Secret in code\n"),
        ("r-quality", "### [Severity: ???] x\n"),
        ("v-tests", "Status: FAIL\n"),
        ("v-tests", "Status: MAYBE\n"),
        ("v-tests", "no status at all\n"),
        ("v-tasks", "| Task ID | Status |\n|---|---|\n| 01-a | failed |\n"),
        ("v-feature", "AC-1: not-met\n"),
    ],
)
def test_bad_news_and_what_nobody_can_tell_is_never_lost_for_its_form(name: str, text: str) -> None:
    assert faults(name, text) == ()


def test_a_clean_design_review_shows_its_work() -> None:
    assert len(faults("ct-security", "# Review\n\nNo findings.\n")) == 2
    assert len(faults("v-tasks", "# Tasks\n\n01-a: verified\n")) == 1


@pytest.mark.parametrize("name", [*R_ROLES, "r-knowledge", "knowledge-suggestions", "design"])
def test_documents_without_named_sections_need_words_only(name: str) -> None:
    assert faults(name, "# Title\n\nAll is well.\n") == ()
    assert faults(name, "# Title\n\n## Findings\n\n<!-- none -->\n\n- \n") == (
        "it holds nothing but headings and placeholders: write the document",
    )


@pytest.mark.parametrize(
    "title", ["Appendix / Sources", "Sources", "Appendix", "10. Appendix: Sources"]
)
def test_an_analysis_ends_with_its_sources(title: str) -> None:
    assert faults("analysis", f"# A\n\nWords.\n\n## {title}\n\n- research/impact.md\n") == ()
    assert len(faults("analysis", "# A\n\nWords.\n")) == 1


def test_an_untouched_template_is_refused() -> None:
    template = "# Design\n\n## Summary\n\nSay what you build.\n\n## {{SLUG}}\n"
    assert faults("design", template, template) == (
        "placeholder {{SLUG}} is still there",
        "says nothing beyond its template",
    )
    assert faults("design", "# Design\n\n## Summary\n\nA queue.\n", template) == ()


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(list(SHAPES)),
    st.text(alphabet="#*|-_: `<>[]\nStausPASFIL/x.1", max_size=120),
    st.text(max_size=40),
)
def test_any_text_is_judged_without_failing(name: str, text: str, more: str) -> None:
    assert all(isinstance(fault, str) and fault for fault in faults(name, text + more, more))


@pytest.mark.parametrize(
    "part", ["# a\n", "| a ", "a: \n", "**a:** b\n", "<", "- [ ] ", "1. ", "> ", "[Severity: "]
)
def test_long_hostile_documents_are_judged_in_time(part: str) -> None:
    text = (part * 100_000)[:100_000]
    began = time.process_time()
    for name in ("feature", "v-build", "research/impact"):
        faults(name, text)
    assert time.process_time() - began < 5


# What is lacking and does no harm


@pytest.mark.parametrize("name", SHAPES)
def test_by_default_a_document_of_one_sentence_can_be_used(name: str) -> None:
    assert check(SHAPES[name])("# Title\n\nAll is well.\n", "") == ()


@pytest.mark.parametrize("name", SHAPES)
def test_what_a_document_lacks_is_told_with_its_path(name: str) -> None:
    text = "# Title\n\nAll is well.\n"
    assert lacks(SHAPES[name], text) == tuple(
        f"{SHAPES[name].path}: {each}" for each in faults(name, text)
    )
    assert lacks(SHAPES[name], made(name)) == ()


def test_nothing_is_lacking_in_bad_news() -> None:
    assert lacks(SHAPES["v-build"], "Status: FAIL\n") == ()
    assert lacks(SHAPES["ct-security"], "### [Severity: Critical] Admin is open\n") == ()


@pytest.mark.parametrize("name", SHAPES)
def test_a_skeleton_and_an_untouched_template_are_refused_whatever_the_policy(name: str) -> None:
    bones = "# Title\n\n## Findings\n\n<!-- none -->\n\n- \n"
    if (
        check(SHAPES[name], strict=True)(bones, "") != ()
    ):  # verification reads no status as FAIL, which is bad news
        assert check(SHAPES[name])(bones, "") == (
            "it holds nothing but headings and placeholders: write the document",
        )
    template = "# T\n\n## Summary\n\nStatus: PASS, or say what you build.\n"
    if name not in {"v-tests", "v-tasks", "v-feature"}:
        assert check(SHAPES[name])(template, template) == ("says nothing beyond its template",)


# Telling


@pytest.mark.parametrize("name", SHAPES)
def test_the_brief_names_every_section(name: str) -> None:
    told = " ".join(structure(SHAPES[name]))
    assert [each for each in SHAPES[name].headings if each not in told] == []


def test_the_brief_gives_the_closed_lists() -> None:
    assert "a line `confidence_level:` with high or medium or low" in structure(
        SHAPES["research/impact"]
    )
    assert "a line `Status:` with PASS or FAIL" in structure(SHAPES["v-build"])
    assert "### [Severity: Critical/High/Medium/Low] Title" in " ".join(
        structure(SHAPES["ct-strategy"])
    )
    assert "### [Severity: Blocker/Major/Minor] Title" in " ".join(structure(SHAPES["r-quality"]))


def test_an_output_of_a_contract_binds_all_three() -> None:
    made_output = output(SHAPES["v-build"], "docs/feature/add-login")
    assert (made_output.name, made_output.path) == (
        "out",
        "docs/feature/add-login/verification/v-build.md",
    )
    assert made_output.check is not None
    assert made_output.compose is not None
    assert made_output.structure is not None
    assert made_output.check(made_output.compose({}, "", FACTS), "") == ()
    assert made_output.structure("") == structure(SHAPES["v-build"])


# Parts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User Stories", "user story"),
        ("Dependencies & Risks", "**Risks and Dependencies**"),
        ("Non-functional", "non functional"),
        ("confidence_level", "Confidence Level"),
    ],
)
def test_titles_are_compared_by_their_words(one: str, other: str) -> None:
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- x", True),
        ("None", True),
        ("| a |", True),
        ("- [x]", False),
        ("|---|", False),
        ("to do", False),
        ("- <x>", False),
    ],
)
def test_marks_and_placeholders_say_nothing(line: str, said: bool) -> None:
    assert says_something(line) is said


def test_code_and_quotes_are_content_but_no_parts() -> None:
    outline = scan("## Result\n\n```\nexit 0\n```\n\n> Errors: none\n\n```\n## Warnings\n```\n")
    assert list(Parts(outline).contents("Result")) == [True]
    assert list(Parts(outline).contents("Errors")) == []
    assert list(Parts(outline).contents("Warnings")) == []


def test_a_key_may_have_its_value_below_it() -> None:
    outline = scan("**Errors:**\n\n- a.c:1\n\n**Warnings:**\n\n**Artifacts:** x\n")
    assert list(Parts(outline).contents("Errors")) == [True]
    assert list(Parts(outline).contents("Warnings")) == [False]


def test_values_are_read_from_headings_keys_and_tables() -> None:
    text = (
        "## Status\n\n**PASS**\n\nStatus: FAIL\n\n| Status | PARTIAL |\n|---|---|\n\n| Task | "
        "Status |\n|---|---|\n| 1 | odd |\n"
    )
    assert list(Parts(scan(text)).values("Status")) == ["PASS", "FAIL", "PARTIAL", "odd"]
