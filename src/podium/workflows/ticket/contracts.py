"""What each agent of a ticket may read, must write and may change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from podium.core.contract import Contract, Input, Output
from podium.core.effects import Report
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.workflows.ticket import plan_document, prompt_document, review_document, tasks_compose
from podium.workflows.ticket.briefs import SCOPE
from podium.workflows.ticket.naming import DOCS
from podium.workflows.ticket.run import TicketRun

PROTECTED = (".podium/**", ".git/**", "podium.toml", ".github/agents/**", ".claude/agents/**", "governance/**", "prompts/**")
HIDDEN = (".podium/**", "prompts/**")
MAX_EVIDENCE = 10


def ticket(run: Run) -> TicketRun:
    assert isinstance(run, TicketRun)
    return run


def _contract(role: str, run: TicketRun, **members: object) -> Contract:
    told: Sequence[str] = members.pop("told", ())  # type: ignore[assignment]
    return Contract(role=role, protected=PROTECTED, hidden=HIDDEN, told=(SCOPE[role], *told), **members)  # type: ignore[arg-type]


def interpreter(run: Run) -> Contract:
    at = ticket(run)
    out = Output("prompt", at.paths.prompt, check=partial(_check_prompt, at.jira), compose=prompt_document.compose, structure=prompt_document.structure)
    return _contract("interpreter", at, outputs=(out,), code="read", dialect="ticket", told=(f"Ticket: {at.jira}", at.original))


def _check_prompt(jira: str, text: str, template: str) -> tuple[str, ...]:
    return prompt_document.check(text, template, jira=jira)


def planner(run: Run) -> Contract:
    at = ticket(run)
    number = at.iteration
    inputs = [Input("input", at.paths.planning_input(number), material=True), *(Input(path, path, required=False) for path in DOCS)]
    if number:
        inputs.append(Input("prompt", at.paths.prompt))
    likely = ", ".join(at.impact.get("likely_files", ())[:40]) or "none found"
    outputs = (
        Output("plan", at.paths.plan(number), check=plan_document.check, compose=plan_document.compose, structure=plan_document.structure),
        # Not checked here: the Splitter writes it anew where it cannot be used.
        Output("tasks", at.paths.tasks(number), optional=True, usual=True, compose=tasks_compose.compose, structure=tasks_compose.structure),
    )
    told = (f"Iteration {number + 1}.", f"Likely files: {likely}", *(f"Tool mandate: {each['mandate']}" for each in at.mandates if each.get("assigned_agent") == "planner"))
    return _contract("planner", at, inputs=tuple(inputs), outputs=outputs, code="read", dialect="ticket", told=told)


def initializer(run: Run) -> Contract:
    at = ticket(run)
    outputs = tuple(Output(path.rpartition("/")[2].removesuffix(".md").lower(), path, optional=True) for path in DOCS)
    inputs = tuple(Input(path, path, required=False) for path in DOCS)
    return _contract("initializer", at, inputs=inputs, outputs=outputs, code="read", dialect="ticket")


def splitter(run: Run) -> Contract:
    at = ticket(run)
    out = Output("tasks", at.paths.tasks(at.iteration), compose=tasks_compose.compose, structure=tasks_compose.structure, check=tasks_compose.check)
    return _contract("splitter", at, inputs=(Input("plan", at.paths.plan(at.iteration)), Input("prompt", at.paths.prompt)), outputs=(out,), dialect="ticket")


def task(name: str, run: Run) -> Contract:
    """One task of the batch; the fast path needs no executor between the program and the Developer."""
    at = ticket(run)
    role = "developer" if at.trivial else "task-executor"
    strategy = next((each["strategy"] for each in at.order if name in each["tasks"]), "parallel")
    dialect = "ticket-developer" if at.trivial else f"ticket-task-{strategy}"
    attempt = at.tasks.get(name, ["", 1])[1]
    told = [f"Task: {name}, attempt {attempt} (tasks.yaml has its description, criteria and files).", f"You may change only: {', '.join(at.scopes.get(name, ()))}"]
    told += [f"Attempt before: {each}" for each in at.evidence.get(name, ())[-MAX_EVIDENCE:]]
    told += [f"Tool mandate: {each['mandate']}" for each in at.mandates if each.get("assigned_agent") != "planner"]
    return _contract(
        role, at,
        inputs=(Input("tasks", at.paths.tasks(at.iteration)), Input("plan", at.paths.plan(at.iteration), required=False)),
        code="write", writable=tuple(at.scopes.get(name, ())), dialect=dialect, proof_of_change=True,
        retries={"violation": 0, "crash": 0, "timeout": 0}, told=tuple(told),
    )  # fmt: skip


def task_review(run: Run) -> Contract:
    at = ticket(run)
    name = at.batch[0] if at.batch else "TASK"
    inputs = (Input("tasks", at.paths.tasks(at.iteration)), Input("plan", at.paths.plan(at.iteration), required=False))
    told = ("Mode: task-review.", f"Task: {name}. Judge its success_criteria, each MET or NOT MET.")
    return _contract("reviewer", at, inputs=inputs, code="read", dialect="ticket-review", told=told)


def prompt_review(run: Run) -> Contract:
    at = ticket(run)
    number = at.iteration
    inputs = (Input("prompt", at.paths.prompt), Input("tasks", at.paths.tasks(number)), Input("plan", at.paths.plan(number)))
    out = Output("review", at.paths.review(number), optional=True, check=review_document.check, compose=review_document.compose, structure=review_document.structure)
    return _contract(
        "reviewer", at, inputs=inputs, outputs=(out,), code="read", dialect="ticket-review", changes=f"{at.paths.folder}/tmp/changes.patch",
        told=("Mode: prompt-review.", "Judge the whole iteration by the success criteria of prompt.yaml, each MET or NOT MET."),
    )  # fmt: skip


# -- judges


def judge_task(report: Report) -> Judgement:
    said = report.verdict
    status = {"ok": said.word if said.word in {"SYNTAX_VALID", "DONE"} else "DONE"}.get(said.outcome, said.word or "ERROR")
    result = {"status": status, "evidence": [said.reason] if said.outcome != "ok" else [], "changed": list(report.changed)}
    return Judgement(said.outcome, said.word, said.reason, sets={"result": result})


def judge_task_review(report: Report) -> Judgement:
    run, said = report.run, report.verdict
    assert isinstance(run, TicketRun)
    status = "ACCEPTED" if said.outcome == "ok" else "REJECTED"
    results = {run.batch[0]: {"status": status, "evidence": [said.reason] if said.outcome != "ok" else []}}
    return Judgement(said.outcome, said.word, said.reason, sets={"results": results})


def judge_review(report: Report) -> Judgement:
    said = report.verdict
    review = {"word": said.word, "outcome": said.outcome, "reason": said.reason, "text": report.outputs.get("review", "")[:20_000]}
    return Judgement(said.outcome, said.word, said.reason, sets={"review": review})
