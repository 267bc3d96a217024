"""Good texts of each format, by the name of its parser: each is read there without a fault."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.fakes import feature as feature_fakes
from tests.workflows.test_feature_knowledge import LOG
from tests.workflows.test_feature_tasks import BOLD, HEADINGS
from tests.workflows.test_roadmap_adr import GOOD as ADR
from tests.workflows.test_roadmap_dialects import TABLE
from tests.workflows.test_ticket_progress_document import FRESH

import podium
from podium.cli import catalog
from podium.core.chain import FIRST, seal
from podium.core.events import state_of
from podium.core.workflow import Workflow
from podium.fleet.store.large_files import Pointer, written
from podium.state import state_file
from podium.workflows.feature.documents.documents import SHAPES, compose
from podium.workflows.feature.memory.document import render as memory_text
from podium.workflows.feature.memory.values import Artifact, Entry, Memory
from podium.workflows.governed.memory.notes import Notes, write_notes
from podium.workflows.governed.memory.session_outcome import SessionOutcome, appended, write_entry
from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.plan.markdown import write_plan
from podium.workflows.governed.plan.reading import read_plan
from podium.workflows.governed.policy.policy import read_policy
from podium.workflows.harness.run_state import RunState, render
from podium.workflows.ticket import docs_cache, review_document
from podium.workflows.ticket.request import prompt_document
from podium.workflows.ticket.tasks import compose as tasks_compose

HOME = Path(podium.__file__).parent
SHIPPED = HOME / "workflows"
NOW = "2026-04-20T10:00:00Z"
WORKFLOWS = ("harness", "roadmap", "feature", "ticket", "governed")
FEATURE_PLAN = feature_fakes.plan({"01-words": ()}, {"02-cli": ("01",), "03-docs": ()})
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
      append: {log.txt: "more"}
      delete: [old.py]
      say: done
      verdict: {status: done}
      usage: {tokens_in: 12, tokens_out: 3, cost_usd: 0.01}
    - {fail: rate_limit, retry_after: 5}
keys: {"qa/1": [{ask: {prompt: "Which?", choices: [{id: a, description: b}]}}]}
defaults: {behave: well}
"""
SCRIPT = (
    "hello:\n  - {say: hi, write: {path: a, content: b}, usage: [9, 4]}\n  - {report: {status: "
    "done}}\nagain: {loop: true, steps: [{say: on}]}\n"
)
SETTINGS = (
    '[commands]\ntest = "true"\n[agents.x]\ncommand = "x {prompt}"\n[roles.qa]\nagent = "x"\n'
    "[budget]\ntokens = 9\n[policy.harness]\nmax_remediations = 2\n"
)
AGENT = """---
name: qa
description: "Finds out whether the work is good"
tools: Read, Grep
model: inherit
---
# QA

You judge; you do not mend.
"""
FACT = {
    "subject": "src/app.py",
    "fact": "limits are per key",
    "citations": ["src/app.py:1"],
    "reason": "r",
    "category": "project",
}


def shipped(path: str) -> str:
    return (SHIPPED / path).read_text(encoding="utf-8")


@cache
def workflow(name: str) -> Workflow:
    return catalog.workflow(name, Path(__file__).parent)


def state(name: str) -> str:
    """`state.json` of a run at its first step."""
    run = workflow(name).variants()[0]
    return state_file._written("r", name, state_of(run), 4).decode()


def journal() -> str:
    """Three events, sealed."""
    prev, lines = FIRST, []
    for seq, (kind, more) in enumerate(
        (
            ("run.started", {"workflow": "harness"}),
            ("phase.entered", {"phase": "a"}),
            ("run.paused", {"reason": "b"}),
        ),
        1,
    ):
        event, line = seal(
            {"run": "r", "ts": "2026-01-15T12:00:00.000Z", "type": kind, **more}, seq, prev
        )
        prev = event["hash"]
        lines.append(line.decode())
    return "".join(lines)


def standing() -> str:
    """A run-state as a person finds it."""
    found = RunState(
        task_id="T001",
        task_file="harness/tasks/T001-words.md",
        status="Active",
        stage="Build",
        run_id="RUN-1",
        completed=("Specification",),
        artifacts={"Design Note": "d.md"},
        approvals={"Build": True, "Complete": False},
    )
    return render(found, shipped("harness/scaffold/templates/run-state-template.md"))


def sessions() -> str:
    one = SessionOutcome(
        "add-limits",
        "2026-04-20",
        "SMALL",
        2,
        2,
        {"plan-auditor": ("APPROVED", "fine")},
        1,
        2,
        "converged",
        "SUCCESS",
    )
    return appended(None, write_entry(one))


def _documents() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, role, members in (
        ("design review", "ct-security", _found("High")),
        ("code review", "r-quality", _found("Major")),
        ("v-build", "v-build", {}),
        ("v-tests", "v-tests", {"failing": ["test_a"]}),
        ("v-tasks", "v-tasks", {"tasks": {"01-words": "verified", "02-cli": "failed"}}),
        ("v-feature", "v-feature", {"criteria": {"AC1": "met"}}),
    ):
        found[name] = (compose(SHAPES[role])({}, "", {}), compose(SHAPES[role])(members, "", {}))
    return found


def _found(severity: str) -> dict[str, Any]:
    return {"findings": [{"severity": severity, "where": "src/a.py", "what": "it waits"}]}


def _ticket() -> dict[str, tuple[str, ...]]:
    facts = {"jira": "PROJ-12", "type": "feature", "slug": "count_words"}
    review = review_document.compose({}, "", facts)
    return {
        "tasks.yaml": (tasks_compose.compose({}, "", facts),),
        "progress.yaml": (FRESH,),
        "prompt.yaml": (prompt_document.compose({}, "", facts) + f"created_at: '{NOW}'\n",),
        "review.yaml": (
            review + f"build: PASSED\ntests: NOT_RUN\nfiles_verified: true\nreviewed_at: '{NOW}'\n",
        ),
        "cache of documents": (
            docs_cache.cache_text(dict.fromkeys(docs_cache.DOCS, "# A\n"), NOW),
        ),
        "plan of a ticket": (
            "# Plan\n\n1. `src/app.py`: count words.\n2. `tests/test_app.py`: an empty text.\n",
        ),
    }


def _governed() -> dict[str, tuple[str, ...]]:
    policy = shipped("governed/scaffold/governance/runtime-policy.json")
    plan = json.dumps(good_plan(), indent=1)
    read = read_plan(plan).plan
    assert read is not None
    return {
        "runtime policy": (policy,),
        "governed plan": (plan,),
        "governed plan in Markdown": (write_plan(read),),
        "governed memory": (f"# ours\n{json.dumps(FACT)}\n",),
        "log of sessions": (sessions(),),
        "notes": (
            write_notes(
                Notes("limit requests", "the second part", ("no key",)), read_policy(policy)
            ),
        ),
    }


def good() -> dict[str, tuple[str, ...]]:
    memory = Memory(
        (Artifact("docs/a.md", ("One",), "spec"),),
        (Entry("spec", "2", "Count once. Rationale: less work."),),
        (Entry("qa", "4", "Flaky → retried."),),
        (),
    )
    scaffold = {
        name: shipped(f"{name}/scaffold/{path}")
        for name, path in (("harness", "stages.toml"), ("roadmap", "roadmap.json"))
    }
    return {
        "agent file": (AGENT.replace("Read, Grep", "[read, search]"),),
        "agent file of Claude": (AGENT,),
        "scenario": (SCENARIO,),
        "script of a model": (SCRIPT,),
        "verdict file": ('{"status": "done", "commands": [{"command": "make", "exit": 0}]}',),
        "journal": (journal(),),
        "JSON object": (state("harness"),),
        "JSON with places": (scaffold["roadmap"],),
        "strict JSON": (scaffold["roadmap"],),
        "YAML with places": (SCENARIO, FRESH),
        "YAML edited": (FRESH,),
        **{f"state.json of {name}": (state(name),) for name in WORKFLOWS},
        "podium.toml": (SETTINGS,),
        "TOML": (SETTINGS,),
        **{
            f"model of {name}": (
                (HOME / "simulation" / "models" / f"{name}.toml").read_text(encoding="utf-8"),
            )
            for name in ("harness", "governed")
        },
        "--set": ("max_remediations=2", "policy.harness.step_timeout_s = 60"),
        "--policy": ('{"max_remediations": 2, "retry_backoff_s": 0.5}',),
        "pointers of a parcel": (
            written([Pointer("project", "a/b.bin", "sha256:" + "0" * 64, 7, "100644")]),
        ),
        "QA document": (QA,),
        "harness task": (shipped("harness/scaffold/tasks/T001-sample.md"),),
        "harness stages": (scaffold["harness"],),
        "run-state": (standing(),),
        "feature plan": (FEATURE_PLAN,),
        "feature task": (HEADINGS, BOLD, feature_fakes.task("01-a")),
        "memory": (memory_text(memory),),
        "decisions": (LOG,),
        "patch": (PATCH,),
        "roadmap.json": (scaffold["roadmap"],),
        "decision record": (ADR,),
        "table of checks": (TABLE,),
        **_documents(),
        **_ticket(),
        **_governed(),
    }
