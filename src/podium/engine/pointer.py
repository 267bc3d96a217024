"""Where a run's pointer stands, and what it means when a person moved it by hand."""

from __future__ import annotations

import difflib

from podium.core import events
from podium.core.advance import entered
from podium.core.errors import Fault, InputError
from podium.core.run import DONE
from podium.core.workflow import Step
from podium.engine.session import Session


def known_step(session: Session) -> Step:
    """The step the run stands at; a name that the workflow does not have stops with the nearest ones."""
    step = session.workflow.steps.get(session.run.step)
    if step is None:
        near = difflib.get_close_matches(session.run.step, session.workflow.steps, 3)
        raise InputError(
            Fault(
                str(session.folder.state),
                f"step is {session.run.step!r}, which {session.workflow.name} does not have",
                f"one of {', '.join(near or session.workflow.steps)}",
            )
        )
    return step


def obey_state(session: Session, changes: tuple[str, ...]) -> None:
    """A person edited the state file. A step set by hand is entered anew, so that what was done there is done again."""
    run = session.run
    if run.step != DONE:
        known_step(session)
        if any(each.startswith("step: ") for each in changes) and not any(each.startswith("visits") for each in changes):
            run = entered(run, run.step)
            session.workflow.rewound(run)
    path = str(session.folder.state.relative_to(session.services.project))
    session.commit(run, events.run_edited(run, path, changes))
