"""One dispatch as the engine saw it, as a call of a scenario that does and says the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from podium.agents.protocol import Answer
from podium.agents.scenario import Call, FailureWord
from podium.agents.scenario_text import call_data
from podium.core.contract import Contract
from podium.core.effects import Stage
from podium.engine.attempts import recorded_files
from podium.engine.attempts import view as views
from podium.engine.session import Session
from podium.verify.guard import Tampered
from podium.verify.redact import Redactor


def saw(
    session: Session,
    key: str,
    contract: Contract,
    view: views.View,
    answer: Answer,
    tampered: Sequence[Tampered],
    call: int,
    turn: int,
) -> None:
    """Keep a call, if calls are kept; its files are read before any of them is undone."""
    services = session.services
    if services.recorder is None:
        return
    workspace = services.workspace() if view.code is not None else None
    files = recorded_files.find(view, workspace, contract.outputs)
    acts, copies = recorded_files.as_call(files, services.redact)
    line = {
        "key": key,
        "role": contract.role,
        "call": call,
        "turn": turn,
        "in_line": _in_line(session),
        "lost": [*files.lost, *(each.path for each in tampered)],
        "does": {**call_data(acts), **call_data(said(answer, services.redact))},
    }
    services.recorder.keep(line, copies)


def _in_line(session: Session) -> bool:
    """Whether this is a stage of the run itself; members of a cluster and child runs may work at
    the same time.
    """
    known = session.workflow.steps.get(session.run.step)
    return known is not None and isinstance(known.effect, Stage) and "/" not in session.opened.run


def said(answer: Answer, redact: Redactor) -> Call:
    """What came back, as a call that gives the same answer."""
    failure = answer.failure
    word: Any = (
        failure.kind
        if failure and failure.kind in get_args(FailureWord)
        else "crash"
        if failure
        else None
    )
    return Call(
        verdict=None if answer.verdict is None else redact.data(dict(answer.verdict)),
        usage=answer.usage,
        say=redact(answer.text),
        ask=answer.question,
        fail=word,
        retry_after=failure.retry_after if failure and word == "rate_limit" else None,
    )
