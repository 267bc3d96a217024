"""What each kind of document says, as plain data: the one place that names the modules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from podium.core.errors import InputError
from podium.workflows.feature.documents.checks import lacks_of
from podium.workflows.feature.documents.shapes import SHAPES
from podium.workflows.feature.findings import findings
from podium.workflows.feature.memory.suggestions import suggestions_in
from podium.workflows.feature.plan import checks
from podium.workflows.feature.plan.tasks import read_task
from podium.workflows.harness.qa import parse_qa
from podium.workflows.harness.task import TASK

_VERIFICATIONS = {
    "v-build": findings.read_v_build,
    "v-tests": findings.read_v_tests,
    "v-tasks": findings.read_v_tasks,
    "v-feature": findings.read_v_feature,
}


def _review(text: str, _case: Mapping[str, Any]) -> dict[str, Any]:
    found = findings.read_review(text)
    return {"open": [f"{each.severity}: {each.title or each.what}" for each in found.findings]}


def _verification(text: str, case: Mapping[str, Any]) -> dict[str, Any]:
    found = _VERIFICATIONS[case["document"]](text)
    return {"status": found.severity, "tasks": list(found.tasks)}


def _task(text: str, case: Mapping[str, Any]) -> dict[str, Any]:
    found = read_task(case["path"], text)
    task = found.task
    return {
        "id": task.id,
        "depends_on": list(task.depends_on),
        "files": list(task.files),
        "faults": len(found.faults),
    }


def _plan(text: str, case: Mapping[str, Any]) -> dict[str, Any]:
    found = checks.check(text, case["tasks"], mode="initial")
    waves = [[[task.id, list(task.depends_on)] for task in wave] for wave in found.waves]
    return {"waves": waves, "faults": list(found.faults)}


def _suggestions(text: str, _case: Mapping[str, Any]) -> dict[str, Any]:
    return {"marks": [each.mark for each in suggestions_in(text)]}


def _feature(text: str, _case: Mapping[str, Any]) -> dict[str, Any]:
    return {"lacks": [each.partition("'")[2].partition("'")[0] for each in _lacks(text)]}


def _lacks(text: str) -> tuple[str, ...]:
    return lacks_of(SHAPES["feature"], text)


def _qa(text: str, _case: Mapping[str, Any]) -> dict[str, Any]:
    review, faults = parse_qa(text)
    if review is None:
        return {"faults": list(faults)}
    return {
        "result": review.result,
        "readiness": review.readiness,
        "criteria": dict(review.criteria),
        "issues": [each.description for each in review.issues],
    }


def _harness_task(text: str, case: Mapping[str, Any]) -> dict[str, Any]:
    try:
        task = TASK.read(text, case["path"]).sound()
    except InputError as fault:
        return {"faults": list(map(str, fault.faults))}
    return {"status": task.status, "criteria": [list(each) for each in task.criteria]}


READINGS: Mapping[str, Callable[[str, Mapping[str, Any]], dict[str, Any]]] = {
    "review": _review,
    **dict.fromkeys(_VERIFICATIONS, _verification),
    "task file": _task,
    "plan": _plan,
    "suggestions": _suggestions,
    "feature": _feature,
    "qa": _qa,
    "harness task": _harness_task,
}
