"""The reporting tool of a governed agent refuses nothing that the reader takes, and what is
plainly wrong at once.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.reporting.server import faults
from podium.workflows.governed.payloads.good import good_answer
from podium.workflows.governed.payloads.payloads import payload_faults
from podium.workflows.governed.payloads.tool_schema import tool_schema
from podium.workflows.governed.roster import BY_ROLE, ROSTER

ROLES = [each.role for each in ROSTER]
SAMPLES = [
    "",
    "x",
    "COMPLETE",
    "APPROVED",
    0,
    1,
    7,
    -1,
    0.5,
    True,
    False,
    None,
    [],
    ["x"],
    {},
    {"x": 1},
]


def places(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield here
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, each in inner:
        yield from places(each, (*here, name))


def changed(value: Any, where: tuple[Any, ...], new: Any) -> Any:
    if not where:
        return new
    found = copy.deepcopy(value)
    inner = found
    for name in where[:-1]:
        inner = inner[name]
    if new is ...:
        del inner[where[-1]]
    else:
        inner[where[-1]] = new
    return found


@pytest.mark.parametrize("role", ROLES)
def test_a_good_answer_is_taken(role: str) -> None:
    assert list(faults(tool_schema(role), json.loads(json.dumps(dict(good_answer(role)))))) == []


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("member", "wrong", "said"),
    [
        ("status", "GREAT", "status is 'GREAT'; it must be one of"),
        ("confidence", 7, "confidence is 7; it must be from 0 to 1"),
        ("schema_version", ..., "schema_version is missing"),
    ],
)
def test_an_unknown_word_a_wild_number_and_a_missing_member_go_back_to_the_agent(
    role: str, member: str, wrong: Any, said: str
) -> None:
    answer = changed(json.loads(json.dumps(dict(good_answer(role)))), (member,), wrong)
    if member not in tool_schema(role)["properties"]:
        pytest.skip(f"{role} reports no {member}")
    assert any(said in each for each in faults(tool_schema(role), answer))


@pytest.mark.parametrize("role", ROLES)
def test_what_the_tool_refuses_the_schema_refuses_too(role: str) -> None:
    good = json.loads(json.dumps(dict(good_answer(role))))

    @settings(max_examples=60, deadline=None, database=None)
    @given(st.sampled_from(list(places(good))[1:]), st.sampled_from([..., *SAMPLES]))
    def holds(where: tuple[Any, ...], new: Any) -> None:
        answer = changed(good, where, new)
        if list(faults(tool_schema(role), answer)):
            assert payload_faults(BY_ROLE[role].schema, answer)

    holds()


def test_the_shared_question_is_written_out_where_it_is_named() -> None:
    asked = tool_schema("core-implementer")["properties"]["clarification_request"]
    assert {"options", "recommended_option"} <= set(asked["properties"])
    assert "$ref" not in json.dumps(tool_schema("core-implementer"))
