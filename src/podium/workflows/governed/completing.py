"""The end of a governed run: the session's entry, then the summary, then the notes."""

from __future__ import annotations

import datetime as dt

from podium.core.verdict import Judgement
from podium.workflows.governed import paths
from podium.workflows.governed.closing import noted, notes_reads
from podium.workflows.governed.deciding import Evidence, Texts, plan_of
from podium.workflows.governed.exchange.events import gate
from podium.workflows.governed.memory import session_outcome
from podium.workflows.governed.memory.memory import archivable
from podium.workflows.governed.memory.notes import Notes
from podium.workflows.governed.memory.session_outcome import SessionOutcome, outcome_status
from podium.workflows.governed.phase.checklist import Checklist, Point
from podium.workflows.governed.phase.documents import PhaseRecord, write_complete
from podium.workflows.governed.plan.plan import Plan
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.review.code_review import read_code_review
from podium.workflows.governed.review.round import STAGNATED
from podium.workflows.governed.run import GovernedRun
from podium.workflows.governed.words import counted

ENDED = {"SUCCESS": "DONE"}
"""A session's outcome to the plan status the policy uses; other outcomes are kept as they are
and not archived.
"""


def summarise(run: GovernedRun, texts: Texts, found: Evidence, policy: Policy) -> Judgement:
    """The session's entry first, then the summary; notes within their limits."""
    plan = plan_of(run)
    today = next(str(each["now"]) for each in found if each["name"] == "clock")[:10]
    outcome = _outcome(run, plan, policy, today)
    log = paths.log_path(policy)
    entry = session_outcome.followed(
        session_outcome.write_entry(outcome),
        texts.get(paths.templates(policy)["session outcome"]) or "",
    )
    written, old = session_outcome.archived(session_outcome.appended(texts.get(log), entry), policy)
    writes = {log: written}
    if old:
        # A new file each time: an existing archive is never written again.
        archive = session_outcome.archive_path(policy, f"{today}-{run.task}")
        writes[archive] = f"{session_outcome.TITLE}\n\n{old}"
    writes |= {
        paths.complete_path(run.task): write_complete(
            plan,
            _records(run, plan),
            [*run.findings, *_archivable(texts.get(log) or "", today, policy)],
        ),
    }
    notes, kept = noted(
        run,
        texts,
        Notes(plan.task_title, outcome.status, tuple(run.findings), "approval of the result"),
        policy,
    )
    said = f"{len(run.complete)} of {counted(len(plan.phases))} complete"
    event = gate(
        run,
        policy,
        "COMPLETION_GATE",
        "WAITING_APPROVAL",
        "BLOCKED" if run.stopped else "GO",
        said,
        "ask for acceptance",
        needs_person=True,
        checks=("todo_verified",),
    )
    return Judgement(
        "ok", outcome.status, said, "ok", sets=kept, facts=(event,), writes={**writes, **notes}
    )


def summary_reads(policy: Policy) -> tuple[str, ...]:
    return (
        paths.log_path(policy),
        paths.templates(policy)["session outcome"],
        *notes_reads(policy),
    )


def _outcome(run: GovernedRun, plan: Plan, policy: Policy, today: str) -> SessionOutcome:
    reviews = {role: (str(data.get("status", "")), "") for role, data in run.reviews.items()}
    code = [each["review"] for _, each in sorted(run.records.items()) if each.get("review")]
    if code:
        reviews["code-reviewer"] = (str(code[-1]["status"]), f"{len(code)} reviews of phases")
    false = [read_code_review(each).false_positives for each in code]
    return SessionOutcome(
        plan_id=paths.plan_id(run.task),
        date=today,
        tier=run.tier,
        planned=len(plan.phases),
        completed=len(run.complete),
        reviews=reviews,
        iterations=run.iterations,
        max_iterations=policy.max_revisions(plan.complexity_tier),
        convergence=run.convergence or STAGNATED,
        status=outcome_status(len(plan.phases), len(run.complete), stopped=run.stopped),
        rejected=sum(each for each, _ in false),
        serious=sum(each for _, each in false),
        lessons=tuple(run.lessons[:5]),
    )


def _records(run: GovernedRun, plan: Plan) -> list[PhaseRecord]:
    found = []
    for phase in plan.phases:
        known = run.records.get(str(phase.phase_id))
        if phase.phase_id in run.complete and known:
            ran = known["ran"].get("test")
            tests = Point(
                "tests",
                True,
                "the command passed" if ran else "nothing to run; see the phase's document",
            )
            review = str(known["review"].get("status", "not due"))
            found.append(
                PhaseRecord(
                    phase,
                    known["summary"] or phase.objective,
                    tuple(known["changed"]),
                    review,
                    Checklist((tests,)),
                )
            )
    return found


def _archivable(log: str, today: str, policy: Policy) -> list[str]:
    """Earlier plans whose documents are old enough for the archive."""
    found = []
    for entry in session_outcome.entries(log):
        known = session_outcome.entry_fields(entry)
        name, status = known.get("Plan ID", ""), known.get("Status", "")
        age = _days(known.get("Date", ""), today)
        if name and age is not None and archivable(ENDED.get(status, status), age, policy):
            found.append(f"the documents of {name} are {age} days old and may be archived")
    return found


def _days(date: str, today: str) -> int | None:
    try:
        return (dt.date.fromisoformat(today) - dt.date.fromisoformat(date)).days
    except ValueError:
        return None
