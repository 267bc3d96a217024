from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.payloads import good
from podium.workflows.governed.plan.markdown import write_plan
from podium.workflows.governed.plan.markdown_reader import plan_object
from podium.workflows.governed.plan.plan import (
    Diagram,
    Expectation,
    OpenQuestion,
    Phase,
    PhaseContract,
    Plan,
    PlanFile,
    Risk,
    RiskReview,
    from_data,
)
from podium.workflows.governed.plan.reading import read_object, read_plan
from podium.workflows.governed.plan.words import cell, cells, escaped, flat, tidy, unescaped
from podium.workflows.governed.roster import EXECUTORS
from podium.workflows.governed.terms import CLASSES, FILE_ACTIONS, RISKS, TIERS

TEXT = st.text(min_size=1, max_size=40).filter(lambda text: len(flat(text)) > 0)
WORDS = st.from_regex(r"[a-z]{3,9}( [a-z.:|*`#>-]{1,9}){1,3}", fullmatch=True)
PROSE = st.one_of(TEXT, WORDS)
LONG = WORDS.map(lambda text: f"about {text} and more")
PATHS = st.from_regex(r"[a-z]{1,6}(/[a-z0-9_.-]{1,6}){0,2}", fullmatch=True)


def tuples(
    each: st.SearchStrategy[Any], least: int = 0, most: int = 3
) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(each, min_size=least, max_size=most).map(tuple)


FILES = st.builds(PlanFile, PATHS, st.sampled_from(FILE_ACTIONS), LONG)
EXPECTED = st.builds(Expectation, PROSE, st.sampled_from(CLASSES), PROSE)
PHASES = st.builds(
    Phase,
    phase_id=st.just(1),
    title=LONG,
    objective=LONG,
    wave=st.integers(1, 9),
    executor_agent=st.sampled_from(EXECUTORS),
    files=tuples(FILES),
    tests=tuples(PROSE),
    steps=tuples(PROSE, 1),
    acceptance_criteria=tuples(PROSE, 1),
    quality_gates=tuples(
        st.sampled_from(
            [
                "tests_pass",
                "lint_clean",
                "schema_valid",
                "safety_clear",
                "human_approved_if_required",
            ]
        ),
        1,
    ),
    dependencies=st.lists(st.integers(1, 20), max_size=3, unique=True).map(tuple),
    failure_expectations=tuples(EXPECTED),
    skill_references=tuples(PATHS),
    phase_type=st.sampled_from(["", "modifying", "read_only"]),
    phase_task_card_path=st.one_of(st.just(""), PATHS),
)
REVIEW = st.builds(
    RiskReview,
    category=st.just(""),
    applicability=st.sampled_from(["applicable", "not_applicable", "uncertain"]),
    impact=st.sampled_from(["HIGH", "MEDIUM", "LOW", "UNKNOWN"]),
    evidence_source=WORDS,
    disposition=st.sampled_from(
        ["resolved", "open_question", "research_phase_added", "not_applicable"]
    ),
)
DRAWN = (
    Diagram("flowchart", "How phases follow", "flowchart TD\n  a --> b\n\n  b --> c"),
    Diagram("sequenceDiagram", "Who asks whom", "sequenceDiagram\n```\n  a->>b: x"),
)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    phases = draw(tuples(PHASES, 1))
    later = draw(st.booleans())
    return Plan(
        status=draw(st.sampled_from(["READY_FOR_EXECUTION", "ABSTAIN", "REPLAN_REQUIRED"])),
        task_title=draw(LONG),
        summary=draw(LONG),
        confidence=draw(st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 4))),
        complexity_tier=draw(st.sampled_from(TIERS)),
        phases=tuple(replace(each, phase_id=number) for number, each in enumerate(phases, 1)),
        risk_review=tuple(replace(draw(REVIEW), category=name) for name in RISKS),
        abstaining=draw(st.booleans()),
        abstain_reasons=draw(tuples(PROSE)),
        open_questions=draw(tuples(st.builds(OpenQuestion, WORDS, tuples(WORDS), WORDS))),
        risks=draw(tuples(st.builds(Risk, WORDS, WORDS))),
        success_criteria=draw(tuples(PROSE)),
        handoff_prompt=draw(WORDS),
        contracts=draw(
            tuples(st.builds(PhaseContract, st.integers(1, 9), st.integers(1, 9), WORDS, WORDS))
        ),
        diagrams=DRAWN,
        max_parallel_agents=draw(st.one_of(st.none(), st.integers(1, 10))),
        iteration_budget=draw(st.one_of(st.none(), st.integers(1, 5))),
        revision_mode="in_place_update" if later else "",
        revision_of=draw(st.one_of(st.just(""), PATHS)),
        spec_path=draw(PATHS) if later else "",
    )


@given(plans())
@settings(max_examples=25, deadline=None)
def test_a_plan_written_as_markdown_is_read_back_as_it_was(plan: Plan) -> None:
    wanted = tidy(plan)
    if not wanted.revision_mode:
        wanted = replace(
            wanted,
            phases=tuple(
                replace(each, phase_type="", phase_task_card_path="") for each in wanted.phases
            ),
        )
    found = read_plan(write_plan(wanted))
    assert found.faults == ()
    assert found.plan == wanted


@given(plans())
@settings(max_examples=15, deadline=None)
def test_tidying_a_plan_twice_changes_nothing(plan: Plan) -> None:
    assert tidy(tidy(plan)) == tidy(plan)


@given(TEXT)
@settings(max_examples=100, deadline=None)
def test_any_text_survives_a_list_item_and_a_cell(text: str) -> None:
    assert unescaped(escaped(flat(text))) == flat(text)
    assert cells(f"| {cell(text)} | end |")[0] == flat(text)


@given(st.text(max_size=300))
@settings(max_examples=50, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    assert isinstance(plan_object(f"## Plan: x\n\n{text}\n\n#### Phase 1 — y\n{text}"), dict)


OLDER = """\
## Plan: Tidy the notes

**Summary:** Bring the notes in line with the code, in two steps.
**Status:** `READY_FOR_EXECUTION`
**Complexity Tier:** `SMALL`
**Confidence:** `0.85` (one source is old)
**Abstain:** `is_abstaining: false`

### Context & Analysis

- Something a person wrote, with **Wave:** 9 in it.

### Implementation Phases

#### Phase 1 — Read the notes
- **Objective:** Find what is out of date.
- **Executor Agent:** `Researcher-subagent`
- **Wave:** 1
- **Dependencies:** None.
- **Files:**
  - `docs/notes.md` — review: what it claims.
  - `src/app.py` — reference.
- **Tests:** a script compares names
- **Acceptance Criteria:**
  - Every claim has a line that
    proves it.
- **Quality Gates:** `tests_pass`, `lint_clean`
- **Failure Expectations:**
  - Scenario: The notes are gone. Classification: `needs_replan`. Mitigation: ask the owner.
- **Steps:**
  1. Read each note:
     - first the old ones
     - then the new ones
  2. Write down what differs.

#### Phase 2 — Write the notes
- **Objective:** Say what is true now.
- **Wave:** 2
- **Dependencies:** Phase 1 (its list of 7 differences), Phase 3
- **Files:**
  - `docs/notes.md` — modify (2 lines)
- **Tests:** None
- **Acceptance Criteria:**
  - The notes match.
- **Quality Gates:**
  - schema_valid
- **Steps:**
  1. Write.

### Inter-Phase Contracts

- **From Phase 1 → Phase 2:** a list of differences. Format: one line each

### Open Questions

- **Q1:** Keep the old notes? Options: (a) yes, keep them, (b) no. Recommendation: (b), they mislead.

### Risks

- **Drift:** notes age. Mitigation: a test.

### Semantic Risk Review

| Category | Applicability | Impact | Evidence Source | Disposition |
| --- | --- | --- | --- | --- |
| `operability` | applicable | HIGH | docs/run.md | open_question |

### Success Criteria

1. The notes match the code.

### Handoff

- **Target Agent:** Orchestrator
- **Prompt:** Start with phase 1.

```mermaid
flowchart TD
    P1 --> P2
```
"""  # noqa: E501


def test_a_plan_as_people_write_it_is_read() -> None:
    found = read_plan(OLDER)
    assert found.faults == ()
    assert found.generation == "2026-04"
    assert found.replan == ("phase 2: no executor_agent is named, and none is guessed",)
    plan = found.plan
    assert plan is not None
    assert (plan.complexity_tier, plan.confidence) == ("SMALL", 0.85)
    first, second = plan.phases
    assert first.files == (
        PlanFile("docs/notes.md", "review", "what it claims."),
        PlanFile("src/app.py", "reference", "not stated"),
    )
    assert first.tests == ("a script compares names",)
    assert first.quality_gates == ("tests_pass", "lint_clean")
    assert first.failure_expectations == (
        Expectation("The notes are gone", "needs_replan", "ask the owner."),
    )
    assert first.acceptance_criteria == ("Every claim has a line that proves it.",)
    assert first.steps == (
        "Read each note: first the old ones then the new ones",
        "Write down what differs.",
    )
    assert second.dependencies == (1, 3)
    assert second.executor_agent == ""
    assert plan.contracts == (PhaseContract(1, 2, "a list of differences", "one line each"),)
    assert plan.open_questions == (
        OpenQuestion("Keep the old notes?", ("yes, keep them", "no"), "(b), they mislead."),
    )
    assert plan.risks == (Risk("Drift: notes age", "a test."),)
    assert [each.category for each in plan.unresolved_risks] == ["operability"]
    assert [(each.type, each.mermaid_source) for each in plan.diagrams] == [
        ("flowchart", "flowchart TD\n    P1 --> P2")
    ]


@pytest.mark.parametrize("fence", ["```\n{}\n```", "> {}", "<!--\n{}\n-->"])
def test_structure_inside_code_quotes_and_comments_does_not_count(fence: str) -> None:
    hidden = fence.format("**Complexity Tier:** LARGE")
    text = OLDER.replace("**Complexity Tier:** `SMALL`", f"\n{hidden}\n")
    assert "complexity_tier: is missing" in read_plan(text).faults


def test_a_template_that_nobody_filled_in_is_no_plan() -> None:
    text = OLDER.replace("`READY_FOR_EXECUTION`", "`READY_FOR_EXECUTION` | `ABSTAIN`")
    assert any(fault.startswith("status: expected one of") for fault in read_plan(text).faults)


def test_the_shortest_plan_reads_well_as_a_document() -> None:
    plan = from_data(good.good_plan())
    assert read_plan(write_plan(plan)).plan == plan
    assert read_object(good.good_plan()).plan == plan


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("None.", ()),
        ("1, 2", (1, 2)),
        ("Phase 1", (1,)),
        ("Phases 1, 2 and 4", (1, 2, 4)),
        ("Phase 2 (needs its 14 rows), Phase 3", (2, 3)),
        ("Phase 2, Phase 2", (2,)),
        ("9" * 5000, ()),
    ],
)
def test_dependencies_are_numbers_of_phases_however_they_are_put(
    said: str, numbers: tuple[int, ...]
) -> None:
    plan = read_plan(OLDER.replace("Phase 1 (its list of 7 differences), Phase 3", said)).plan
    assert plan is not None
    assert plan.phases[1].dependencies == numbers
