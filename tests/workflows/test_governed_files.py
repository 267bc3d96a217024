"""The sink is only ever added to, by a run and its phases in any order, and holds every payload
as often as it came.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from podium.core.history import History
from podium.workflows.governed.exchange import files
from podium.workflows.governed.exchange.gate_events import JOURNAL
from podium.workflows.governed.paths import sink_path

TRACE = "b2738049-6643-4e42-aed0-2693f001a015"
words = st.lists(st.sampled_from(["one", "two", "three"]), max_size=6)


def projected(history: list[str], before: str | None) -> str | None:
    """The sink after a run with these gate events was saved over what stood there."""
    events = [
        {
            "type": JOURNAL,
            "ts": "2026-01-15T12:00:00.000Z",
            "event": {"phase_id": None, "reason": each},
        }
        for each in history
    ]
    told = History([])
    told.own += events
    for document in files.projections("task", TRACE, told):
        assert document.path == sink_path("task")
        return document.render(before, "")
    return before


def test_there_is_no_sink_before_there_is_a_payload() -> None:
    assert projected([], None) is None


def test_the_same_payload_twice_is_two_lines_whenever_it_is_saved() -> None:
    at_once = projected(["one", "one"], None)
    assert at_once == projected(["one", "one"], projected(["one"], None))
    assert (at_once or "").count("\n") == 2


@given(words, words)
def test_saving_again_changes_nothing_and_what_others_wrote_stays(
    first: list[str], second: list[str]
) -> None:
    before = projected(first, None)
    after = projected(second, before)
    assert projected(second, after) == after
    assert (after or "").startswith(before or "")
    lines = Counter((after or "").splitlines())
    assert lines.total() == (Counter(first) | Counter(second)).total()
