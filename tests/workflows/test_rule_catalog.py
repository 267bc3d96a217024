"""Rules by name: each says one thing, names a test that there is, and a policy value that there
is.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

from podium.core.rules import Rule, alternatives, terms
from podium.settings import policies
from podium.workflows.engine_rules import RULES as ENGINE
from podium.workflows.rule_catalog import CATALOGUES, every, rules

ROOT = Path(__file__).parents[2]
NOT_HERE = (
    "governed" if importlib.util.find_spec("podium.workflows.governed.workflow") is None else ""
)
"""A workflow whose rules are named before the workflow itself is part of the tree."""
KNOWN = [each for each in every() if not NOT_HERE or not each.id.startswith(f"{NOT_HERE}.")]


@cache
def named_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@pytest.mark.parametrize("rule", KNOWN, ids=lambda rule: rule.id)
def test_the_test_that_a_rule_names_exists(rule: Rule) -> None:
    path, _, name = rule.test.partition("::")
    assert (ROOT / path).is_file(), path
    assert name in named_in(path), f"{path} has no {name}"


@pytest.mark.parametrize("rule", every(), ids=lambda rule: rule.id)
def test_a_rule_is_one_sentence_with_a_name(rule: Rule) -> None:
    assert re.fullmatch(rf"({'|'.join(CATALOGUES)}|engine)\.[a-z]+(-[a-z]+)*", rule.id)
    assert rule.says[0].isupper() or rule.says.startswith(
        ("progress.yaml", "log.jsonl", "memory.md", "tasks.yaml", "run-state.md", "v-build")
    )
    assert rule.says.endswith(".")
    assert rule.test.startswith("tests/")


@pytest.mark.parametrize("rule", every(), ids=lambda rule: rule.id)
def test_no_rule_is_recognised_by_one_word(rule: Rule) -> None:
    assert rule.about
    single = [
        entry
        for entry in alternatives(rule)
        if len(entry) < 2 and not all("-" in each for term in entry for each in term)
    ]
    assert single == []
    assert all(each == each.lower() and "_" not in each for each in terms([rule]))


def test_names_are_given_once() -> None:
    names = [each.id for each in every()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", [each for each in CATALOGUES if each != "governed"])
def test_a_number_with_a_policy_is_the_number_of_the_policy(name: str) -> None:
    defaults = policies.defaults(name)
    for rule in rules(name):
        if rule.policy and rule.id.startswith(f"{name}."):
            assert rule.policy in defaults, rule.id
            if rule.number is not None:
                assert defaults[rule.policy] == rule.number, rule.id


def test_rules_of_the_engine_stand_behind_those_of_every_workflow() -> None:
    for name in CATALOGUES:
        assert rules(name)[-len(ENGINE) :] == ENGINE
        assert len(rules(name)) > len(ENGINE) + 10
    assert rules("") == ENGINE
