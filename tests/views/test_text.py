"""`status` and `list` as people read them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.views import tickets
from tests.views.conftest import Told

from podium.views import safe
from podium.views.lines import log_line
from podium.views.report.ledger import Ledger
from podium.views.style import Style
from podium.views.text import listing, status


@pytest.mark.parametrize("width", [40, 80, 120])
def test_status_says_where_it_stands_and_what_to_type(steps, at_gate, told, width):
    text = status(told(), at_gate, steps=steps, width=width)
    assert "Your turn: approve-build" in text
    assert "podium approve T001-k3f9 --go" in text
    assert all(safe.cells(line) <= max(width, 48) for line in text.splitlines())


def test_status_of_a_run_nobody_drives(steps, at_second_build, told):
    text = status(told(status="active", step="build"), at_second_build, steps=steps)
    assert "nobody: it was stopped or died, and can be resumed" in text
    assert "stopped" in text.splitlines()[0]
    assert "running" not in text.splitlines()[0]
    held = told(status="active", step="build", holder={"pid": 7, "host": "h", "since": "12:00"})
    driven = status(held, at_second_build, steps=steps)
    assert "process 7 on h" in driven
    assert "running" in driven.splitlines()[0]


def test_a_gate_that_a_rewind_went_back_before_asks_nobody(steps, at_gate, told):
    rewound = {
        "type": "run.edited",
        "run": at_gate[0]["run"],
        "ts": at_gate[-1]["ts"],
        "path": "rewind",
        "changes": ["rewound to design by Ada"],
    }
    text = status(told(status="active", step="design"), [*at_gate, rewound], steps=steps)
    assert "needs your decision" not in text
    assert log_line(rewound).endswith(" rewound to design by Ada")


@dataclass(frozen=True)
class InLine(Told):
    """A run of a fleet."""

    waits: str = ""


def test_a_run_in_line_says_why_it_waits(steps, at_second_build, hostile):
    run = InLine("R1", status="active", step="build", waits="agents.claude: 3 of 3 under way")
    text = status(run, at_second_build, steps=steps)
    assert "waits    agents.claude: 3 of 3 under way" in text
    assert "can be resumed" not in text
    (line,) = [line for line in listing([run], 140).splitlines() if line.startswith("R1")]
    assert "in line" in line
    assert "agents.claude: 3 of 3" in line
    bad = InLine("R1", status="active", step="build", waits=hostile)
    assert all(
        line.isprintable()
        for text in (listing([bad], 80), status(bad, at_second_build))
        for line in text.split("\n")
    )


def test_the_newest_run_comes_first_and_columns_line_up(told):
    runs = [
        told("old", started="2026-01-01T00:00:00Z"),
        told("decided", started="2026-01-01T12:00:00Z", gates=()),
        told("new-and-longer", started="2026-01-02T00:00:00Z", status="complete"),
    ]
    lines = listing(runs, 100).splitlines()
    assert [line.split()[0] for line in lines] == ["RUN", "new-and-longer", "decided", "old"]
    at = lines[0].index("STATUS")
    assert lines[1][at:].startswith("complete")
    assert lines[2][at:].startswith("decided")
    assert lines[3][at:].startswith("waits for you")


def test_a_fact_that_is_longer_than_a_line_is_broken_at_words(told, steps, at_gate):
    told_twice = [
        *at_gate,
        {
            **at_gate[-1],
            "state": {
                **at_gate[-1]["state"],
                "warnings": ["the tests " + "fail as they did before " * 5 + "the run"],
            },
        },
    ]
    text = status(told(), told_twice, steps=steps, width=60)
    (at,) = [index for index, line in enumerate(text.splitlines()) if line.startswith(" warning")]
    told_lines = text.splitlines()[at : at + 3]
    assert [line[:10] for line in told_lines[1:]] == [" " * 10] * 2
    assert told_lines[-1].endswith("the run")
    assert max(map(len, text.splitlines())) <= 60


@pytest.mark.parametrize("width", [30, 60, 80, 200])
def test_hostile_summaries_are_harmless(told, hostile, attack, width):
    bad = told(
        hostile,
        title=hostile,
        workflow=hostile,
        status=hostile,
        step=hostile,
        reason=hostile,
        started=hostile,
        advice=(hostile,),
        holder={"pid": hostile, "host": hostile, "since": hostile},
        gates=(
            {
                "key": hostile,
                "prompt": hostile,
                "choices": [hostile],
                "subject": {hostile: hostile},
            },
        ),
    )
    for text in (listing([bad, told()], width), status(bad, attack, width=width)):
        assert all(line.isprintable() and len(line) < 1000 for line in text.split("\n"))


def test_colour_is_only_added_where_asked(told):
    assert "\x1b[1;33m" in listing([told()], 100, Style(color=True))
    assert "\x1b" not in listing([told()], 100)
    assert listing([]).startswith("No runs yet")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_status_of_a_run_with_groups_shows_its_table_and_its_progress(told, width):
    story = tickets.TicketStory()
    story.group_a()
    story.develop("TASK-4")
    text = status(
        told(workflow="ticket", status="active", step="develop", title="X-1 add words"),
        story.told,
        steps=tickets.STEPS,
        width=width,
    )
    assert all(safe.cells(line) <= width for line in text.splitlines())
    assert "✓ group A" in text
    assert "● TASK-4" in text
    assert "counters" not in text
    if width == 120:
        assert (
            "progress 71%, 3 of 4 tasks, 1 of 2 groups, about 2m left (low confidence), "
            "iteration 1 of 5"
        ) in text
        assert "branch   feature/X-1_a_b_c" in text
    assert "commits  0123456789" in status(
        told(status="complete", step="done"), tickets.whole().told, steps=tickets.STEPS
    )


def test_a_gate_of_a_cancelled_run_was_left_undecided(at_gate):
    assert [each.word for each in Ledger(at_gate).decisions] == ["open"]
    cancelled = {**at_gate[-1], "type": "run.cancelled", "reason": "void"}
    assert [each.word for each in Ledger([*at_gate, cancelled]).decisions] == ["left undecided"]
