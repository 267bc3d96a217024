"""Which call answers which dispatch."""

from __future__ import annotations

import pytest

from podium.agents.scenario import Call, Scenario

ONE, TWO, THREE = Call(say="one"), Call(say="two"), Call(say="three")


def test_a_roles_calls_are_taken_in_turn_and_the_last_repeats() -> None:
    scenario = Scenario(agents={"build": (ONE, TWO)})
    assert [scenario.choose("build", f"build/{n + 1}", n) for n in range(4)] == [ONE, TWO, TWO, TWO]


def test_a_role_that_is_not_listed_takes_the_default_which_behaves_well() -> None:
    assert Scenario().choose("qa", "qa/1", 0) == Call(behave_well=True)
    assert Scenario(defaults=THREE).choose("qa", "qa/1", 7) == THREE


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("build/2", TWO),
        ("build/1", THREE),
        ("build/3", THREE),
        ("item/US-7/testing/2", ONE),
        ("specification", TWO),
        ("qa/1", ONE),
    ],
)
def test_a_key_wins_over_the_role_and_an_exact_key_over_a_pattern(key: str, expected: Call) -> None:
    keys = {
        "build/*": (THREE,),
        "build/2": (TWO,),
        "item/*/testing/*": (ONE,),
        "specification/1": (TWO,),
        "qa": (ONE,),
    }
    scenario = Scenario(agents={"any": (Call(),)}, keys=keys)
    assert scenario.choose("any", key, 0) == expected


def test_of_two_patterns_the_first_listed_wins() -> None:
    assert Scenario(keys={"b*": (ONE,), "build/*": (TWO,)}).choose("build", "build/3", 0) == ONE


def test_a_keys_calls_count_its_attempts_not_the_roles_calls() -> None:
    scenario = Scenario(keys={"build/*": (ONE, TWO)})
    assert [scenario.choose("build", "build/4", 9, attempt) for attempt in (1, 2, 3)] == [
        ONE,
        TWO,
        TWO,
    ]


def test_a_call_that_hangs_is_over_when_the_engine_was_killed_in_it() -> None:
    hang = Call(fail="hang")
    scenario = Scenario(
        agents={"build": (hang, ONE, TWO), "qa": (hang,)}, keys={"design": (hang, THREE)}
    )
    assert [scenario.choose("build", "build/1", n) for n in range(3)] == [hang, ONE, TWO]
    assert [scenario.choose("build", "build/1", n, cut=1) for n in range(3)] == [ONE, TWO, TWO]
    assert scenario.choose("qa", "qa/1", 0, cut=1) == hang
    assert scenario.choose("any", "design", 0, turn=1, cut=1) == THREE
