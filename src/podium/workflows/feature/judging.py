"""From a finished dispatch to what the run keeps of it, and from the members of a cluster to one outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.core.effects import Report
from podium.core.verdict import Judgement
from podium.workflows.feature import contracts
from podium.workflows.feature.clusters import RESEARCH_MEMBERS, Seen, Standing, decide_research
from podium.workflows.feature.finding import MAX_FINDINGS, MAX_TASKS, cut
from podium.workflows.feature.plan import agent_of, subwaves
from podium.workflows.feature.run import MAX_WARNINGS, FeatureRun
from podium.workflows.feature.severities import weight

MAX_SAID = 4000


def judge_sequential(report: Report) -> Judgement:
    """An agent that works alone may also have added to the memory."""
    said = report.verdict
    sets = {"memory_text": report.outputs["memory"]} if "memory" in report.outputs else {"memory_text": ""}
    return Judgement(said.outcome, said.word, said.reason, sets=sets)


def judge_member(report: Report) -> Judgement:
    """A member of a cluster: what it said and found, limited, for the table that judges them all."""
    said = report.verdict
    # The worst first, so that none of them is lost where there are too many.
    found = sorted(said.data.get("findings", ()), key=lambda each: -weight(str(each.get("severity", "?"))))
    data: dict[str, Any] = {
        "tasks": [cut(str(each)) for each in said.data.get("tasks", ())][:MAX_TASKS],
        "findings": [
            {name: cut(str(each[name])) for name in ("severity", "where", "what") if name in each}
            for each in found[:MAX_FINDINGS]
        ],
    }
    if "severity" in said.data:
        data["severity"] = cut(str(said.data["severity"]))
    seen = {"word": said.word, "reason": cut(said.reason), "data": data, "wrote": bool(report.outputs)}
    return Judgement(said.outcome, said.word, said.reason, sets={"seen": seen})


def judge_build(report: Report) -> Judgement:
    """The gate of the verification: alone in its step, a member of its cluster."""
    found = judge_member(report)
    return Judgement(found.outcome, found.word, found.reason, sets={"build_seen": {"v-build": found.sets["seen"]}})


def gather(found: Mapping[str, Judgement]) -> Judgement:
    """Every member ended; what they came to goes to the step that judges them."""
    seen = {name: _seen(each) for name, each in found.items()}
    return Judgement("ok", ", ".join(f"{name}: {each['word']}" for name, each in seen.items()), sets={"seen": seen})


def _seen(found: Judgement) -> dict[str, Any]:
    known = found.sets.get("seen")
    if isinstance(known, Mapping):
        return dict(known)
    return {"word": "ERROR", "reason": cut(found.reason), "data": {}, "wrote": False}


def decide_sources(found: Mapping[str, Judgement]) -> Judgement:
    """Research goes on with at least two of its four parts."""
    seen = [Seen(name, _standing(found.get(name))) for name in RESEARCH_MEMBERS]
    made = decide_research(seen)
    outcome = "ok" if made.status == "DONE" else "fail"
    return Judgement(outcome, made.status, made.reason, made.status, stop="cluster")  # type: ignore[arg-type]


def _standing(found: Judgement | None) -> Standing:
    if found is None:
        return "MISSING"
    return "DONE" if found.outcome == "ok" else "ERROR"


def judge_plan(max_parallel: int, report: Report) -> Judgement:
    """The waves as the program will run them."""
    run = report.run
    assert isinstance(run, FeatureRun)
    said = report.verdict
    texts = {path: text for path, text in report.outputs.items() if "/" in path}
    if "plan" in report.outputs:
        texts[f"{run.folder}/plan.md"] = report.outputs["plan"]
    made = contracts.planned(run, texts)
    known: dict[str, Any] = {}
    warnings = list(made.warnings)
    for wave in made.plan.waves:
        for each in wave:
            agent, warning = agent_of(each)
            warnings += [warning] if warning else []
            path = next((str(task.path) for name, task in made.tasks.items() if name == each.id), "")
            known[each.id] = {
                "path": path,
                "agent": agent,
                "depends_on": list(each.depends_on),
                "essence": contracts.essence(texts.get(path, "")),
            }
    queue = [
        {"wave": number, "tasks": [each.id for each in part]}
        for number, wave in enumerate(made.waves, 1)
        for part in subwaves(wave, max_parallel)
    ]
    sets = {"queue": queue, "at": 0, "tasks": {**run.tasks, **known}, "failed": [], "results": {}}
    sets["warnings"] = [*run.warnings, *warnings][-MAX_WARNINGS:]
    sets["memory_text"] = report.outputs.get("memory", "")
    return Judgement(said.outcome, said.word, said.reason, sets=sets)


def judge_task(report: Report) -> Judgement:
    said = report.verdict
    result = {"status": said.word, "summary": cut(said.reason), "changed": list(report.changed), "said": report.answer[:MAX_SAID]}
    return Judgement(said.outcome, said.word, said.reason, sets={"result": result})


def decide_wave(found: Mapping[str, Judgement]) -> Judgement:
    """Any task that did not end well stops the waves; the others' work stands."""
    results = {name: _result(each) for name, each in found.items()}
    wrong = [name for name, each in results.items() if each["status"] != "DONE"]
    reason = "; ".join(f"{name}: {results[name]['summary']}" for name in wrong)
    word = "ERROR" if wrong else "DONE"
    return Judgement("fail" if wrong else "ok", word, reason, word, sets={"results": results})


def _result(found: Judgement) -> dict[str, Any]:
    known = found.sets.get("result")
    if found.outcome == "ok" and isinstance(known, Mapping):
        return dict(known)
    return {"status": "ERROR", "summary": cut(found.reason or found.word), "changed": [], "said": ""}


