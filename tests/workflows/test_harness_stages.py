"""The stage list as data: what a project may say, and one report of all that is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.errors import InputError
from podium.wiring import scaffold_text
from podium.workflows.harness.stages import StageSpec, from_data, parse_stages, to_data
from podium.workflows.harness.workflow import Harness

SHIPPED = scaffold_text("harness", "stages.toml")
PATH = "harness/stages.toml"


def toml(*rows: dict[str, Any]) -> str:
    """JSON strings, lists and booleans are TOML too."""
    return "\n".join(
        "[[stage]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in row.items()) for row in rows
    )


def document(name: str = "Specification", **more: Any) -> dict[str, Any]:
    output = more.pop("output", name.lower())
    shape = {
        "label": name,
        "path": f"harness/artifacts/{{task}}-{output}.md",
        "template": "harness/templates/t.md",
    }
    return {
        "name": name,
        "code": name[:4].upper(),
        "role": "writer",
        "output": output,
        **shape,
        **more,
    }


def build(**more: Any) -> dict[str, Any]:
    return {
        "name": "Build",
        "code": "BUILD",
        "role": "build",
        "kind": "build",
        "code_access": "write",
        **more,
    }


def review(**more: Any) -> dict[str, Any]:
    return {**document("QA", code="QA", kind="review", returns_to="Build"), **more}


def faults(*rows: dict[str, Any]) -> list[str]:
    with pytest.raises(InputError) as refused:
        parse_stages(toml(*rows), PATH)
    return [str(each) for each in refused.value.faults]


def test_the_shipped_list_is_the_five_stages_of_the_specification() -> None:
    stages = parse_stages(SHIPPED, PATH)
    assert [(each.name, each.code, each.role, each.kind) for each in stages] == [
        ("Specification", "SPEC", "po-spec", "document"),
        ("Design", "DESIGN", "feature-design", "document"),
        ("Implementation Planning", "PLAN", "tech-lead", "document"),
        ("Build", "BUILD", "build", "build"),
        ("QA", "QA", "qa", "review"),
    ]
    assert [each.name for each in stages if each.approval_before] == ["Build"]
    assert [each.returns_to for each in stages if each.returns_to] == ["Build"]


def test_the_example_in_its_comments_is_a_list_that_works() -> None:
    comments, _, line = SHIPPED.partition("\n[[stage]]")
    example = comments.partition("#   [[stage]]")[2].replace("#   ", "").replace("\n#\n", "\n")
    stages = parse_stages(f"[[stage]]{line}\n[[stage]]{example}", PATH)
    assert [each.name for each in stages[-2:]] == ["Code Review", "Fix and Deploy"]


def test_a_step_and_a_gate_are_named_after_the_stage() -> None:
    stage = StageSpec(name="Fix & Deploy — now", code="FIX", role="fix")
    assert (stage.step, stage.gate) == ("fix_deploy_now", "approve_fix_deploy_now")


def test_what_is_not_said_has_its_default() -> None:
    (stage,) = parse_stages(toml(document()), PATH)
    assert (stage.kind, stage.code_access, stage.approval_before, stage.reads) == (
        "document",
        "none",
        False,
        (),
    )


def test_lists_become_tuples() -> None:
    (stage,) = parse_stages(toml(document(reads=["a.md", "b.md?"])), PATH)
    assert stage.reads == ("a.md", "b.md?")


@pytest.mark.parametrize("text", ["", "# nothing\n", "stage = []\n", "stage = 3\n"])
def test_a_list_without_stages_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"has no \[\[stage\]\]"):
        parse_stages(text, PATH)


def test_what_is_no_toml_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match=r"harness/stages\.toml: is not TOML: .*line 1"):
        parse_stages("[[stage\n]]", PATH)


def test_another_table_is_refused() -> None:
    with pytest.raises(InputError, match="unknown table 'stages'"):
        parse_stages(toml(document()) + "[stages]\n", PATH)


def test_an_unknown_key_is_refused_with_the_nearest_name() -> None:
    assert faults(document(role_fil="x")) == [
        f"{PATH}: stage 1 (Specification): unknown key 'role_fil' (did you mean 'role_file'?)"
    ]
    # The review that returns to a stage which could not be read is not blamed for it.
    assert faults(build(kin="build"), review()) == [
        f"{PATH}: stage 1 (Build): unknown key 'kin' (did you mean 'kind'?)"
    ]


@pytest.mark.parametrize("name", ["name", "code", "role"])
def test_a_stage_needs_a_name_a_code_and_a_role(name: str) -> None:
    row = document()
    del row[name]
    assert any(each.endswith(f"{name} is missing") for each in faults(row))


@pytest.mark.parametrize("name", ["output", "label", "path", "template"])
def test_a_document_needs_all_of_its_artifact(name: str) -> None:
    row = document()
    del row[name]
    assert any(each.endswith(f"{name} is missing") for each in faults(row))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (document(kind="docs"), "kind is 'docs'; it must be one of document, build, review"),
        (document(code_access="all"), "code_access is 'all'; it must be one of none, read, write"),
        (document(code_access="write"), "only a build stage may write code"),
        (build(code_access="read"), 'a build stage needs code_access = "write"'),
        (document(code="spec"), "code is 'spec'; it must be capital letters and digits"),
        (document(code="A-B"), "code is 'A-B'; it must be capital letters and digits"),
        (document(approval_before="yes"), "approval_before must be a bool"),
        (document(reads="a.md"), "reads must be a list"),
        (document(reads=[1]), "reads must be a list of strings"),
        (document(path="../out.md"), "path '../out.md' leaves the project"),
        (document(path="/etc/passwd"), "path '/etc/passwd' leaves the project"),
        (document(template="a/../../b"), "template 'a/../../b' leaves the project"),
        (document(role_file="/x"), "role_file '/x' leaves the project"),
        (document(reads=["../secret"]), "reads '../secret' leaves the project"),
        (document("Done"), "this name is taken"),
        (document("Awaiting Approval"), "this name is taken"),
        (document("Complete"), "this name is taken"),
    ],
)
def test_what_a_stage_may_not_say_is_named(row: dict[str, Any], said: str) -> None:
    assert [each.partition("): ")[2] for each in faults(row)] == [said]


def test_two_stages_of_one_name_are_refused() -> None:
    assert faults(document("Plan"), document("plan", output="other"))[0].endswith(
        "this name is taken"
    )


def test_an_artifact_is_read_only_after_it_was_made() -> None:
    assert faults(document("Plan", reads=["@spec"]), document("Spec", output="spec")) == [
        f"{PATH}: stage 1 (Plan): reads '@spec', which no earlier stage writes"
    ]
    assert parse_stages(
        toml(document("Spec", output="spec"), document("Plan", reads=["@spec"])), PATH
    )


def test_the_report_and_a_later_reviews_findings_may_always_be_read() -> None:
    assert len(parse_stages(toml(build(reads=["@report", "@qa?"]), review()), PATH)) == 2


def test_a_review_says_where_it_returns_to_and_only_backwards() -> None:
    row = review()
    del row["returns_to"]
    assert any("returns_to is missing" in each for each in faults(build(), row))
    assert any("'Build' is not an earlier stage" in each for each in faults(review(), build()))
    assert any(
        "'QA' is not an earlier stage" in each for each in faults(build(), review(returns_to="QA"))
    )


def test_all_faults_are_told_at_once() -> None:
    said = faults(document(kind="docs"), document("Plan", code="x"), build(evidenc=["test"]))
    assert len(said) == 3


WORD = st.text(max_size=8)
SPECS = st.builds(
    StageSpec,
    name=WORD,
    code=WORD,
    role=WORD,
    kind=st.sampled_from(["document", "build", "review"]),
    role_file=WORD,
    output=WORD,
    label=WORD,
    path=WORD,
    template=WORD,
    reads=st.lists(WORD, max_size=3).map(tuple),
    code_access=st.sampled_from(["none", "read", "write"]),
    code_paths=st.lists(WORD, max_size=2).map(tuple),
    approval_before=st.booleans(),
    evidence=st.lists(WORD, max_size=2).map(tuple),
    returns_to=WORD,
)


@given(stages=st.lists(SPECS, max_size=4).map(tuple))
def test_a_run_keeps_its_list_as_json_and_gets_the_same_back(stages: tuple[StageSpec, ...]) -> None:
    assert from_data(json.loads(json.dumps(to_data(stages)))) == stages


def test_the_shipped_list_survives_the_way_through_json() -> None:
    stages = parse_stages(SHIPPED, PATH)
    assert from_data(json.loads(json.dumps(to_data(stages)))) == stages


@pytest.mark.parametrize("same", [{"code": "SPEC"}, {"output": "specification"}])
def test_a_code_and_an_artifact_belong_to_one_stage(same: dict[str, Any]) -> None:
    assert faults(document(), document("Plan", **same))


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(
            (document(), document("Completion", approval_before=True)),
        ),
        (document("Approve Build"), build(approval_before=True)),
    ],
)
def test_a_stage_may_not_have_the_name_of_a_gate(rows: tuple[dict[str, Any], ...]) -> None:
    assert faults(*rows)


def test_returns_to_may_be_spelled_in_another_case() -> None:
    assert (
        Harness(parse_stages(toml(build(), review(returns_to="build")), PATH)).steps["qa"].exits[-1]
        == "build"
    )


def test_a_path_with_an_unknown_placeholder_is_refused() -> None:
    assert faults(document(path="harness/{tusk}.md"))


def test_a_stage_whose_name_cannot_be_a_key_is_known_by_its_code() -> None:
    line = parse_stages(toml(build(name="构建"), review(name="检查", returns_to="构建")), PATH)
    assert [each.step for each in line] == ["build", "qa"]
    assert Harness(line).steps["qa"].exits[-1] == "build"
    assert any(
        "this name is taken" in each for each in faults(build(), build(name="构建", code="BUILD"))
    )


@pytest.mark.parametrize(
    "name",
    [
        "A: B",
        "A\nB",
        "`x`",
        "**x**",
        " x ",
        "x  y",
        "# x",
        "- x",
        "1. x",
        "<!-- x",
        "a_b",
        "a|b",
        "x" * 51,
    ],
)
def test_a_name_that_could_not_be_read_back_from_a_document_is_refused(name: str) -> None:
    assert any("cannot stand in run-state.md" in each for each in faults(build(name=name)))
    assert any("cannot stand in run-state.md" in each for each in faults(document(label=name)))


@pytest.mark.parametrize(
    "name",
    ["Fix and Deploy", "Page / Feature", "Q&A (first)", "Prüfung", "2nd look", "检查", "x" * 50],
)
def test_a_name_of_words_in_any_script_is_taken(name: str) -> None:
    assert parse_stages(toml(build(name=name)), PATH)[0].name == name
