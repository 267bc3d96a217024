"""What a state file says is enough to rebuild the run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.run import ENDED, RESTING, WHOLE, Run, Status, copied, counters, restored


@dataclass(kw_only=True)
class Counted(Run):
    retries: int = 0
    tries: dict[str, int] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)


runs = st.builds(
    Counted,
    step=st.sampled_from(["build", "qa"]),
    status=st.sampled_from(Status),
    reason=st.text(),
    stop=st.text(),
    note=st.text(),
    visits=st.dictionaries(st.text(), st.integers()),
    retries=st.integers(),
    tries=st.dictionaries(st.text(), st.integers()),
    order=st.lists(st.text()),
)


@given(runs)
def test_a_run_survives_the_way_through_json(run: Counted) -> None:
    again = restored(Counted, run.step, json.loads(json.dumps(counters(run))))
    assert again == run
    assert (again.visits, again.note) == (run.visits, run.note)


def test_the_pointer_is_not_among_the_counters() -> None:
    assert counters(Counted(step="qa", retries=1)) == {
        "status": "active",
        "reason": "",
        "stop": "",
        "note": "",
        "visits": {},
        "retries": 1,
        "tries": {},
        "order": [],
    }


def test_what_counters_give_away_is_a_copy() -> None:
    run = Counted(step="qa")
    counters(run)["tries"]["x"] = 1
    assert run.tries == {}


def test_a_copy_shares_what_is_only_ever_replaced_and_nothing_else() -> None:
    @dataclass(kw_only=True)
    class Planned(Counted):
        plan: dict[str, list[str]] = field(default_factory=dict, metadata=WHOLE)
        nested: dict[str, list[str]] = field(default_factory=dict)

    run = Planned(step="qa", plan={"phases": ["1"]}, nested={"a": ["1"]}, order=["x"])
    twin = copied(run)
    assert twin == run
    assert twin.plan is run.plan
    twin.nested["a"].append("2")
    twin.order.append("y")
    twin.tries["x"] = 1
    assert (run.nested, run.order, run.tries) == ({"a": ["1"]}, ["x"], {})


def test_a_member_nobody_knows_is_named_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"unknown member 'retrys' \(known: .*retries.*\)"):
        restored(Counted, "qa", {"retrys": 1})


def test_a_missing_member_keeps_its_default_and_a_wrong_status_is_refused() -> None:
    assert restored(Counted, "qa", {}) == Counted(step="qa")
    with pytest.raises(ValueError, match="'sleepy'"):
        restored(Counted, "qa", {"status": "sleepy"})


def test_only_an_active_run_is_the_engines_move_and_two_states_are_final() -> None:
    assert set(Status) - RESTING == {Status.ACTIVE}
    assert {Status.COMPLETE, Status.CANCELLED} == ENDED


def test_a_step_never_entered_counts_as_the_first_visit() -> None:
    assert Run(step="build").visit() == 1
    assert Run(step="build", visits={"build": 3}).visit() == 3
