"""From a finished dispatch to what the run keeps of it, and from the members of a cluster to one
outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.effects import Report
from podium.core.verdict import Judgement
from podium.workflows.feature import remembering
from podium.workflows.feature.clusters.clusters import (
    RESEARCH_MEMBERS,
    Decided,
    Seen,
    Standing,
    decide_ct,
    decide_research,
)
from podium.workflows.feature.clusters.observation import observed
from podium.workflows.feature.contracts import feature
from podium.workflows.feature.documents import documents
from podium.workflows.feature.documents.documents import SHAPES
from podium.workflows.feature.findings.finding import MAX_FINDINGS, MAX_TASKS, cut
from podium.workflows.feature.findings.severities import V, weight
from podium.workflows.feature.run import FeatureRun, told, warned

MAX_SAID = 4000
MAX_CHANGED = 500
"""Paths kept per task of what it changed."""


def _run(report: Report) -> FeatureRun:
    assert report.run is not None
    return feature(report.run)


# -- agents that work alone


def judge_alone(agent: str, step: str, shape: str, report: Report) -> Judgement:
    """An agent that works alone: its document, and what it added to the memory."""
    said, run = report.verdict, _run(report)
    if said.outcome != "ok":
        return Judgement(said.outcome, said.word, said.reason)
    path = f"{run.folder}/{SHAPES[shape].path}"
    text = report.outputs.get("out", "")
    memory, warnings = remembering.taken_in(
        run, agent, step, path, text, report.outputs.get("memory"), said.reason
    )
    lacks = documents.lacks(SHAPES[shape], text)
    return Judgement(
        said.outcome,
        said.word,
        said.reason,
        facts=told((*lacks, *warnings)),
        sets={"memory": memory, "warnings": warned(run, (*lacks, *warnings))},
    )


# -- members of clusters


def judge_member(shape: str, report: Report) -> Judgement:
    """A member of a cluster: what it said and found, within limits, for the table that judges
    all members.
    """
    said = report.verdict
    # The worst first, so that the limit never drops one of them.
    found = sorted(
        said.data.get("findings", ()), key=lambda each: -weight(str(each.get("severity", "?")))
    )
    data: dict[str, Any] = {
        "tasks": [cut(str(each)) for each in said.data.get("tasks", ())][:MAX_TASKS],
        "findings": [
            {name: cut(str(each[name])) for name in ("severity", "where", "what") if name in each}
            for each in found[:MAX_FINDINGS]
        ],
    }
    if "severity" in said.data:
        data["severity"] = cut(str(said.data["severity"]))
    text = report.outputs.get("out", "")
    seen = {
        "word": said.word,
        "reason": cut(said.reason),
        "data": data,
        "wrote": "out" in report.outputs,
        "lacks": list(documents.lacks(SHAPES[shape], text)) if text.strip() else [],
    }
    return Judgement(said.outcome, said.word, said.reason, sets={"seen": seen})


def judge_build(report: Report) -> Judgement:
    """The verification's gate: a step of its own, and a member of the cluster. Its document
    decides whether the build failed.
    """
    found = judge_member("v-build", report)
    seen = found.sets["seen"]
    sets = {"build_seen": {"v-build": seen}}
    read = observed("v-build", report.verdict, report.outputs.get("out"))
    if found.outcome == "ok" and V.at_least(read.seen.severity, "PARTIAL"):
        reason = f"{SHAPES['v-build'].path} does not say that the build passed"
        return Judgement("fail", "ERROR", reason, sets=sets, facts=told(seen["lacks"]))
    return Judgement(found.outcome, found.word, found.reason, sets=sets, facts=told(seen["lacks"]))


def judge_security(report: Report) -> Judgement:
    """The security review, asked a second time: this answer replaces the first."""
    found = judge_member("r-security", report)
    seen = {**_run(report).r_seen, "r-security": found.sets["seen"]}
    return Judgement(found.outcome, found.word, found.reason, sets={"r_seen": seen})


def gather(name: str, found: Mapping[str, Judgement]) -> Judgement:
    """Every member has ended; their results are kept under that name for the step that judges
    them.
    """
    seen = {member: _seen(each) for member, each in found.items()}
    word = ", ".join(f"{member}: {each['word']}" for member, each in seen.items())
    return Judgement("ok", word, sets={name: seen}, facts=told(lacking(seen)))


def gather_ct(name: str, found: Mapping[str, Judgement]) -> Judgement:
    """The same for the design review, which with fewer than two results is not judged at all."""
    made = decide_ct([Seen(member, _standing(each)) for member, each in found.items()])
    return _failed(made) if made.status == "ERROR" else gather(name, found)


def lacking(seen: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What the members' documents lack."""
    return [str(lack) for each in seen.values() for lack in each.get("lacks", ())]


def _seen(found: Judgement) -> dict[str, Any]:
    known = found.sets.get("seen")
    if isinstance(known, Mapping):
        return dict(known)
    return {"word": "ERROR", "reason": cut(found.reason), "data": {}, "wrote": False, "lacks": []}


def decide_sources(found: Mapping[str, Judgement]) -> Judgement:
    """Research continues with at least two of its four parts."""
    made = decide_research([Seen(name, _standing(found.get(name))) for name in RESEARCH_MEMBERS])
    if made.status != "DONE":
        return _failed(made)
    lacks = lacking({name: _seen(each) for name, each in found.items()})
    return Judgement(
        "ok", made.status, made.reason, made.status, facts=told((*made.warnings, *lacks))
    )


def _failed(made: Decided) -> Judgement:
    return Judgement("fail", made.status, made.reason, made.status, stop="cluster")


def _standing(found: Judgement | None) -> Standing:
    if found is None:
        return "MISSING"
    return "DONE" if found.outcome == "ok" else "ERROR"


# -- tasks


def judge_task(report: Report) -> Judgement:
    said = report.verdict
    result = {
        "status": said.word,
        "summary": cut(said.reason),
        "said": report.answer[:MAX_SAID],
        "changed": list(report.changed)[:MAX_CHANGED],
        "more": max(0, len(report.changed) - MAX_CHANGED),
    }
    return Judgement(said.outcome, said.word, said.reason, sets={"result": result})


def decide_wave(found: Mapping[str, Judgement]) -> Judgement:
    """Any task that did not end well stops the waves; the work of the others stands."""
    results = {name: _result(each) for name, each in found.items()}
    wrong = [name for name, each in results.items() if each["status"] != "DONE"]
    reason = "; ".join(f"{name}: {results[name]['summary']}" for name in wrong)
    word = "ERROR" if wrong else "DONE"
    return Judgement("fail" if wrong else "ok", word, reason, word, sets={"results": results})


def _result(found: Judgement) -> dict[str, Any]:
    known = found.sets.get("result")
    if found.outcome == "ok" and isinstance(known, Mapping):
        return dict(known)
    return {
        "status": "ERROR",
        "summary": cut(found.reason or found.word),
        "changed": [],
        "said": "",
        "more": 0,
    }
