"""The end of an iteration: the review judged with the program's own evidence, the commit, the
documentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.effects import Commit, Report
from podium.core.verdict import Judgement
from podium.proof.evidence import broken, holds
from podium.proof.sentences import failure_lines
from podium.workflows.ticket import docs_cache, gating, iterations, judges, review_document, times
from podium.workflows.ticket.git import commits
from podium.workflows.ticket.noting import Evidence, Fact, noted, now, stamp, warned
from podium.workflows.ticket.progress import metrics
from podium.workflows.ticket.progress.metrics import Metrics
from podium.workflows.ticket.request.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.review_document import Review
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.working import inside

Texts = Mapping[str, str | None]


def _known(run: TicketRun) -> list[tuple[str, str]]:
    """The project's known commands, each with its name in the review document."""
    return [
        (name, said)
        for name, said in (("build", run.build_command), ("tests", run.test_command))
        if said
    ]


def commands(run: TicketRun) -> Sequence[str]:
    """The project's build and test, once more over everything."""
    return [inside(run.directory, each) for _, each in _known(run)]


def auto_accept(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    """One trivial task whose build and test are green needs no Reviewer."""
    ran = {name for name, _ in _known(run)}
    report = review_document.auto_accepted(stamp(found), build="build" in ran, tests="tests" in ran)
    facts = (
        noted(run.iteration, "trivial.auto_accept", report.notes),
        noted(run.iteration, "iteration.accepted", f"iteration {run.iteration + 1}"),
    )
    sets, line = _ended(run, "ACCEPTED", found)
    sets["proven"] = dict.fromkeys(ran, "PASSED")
    writes = {run.paths.review(run.iteration): review_document.render(report)}
    return Judgement("ok", "ACCEPTED", "", sets=sets, facts=(*facts, line), writes=writes)


def judged(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    """Judge by the worst of the document, the verdict beside it and what the program observed."""
    ran = {str(record["command"]): record for record in found if "state" in record}
    seen = {name: _word(ran.get(inside(run.directory, line))) for name, line in _known(run)}
    review = review_document.judged(
        _said(run),
        build=seen.get("build", "NOT_RUN"),
        tests=seen.get("tests", "NOT_RUN"),
        at=stamp(found),
        verdict="ACCEPTED" if run.review.get("outcome") == "ok" else "REJECTED",
        evidence=str(run.review.get("reason", "")),
        output=[line for record in broken(ran.values()) for line in failure_lines(record)],
    )
    path = run.paths.review(run.iteration)
    text = texts.get(path) if run.review.get("said") else None
    written = review_document.update(text, review, path) if text else review_document.render(review)
    accepted = review.status == "ACCEPTED"
    sets, line = _ended(run, review.status, found)
    sets["proven"] = {
        name: _told(ran.get(inside(run.directory, command))) for name, command in _known(run)
    }
    facts = (
        (noted(run.iteration, "iteration.accepted", f"iteration {run.iteration + 1}"),)
        if accepted
        else ()
    )
    return Judgement(
        "ok" if accepted else "revise",
        review.status,
        review.notes,
        "accepted" if accepted else "rejected",
        sets=sets,
        facts=(*facts, line),
        writes={path: written},
    )


def _word(record: Mapping[str, Any] | None) -> str:
    """The document's word for what the program saw of a command; None: it never came to it."""
    if record is None or not holds(record):
        return "FAILED"
    return "NOT_RUN" if record.get("waived") else "PASSED"


def _told(record: Mapping[str, Any] | None) -> str:
    """The same for whoever reads the last lines of the run."""
    state = "not_run" if record is None else str(record["state"])
    return {"passed": "PASSED", "failed_before": "FAILED AS BEFORE", "failed": "FAILED"}.get(
        state, "NOT RUN"
    )


def _said(run: TicketRun) -> Review:
    """The Reviewer's document; if it wrote none, its verdict alone."""
    if said := run.review.get("said"):
        return review_document.from_data(said)
    return Review(
        status="ACCEPTED" if run.review.get("outcome") == "ok" else "REJECTED",
        notes=str(run.review.get("reason", "")),
    )


def _ended(run: TicketRun, status: str, found: Evidence) -> tuple[dict[str, Any], Fact]:
    """The iteration is over: its entry in progress.yaml, the numbers, and the line people see."""
    at, accepted = stamp(found), status == "ACCEPTED"
    entry = {
        "number": run.iteration,
        "status": status,
        "started_at": run.iteration_began or at,
        "completed_at": at,
        "tasks_total": len(run.tasks),
        "tasks_accepted": sum(each[0] == "ACCEPTED" for each in run.tasks.values()),
    }
    spent = times.minutes(times.moment(run.iteration_began), now(found))
    measured = {
        **vars(Metrics(**run.metrics)),
        "latest_iteration_cycle_minutes_estimate": times.short(spent or 0.0),
        "elapsed_minutes_estimate": times.minutes(times.moment(run.created_at), now(found)) or 0,
    }
    if accepted:
        measured |= {"percent_complete": 100, "remaining_minutes_estimate": 0}
    line = {
        "type": "ticket.progress",
        "text": metrics.progress_line(Metrics(**measured)),
        "iteration": run.iteration,
    }
    known = [each for each in run.iterations if each["number"] != run.iteration]
    return {
        "iterations": [*known, entry],
        "metrics": measured,
        "percent": measured["percent_complete"],
    }, line


def next_iteration(run: TicketRun) -> None:
    """After a rejected review, reset what belongs to one iteration; what the run has done stays."""
    run.iteration += 1
    run.tasks, run.batch, run.order, run.group = {}, [], [], ""
    run.tries, run.results, run.restore, run.evidence, run.minutes = {}, {}, {}, {}, {}
    run.split = run.trivial = run.green = run.anew = run.by_hand = run.forgiven = False
    run.settled, run.planned, run.leftover, run.invalid, run.strategy = 1, "", "", "", "parallel"
    run.percent, run.review = 0, {}
    if run.metrics:
        none = dict.fromkeys(
            (
                "tasks_total",
                "tasks_completed",
                "groups_total",
                "groups_completed",
                "percent_complete",
            ),
            0,
        )
        run.metrics = {
            **run.metrics,
            **none,
            "remaining_minutes_estimate": None,
            "eta_confidence": "low",
        }


def commit(run: TicketRun) -> Commit | None:
    return Commit(run.summary, tuple(run.touched), f"Ticket: {run.jira}") if run.touched else None


def committed(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    made = next((str(each["commit"]) for each in found if each["name"] == "commit"), "")
    due = iterations.refresh_needed(docs_trusted=run.docs_trusted, changed=tuple(run.touched))
    return Judgement(
        "ok",
        made[:12] or "nothing to commit",
        "",
        "refresh" if due else "none",
        sets={"head": made or run.head},
    )


def refreshed(report: Report) -> Judgement:
    """A failed refresh of the documentation does not undo the commit: it is reported, and the
    next run tries again.
    """
    found = judges.documents(report)
    if found.outcome == "ok":
        return found
    return Judgement("ok", found.word, found.reason)


def cached(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    """Record the documents as they are now as trusted for the next run, if an Initializer has
    vouched for them.
    """
    if not run.vouched:
        return Judgement("ok", "as they were")
    missing = [path for path in DOCS if not (texts.get(path) or "").strip()]
    if missing:
        said = (
            f"the documentation is not to be trusted yet: {', '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing"
        )
        return Judgement(
            "ok", "not trusted", said, facts=(noted(run.iteration, "docs.refresh", said),)
        )
    text = docs_cache.cache_text(
        {path: texts[path] or "" for path in DOCS}, stamp(found), texts.get(DOCS_CACHE)
    )
    fact = noted(
        run.iteration,
        "docs.refresh",
        f"{DOCS_CACHE} written; refreshed: {', '.join(run.refreshed) or 'none'}",
    )
    return Judgement(
        "ok", "trusted", facts=(fact,), writes={DOCS_CACHE: text}, sets={"trust_status": "trusted"}
    )


def commit_documents(run: TicketRun) -> Commit | None:
    """Refreshed documents get a commit of their own, so that the tree is as clean as the run
    found it.
    """
    if not run.refreshed:
        return None
    return Commit(commits.documents_subject(run.jira), tuple(run.refreshed), f"Ticket: {run.jira}")


def documented(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    made = next((str(each["commit"]) for each in found if each["name"] == "commit"), "")
    return Judgement("ok", made[:12] or "nothing to commit", sets={"head": made or run.head})


def parted(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    said = [str(each["said"]) for each in found if str(each["name"]).startswith("git ")]
    known, facts = warned(run, gating.left(found))
    return Judgement(
        "ok",
        "; ".join(said) or "nothing was put aside",
        sets={"give_back": False, "warnings": known},
        facts=facts,
    )
