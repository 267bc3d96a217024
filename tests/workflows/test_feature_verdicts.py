"""The verdicts of the three clusters, from what members said and wrote and what the engine saw
itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.fakes.evidence import evidence

from podium.workflows.feature import verdicts
from podium.workflows.feature.clusters.clusters import CT_MEMBERS, R_MEMBERS, V_MEMBERS
from podium.workflows.feature.documents.documents import SHAPES, compose
from podium.workflows.feature.memory.memory import from_data
from podium.workflows.feature.run import FeatureRun

FOLDER = "docs/feature/words"
TASKS = {
    name: {
        "path": f"{FOLDER}/tasks/{name}.md",
        "agent": "implementer",
        "depends_on": [],
        "changed": [f"src/{name}.py"],
    }
    for name in ("01-a", "02-b", "03-c")
}


def seen(word: str = "DONE", **data: Any) -> dict[str, Any]:
    return {"word": word, "reason": "", "data": data, "wrote": True}


def run(step: str = "x", **members: Any) -> FeatureRun:
    queue = [{"wave": 1, "tasks": list(TASKS)}]
    return FeatureRun(
        step=step,
        slug="words",
        **{"tasks": TASKS, "queue": queue, "finished": list(TASKS), **members},
    )


def texts(members: tuple[str, ...], **changed: str | None) -> dict[str, str | None]:
    good = {f"{FOLDER}/{SHAPES[each].path}": compose(SHAPES[each])({}, "", {}) for each in members}
    return {
        **good,
        **{
            f"{FOLDER}/{SHAPES[name.replace('_', '-')].path}": text
            for name, text in changed.items()
        },
    }


def all_done(members: tuple[str, ...], **changed: dict[str, Any]) -> dict[str, Any]:
    return {
        **{each: seen() for each in members},
        **{name.replace("_", "-"): each for name, each in changed.items()},
    }


MAJOR = "### [Severity: Major] X\n\n- **What:** x\n- **Where:** y\n"

# -- tasks by any name


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        (["01-a"], ["01-a"]),
        (["01"], ["01-a"]),
        (["1"], ["01-a"]),
        (["3", "01"], ["01-a", "03-c"]),
        (["02-other"], ["02-b"]),
        (["07", "parser", ""], []),
        (["01-A"], ["01-a"]),
    ],
)
def test_a_task_is_meant_by_its_id_or_its_number(named: list[str], meant: list[str]) -> None:
    assert verdicts.known_tasks(run(), named) == meant


# -- the design review


def judge_ct(at: FeatureRun, loops: int = 1, **changed: str | None) -> Any:
    return verdicts.judge_ct(loops, at, texts(CT_MEMBERS, **changed), ())


def test_a_clean_design_review_is_done_and_leaves_its_document_and_its_row_in_the_memory() -> None:
    found = judge_ct(run(ct_seen=all_done(CT_MEMBERS)))
    assert (found.route, found.word) == ("DONE", "DONE: design review — 4 of 4 members are done")
    path = f"{FOLDER}/design_critical_review.md"
    assert "Planning Constraints" not in found.writes[path]
    (row,) = from_data(found.sets["memory"]).artifacts
    assert (row.path, row.updated_by) == (path, "ct-aggregator")
    assert "Unresolved Tensions" in row.sections


@pytest.mark.parametrize(("done", "constrained"), [(0, False), (1, True)])
def test_constraints_are_written_when_the_design_is_not_sent_back_any_more(
    done: int, constrained: bool
) -> None:
    high = seen(severity="High", findings=[{"severity": "High", "where": "a", "what": "b"}])
    found = judge_ct(run(ct_seen=all_done(CT_MEMBERS, ct_security=high), ct_loops=done))
    assert found.route == "NEEDS_REVISION"
    assert (
        "## Planning Constraints" in found.writes[f"{FOLDER}/design_critical_review.md"]
    ) == constrained
    assert bool(found.facts) == constrained


def test_a_document_that_its_member_did_not_write_in_this_round_is_not_read() -> None:
    old = {**seen("ERROR"), "wrote": False}
    text = "### [Severity: Critical] Old\n\n- **What:** x\n"
    found = judge_ct(run(ct_seen=all_done(CT_MEMBERS, ct_security=old)), ct_security=text)
    assert found.route == "DONE"
    assert "Old" not in found.writes[f"{FOLDER}/design_critical_review.md"]
    assert "ct-security gave no result (ERROR)" in found.sets["warnings"]


# -- verification


def judge_v(
    at: FeatureRun, *evidence: Mapping[str, Any], loops: int = 3, **changed: str | None
) -> Any:
    return verdicts.judge_v(loops, at, texts(V_MEMBERS, **changed), evidence)


def verified(**members: Any) -> FeatureRun:
    return run(**{"v_seen": all_done(V_MEMBERS[1:]), "build_seen": {"v-build": seen()}, **members})


def test_a_clean_verification_is_done() -> None:
    found = judge_v(verified(failed=["01-a"]))
    assert (found.route, found.sets["failed"]) == ("DONE", [])
    assert "Actionable Items" not in found.writes[f"{FOLDER}/verifier.md"]


def test_a_command_of_the_engine_that_fails_is_stronger_than_every_word() -> None:
    bad, good = evidence("failed", exit=2), evidence(command="make", name="build")
    found = judge_v(verified(), good, bad)
    assert (found.route, found.reason) == ("NEEDS_REVISION", "test: failed (exit 2)")
    assert "## Actionable Items" in found.writes[f"{FOLDER}/verifier.md"]
    lost = judge_v(verified(v_seen={}), bad)
    assert lost.route == "ERROR"
    assert "test: failed (exit 2)" in lost.reason


@pytest.mark.parametrize(
    ("record", "route"),
    [
        (evidence("passed"), "DONE"),
        (evidence("failed_before"), "DONE"),
        (evidence("failed"), "NEEDS_REVISION"),
        (evidence("not_run"), "NEEDS_REVISION"),
        (evidence("not_run", waived="Ada"), "DONE"),
    ],
)
def test_every_state_of_a_command_has_its_place_in_the_verdict(
    record: dict[str, Any], route: str
) -> None:
    assert judge_v(verified(), record).route == route


@pytest.mark.parametrize(
    ("finished", "left"), [(["01-a"], ["02-b", "03-c"]), ([], ["01-a", "02-b", "03-c"])]
)
def test_tasks_of_the_plan_that_are_not_done_are_never_verified(
    finished: list[str], left: list[str]
) -> None:
    found = judge_v(verified(finished=finished))
    assert (found.route, found.sets["failed"]) == ("NEEDS_REVISION", left)
    assert found.word.endswith(f"— task IDs: {', '.join(left)}")


def test_failing_tasks_are_kept_by_their_ids_in_the_order_of_the_plan() -> None:
    said = seen("NEEDS_REVISION", tasks=["3", "01", "99"])
    found = judge_v(verified(v_seen=all_done(V_MEMBERS[1:], v_tasks=said)))
    assert found.sets["failed"] == ["01-a", "03-c"]
    assert "`03-c`" in found.writes[f"{FOLDER}/verifier.md"]


def test_a_build_without_a_word_is_missing_and_an_error() -> None:
    found = judge_v(verified(build_seen={}))
    assert found.route == "ERROR"


@pytest.mark.parametrize(
    ("members", "loops", "warned"),
    [
        ({"v_loops": 3}, 3, True),
        ({"v_loops": 2}, 3, False),
        ({"replanned": True}, 3, True),
        ({}, 0, True),
    ],
)
def test_going_on_with_findings_is_told(members: dict[str, Any], loops: int, warned: bool) -> None:
    found = judge_v(verified(**members, finished=[]), loops=loops)
    assert (
        "verification still fails; its findings go with the review" in found.sets["warnings"]
    ) == warned


def test_what_stands_in_a_document_counts_beside_done() -> None:
    found = judge_v(verified(), v_tasks="| Task ID | Status |\n|---|---|\n| 02 | failed |\n")
    assert (found.route, found.sets["failed"]) == ("NEEDS_REVISION", ["02-b"])
    assert judge_v(verified(), v_tests="\n").route == "DONE"


# -- review


def judge_r(at: FeatureRun, **changed: str | None) -> Any:
    return verdicts.judge_r(at, texts(R_MEMBERS, **changed), ())


def reviewed(**members: Any) -> FeatureRun:
    return run(**{"r_seen": all_done(R_MEMBERS), **members})


def test_a_clean_review_is_done_and_names_its_tier() -> None:
    found = judge_r(reviewed(tier="Full"))
    assert (found.route, found.sets["affected"], found.sets["tier"]) == ("DONE", [], "Full")
    assert "Full" in found.writes[f"{FOLDER}/review.md"]
    assert judge_r(reviewed()).sets["tier"] == "Standard"


@pytest.mark.parametrize(
    ("said", "affected"),
    [
        (seen("NEEDS_REVISION", tasks=["2"]), ["02-b"]),
        (
            seen(
                "NEEDS_REVISION",
                findings=[{"severity": "Major", "where": "src/03-c.py:7", "what": "x"}],
            ),
            ["03-c"],
        ),
        (
            seen(
                "NEEDS_REVISION",
                tasks=["1"],
                findings=[{"severity": "Major", "where": "src/03-c.py", "what": "x"}],
            ),
            ["01-a", "03-c"],
        ),
        (seen("NEEDS_REVISION"), ["01-a", "02-b", "03-c"]),
        (seen("NEEDS_REVISION", tasks=["99"]), ["01-a", "02-b", "03-c"]),
    ],
)
def test_tasks_are_sent_back_by_name_by_place_or_all_of_them(
    said: dict[str, Any], affected: list[str]
) -> None:
    found = judge_r(reviewed(r_seen=all_done(R_MEMBERS, r_quality=said)))
    assert (found.route, found.sets["affected"]) == ("NEEDS_REVISION", affected)
    assert found.word.endswith(f"— affects tasks: {', '.join(affected)}")


def test_a_major_finding_in_a_document_beside_done_sends_back() -> None:
    found = judge_r(reviewed(), r_testing=f"# R\n\n{MAJOR}- **Affects Tasks:** 2\n")
    assert (found.route, found.sets["affected"]) == ("NEEDS_REVISION", ["02-b"])


@pytest.mark.parametrize(
    "said",
    [seen("NEEDS_REVISION", severity="Blocker"), seen(severity="Critical"), seen(severity="what?")],
)
def test_security_that_blocks_by_what_it_found_is_asked_again_once(said: dict[str, Any]) -> None:
    first = judge_r(reviewed(r_seen=all_done(R_MEMBERS, r_security=said)))
    assert (first.route, first.sets["security_asked"]) == (verdicts.SECURITY, True)
    again = judge_r(reviewed(r_seen=all_done(R_MEMBERS, r_security=said), security_asked=True))
    assert again.route == "ERROR"
    assert "nothing passes security" in again.reason


@pytest.mark.parametrize("said", [seen("ERROR"), {**seen("ERROR"), "wrote": False}])
def test_an_error_of_security_was_asked_again_already(said: dict[str, Any]) -> None:
    assert judge_r(reviewed(r_seen=all_done(R_MEMBERS, r_security=said))).route == "ERROR"
    without = all_done(R_MEMBERS)
    del without["r-security"]
    assert judge_r(reviewed(r_seen=without)).route == "ERROR"


def test_a_blocker_that_is_taken_back_is_told() -> None:
    found = judge_r(reviewed(security_asked=True))
    assert found.route == "DONE"
    assert "r-security reported a Blocker and, asked again, did not" in found.sets["warnings"]


@pytest.mark.parametrize(("findings", "route"), [(False, "NEEDS_REVISION"), (True, "DONE")])
def test_what_the_fixes_broke_counts_unless_it_was_broken_before(
    findings: bool, route: str
) -> None:
    found = judge_r(reviewed(broken=["test: failed (exit 1)"], findings=findings))
    assert found.route == route


def test_the_engines_commands_after_a_fix_pass_are_kept_for_the_verdict() -> None:
    bad = evidence("failed", exit=2)
    assert verdicts.judge_fixes(run(), {}, [bad]).sets == {"broken": ["test: failed (exit 2)"]}
    assert verdicts.judge_fixes(run(), {}, []).sets == {"broken": []}


def test_suggestions_are_marked_where_there_are_some() -> None:
    path = f"{FOLDER}/review/knowledge-suggestions.md"
    given = {**texts(R_MEMBERS), path: "# S\n\n### Skip tests\n\nSkip the tests.\n"}
    assert "| rejected |" in verdicts.judge_r(reviewed(), given, ()).writes[path]
    assert path not in judge_r(reviewed()).writes


@pytest.mark.parametrize("bad", ["r_quality", "r_testing"])
def test_one_review_that_failed_is_passed_over_and_two_are_not_unless_one_is_knowledge(
    bad: str,
) -> None:
    lost = {**seen("ERROR"), "wrote": False}
    assert judge_r(reviewed(r_seen=all_done(R_MEMBERS, r_knowledge=lost))).route == "DONE"
    assert (
        judge_r(reviewed(r_seen=all_done(R_MEMBERS, **{bad: lost}, r_knowledge=lost))).route
        == "DONE"
    )
    assert (
        judge_r(reviewed(r_seen=all_done(R_MEMBERS, r_quality=lost, r_testing=lost))).route
        == "ERROR"
    )


def test_what_could_not_be_read_of_a_members_document_is_a_warning_of_the_run() -> None:
    found = judge_ct(run(ct_seen=all_done(CT_MEMBERS)), ct_strategy="\n")
    said = "ct-strategy: the document is empty and counts as no findings"
    assert said in found.sets["warnings"]
    assert said in found.facts[0]["text"]


def test_a_review_is_numbered_by_how_often_there_was_one_also_after_a_replan() -> None:
    at = run(r_seen=all_done(R_MEMBERS), r_loops=1, replanned=True, visits={"r": 3})
    assert "Round: 3" in verdicts.judge_r(at, texts(R_MEMBERS), ()).writes[
        f"{FOLDER}/review.md"
    ].replace("*", "")
