"""What a person can do next, as commands they can paste."""

from __future__ import annotations

from collections.abc import Sequence

from podium.core.records import GateRecord
from podium.core.run import Run, Status


def for_run(
    run_id: str,
    run: Run,
    gates: Sequence[GateRecord],
    *,
    unchanged: bool = False,
    driven: bool = False,
) -> tuple[str, ...]:
    match run.status:
        case Status.COMPLETE:
            return (f"podium report {run_id}",)
        case Status.CANCELLED:
            return (f"podium log {run_id}",)
        case Status.WAITING if not gates:
            return (f"podium resume {run_id}",)
        case Status.WAITING:
            return tuple(
                line for gate in gates for line in _for_gate(run_id, gate, several=len(gates) > 1)
            )
        case Status.SLEEPING:
            return (f"podium resume {run_id}",)
        case Status.BLOCKED:
            said = ("nothing has changed since it was blocked",) if unchanged else ()
            # A run keeps the policy it began with, so a person who changed podium.toml must be
            # told.
            more = (
                (
                    (
                        f"podium resume {run_id} --set KEY=VALUE  # a policy; podium.toml counts "
                        "for new runs"
                    ),
                )
                if unchanged
                else ()
            )
            return (
                *said,
                f"podium show {run_id}",
                f'podium resume {run_id} --because "what you changed or decided"',
                *more,
            )
        case _:
            return (f"podium {'watch' if driven else 'resume'} {run_id}",)


def _for_gate(run_id: str, gate: GateRecord, *, several: bool) -> list[str]:
    which = f" --gate {gate.key}" if several else ""
    if gate.kind in {"question", "drift"}:
        answers = [f"--choice {each}" for each in gate.choices] or ['--text "your answer"']
        return [f"podium answer {run_id}{which} {each} --go" for each in answers]
    return [
        f"podium approve {run_id}{which} --go",
        f'podium reject {run_id}{which} --note "why" --go',
    ]
