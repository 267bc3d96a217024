"""What the program saw of one command, as the journal has it, made by the type that makes it."""

from __future__ import annotations

from typing import Any

from podium.proof.evidence import Evidence, State, to_json

_EXITS: dict[State, int | None] = {"passed": 0, "failed": 1, "failed_before": 1, "not_run": 127}
_WHY: dict[State, str] = {
    "passed": "",
    "failed": "exit 1",
    "failed_before": "as before",
    "not_run": "a program was not found (exit 127)",
}


def evidence(
    state: State = "passed",
    command: str = "make test",
    *,
    output: str = "",
    waived: str = "",
    **facts: Any,
) -> dict[str, Any]:
    """`output`: the last that it printed. `waived`: who goes on without it. `facts`: members of
    `Evidence`.
    """
    known = {"name": "test", "exit": _EXITS[state], "why": _WHY[state], **facts}
    record = to_json(Evidence(command=command, state=state, **known))
    more = {"output": output, "waived": waived}
    return {**record, **{name: text for name, text in more.items() if text}}
