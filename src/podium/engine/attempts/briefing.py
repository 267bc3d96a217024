"""Makes the brief of one dispatch from a contract and a run. Nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence

from podium.core.contract import Brief, Contract
from podium.core.digest import MISSING
from podium.core.records import StepRecord
from podium.engine.inputs import Inputs
from podium.engine.session import Session

CHANGES = "changes: all code that this run has changed, as one difference"
KEPT_LINES = 8
"""Lines kept of each earlier failure: enough to act on, too few to drown out the task."""


def brief(session: Session, key: str, contract: Contract, inputs: Inputs) -> Brief:
    about = session.workflow.about(session.run, session.history, session.services.today())
    definition = session.services.define(
        contract.role, session.workflow.roles().get(contract.role, "")
    )
    record = session.history.steps.get(key)
    templates = {
        each.name: session.text(each.source) or "" for each in contract.outputs if each.template
    }
    dialect = session.services.dialects.get(contract.dialect)
    return Brief(
        key=key,
        role=contract.role,
        definition=definition.text,
        definition_source=definition.source,
        definition_digest=definition.digest,
        task="\n".join(part for part in (about.task, *contract.told) if part),
        inputs=(
            *(
                (each.name, each.path, value)
                for each in contract.inputs
                if (value := inputs.digests[each.path]) != MISSING
            ),
            # It is made together with the view, which does not exist yet.
            *(
                ((CHANGES, contract.changes, ""),)
                if contract.changes and contract.code != "none"
                else ()
            ),
        ),
        outputs=tuple(
            (
                each.name,
                each.path,
                each.structure(templates.get(each.name, "")) if each.structure else (),
            )
            for each in contract.outputs
        ),
        code=contract.code,
        scope=_scope(contract),
        vocabulary=dialect.told if dialect else (),
        notes=(*about.notes, *_answers(session, key)),
        history=_history(record),
        facts=about.facts,
        context=(*contract.context, *_quoted(inputs, contract)),
        opening=contract.opening,
    )


def _quoted(inputs: Inputs, contract: Contract) -> tuple[tuple[str, str], ...]:
    """The beginnings of inputs that the step need not open; one that is not there is named as
    such.
    """
    texts = [(each, inputs.text(each.path)) for each in contract.inputs if each.quoted != 0]
    return tuple(
        (each.path, _beginning(text, each.quoted) if text.strip() else "not available")
        for each, text in texts
    )


def _beginning(text: str, most: int | None) -> str:
    lines = text.splitlines()
    more = len(lines[most:]) if most is not None else 0
    return "\n".join([*lines[:most], *([f"({more} more lines in the file)"] if more else [])])


def _scope(contract: Contract) -> tuple[str, ...]:
    lines = ["Work only in this folder. Files you do not have here are not yours to read."]
    if contract.outputs:
        lines.append(
            "Write "
            + ", ".join(f"`{each.path}`" for each in contract.outputs)
            + " and no other file."
        )
    if contract.code == "write":
        where = f" below {', '.join(contract.writable)}" if contract.writable else ""
        lines.append(f"You may change the project's code and tests{where}.")
    elif contract.code == "read":
        lines.append("You may read the project's code and run its tests; you may not change it.")
    if contract.protected:
        lines.append("Never change: " + ", ".join(f"`{each}`" for each in contract.protected) + ".")
    lines.append(
        "Anything else you change is taken away, kept for inspection, and counted against you."
    )
    return tuple(lines)


def _answers(session: Session, key: str) -> tuple[str, ...]:
    """What people answered to this step's questions."""
    found = [
        gate
        for gate in session.history.gates.values()
        if gate.key.startswith(f"{key}/") and gate.decision
    ]
    return tuple(
        f"Asked: {each.prompt}\nAnswered by {each.by}: {each.decision}\n{each.note}".strip()
        for each in found
    )


def _history(record: StepRecord | None) -> tuple[str, ...]:
    if record is None:
        return ()
    return tuple(
        f"Attempt {each.attempt} ({each.classification}): {_first_lines(each.detail)}"
        for each in record.tried
    )


def _first_lines(detail: Sequence[str]) -> str:
    return "; ".join("\n  ".join(each.splitlines()[:KEPT_LINES]) for each in detail) or "no detail"
