"""What a person is shown at each gate, and how a run continues after it was stopped, rewound or
resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from podium.workflows.governed import closing, paths
from podium.workflows.governed.deciding import plan_of, todos_of
from podium.workflows.governed.delivered import details
from podium.workflows.governed.phase.documents import phase_of
from podium.workflows.governed.plan.checks import check_plan
from podium.workflows.governed.plan.todos import reconciled
from podium.workflows.governed.review.round import STAGNATED, USED_UP
from podium.workflows.governed.run import GovernedRun
from podium.workflows.governed.words import counted

_NAMED = 5
"""Files of a phase that a line names."""
ABOUT_THE_PLAN = frozenset(
    {"approve_plan", "audit", "rehearse", "resolve_plan", "approve_wave", "approve_risk"}
)
"""Steps that depend on the plan's content: if it changed, the plan is read again first."""
AFTER_A_WAVE_OPENED = frozenset(
    {
        "approve_wave",
        "approve_risk",
        "run_wave",
        "final_review",
        "judge_final",
        "fix",
        "resolve_final",
        "remember",
        "settle_memory",
        "summarise",
        "approve_completion",
    }
)
"""Steps that build on complete phases. `close_wave` and `resolve_wave` lead to the lowest open
wave by themselves.
"""


def plan_shown(run: GovernedRun) -> str:
    plan = plan_of(run)
    lines = [
        f"{plan.task_title}: {plan.summary}",
        (
            f"{plan.complexity_tier}, confidence {plan.confidence:g}, reviewers: "
            f"{', '.join(run.reviewers) or 'none'}"
        ),
    ]
    for number, phases in plan.waves:
        lines += [f"  wave {number}: {each.name} ({each.executor_agent})" for each in phases]
    lines += [
        f"  decided with it: {each.question} {each.recommendation}" for each in plan.open_questions
    ]
    lines += [f"  note: {each}" for each in check_plan(plan).remarks]
    lines += [f"  unresolved high risk: {each.category}" for each in plan.unresolved_risks]
    return "\n".join([*lines, ""])


_STUCK = {
    STAGNATED: "The last two revisions of the plan brought next to nothing.",
    USED_UP: "The plan was revised as often as the policy allows.",
}


def plan_stuck(run: GovernedRun) -> str:
    lines = [
        *filter(None, [_STUCK.get(run.convergence, "")]),
        *(f"- {each}" for each in run.findings[:10]),
    ]
    return "\n".join([*lines, ""]) if lines else ""


def wave_stuck(run: GovernedRun) -> str:
    return "".join(f"- {each}\n" for each in run.findings[:3])


def wave_shown(run: GovernedRun) -> str:
    if not run.approvals:
        return ""
    asked = run.approvals[0]
    parts = [f"  {detail}" for detail in asked["details"]]
    return "\n".join([*phases_done(run), asked["prompt"], *parts, ""])


def result_shown(run: GovernedRun) -> str:
    summed_up = (
        f"{len(run.complete)} of {counted(len(run.todos))} complete; "
        f"{paths.complete_path(run.task)} sums them up."
    )
    return "\n".join([*phases_done(run), summed_up])


def phases_done(run: GovernedRun) -> list[str]:
    """Of each phase that is done: what its review says, what it changed, and its proof."""
    lines = []
    for number, record in sorted(run.records.items(), key=lambda item: int(item[0])):
        title = record.get("title", "")
        lines.append(f"Phase {number} — {title}: {_reviewed(record)}; {_files(record)}")
        lines += details(record)
    return lines


def _reviewed(record: Mapping[str, Any]) -> str:
    review = record.get("review") or {}
    if not review:
        return "no code review"
    issues = len(review.get("issues", ()))
    return f"review {review['status']}" + (f" with {issues} remarks" if issues else "")


def _files(record: Mapping[str, Any]) -> str:
    changed = record.get("changed", ())
    more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return f"changed {', '.join(changed[:_NAMED])}{more}" if changed else "changed no file"


def fixed(run: GovernedRun) -> None:
    """Take over what fixed phases changed; phases that were not fixed are reported."""
    open_ = [
        f"phase {name}: {each['why']}"
        for name, each in sorted(run.ended.items())
        if each["result"] != "complete"
    ]
    taken = closing.folded(run)
    run.records, run.touched, run.lessons = taken["records"], taken["touched"], taken["lessons"]
    run.findings = open_ or run.findings
    run.ended, run.fixes, run.final_asked = {}, [], False


def redraft(run: GovernedRun, why: str = "") -> Literal["draft"]:
    """Back to the planner: approvals and reviews of the old version do not apply to the new one."""
    run.consented = run.sound = run.fit = run.rehearsed = run.final_asked = False
    run.asked_again, run.approvals, run.fixes, run.wave, run.final_cycles = [], [], [], 0, 0
    if why:
        run.findings = [why]
    return "draft"


def reread(run: GovernedRun) -> Literal["check_plan"]:
    """The plan on disk is not the one that was checked: it is read again, and everybody is asked
    again.
    """
    run.sent, run.reviewing, run.approvals, run.wave = {}, False, [], 0
    return "check_plan"


def settled(run: GovernedRun) -> None:
    """A review has ended. If a phase or a person sends the plan back later, that starts new
    rounds.
    """
    run.reviewing = run.rehearsed = False
    run.revisions, run.asked_again, run.rounds = 0, [], []


def moved(run: GovernedRun, step: str) -> None:
    run.step = step
    run.visits[step] = run.visits.get(step, 0) + 1


def sent_on(run: GovernedRun) -> None:
    """A person sends on a stopped run: it continues with its next wave, or with its plan."""
    if run.stopped:
        run.stopped, run.replans, run.failed = False, 0, {}
        run.visits[run.step] = max(0, run.visits.get(run.step, 1) - 1)
        moved(run, "open_wave" if run.plan and run.consented else "draft")


def set_back(run: GovernedRun) -> None:
    """Something that an earlier step relied on changed. Results of finished phases are taken in,
    and the plan is read again.
    """
    if run.ended and run.plan:
        for name, value in closing.folded(run).items():
            setattr(run, name, value)
    if run.step in ABOUT_THE_PLAN:
        if run.step in {"audit", "rehearse"}:
            run.visits[run.step] = max(
                0, run.visits.get(run.step, 1) - 1
            )  # nobody was asked in that visit
        run.sent, run.reviewing = {}, False
        moved(run, "check_plan")


def reconcile(run: GovernedRun, read: Callable[[str], str | None]) -> tuple[str, ...]:
    """Make the todos match the phases' documents; done first after a restart."""
    if not run.plan or not run.todos:
        return ()
    verified = [
        number
        for number in run.complete
        if phase_of(read(paths.phase_path(run.task, number)) or "") == number
    ]
    todos, changes = reconciled(todos_of(run), plan_of(run), verified)
    if changes:
        again = len(verified) < len(run.complete)
        run.complete = verified
        run.todos = [[each.phase_id, each.title, each.done] for each in todos]
        if again and run.step in AFTER_A_WAVE_OPENED and not run.stopped:
            reopened(run)
    return changes


def reopened(run: GovernedRun) -> None:
    """A phase is open again: its wave is asked for first, and approvals of later waves no longer
    count.
    """
    run.approvals, run.fixes, run.ended, run.wave, run.final_asked = [], [], {}, 0, False
    moved(run, "open_wave")
