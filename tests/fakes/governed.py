"""A small project driven by a policy, in process: real files, real git, the scripted agent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.fakes.project import Project
from tests.fakes.repository import Kind, made

from podium.engine.outcome import Ended
from podium.wiring_values import RunOptions
from podium.workflows.governed.payloads.good import good_answer, good_plan
from podium.workflows.governed.payloads.schema_store import GATE_EVENT

REQUEST = "Add rate limits"
TASK = "add-rate-limits"
PLAN = f"plans/{TASK}-plan.md"
COMPLETE = f"plans/{TASK}-plan-complete.md"
OUTCOMES = "plans/session-outcomes.md"
FINAL = f"plans/artifacts/{TASK}/final_review.md"
SINK = f"plans/artifacts/observability/{TASK}.ndjson"
POLICY = "governance/runtime-policy.json"
_FILES = {
    "src/app.py": "VALUE = 1\n",
    "src/old.py": "OLD = True\n",
    ".gitignore": "*.log\n",
    "tests.sh": "if grep -rq broken src; then echo 'FAILED src: broken'; exit 1; fi\n",
    "podium.toml": '[commands]\ntest = "sh tests.sh"\n',
}


# -- what agents say


def plan(*phases: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    """A planner that writes this plan; phases differ from a good one by what is given."""
    told = {
        "phases": [placed(number, each) for number, each in enumerate(phases or ({},), 1)],
        **members,
    }
    return {"write": {"@plan": told}, "verdict": good_plan(**told), "say": "planned"}


def placed(number: int, phase: Mapping[str, Any]) -> dict[str, Any]:
    files = [{"path": f"src/part{number}.py", "action": "create", "reason": "holds the part"}]
    return {"title": f"Part {number}", "files": files, **phase}


def said(role: str, **members: Any) -> dict[str, Any]:
    """An answer of a role with these members over its shortest good one."""
    return {"verdict": {**good_answer(role), **members}, "say": "done"}


def finding(
    severity: str = "MAJOR", what: str = "no way back is planned", *phases: int
) -> dict[str, Any]:
    return {
        "severity": severity,
        "category": "missing_rollback",
        "description": what,
        "affected_phases": list(phases or (1,)),
    }


def audit(status: str, *findings: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    counts = {
        f"{name}_count": sum(each["severity"] == name.upper() for each in findings)
        for name in ("critical", "major", "minor")
    }
    told = {
        "status": status,
        "findings": list(findings),
        "risk_summary": {**counts, "overall_risk": "HIGH"},
        "recommendation": "revise",
    }
    if status in {"NEEDS_REVISION", "REJECTED"}:
        told |= {"failure_classification": "fixable"}
    return said("plan-auditor", **{**told, **members})


def issue(
    severity: str = "CRITICAL", file: str = "src/part1.py", what: str = "it forgets the lock"
) -> dict[str, Any]:
    return {
        "severity": severity,
        "description": what,
        "file": file,
        "validation_status": "confirmed",
    }


def reviewed(status: str, *issues: Mapping[str, Any], **members: Any) -> dict[str, Any]:
    blocking = [
        {name: each[name] for name in ("severity", "description", "file")}
        for each in issues
        if each["validation_status"] == "confirmed"
    ]
    told: dict[str, Any] = {
        "status": status,
        "issues": list(issues),
        "validated_blocking_issues": blocking,
    }
    if status in {"NEEDS_REVISION", "FAILED"}:
        told |= {"failure_classification": "fixable"}
    return said("code-reviewer", **{**told, **members})


def failed(classification: str, why: str = "it did not work") -> dict[str, Any]:
    members = {"status": "FAILED", "failure_classification": classification, "next_steps": [why]}
    return said("core-implementer", **members)


def asks(**members: Any) -> dict[str, Any]:
    """An executor that needs a person's word."""
    request = {
        "options": [
            {
                "id": "memory",
                "description": "Keep counters in memory.",
                "pros": ["quick"],
                "cons": ["lost on restart"],
                "affected_files": ["src/part1.py"],
            },
            {
                "id": "redis",
                "description": "Keep counters in a service.",
                "pros": ["shared"],
                "cons": ["one more service"],
                "affected_files": ["src/part1.py"],
            },
        ],
        "impact_analysis": "Where the counters live decides what survives a restart.",
        "recommended_option": "memory",
        "recommended_option_rationale": "Nothing else needs a service.",
        **members,
    }
    told = {
        "status": "NEEDS_INPUT",
        "failure_classification": "needs_replan",
        "clarification_request": request,
    }
    return said("core-implementer", **told)


def writes(path: str, text: str, **more: Any) -> dict[str, Any]:
    """A good executor that writes this."""
    return {
        "write": {path: text},
        "verdict": good_answer("core-implementer"),
        "say": f"wrote {path}",
        **more,
    }


class Governed(Project):
    """One project and the one governed run in it."""

    @classmethod
    def of(
        cls, tmp_path: Path, kind: Kind = "repository", policy: Mapping[str, Any] | None = None
    ) -> Governed:
        root, home = tmp_path / "project", tmp_path / "home"
        home.mkdir(exist_ok=True)
        more = {POLICY: json.dumps(policy)} if policy is not None else {}
        return cls(made(root, {**_FILES, **more}, kind), home, run_id="")

    def go(
        self,
        agents: Mapping[str, Any] | None = None,
        *,
        keys: Mapping[str, Any] | None = None,
        policy: Mapping[str, Any] | None = None,
        request: str = REQUEST,
        approve_all: bool = True,
        **options: Any,
    ) -> Ended:
        """A run with these calls by role and by key; everybody else behaves well."""
        file = self.root.parent / "scenario.yaml"
        told = {"agents": agents or {}, "keys": keys or {}, "defaults": {"behave": "well"}}
        file.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
        rules = {"retry_backoff_s": 0.0, **(policy or {})}
        asked = RunOptions(
            agent=f"scripted:{file}", policy=rules, approve_all=approve_all, by="Ada", **options
        )
        ended = self.app.start("governed", [request] if request else [], asked)
        self.run_id = ended.run
        return ended

    def on(self, **options: Any) -> Ended:
        return self.resume(approve_all=options.pop("approve_all", True), by="Ada", **options)

    # -- looking

    def dispatched(self) -> list[str]:
        return [each["key"] for each in self.events("step.started", kind="dispatch")]

    def roles(self) -> list[str]:
        return [each["role"] for each in self.events("step.started", kind="dispatch")]

    def gates(self, **wanted: Any) -> list[Mapping[str, Any]]:
        """Gate events of the run and its phases, in order, those with these values; what people
        decided is left out.
        """
        told = [each["event"] for each in self.events("governed.gate_event")]
        found = [each for each in told if " decided " not in each["reason"]]
        return [
            each for each in found if all(each.get(name) == value for name, value in wanted.items())
        ]

    def sink(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text(SINK).splitlines()]

    def open_gates(self) -> list[str]:
        return [each["key"] for each in self.app.summary(self.run_id).gates]

    def step(self, key: str, name: str) -> Path:
        """A file of a step, in whichever run it is."""
        found = [
            each for each in self.folder.rglob(name) if str(each.parent).endswith(f"steps/{key}")
        ]
        assert found, f"no {name} of {key}"
        return found[0]


def words(events: Sequence[Mapping[str, Any]], name: str = "decision") -> list[str]:
    return [str(each[name]) for each in events]


__all__ = ["GATE_EVENT", "Governed", "words"]
