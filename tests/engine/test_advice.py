"""What a person can do next is a command they can paste, for every way a run can rest."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from podium.core.records import GateRecord
from podium.core.run import Run, Status
from podium.engine.advice import for_run


def gate(
    key: str = "approve-build", kind: str = "approval", choices: tuple[str, ...] = ("approved",)
) -> GateRecord:
    return GateRecord(key, "s", kind, "?", choices, {}, "", 1)


def advice(status: Status, *gates: GateRecord, **more: Any) -> tuple[str, ...]:
    return for_run("T1", Run(step="s", status=status), gates, **more)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (Status.ACTIVE, ("podium resume T1",)),
        (Status.SLEEPING, ("podium resume T1",)),
        (Status.COMPLETE, ("podium report T1",)),
        (Status.CANCELLED, ("podium log T1",)),
        (Status.WAITING, ("podium resume T1",)),
        (
            Status.BLOCKED,
            ("podium show T1", 'podium resume T1 --because "what you changed or decided"'),
        ),
    ],
)
def test_each_rest_has_its_command(status: Status, said: tuple[str, ...]) -> None:
    assert advice(status) == said


def test_a_run_that_somebody_drives_is_watched_not_resumed() -> None:
    assert advice(Status.ACTIVE, driven=True) == ("podium watch T1",)


def test_a_gate_is_approved_or_rejected() -> None:
    assert advice(Status.WAITING, gate()) == (
        "podium approve T1 --go",
        'podium reject T1 --note "why" --go',
    )


def test_a_question_is_answered_with_one_of_its_choices_or_in_words() -> None:
    assert advice(Status.WAITING, gate(kind="question", choices=("a", "b"))) == (
        "podium answer T1 --choice a --go",
        "podium answer T1 --choice b --go",
    )
    assert advice(Status.WAITING, gate(kind="question", choices=())) == (
        'podium answer T1 --text "your answer" --go',
    )


def test_a_drift_is_answered_too() -> None:
    assert advice(Status.WAITING, gate(kind="drift", choices=("keep", "restore")))[0].startswith(
        "podium answer T1"
    )


def test_of_several_gates_each_is_named() -> None:
    said = advice(Status.WAITING, gate("a"), gate("b", kind="question"))
    assert [line for line in said if "--gate a" in line] == [
        "podium approve T1 --gate a --go",
        'podium reject T1 --gate a --note "why" --go',
    ]
    assert said[-1].startswith("podium answer T1 --gate b")


def test_a_blocked_run_that_nobody_touched_says_so() -> None:
    assert advice(Status.BLOCKED, unchanged=True)[0] == "nothing has changed since it was blocked"


@pytest.mark.parametrize("status", list(Status))
def test_every_command_can_be_pasted(status: Status) -> None:
    for line in advice(status, gate(), gate("q/question-1", "question", ())):
        assert shlex.split(line)[0] == "podium"
        assert "T1" in shlex.split(line)
