"""How a governed run begins: with a request, or with an existing plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.core.digest import digest
from podium.core.errors import Fault, InputError, UsageError
from podium.core.verdict import Dialect
from podium.core.workflow import Workflow
from podium.workflows.entry import Entry, Read, Start
from podium.workflows.governed import paths
from podium.workflows.governed.exchange import delegations
from podium.workflows.governed.plan.reading import read_plan
from podium.workflows.governed.policy import budgets
from podium.workflows.governed.policy.policy import PATH, Policy, laid_over, read_policy
from podium.workflows.governed.roster import BY_ROLE
from podium.workflows.governed.workflow import Governed


def start(
    inputs: Sequence[str], policy: Mapping[str, Any], options: Mapping[str, Any], read: Read
) -> Start:
    known = replace(
        read_policy(read(PATH), policy), models=_models(options.get("model", lambda _: ""))
    )
    file = str(options.get("plan", ""))
    request = " ".join(inputs).strip()
    text = ""
    if file:
        request, title, text = _given(file, read, request)
    elif request:
        title = request
    else:
        raise UsageError(
            'podium run governed takes a request or --plan FILE: podium run governed "add '
            'rate limits to the API"'
        )
    task = _task(title, known)
    trace = _trace(task, request)
    if missing := delegations.unnamed(known):
        mend = 'set `model` of their agents, or model_dispatch.default_mode = "auto"'
        raise InputError(
            Fault(
                PATH,
                (
                    "wants every delegation to name its model, and the settings name none for "
                    f"{', '.join(missing)}"
                ),
                mend,
            )
        )
    if faults := delegations.planning(request, known, trace_id=trace).faults:
        raise InputError([Fault(PATH, each) for each in faults])
    return Start(
        workflow=_workflow(known, policy, options),
        members={
            "task": task,
            "request": request,
            "trace_id": trace,
            "given": text,
            "researched": bool(text),
        },
        definition={
            "values": dict(known.values),
            "generation": known.generation,
            "models": dict(known.models),
            "final": bool(options.get("final_review")),
            **({"issue": options["issue"]} if "issue" in options else {}),
        },
        slug=task[:40].strip("-"),
        title=f"{task} — {' '.join(request.split())[:80]}",
        scope=paths.plan_path(task),
    )


def _task(title: str, known: Policy) -> str:
    try:
        return paths.slug(title, known)
    except ValueError as fault:
        raise InputError(Fault(PATH, str(fault))) from None


def _given(file: str, read: Read, request: str) -> tuple[str, str, str]:
    text = read(file)
    if text is None:
        raise InputError(Fault(file, "there is no such plan", "name a plan in Markdown or JSON"))
    found = read_plan(text)
    if found.plan is None:
        raise InputError([Fault(file, each) for each in found.faults])
    return request or found.plan.summary, found.plan.task_title, text


def _trace(task: str, request: str) -> str:
    """One id for the whole task, in the form of a version 4 UUID; the same request gives the
    same id.
    """
    raw = digest(f"{task}\n{request}").partition(":")[2]
    return f"{raw[:8]}-{raw[8:12]}-4{raw[13:16]}-a{raw[17:20]}-{raw[20:32]}"


def _workflow(known: Policy, policy: Mapping[str, Any], options: Mapping[str, Any]) -> Governed:
    return Governed(
        known, float(policy.get("retry_backoff_s", 2.0)), bool(options.get("final_review"))
    )


def sample(policy: Mapping[str, Any], read: Read, scaffold: Read) -> Governed:
    return _workflow(read_policy(read(PATH), policy), policy, {})


def remake(definition: Mapping[str, Any], policy: Mapping[str, Any]) -> Governed:
    return Governed(
        _known(definition, policy),
        float(policy.get("retry_backoff_s", 2.0)),
        bool(definition.get("final")),
    )


def _known(definition: Mapping[str, Any], policy: Mapping[str, Any]) -> Policy:
    return laid_over(
        Policy(definition["values"], definition["generation"], definition.get("models", {})), policy
    )


def renewed(definition: Mapping[str, Any], model: Callable[[str], str]) -> Mapping[str, Any]:
    return {**definition, "models": _models(model)}


def _models(model: Callable[[str], str]) -> dict[str, str]:
    return {role: name for role in BY_ROLE if (name := model(role))}


def defined(workflow: Workflow) -> Mapping[str, Any]:
    assert isinstance(workflow, Governed)
    return {"values": dict(workflow.policy.values), "generation": workflow.policy.generation}


def _dialects() -> Mapping[str, Dialect]:
    # only where an agent is asked
    from podium.workflows.governed.dialects import DIALECTS  # noqa: PLC0415

    return DIALECTS


ENTRY = Entry(
    name="governed",
    summary=(
        "a request by policy: plan, adversarial review, waves of phases, approvals, every "
        "decision a gate event"
    ),
    takes='"REQUEST" (or --plan FILE)',
    start=start,
    sample=sample,
    remake=remake,
    renewed=renewed,
    defined=defined,
    dialects=_dialects,
    retries=lambda _: {"violation": 1},
    caps=lambda definition, policy: budgets.caps(_known(definition, policy)),
    options=frozenset({"plan", "final_review", "issue"}),
    issue=lambda _, request: ([request], {}),
    placed=lambda path: path if path == PATH else "",
    settings=(
        (
            "# Over governance/runtime-policy.json; every number of that file has its dotted name "
            "here."
        ),
        "# retry_budgets.fixable_max = 1",
    ),
    example='"what should change"',
)
