from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.workflows.governed.policy.keys import KEYS, TABLES, PolicyKey
from podium.workflows.governed.policy.policy import DEFAULT, PATH, Policy, read_policy

FILES = Path(__file__).parent / "governed_policies"


def nested(name: str, value: Any) -> str:
    for part in reversed(name.split(".")):
        value = {part: value}
    return json.dumps(value)


def faults(text: str | None, overlay: dict[str, Any] | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_policy(text, overlay)
    return [str(each) for each in caught.value.faults]


def another(key: PolicyKey) -> Any:
    """A value that fits and is not the built-in one."""
    match key.kind:
        case "flag":
            return not key.default
        case "whole":
            return 7 if key.default != 7 else 8
        case "number":
            return 0.25
        case "text":
            return "elsewhere"
        case "texts":
            return ["other"]
        case "members":
            return [] if key.default else [key.words[0]]
        case _:
            return key.words[-1]


@pytest.mark.parametrize("generation", ["2026-04", "2026-06"])
def test_a_policy_file_of_either_generation_is_read_as_it_is(generation: str) -> None:
    policy = read_policy((FILES / f"{generation}.json").read_text())
    assert policy.generation == generation
    assert policy.values == DEFAULT.values


@pytest.mark.parametrize("name", KEYS)
def test_every_value_in_the_file_is_taken(name: str) -> None:
    value = another(KEYS[name])
    assert read_policy(nested(name, value))[name] == value


@pytest.mark.parametrize("name", KEYS)
def test_every_value_in_the_settings_wins_over_the_file(name: str) -> None:
    value = another(KEYS[name])
    text = (FILES / "2026-06.json").read_text()
    assert read_policy(text, {name: value})[name] == value
    assert read_policy(text, {name.lower(): value})[name] == value


@pytest.mark.parametrize("name", KEYS)
def test_every_misspelt_key_is_refused_with_the_nearest_name(name: str) -> None:
    wrong = f"{name[:-1]}{'y' if name[-1] == 'x' else 'x'}"
    [fault] = faults(nested(wrong, KEYS[name].default))
    assert fault.startswith(f"{PATH}: {wrong} is not known (did you mean ")
    [told] = faults(None, {wrong: KEYS[name].default})
    assert told.startswith(f"policy.governed: {wrong} is not known (did you mean ")


@pytest.mark.parametrize("name", KEYS)
def test_every_wrong_type_is_refused_with_what_it_must_be(name: str) -> None:
    key = KEYS[name]
    wrong: Any = {
        "texts": "DONE",
        "members": "LARGE",
        "text": 3,
        "choice": "sometimes",
        "flag": "yes",
    }.get(key.kind, "many")
    [fault] = faults(nested(name, wrong))
    assert f"{name} must be {key.expected}, not " in fault
    assert not KEYS[name].fits(wrong)


@pytest.mark.parametrize("value", [True, -1, 1.5, None, [], {}, float("inf")])
def test_a_count_is_a_whole_number_and_nothing_else(value: Any) -> None:
    assert not KEYS["retry_budgets.transient_max"].fits(value)


def test_a_cap_may_be_null_and_a_count_may_not() -> None:
    assert (
        read_policy('{"budget_defaults": {"token_cap": null}}')["budget_defaults.token_cap"] is None
    )
    assert "not null" in faults('{"retry_budgets": {"fixable_max": null}}')[0]


def test_all_faults_of_file_and_settings_come_at_once() -> None:
    text = (
        '{"retry_budget": {}, "compaction": 3, "retry_budgets": {"fixable_max": "1", '
        '"transiet_max": 1}, "notes": 4}'
    )
    found = faults(
        text, {"budget_defaults.enabled": "perhaps", "step_timeout_s": 5.0, "nothing.like.this": 1}
    )
    assert found == [
        f"{PATH}: retry_budget is not known (did you mean retry_budgets?)",
        f"{PATH}: compaction must be a table, not 3",
        f'{PATH}: retry_budgets.fixable_max must be a whole number, 0 or more, not "1"',
        (
            f"{PATH}: retry_budgets.transiet_max is not known (did you mean "
            "retry_budgets.transient_max?)"
        ),
        f"{PATH}: notes must be text, not 4",
        'policy.governed: budget_defaults.enabled must be true or false, not "perhaps"',
        found[-1],
    ]
    assert found[-1].startswith("policy.governed: nothing.like.this is not known")


def test_an_action_that_nothing_can_see_is_refused() -> None:
    assert faults('{"approval_required_actions": ["rm_fr"]}') == [
        (
            f'{PATH}: approval_required_actions names "rm_fr", which nothing here can see (did '
            "you mean rm_rf?)"
        )
    ]


@pytest.mark.parametrize(
    ("name", "spelled", "value"),
    [
        ("retry_budgets.transient_max", "4", 4),
        ("retry_budgets.per_wave_parallelism_reduction_factor", "0.75", 0.75),
        ("budget_defaults.enabled", "TRUE", True),
        ("budget_defaults.cost_usd", "null", None),
        ("budget_defaults.cost_usd", "12.5", 12.5),
        ("final_review_gate.auto_trigger_tiers", "MEDIUM, LARGE", ["MEDIUM", "LARGE"]),
        ("final_review_gate.auto_trigger_tiers", ("SMALL",), ["SMALL"]),
        ("batch_approval.approval_per", "phase", "phase"),
    ],
)
def test_a_setting_may_be_spelled_as_text(name: str, spelled: Any, value: Any) -> None:
    assert read_policy(None, {name: spelled})[name] == value


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is not valid JSON"),
        ("[]", "must contain one JSON object"),
        ('{"compaction": {}, "compaction": {}}', "'compaction' occurs twice in one object"),
        ('{"budget_defaults": {"cost_usd": NaN}}', "NaN is not a JSON value"),
        ("[" * 100_000, "is not valid JSON"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(text: str, what: str) -> None:
    assert what in faults(text)[0]


def test_a_whole_file_without_a_later_key_is_of_the_earlier_generation_all_else_of_the_later() -> (
    None
):
    earlier = (FILES / "2026-04.json").read_text(encoding="utf-8")
    assert read_policy(earlier).generation == "2026-04"
    assert read_policy("{}").generation == "2026-06"
    assert read_policy('{"memory_hygiene": {}}').generation == "2026-06"
    assert read_policy('{"task_cache": {"enabled": false}}').generation == "2026-06"
    assert read_policy(None) == DEFAULT


def test_values_are_plain_data_that_a_run_can_keep() -> None:
    kept = json.loads(json.dumps(dict(DEFAULT.values)))
    assert Policy(kept, DEFAULT.generation) == DEFAULT
    assert set(KEYS).isdisjoint(TABLES)


@given(
    st.recursive(
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from([*sorted(TABLES), "x", "transient_max", "LARGE"]), inner, max_size=3
            ),
        ),
        max_leaves=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_any_json_is_a_policy_or_an_input_error(data: Any) -> None:
    try:
        found = read_policy(json.dumps(data))
    except InputError:
        return
    assert all(KEYS[name].fits(value) for name, value in found.values.items())


def test_the_file_that_init_gives_is_what_holds_without_one() -> None:
    import podium.workflows.governed as package  # noqa: PLC0415

    text = (Path(package.__file__).parent / "scaffold" / PATH).read_text(encoding="utf-8")
    assert read_policy(text) == DEFAULT
