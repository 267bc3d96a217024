"""`podium report --html`: one self-contained page. The same run gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from podium.core.records import StepRecord
from podium.core.workflow import Workflow
from podium.views.chained import checked
from podium.views.lines import log_line
from podium.views.report.ledger import Ledger, findings
from podium.views.report.report import OTHERS
from podium.views.text import Told, board_of
from podium.web.pages import diagram, parts
from podium.web.pages.progress import by_role
from podium.web.pages.rendering import render
from podium.web.pages.run import head
from podium.web.pages.timeline import timeline
from podium.web.pages.tree import tree
from podium.web.pages.words import status_word

Event = Mapping[str, Any]

MANY = 60
"""Up to this many commands, and steps that passed, are all listed; of more, only those that need
a look.
"""
MOST = 1_000
"""The most rows of one table: a page attached to a review must open."""


def html(
    events: Sequence[Event],
    summary: Told,
    workflow: Workflow | None,
    request: Mapping[str, Any] | None = None,
    apart: str = "",
) -> str:
    """`request`: what the run was started with (request.json); `apart`: the repository of its
    branch, if separate.
    """
    board = board_of(summary, events, workflow.steps.values() if workflow is not None else ())
    ledger = Ledger(events)
    ran = parts.evidence(ledger.steps)
    shown = [each for each in ran if len(ran) <= MANY or each.state != "done"][:MOST]
    steps = _steps(ledger.steps)
    word = status_word(
        str(summary.status),
        driven=summary.holder is not None,
        asks=bool(summary.gates),
        outcome=str(summary.outcome),
    )
    told = head(summary, board, None)
    return render(
        "report.html",
        css=_css(),
        title=summary.title or summary.run,
        run=summary,
        status=word,
        head=told,
        held=parts.held(ledger.steps),
        dispatches=sum(record.calls for record in ledger.steps),
        open_gates=[(gate, board.commands(gate)) for gate in board.gates.values()]
        if not told.ended
        else [],
        tree=tree(board),
        timeline=timeline(events, None, board),
        decisions=[parts.decided(each) for each in ledger.decisions][:MOST],
        findings=[(record.key, each) for record in ledger.steps for each in findings(record)][
            :MOST
        ],
        evidence=shown,
        passed=len(ran) - len(shown),
        steps=[parts.step_line(each) for each in steps],
        unlisted=len(ledger.steps) - len(steps),
        artifacts=parts.artifacts(ledger)[:MOST],
        commits=parts.made(ledger, summary.run, apart)[:MOST],
        troubles=parts.troubles(ledger.steps)[:MOST],
        others=[log_line(event, 400) for event in events if event.get("type") in OTHERS][:MOST],
        used=by_role(ledger.steps),
        environment=_environment(events, request or {}),
        roles=parts.definitions(ledger.steps),
        diagram=diagram.drawn(workflow, events, summary.step) if workflow is not None else None,
        small=workflow is not None and len(workflow.steps) <= 10,
        chain=checked(events),
    )


def _steps(records: Sequence[StepRecord]) -> list[StepRecord]:
    """What agents did, and what did not pass; for a long run only what failed or needed more
    than one attempt.
    """
    worth = [each for each in records if each.kind == "dispatch" or each.outcome != "ok"]
    if len(worth) <= MOST // 2:
        return worth
    return [each for each in worth if each.outcome != "ok" or each.tried or each.rejected][
        : MOST // 2
    ]


def _environment(events: Sequence[Event], request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Versions, agents, commands and policy that the run was started with."""
    versions = dict.fromkeys(str(event["version"]) for event in events if event.get("version"))
    found = [("podium", ", ".join(versions))] if versions else []
    asked = request.get("versions")
    found += (
        [(str(name), str(value)) for name, value in sorted(asked.items()) if name != "podium"]
        if isinstance(asked, Mapping)
        else []
    )
    if request.get("agent"):
        found.append(("agent", _agent(request["agent"])))
    for title, member in (("role", "roles"), ("command", "commands"), ("policy", "policy")):
        told = request.get(member)
        for name, value in sorted(told.items()) if isinstance(told, Mapping) else ():
            if value not in ("", None):
                found.append((f"{title} {name}", _agent(value) if title == "role" else str(value)))
    return found


def _agent(spec: object) -> str:
    """An agent without its file's folder, because the report leaves the machine."""
    kind, colon, rest = str(spec).partition(":")
    return (
        f"{kind}{colon}{rest.rpartition('/')[2]}" if colon and rest.startswith("/") else str(spec)
    )


@cache
def _css() -> Markup:
    text = files("podium.web").joinpath("static/app.css").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704  # our own style sheet
