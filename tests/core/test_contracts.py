"""A contract is a closed list: what is not named in it is not allowed, and functions do not make
two of it.
"""

from __future__ import annotations

import dataclasses

import pytest

from podium.core.contract import Brief, Contract, Input, Output


def test_a_contract_with_nothing_but_a_role_allows_nothing() -> None:
    bare = Contract(role="qa")
    assert (bare.inputs, bare.outputs, bare.code, bare.writable, bare.evidence) == (
        (),
        (),
        "none",
        (),
        (),
    )
    assert bare.proof_of_change == "none"


def test_an_input_is_required_and_does_not_count_for_staleness_unless_said_so() -> None:
    found = Input("task", "harness/tasks/T1.md")
    assert (found.required, found.material, found.essence) == (True, False, None)


@pytest.mark.parametrize("value", [Input("a", "a.md"), Output("a", "a.md"), Contract(role="a")])
def test_none_of_it_can_be_changed_after_it_was_made(value: object) -> None:
    name = dataclasses.fields(value)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, "another")


def test_two_contracts_that_name_the_same_files_are_equal_whatever_their_functions() -> None:
    one = Output(
        "spec", "spec.md", check=lambda *_: (), compose=lambda *_: "", structure=lambda _: ()
    )
    other = Output("spec", "spec.md", check=lambda *_: ("never",))
    assert Contract("r", (Input("a", "a", essence=str.upper),), (one,)) == Contract(
        "r", (Input("a", "a"),), (other,)
    )


@pytest.mark.parametrize(
    "other",
    [
        Input("a", "b.md"),
        Input("b", "a.md"),
        Input("a", "a.md", required=False),
        Input("a", "a.md", material=True),
    ],
)
def test_another_file_or_another_duty_is_another_input(other: Input) -> None:
    assert other != Input("a", "a.md")


def test_functions_stay_out_of_what_is_shown_of_a_contract() -> None:
    shown = repr(
        Contract(
            "r", (Input("a", "a", essence=str.upper),), (Output("o", "o", check=lambda *_: ()),)
        )
    )
    assert "function" not in shown
    assert "method" not in shown


def test_a_brief_without_a_past_has_no_notes_history_or_facts() -> None:
    brief = Brief("k", "r", "d", "s", "t", (), (), "none", (), ())
    assert (brief.notes, brief.history, brief.facts) == ((), (), {})
