"""From each agent's verified answer to a judgement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from podium.core.digest import digest
from podium.core.effects import Report
from podium.core.verdict import Judgement
from podium.workflows.ticket import plan_document, review_document
from podium.workflows.ticket.request.naming import document_path
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks.task import WORKED

MAX_NOTES = 20_000
"""Characters kept of a review's notes until it is judged; no decision depends on them."""


def plan(report: Report) -> Judgement:
    """A plan that defers research stops the run at once.

    The digest of the agent's tasks.yaml is remembered, so that a person's later change of it is
    recognised.
    """
    said, text = report.verdict, report.outputs.get("tasks")
    if said.outcome == "ok" and (off := plan_document.deferrals(report.outputs.get("plan", ""))):
        return Judgement("fail", said.word, "; ".join(map(str, off)), stop="deferred")
    sets = {"planned": digest(text) if text is not None else "", "by_hand": False}
    return Judgement(said.outcome, said.word, said.reason, sets=sets)


def documents(report: Report) -> Judgement:
    run, said = report.run, report.verdict
    assert isinstance(run, TicketRun)
    written = [document_path(name) for name in report.outputs]
    sets = {
        "refreshed": sorted({*run.refreshed, *written}),
        "vouched": run.vouched or said.word == "DONE",
    }
    return Judgement(said.outcome, said.word, said.reason, sets=sets)


def task(report: Report) -> Judgement:
    """A task that its agent does not call done leaves no code in the project: the next attempt
    starts afresh.
    """
    said = report.verdict
    if said.outcome == "ok":
        status = said.word if said.word in WORKED else "DONE"
        result = {"status": status, "evidence": [], "changed": list(report.changed)}
        return Judgement("ok", said.word, said.reason, sets={"result": result})
    result = {
        "status": said.word or "ERROR",
        "evidence": [f"{said.word}: {said.reason}"],
        "changed": [],
    }
    return Judgement("fail", said.word, said.reason, sets={"result": result})


def task_review(report: Report) -> Judgement:
    run, said = report.run, report.verdict
    assert isinstance(run, TicketRun)
    accepted = said.outcome == "ok"
    evidence = [] if accepted else [f"the Reviewer: {said.reason or said.word}"]
    results = {
        run.batch[0]: {"status": "ACCEPTED" if accepted else "REJECTED", "evidence": evidence}
    }
    return Judgement(said.outcome, said.word, said.reason, sets={"results": results})


def review(report: Report) -> Judgement:
    """The whole document is read: a later part could take back an earlier one."""
    said, text = report.verdict, report.outputs.get("review", "")
    kept: dict[str, Any] = {"outcome": said.outcome, "reason": said.reason}
    if text.strip():
        found = review_document.read(text)
        kept["said"] = review_document.data_of(replace(found, notes=found.notes[:MAX_NOTES]))
    return Judgement(said.outcome, said.word, said.reason, sets={"review": kept})
