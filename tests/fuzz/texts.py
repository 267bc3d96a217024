"""Texts and objects as agents and people may write them: good ones, damaged ones, and such as nobody would mean."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import podium
from podium.core.verdict import Dialect
from podium.workflows.feature.dialects import DIALECTS as FEATURE
from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.roster import BY_ROLE
from podium.workflows.harness.dialects import DIALECTS as HARNESS
from podium.workflows.harness.run_state import RunState, render
from podium.workflows.roadmap.dialects import DIALECTS as ROADMAP
from podium.workflows.ticket import review_document
from podium.workflows.ticket.dialects import DIALECTS as TICKET
from podium.workflows.ticket.request import prompt_document
from podium.workflows.ticket.tasks import compose as tasks_compose

settings.register_profile("torture", max_examples=int(os.environ.get("PODIUM_FUZZ", "3000")))
settings.register_profile("short", max_examples=12)
FUZZED = settings(
    settings.get_profile("torture" if "PODIUM_FUZZ" in os.environ else "short"), deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip

SHIPPED = Path(podium.__file__).parent / "workflows"
DIALECTS: Mapping[str, Dialect] = {**HARNESS, **TICKET, **ROADMAP, **FEATURE}
PLAN = """# Plan

## Waves

### Wave 1

- 01-words (implementer)
- 02-cli: depends on 01-words

| Wave | Task | Depends on |
|---|---|---|
| 2 | 03-docs | 01, 02 |
"""
QA = """# QA Review — words

Task: T001
Run: T001-QA-1

## Validation Result

Issues Found

## Acceptance Criteria Review

### AC1

Status: Pass

| Criterion | Status |
|---|---|
| AC2 | Fail |

## Issues Identified

- Description: it counts one too many
  Severity: High
  Blocks Approval: Yes

## Approval Readiness

Back to Build

```
Pass
```
"""
MEMORY = """# Memory

## Lessons

- [2026-01-15] implementer: tests before code

## Decisions

| Phase | Agent | Entry |
|---|---|---|
| 1 | researcher | one |
"""
PATCH = """diff --git a/src/app.py b/src/app.py
index 1..2 100644
--- a/src/app.py
+++ b/src/app.py
@@ -1,2 +1,2 @@
-VALUE = 1
+VALUE = 2
diff --git "a/src/\\303\\244.py" "b/src/\\303\\244.py"
deleted file mode 100644
"""
SCENARIO = """agents:
  build:
    - write: {src/a.py: "A = 1"}
      say: done
      verdict: {status: done}
    - {fail: rate_limit, retry_after: 5}
keys: {"qa/1": [{ask: {prompt: "Which?", choices: [{id: a, description: b}]}}]}
defaults: {behave: well}
"""
SCRIPT = "hello:\n  - {say: hi, write: {path: a, content: b}, usage: [9, 4]}\n  - {report: {status: done}}\nagain: {loop: true, steps: [{say: on}]}\n"
EVENT = '{"hash":"0","prev":"0","run":"r","seq":1,"ts":"2026-01-15T12:00:00.000Z","type":"run.started"}\n'
SETTINGS = '[commands]\ntest = "true"\n[agents.x]\ncommand = "x {prompt}"\n[policy.harness]\nmax_remediations = 2\n'
WRITTEN = (PLAN, QA, MEMORY, PATCH, SCENARIO, SCRIPT, EVENT, SETTINGS, "DONE: all of it\n", "ACCEPTED: yes\n", "")


def _shipped() -> tuple[str, ...]:
    kinds = {".md", ".json", ".toml"}
    files = sorted(each for each in SHIPPED.glob("*/scaffold/**/*") if each.suffix in kinds and each.stat().st_size < 8000)
    return tuple(each.read_text() for each in files if "roles" not in each.parts or each.name.startswith(("qa", "planner")))


def _standing() -> str:
    """A run-state as a person finds it."""
    state = RunState(
        task_id="T001", task_file="harness/tasks/T001-words.md", status="Active", stage="Build", run_id="RUN-1",
        completed=("Specification",), artifacts={"Design Note": "d.md"}, approvals={"Build": True, "Complete": False},
    )  # fmt: skip
    return render(state, (SHIPPED / "harness" / "scaffold" / "templates" / "run-state-template.md").read_text())


def _of_a_ticket() -> tuple[str, ...]:
    facts = {"jira": "PROJ-12", "type": "feature", "slug": "count_words"}
    review = review_document.compose({}, "", facts)
    return (
        tasks_compose.compose({}, "", facts),
        prompt_document.compose({}, "", facts) + "created_at: '2026-04-20T10:00:00Z'\n",
        review + "build: PASSED\ntests: NOT_RUN\nfiles_verified: true\nreviewed_at: '2026-04-20T10:00:00Z'\n",
    )


SAMPLES = (*WRITTEN, _standing(), *_of_a_ticket(), *_shipped())
SIGNS = st.sampled_from([
    "#", "##", "###", "```", "~~~", ">", "-", "*", "|", "|---|", ":", "---", "===", "<!--", "-->", "{", "}", "[", "]", '"', "'", ",",
    "\n", "\r\n", "\r", "\t", " ", "    ", "\0", "\x0b", "\u2028", "\ufeff", "\ud7ff", "\U0001f600", "&a", "*a", "<<:", "!!python/object",
    "Pass", "Fail", "DONE", "ERROR", "ACCEPTED", "Status:", "Validation Result", "null", "true", "1e999", "NaN", "-0", "01", "\\", "\\u0000",
    "@@", "+++ b/../x", "../", "/etc/passwd", "..", "depends on", "Wave 1", "TASK-1", "AC1",
])  # fmt: skip
NOISE = st.lists(st.one_of(SIGNS, st.text(max_size=6)), max_size=40).map("".join)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good text with lines left out, doubled, moved or cut, and signs put in."""
    lines = draw(st.sampled_from(SAMPLES)).splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(lines)))
        match draw(st.integers(0, 5)):
            case 0:
                lines[at : at + draw(st.integers(1, 4))] = []
            case 1:
                lines[at:at] = lines[max(0, at - 3) : at]
            case 2:
                lines[at:at] = [draw(NOISE)]
            case 3 if at < len(lines):
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case 4:
                lines[at:at] = [draw(st.sampled_from(("```\n", "> ", "<!-- ", "    ", "- ", "{")))]
            case _:
                lines[at:at] = draw(st.sampled_from(SAMPLES)).splitlines(keepends=True)[:8]
    return "".join(lines)


TEXTS = st.one_of(st.sampled_from(SAMPLES), damaged(), NOISE)
LEAF = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=12), SIGNS)
FLAT = st.one_of(LEAF, st.lists(LEAF, max_size=3), st.dictionaries(st.text(max_size=8), LEAF, max_size=3))
JSON = st.one_of(FLAT, st.lists(FLAT, max_size=3), st.dictionaries(st.text(max_size=8), FLAT, max_size=3))
GOOD = (*(each.good for each in DIALECTS.values()), *(good_answer(role) for role in BY_ROLE), {})


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """A good verdict object with members changed, left out or put in, at any depth."""
    found: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(GOOD))))
    for _ in range(draw(st.integers(0, 4))):
        at: Any = found
        while isinstance(at, dict) and at and draw(st.booleans()):
            deeper = at[draw(st.sampled_from(sorted(at)))]
            at = deeper[0] if isinstance(deeper, list) and deeper else deeper
        if isinstance(at, dict):
            name = draw(st.one_of(st.sampled_from(sorted(at)) if at else st.just("status"), st.text(max_size=6)))
            if draw(st.booleans()):
                at[name] = draw(JSON)
            else:
                at.pop(name, None)
    return found
