"""Queues by labels, and what a driver's end means."""

import pytest

from podium.core.run import Status
from podium.fleet.engines.dispatching import queue_of, queues_for
from podium.fleet.orders import CODES, Order, Result, reason, result_of, standing


def test_a_worker_serves_every_queue_whose_needs_it_has_and_the_most_demanding_first() -> None:
    assert queues_for(()) == ["podium"]
    assert queues_for(("gpu", "claude", "gpu")) == [
        "podium.claude.gpu",
        "podium.claude",
        "podium.gpu",
        "podium",
    ]
    assert queue_of(["gpu", "claude"]) in queues_for(["claude", "gpu", "big"])
    assert queue_of(["gpu"]) not in queues_for(["claude"])


@pytest.mark.parametrize(
    ("status", "result"),
    [
        (Status.COMPLETE, Result.FINISHED),
        (Status.CANCELLED, Result.FINISHED),
        (Status.ACTIVE, Result.CONTINUE),
        (Status.WAITING, Result.PARKED),
        (Status.SLEEPING, Result.PARKED),
        (Status.BLOCKED, Result.PARKED),
    ],
)
def test_a_run_that_rests_leaves_the_engine(status: Status, result: Result) -> None:
    assert standing(status) is result


def test_every_end_of_a_driver_is_told_apart_and_an_unknown_one_is_a_failure() -> None:
    assert [result_of(code) for code in CODES.values()] == list(CODES)
    assert [result_of(code) for code in (1, -9, 137)] == [Result.FAILED] * 3


def test_an_order_survives_its_way_to_the_driver() -> None:
    order = Order("r", "postgresql://x", "git@host:p", "/work", "w", 2.5, 3)
    assert Order.read(order.line()) == order


@pytest.mark.parametrize(
    ("types", "said", "why"),
    [
        (["run.started", "run.blocked"], {"resume@2": {"because": "mended"}}, "mended"),
        (["run.started", "run.blocked"], {}, ""),
        (["run.started"], {"resume@1": {"because": "for nothing"}}, ""),
        (
            ["run.started", "run.blocked", "run.resumed", "run.blocked"],
            {"resume@2": {"because": "the time before"}},
            "",
        ),
        (["run.started", "run.blocked"], {"resume@x": {"because": "no number"}, "gate@2": {}}, ""),
    ],
)
def test_a_blocked_run_goes_on_for_what_was_said_since(
    types: list[str], said: dict[str, dict[str, str]], why: str
) -> None:
    events = [{"type": each, "seq": seq} for seq, each in enumerate(types, 1)]
    assert reason(events, said) == why
