"""Notices beside a run: once, in order, and never in its way."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.reach.test_notice import GATE, fact

from podium.reach.channel import Undelivered
from podium.reach.courier import RECORD, Courier, Wanted, failures
from podium.reach.notice import EVENTS, About, Notice

DONE = fact("run.completed", outcome="complete", state={"status": "complete"}) | {"seq": 9}


@dataclass
class Way:
    """A way that keeps what it is given; `raises` fails it, `gate` makes it wait."""

    name: str = "way"
    raises: BaseException | None = None
    gate: threading.Event | None = None
    got: list[Notice] = field(default_factory=list)

    def send(self, notice: Notice) -> None:
        if self.gate is not None:
            self.gate.wait(10)
        if self.raises is not None:
            raise self.raises
        self.got.append(notice)


def courier(
    folder: Path,
    *ways: Way,
    events: frozenset[str] = frozenset(EVENTS),
    redact: Any = lambda value: value,
) -> Courier:
    about = lambda run: About(run, "harness", f"title of {run} s3cret")  # noqa: E731
    return Courier(Wanted(ways, events, "", redact), about, lambda _: folder, hold_s=0.05)


def test_every_way_gets_every_chosen_event_once_and_in_order(tmp_path: Path) -> None:
    first, second = Way("one"), Way("two")
    told = courier(tmp_path, first, second, events=frozenset({"gate", "complete"}))
    for event in (GATE, fact("run.blocked", stop="rule", state={}), DONE):
        told.event(event)
    assert told.settle() == []
    assert (
        [each.event for each in first.got]
        == [each.event for each in second.got]
        == ["gate", "complete"]
    )
    assert first.got[0].title == "title of T1-a s3cret"


def test_a_gate_that_was_approved_beforehand_is_not_told(tmp_path: Path) -> None:
    way = Way()
    told = courier(tmp_path, way)
    told.event(GATE)
    told.event(
        fact(
            "gate.decided", key="approve-build", decision="approved", by="Ada", note="", subject={}
        )
    )
    told.event(DONE)
    told.settle()
    assert [each.event for each in way.got] == ["complete"]


def test_a_gate_that_opens_again_is_told_again(tmp_path: Path) -> None:
    way = Way()
    told = courier(tmp_path, way)
    told.event(fact("gate.stale", key="approve-build", because=[]))
    told.event(GATE)
    told.settle()
    assert len(way.got) == 1


def test_a_way_that_hangs_does_not_hold_the_run_and_is_given_up(tmp_path: Path) -> None:
    slow = Way(gate=threading.Event())
    told = courier(tmp_path, slow)
    before = time.monotonic()
    told.event(DONE)
    assert time.monotonic() - before < 0.5
    assert "gave up after 0.1 s" in told.settle(0.1)[0]
    assert slow.gate
    slow.gate.set()


def test_a_way_that_fails_is_told_recorded_and_does_not_stop_the_next(tmp_path: Path) -> None:
    bad, bug, good = (
        Way("webhook", Undelivered("host answered 500")),
        Way("bug", RuntimeError("oops")),
        Way("command"),
    )
    told = courier(tmp_path, bad, bug, good)
    told.event(DONE)
    said = told.settle()
    assert said[0] == "[notify] webhook: complete was not delivered: host answered 500"
    assert "RuntimeError: oops" in said[1]
    assert len(good.got) == 1
    lines = [json.loads(line) for line in (tmp_path / RECORD).read_text().splitlines()]
    assert [(line["channel"], line["ok"]) for line in lines] == [
        ("webhook", False),
        ("bug", False),
        ("command", True),
    ]
    assert {each["channel"] for each in failures(tmp_path)} == {"webhook", "bug"}


def test_a_way_that_works_again_is_no_failure_any_more(tmp_path: Path) -> None:
    way = Way("webhook", Undelivered("no"))
    told = courier(tmp_path, way)
    told.event(DONE)
    told.settle()
    way.raises = None
    told = courier(tmp_path, way)
    told.event(DONE)
    told.settle()
    assert failures(tmp_path) == []


def test_what_cannot_be_read_about_a_run_never_reaches_the_run(tmp_path: Path) -> None:
    def about(run: str) -> About:
        raise OSError("gone")

    told = Courier(Wanted([Way()], frozenset(EVENTS)), about, lambda _: tmp_path)
    told.event(DONE)
    told.event({"type": "gate.opened"})
    assert "OSError: gone" in told.settle()[0]


def test_secrets_are_cut_out_of_title_and_prompt(tmp_path: Path) -> None:
    from podium.verify.redact import Redactor  # noqa: PLC0415

    way = Way()
    told = courier(tmp_path, way, redact=Redactor({"API_KEY": "s3cret-s3cret"}).data)
    told.event({**GATE, "prompt": "use s3cret-s3cret"})
    told.settle()
    assert way.got[0].body()["gate"]["prompt"] == "use [redacted]"


def test_damaged_records_are_no_failures(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text('x\n[1]\n{"channel": 3}\n')
    assert failures(tmp_path) == []
    assert failures(tmp_path / "no") == []
