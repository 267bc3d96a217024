"""Caps on a run, on one step of it, and on a day: usage survives every resume, and unknown usage
is never zero.
"""

from __future__ import annotations

from collections.abc import Iterator

from podium.core import budget as rule
from podium.core import events
from podium.core.history import History
from podium.core.records import StepRecord
from podium.core.verdict import Judgement
from podium.engine.days import of_run
from podium.engine.session import Session
from podium.state import run_folder

Spent = dict[str, float | None]
UNCAPPED = rule.Caps()


def used(session: Session) -> Spent:
    """What the run and its children have used, according to their journals: a budget covers all
    of them.
    """
    services, root = session.services, session.folder.root_id
    family = [
        History(services.journal.read(each)) for each in run_folder.family(services.project, root)
    ]
    usages = [
        usage
        for each in family
        for usage in (*(said for _, said in each.usages), *[rule.CUT_OFF] * len(each.lost))
    ]
    timed = services.caps.wall_clock_s is not None
    seconds = rule.driven(session.opened.events, services.now().isoformat()) if timed else 0.0
    return rule.spent(usages, seconds, services.caps.estimate_usd)


def used_by_step(session: Session, record: StepRecord | None) -> Spent:
    """What one step has used so far, with all its attempts."""
    usages = [] if record is None else [*record.spent, *[rule.CUT_OFF] * record.lost]
    seconds = sum(float(each.get("seconds", 0.0)) for each in usages)
    return rule.spent(usages, seconds, session.services.caps.estimate_usd, rule.STEP)


def used_today(session: Session) -> Spent:
    """What all runs of the project have used since midnight; unknown if one of their journals
    cannot be read.
    """
    services, own = session.services, session.opened
    day, now = services.today(), services.now().isoformat()
    found = services.days.others(services.project, services.journal, own.run, day)
    found.append(of_run(own.run, session.history, own.events, day, now))
    usages = [usage for each in found for usage in each.usages]
    return rule.spent(
        usages, sum(each.seconds for each in found), services.caps.estimate_usd, rule.DAY
    )


def reached(session: Session, key: str = "", *, record: bool = True) -> Judgement | None:
    """The first cap that is used up, as the end of the step. `key`: the step about to dispatch;
    "" = any interrupted step.
    """
    if session.services.caps == UNCAPPED:
        return None
    found = next((each for each in _reached(session, key) if each is not None), None)
    if found is None:
        return None
    if record:
        session.append(events.budget_reached(found.axis, found.used, found.cap))
    return Judgement("fail", "budget", f"budget: {found.reason}", "held", stop="budget")


def _reached(session: Session, key: str) -> Iterator[rule.Reached | None]:
    caps = session.services.caps
    if of_step := caps.of(rule.STEP):
        steps = session.history.steps
        open_ = (
            [steps.get(key)]
            if key
            else [each for each in steps.values() if each.state == "interrupted"]
        )
        for each in open_:
            yield rule.reached(used_by_step(session, each), of_step)
    if of_run := caps.of(""):
        yield rule.reached(used(session), of_run)
    if of_day := caps.of(rule.DAY):
        yield rule.reached(used_today(session), of_day)
