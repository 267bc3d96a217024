"""What a tool may do, case by case and for all cases."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.agents.acp.permission import READS, WRITES, Decision, Scope, Wanted, choose, decide

DOCUMENT = Scope(outputs=("docs/spec.md", "tasks/*.md"), inputs=("task.md",))
READER = Scope(code="read", outputs=("docs/review.md",))
WRITER = Scope(code="write", inputs=("docs/plan.md",), protected=("harness/**", "podium.toml"))
NARROW = Scope(
    code="write", outputs=("docs/spec.md",), writable=("src/a/**",), protected=("src/a/rules.md",)
)


def says(scope: Scope, kind: str, *paths: str | None, reporting: bool = False) -> str:
    return decide(scope, Wanted(frozenset({kind} if kind else ()), paths, reporting=reporting)).says


@pytest.mark.parametrize(
    ("scope", "kind", "paths", "expected"),
    [
        (DOCUMENT, "edit", ["docs/spec.md"], "allow"),
        (DOCUMENT, "edit", ["tasks/01.md"], "allow"),
        (DOCUMENT, "edit", ["task.md"], "reject"),
        (DOCUMENT, "edit", ["src/app.py"], "reject"),
        (DOCUMENT, "edit", ["docs/spec.md", "src/app.py"], "reject"),
        (DOCUMENT, "edit", [""], "reject"),
        (DOCUMENT, "edit", [], "ask"),
        (DOCUMENT, "read", ["task.md"], "allow"),
        (DOCUMENT, "read", [""], "allow"),
        (DOCUMENT, "read", [None], "reject"),
        (DOCUMENT, "read", ["task.md", None], "reject"),
        (DOCUMENT, "read", [], "ask"),
        (DOCUMENT, "search", ["src"], "allow"),
        (DOCUMENT, "search", [], "ask"),
        (DOCUMENT, "execute", [], "reject"),
        (DOCUMENT, "execute", ["docs/spec.md"], "reject"),
        (READER, "execute", [], "reject"),
        (READER, "edit", ["src/app.py"], "reject"),
        (READER, "edit", ["docs/review.md"], "allow"),
        (READER, "read", ["src/app.py"], "allow"),
        (WRITER, "execute", [], "allow"),
        (WRITER, "execute", ["src"], "allow"),
        (WRITER, "execute", [None], "reject"),
        (WRITER, "edit", ["src/app.py"], "allow"),
        (WRITER, "delete", ["src/app.py"], "allow"),
        (WRITER, "move", ["src/app.py", "src/b.py"], "allow"),
        (WRITER, "move", ["src/app.py", None], "reject"),
        (WRITER, "edit", ["docs/plan.md"], "reject"),
        (WRITER, "edit", ["podium.toml"], "reject"),
        (WRITER, "edit", ["harness/roles/qa.md"], "reject"),
        (WRITER, "edit", [".git/hooks/pre-commit"], "reject"),
        (WRITER, "edit", ["lib/.git/config"], "reject"),
        (WRITER, "delete", [".git"], "reject"),
        (NARROW, "edit", ["src/a/x.py"], "allow"),
        (NARROW, "edit", ["src/b/x.py"], "reject"),
        (NARROW, "edit", ["src/a/rules.md"], "reject"),
        (NARROW, "edit", ["docs/spec.md"], "allow"),
        (WRITER, "fetch", [], "ask"),
        (WRITER, "fetch", [None], "reject"),
        (WRITER, "think", [], "ask"),
        (WRITER, "other", [], "ask"),
        (WRITER, "other", ["src/app.py"], "ask"),
        (WRITER, "sudo", [], "ask"),
        (WRITER, "", [], "ask"),
        (WRITER, "", ["src/app.py"], "ask"),
        (WRITER, "switch_mode", [], "reject"),
    ],
)
def test_kind_paths_and_contract_decide(
    scope: Scope, kind: str, paths: list[str | None], expected: str
) -> None:
    assert says(scope, kind, *paths) == expected


def test_the_reporting_tool_is_always_allowed_and_nothing_that_only_looks_like_it() -> None:
    assert says(DOCUMENT, "other", reporting=True) == "allow"
    assert says(DOCUMENT, "", reporting=True) == "allow"
    assert says(DOCUMENT, "execute", reporting=True) == "allow"
    assert says(DOCUMENT, "other", "src/app.py", reporting=True) == "ask"
    assert says(DOCUMENT, "other", None, reporting=True) == "reject"


def test_of_several_kinds_the_worst_counts() -> None:
    both = Wanted(frozenset({"read", "execute"}), ("task.md",))
    assert decide(DOCUMENT, both).says == "reject"
    assert decide(WRITER, Wanted(frozenset({"read", "other"}), ("a",))).says == "ask"


RANK = {"allow": 0, "ask": 1, "reject": 2}
KINDS = st.sampled_from(
    [*sorted(READS | WRITES), "execute", "fetch", "think", "switch_mode", "other", "", "nonsense"]
)
PATHS = st.sampled_from(
    ["", "docs/spec.md", "src/app.py", "src/a/x.py", ".git/config", "podium.toml", "task.md", None]
)
SCOPES = st.sampled_from([DOCUMENT, READER, WRITER, NARROW])
WANTED = st.builds(
    Wanted, st.frozensets(KINDS, max_size=3), st.lists(PATHS, max_size=3).map(tuple), st.booleans()
)


@settings(max_examples=300, deadline=None)
@given(SCOPES, WANTED, PATHS)
def test_one_more_path_never_turns_a_refusal_into_a_permission(
    scope: Scope, wanted: Wanted, more: str | None
) -> None:
    wider = Wanted(wanted.kinds, (*wanted.paths, more), wanted.reporting)
    before, after = decide(scope, wanted).says, decide(scope, wider).says
    if before == "reject":
        assert after == "reject"
    if wanted.paths:
        assert RANK[after] >= RANK[before]


@settings(max_examples=300, deadline=None)
@given(SCOPES, WANTED, KINDS)
def test_one_more_kind_never_turns_a_refusal_into_a_permission(
    scope: Scope, wanted: Wanted, more: str
) -> None:
    wider = Wanted(wanted.kinds | {more}, wanted.paths, wanted.reporting)
    if wanted.kinds:
        assert RANK[decide(scope, wider).says] >= RANK[decide(scope, wanted).says]


@settings(max_examples=200, deadline=None)
@given(WANTED)
def test_a_narrower_contract_never_allows_more(wanted: Wanted) -> None:
    for narrow in (
        Scope(),
        Scope("read"),
        Scope("write", writable=("src/a/**",)),
        Scope("write", protected=("src/**",)),
    ):
        assert RANK[decide(narrow, wanted).says] >= RANK[decide(Scope("write"), wanted).says]


@settings(max_examples=300, deadline=None)
@given(SCOPES, WANTED)
def test_nothing_outside_is_ever_allowed_and_every_answer_has_a_reason(
    scope: Scope, wanted: Wanted
) -> None:
    decision = decide(scope, wanted)
    assert decision.why
    if None in wanted.paths:
        assert decision.says == "reject"
    if "execute" in wanted.kinds and scope.code != "write" and not wanted.reporting:
        assert decision.says == "reject"


def option(ident: Any, kind: Any) -> dict[str, Any]:
    return {"optionId": ident, "name": str(ident), "kind": kind}


@pytest.mark.parametrize(
    ("options", "answer", "chosen"),
    [
        (
            [option("a", "allow_always"), option("b", "allow_once"), option("c", "reject_once")],
            "allow",
            "b",
        ),
        (
            [option("a", "allow_always"), option("b", "allow_once"), option("c", "reject_once")],
            "reject",
            "c",
        ),
        ([option("a", "allow_always"), option("c", "reject_always")], "allow", None),
        ([option("a", "allow_always"), option("c", "reject_always")], "reject", None),
        ([option("a", "allow_once"), option("a", "allow_always")], "allow", None),
        ([option("a", "allow_once"), option("a", "allow_once")], "allow", None),
        ([option(7, "allow_once"), "x", None, {}], "allow", None),
        ([option("a", ["allow_once"]), option("b", "Allow_Once")], "allow", None),
        ([], "reject", None),
    ],
)
def test_only_options_for_this_once_are_chosen(
    options: list[Any], answer: Literal["allow", "reject"], chosen: str | None
) -> None:
    assert choose(options, answer) == chosen


def test_a_decision_is_a_value() -> None:
    assert decide(WRITER, Wanted(frozenset({"read"}), ("a",))) == Decision(
        "allow", "it stays within the step's contract"
    )
