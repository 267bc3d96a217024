"""What each agent of a ticket may read, must write and may change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from podium.core.contract import Contract, Input, Output
from podium.core.run import Run
from podium.workflows import protected
from podium.workflows.ticket import plan_document, review_document
from podium.workflows.ticket.briefs import QUOTED, opening
from podium.workflows.ticket.request import prompt_document, words
from podium.workflows.ticket.request.naming import DOCS, document_name
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks import compose as tasks_compose
from podium.workflows.ticket.working import inside

OWN = ("prompts/**",)
PROTECTED = (*protected.PROTECTED, *OWN)
HIDDEN = (".podium/**", "prompts/**")
MAX_EVIDENCE = 10
MAX_LIKELY = 40
NOWHERE = "\0"
"""A pattern that matches no path: with no pattern at all, a contract would allow every change."""


def ticket(run: Run) -> TicketRun:
    assert isinstance(run, TicketRun)
    return run


def _contract(role: str, told: Sequence[str] = (), **members: Any) -> Contract:
    return Contract(
        role=role,
        protected=PROTECTED,
        hidden=HIDDEN,
        told=tuple(told),
        opening=opening(role),
        **members,
    )


def _commands(run: TicketRun) -> list[str]:
    known = (("Build command", run.build_command), ("Test command", run.test_command))
    return [f"{name}: {inside(run.directory, said) if said else 'none'}" for name, said in known]


def interpreter(run: Run) -> Contract:
    at = ticket(run)
    out = Output(
        "prompt",
        at.paths.prompt,
        check=partial(_check_prompt, at.jira),
        compose=prompt_document.compose,
        structure=prompt_document.structure,
    )
    told = [
        f"Ticket: {at.jira}",
        f"The request, word for word: {at.original}",
        *(f"Unclear: {each}" for each in at.unclear),
    ]
    if guess := words.work_type(at.text, words.WIDER):
        told.append(f"By its words the type of work is likely `{guess}`; decide it yourself.")
    return _contract("interpreter", told, outputs=(out,), code="read", dialect="ticket")


def _check_prompt(jira: str, text: str, template: str) -> tuple[str, ...]:
    return prompt_document.check(text, template, jira=jira)


def planner(run: Run) -> Contract:
    at = ticket(run)
    number = at.iteration
    inputs = [
        Input("input", at.paths.planning_input(number), material=True),
        *(Input(path, path, required=False, quoted=most) for path, most in QUOTED.items()),
    ]
    if number:
        inputs.append(Input("prompt", at.paths.prompt))
    outputs = (
        Output(
            "plan",
            at.paths.plan(number),
            check=plan_document.check,
            compose=plan_document.compose,
            structure=plan_document.structure,
        ),
        # Not checked here: if it cannot be used, the Splitter writes a new one.
        Output(
            "tasks",
            at.paths.tasks(number),
            optional=True,
            usual=True,
            compose=tasks_compose.compose,
            structure=tasks_compose.structure,
        ),
    )
    told = [f"Iteration {number + 1}. Plan from {at.paths.planning_input(number)}.", *_commands(at)]
    told.append(f"Affected areas: {', '.join(at.impact.get('affected_areas', ())) or 'none found'}")
    told.append(
        f"Likely files: {', '.join(at.impact.get('likely_files', ())[:MAX_LIKELY]) or 'none found'}"
    )
    told += [
        f"Tool mandate: {each['mandate']}"
        for each in at.mandates
        if each.get("assigned_agent") == "planner"
    ]
    return _contract(
        "planner", told, inputs=tuple(inputs), outputs=outputs, code="read", dialect="ticket"
    )


def initializer(run: Run) -> Contract:
    at = ticket(run)
    outputs = tuple(Output(document_name(path), path, optional=True) for path in DOCS)
    inputs = tuple(Input(path, path, required=False) for path in DOCS)
    due = ", ".join(at.docs_due) or "what the change of the code made wrong"
    told = [f"Refresh only: {due}.", *_commands(at)]
    if at.accepted:
        told.append(f"Changed in this run: {', '.join(at.touched) or 'nothing'}")
    return _contract(
        "initializer", told, inputs=inputs, outputs=outputs, code="read", dialect="ticket"
    )


def splitter(run: Run) -> Contract:
    at = ticket(run)
    out = Output(
        "tasks",
        at.paths.tasks(at.iteration),
        compose=tasks_compose.compose,
        structure=tasks_compose.structure,
        check=tasks_compose.check,
    )
    inputs = (Input("plan", at.paths.plan(at.iteration)), Input("prompt", at.paths.prompt))
    told = [f"The Planner's tasks cannot be used: {at.invalid}"] if at.invalid else []
    return _contract("splitter", told, inputs=inputs, outputs=(out,), dialect="ticket")


def task(name: str, run: Run) -> Contract:
    """One task of the batch; on the fast path the Developer works without a task executor."""
    at = ticket(run)
    role = "developer" if at.trivial else "task-executor"
    strategy = next((each["strategy"] for each in at.order if name in each["tasks"]), "parallel")
    dialect = "ticket-developer" if at.trivial else f"ticket-task-{strategy}"
    scope = tuple(at.scopes.get(name, ()))
    told = [
        f"Task: {name}, attempt {at.tasks.get(name, ['', 1])[1]}",
        f"Execution mode: {'SEQUENTIAL' if at.trivial else strategy.upper()}",
    ]
    told += [f"You may change only: {', '.join(scope)}", *_commands(at)]
    if before := at.evidence.get(name, ())[-MAX_EVIDENCE:]:
        told += [
            *(f"Attempt before: {each}" for each in before),
            "If nothing of yours must change, say `No change needed: why`.",
        ]
    told += [
        f"Tool mandate: {each['mandate']}"
        for each in at.mandates
        if each.get("assigned_agent") != "planner"
    ]
    return _contract(
        role,
        told,
        inputs=(
            Input("tasks", at.paths.tasks(at.iteration)),
            Input("plan", at.paths.plan(at.iteration), required=False),
        ),
        context=_entry(at, name),
        code="write",
        writable=scope or (NOWHERE,),
        dialect=dialect,
        proof_of_change="standing",
        retries={"violation": 0, "crash": 0, "timeout": 0},
    )


def _entry(run: TicketRun, name: str) -> tuple[tuple[str, str], ...]:
    return (
        ((f"The entry of {name} in tasks.yaml", run.entries[name]),) if name in run.entries else ()
    )


def task_review(run: Run) -> Contract:
    at = ticket(run)
    name = at.batch[0] if at.batch else ""
    inputs = (
        Input("tasks", at.paths.tasks(at.iteration)),
        Input("plan", at.paths.plan(at.iteration), required=False),
    )
    told = (
        "Mode: task-review.",
        f"Task: {name}. Judge its success_criteria, each MET or NOT MET.",
        *_commands(at),
    )
    return _contract(
        "reviewer",
        told,
        inputs=inputs,
        code="read",
        dialect="ticket-task-review",
        changes=_changes(at),
    )


def prompt_review(run: Run) -> Contract:
    at = ticket(run)
    number = at.iteration
    inputs = (
        Input("prompt", at.paths.prompt),
        Input("tasks", at.paths.tasks(number)),
        Input("plan", at.paths.plan(number), required=False),
    )
    out = Output(
        "review",
        at.paths.review(number),
        optional=True,
        check=review_document.check,
        compose=review_document.compose,
        structure=review_document.structure,
        stated=review_document.stated,
    )
    told = (
        "Mode: prompt-review.",
        "Judge the whole iteration by the success criteria of prompt.yaml, each MET or NOT MET.",
        *_commands(at),
    )
    return _contract(
        "reviewer",
        told,
        inputs=inputs,
        outputs=(out,),
        code="read",
        dialect="ticket-review",
        changes=_changes(at),
    )


def _changes(run: TicketRun) -> str:
    """Where reviewers find the diff of all code."""
    return f"{run.paths.scratch}/changes.patch"
