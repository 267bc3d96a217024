"""The end of an iteration: the review judged with the program's own evidence, the commit, the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.effects import Report
from podium.core.verdict import Judgement
from podium.workflows.ticket import docs_cache, iterations, review_document, times
from podium.workflows.ticket.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.noting import Evidence, noted, now, stamp
from podium.workflows.ticket.review_document import Review
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.working import _in

Texts = Mapping[str, str | None]


def commands(run: TicketRun) -> Sequence[str]:
    """The project's build and test, once more over everything."""
    return [_in(run.directory, each) for each in (run.build_command, run.test_command) if each]


def auto_accept(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    """One trivial task whose build and test are green needs no Reviewer."""
    text = review_document.render(review_document.auto_accepted(stamp(found)))
    facts = (
        noted(run, "trivial.auto_accept", "1 task, build and tests green"),
        noted(run, "iteration.accepted", f"iteration {run.iteration + 1}"),
    )
    return Judgement("ok", "ACCEPTED", "", sets=_ended(run, "ACCEPTED", found), facts=facts, writes={run.paths.review(run.iteration): text})


def judged(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    """The worst of the document, the verdict beside it and what the program saw itself."""
    said = _said(run)
    ran = [each for each in found if "command" in each and "skipped" not in each]
    names = [name for name, command in (("build", run.build_command), ("tests", run.test_command)) if command]
    seen = {name: "PASSED" if each["passed"] else "FAILED" for name, each in zip(names, ran, strict=False)}
    review = review_document.judged(
        said, build=seen.get("build", "NOT_RUN"), tests=seen.get("tests", "NOT_RUN"), files_verified=True, at=stamp(found),
        verdict="REJECTED" if run.review.get("outcome") != "ok" else "ACCEPTED", evidence=str(run.review.get("reason", "")),
    )  # fmt: skip
    accepted = review.status == "ACCEPTED"
    facts = (noted(run, "iteration.accepted", f"iteration {run.iteration + 1}"),) if accepted else ()
    sets = {**_ended(run, review.status, found), "review": {}}
    return Judgement(
        "ok" if accepted else "revise", review.status, review.notes, "accepted" if accepted else "rejected",
        sets=sets, facts=facts, writes={run.paths.review(run.iteration): review_document.render(review)},
    )  # fmt: skip


def _said(run: TicketRun) -> Review:
    """The Reviewer's document; where it wrote none, its verdict alone."""
    text = str(run.review.get("text", ""))
    if text.strip():
        return review_document.read(text, run.paths.review(run.iteration), written=True)
    status = "ACCEPTED" if run.review.get("outcome") == "ok" else "REJECTED"
    return Review(status=status, notes=str(run.review.get("reason", "")))


def _ended(run: TicketRun, status: str, found: Evidence) -> dict[str, Any]:
    at = stamp(found)
    accepted = sum(each[0] == "ACCEPTED" for each in run.tasks.values())
    began = run.iterations[-1]["completed_at"] if run.iterations else run.iteration_began
    entry = {"number": run.iteration, "status": status, "started_at": began or at, "completed_at": at,
             "tasks_total": len(run.tasks), "tasks_accepted": accepted}  # fmt: skip
    spent = times.minutes(times.moment(began), now(found))
    metrics = {**run.metrics}
    if metrics:
        metrics["latest_iteration_cycle_minutes_estimate"] = times.short(spent or 0.0)
        metrics["percent_complete"] = 100 if status == "ACCEPTED" else metrics["percent_complete"]
        metrics["remaining_minutes_estimate"] = 0 if status == "ACCEPTED" else metrics["remaining_minutes_estimate"]
    known = [each for each in run.iterations if each["number"] != run.iteration]
    return {"iterations": [*known, entry], "metrics": metrics}


def committed(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    made = next((str(each["commit"]) for each in found if each["name"] == "commit"), "")
    due = iterations.refresh_needed(docs_trusted=run.docs_trusted or (run.iteration == 0 and bool(run.docs)), changed=tuple(run.touched))
    outcome = "refresh" if due else "none"
    return Judgement("ok", made[:12] or "nothing to commit", "", outcome, sets={"head": made or run.head})


def judge_refresh(report: Report) -> Judgement:
    said = report.verdict
    return Judgement(said.outcome, said.word, said.reason)


def cached(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    """The documents as they are now are what the next run may trust."""
    documents = {path: text for path in DOCS if (text := texts.get(path)) and text.strip()}
    if len(documents) < len(DOCS):
        return Judgement("ok", "not all documents are there")
    text = docs_cache.cache_text(documents, stamp(found), texts.get(DOCS_CACHE))
    return Judgement("ok", "trusted", facts=(noted(run, "docs.refresh", "documentation cache written"),), writes={DOCS_CACHE: text})


def parted(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    said = [str(each["said"]) for each in found if str(each["name"]).startswith("git ")]
    return Judgement("ok", "; ".join(said) or "nothing was put aside", sets={"give_back": False})
