"""The schema that an agent's tool shows says what the dialect's reader takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podium.agents.reporting.server import faults
from podium.core.verdict import NONE, Dialect, MalformedVerdict
from podium.workflows.catalog import NAMES, entry

EVERY = [dialect for name in NAMES for dialect in entry(name).dialects().values()]
DIALECTS = [dialect for dialect in EVERY if dialect.schema]
WORDS = st.sampled_from(["AC1", "words with a meaning", "src/app.py", "x"])


def values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Objects that the schema allows."""
    match schema["type"]:
        case "string":
            if "enum" in schema:
                return st.sampled_from(schema["enum"])
            return (
                st.sampled_from(["01-parse", "T.2"])
                if schema.get("pattern", "").startswith("^")
                else WORDS
            )
        case "integer":
            return st.integers()
        case "boolean":
            return st.booleans()
        case "array":
            return st.lists(values(schema["items"]), max_size=3)
    if isinstance(schema["additionalProperties"], Mapping):
        return st.dictionaries(
            st.sampled_from(["AC1", "AC2", "It works"]), values(schema["additionalProperties"])
        )
    members, required = schema["properties"], schema["required"]
    return st.fixed_dictionaries(
        {name: values(members[name]) for name in required},
        optional={name: values(each) for name, each in members.items() if name not in required},
    )


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
def test_every_dialect_has_a_schema_that_its_reader_agrees_with(dialect: Dialect) -> None:
    @settings(
        max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(values(dialect.schema))
    def holds(data: Any) -> None:
        assert not list(faults(dialect.schema, data))
        dialect.read(data)

    holds()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
def test_a_word_that_the_reader_refuses_is_refused_by_the_tool_too(dialect: Dialect) -> None:
    good = {**_least(dialect.schema), **dialect.good}
    assert not list(faults(dialect.schema, good))
    closed = [name for name, each in dialect.schema["properties"].items() if "enum" in each]
    assert closed
    for name in closed:
        wrong = {**good, name: "no such word"}
        assert list(faults(dialect.schema, wrong))
        if (
            name != "severity"
            # a severity that nobody defined counts as the worst one, where it was said by other
            # means
        ):
            with pytest.raises(MalformedVerdict):
                dialect.read(wrong)
    with pytest.raises(MalformedVerdict):
        dialect.read({**good, "stray": 1})
    assert list(faults(dialect.schema, {**good, "stray": 1}))


def _least(schema: Mapping[str, Any]) -> dict[str, Any]:
    empty = {"string": "x", "array": [], "object": {}}
    return {name: empty[schema["properties"][name]["type"]] for name in schema["required"]}


def test_every_dialect_has_an_object_that_a_tool_may_take() -> None:
    assert [dialect.name for dialect in EVERY if not dialect.tool()] == []


def test_a_step_without_a_verdict_has_no_schema() -> None:
    assert NONE.tool() == {}
