"""A failed attempt is tried again with all that went wrong, at most twice; and who says what
counts for how much.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.roadmap import PASSES, Make, Road, built, drift, failing, item, reviewed

WELL = {"behave": "well"}
FIRST = ["implement/1", "testing/1", "review/1"]


def attempts(project: Road) -> int:
    return sum(step.startswith("implement/") for step in project.steps_of("US-1"))


def finished(project: Road, key: str) -> Any:
    return project.event("step.finished", key=f"item/US-1/{key}")


# -- the loop of fixing


def test_a_failed_test_sends_implement_and_what_follows_again_and_nothing_before(
    road: Make,
) -> None:
    project = road(item("US-1", "medium"))
    assert project.go({"testing": [failing("boom"), WELL]}).exit_code == 0
    assert project.steps_of("US-1") == [
        "research",
        "architect",
        "implement/1",
        "testing/1",
        "implement/2",
        "testing/2",
        "review/1",
        "verify/1",
    ]
    assert project.item("US-1")["retryCount"] == 1


def test_each_retry_is_told_its_number_all_failures_the_files_and_where_to_stop(road: Make) -> None:
    project = road(item("US-1"))
    implement = [built("src/a.py"), built("src/b.py"), built("src/a.py", "A = 3\n")]
    testing = [failing("test_a: 1 is not 2\nline two\nline three\nline four"), WELL]
    assert (
        project.go(
            {
                "implement": implement,
                "testing": testing,
                "review": [reviewed("needs_work", "no docs"), reviewed()],
            }
        ).exit_code
        == 0
    )
    second, third = project.prompt("item/US-1/implement/2"), project.prompt("item/US-1/implement/3")
    assert (
        "\nThis is retry 1/2\nFix only the reported failures. Do not rewrite unrelated code.\n"
        in second
    )
    assert (
        "\nThis is retry 2/2 (final attempt)\nFix only the reported failures. Do not rewrite "
        "unrelated code.\n"
    ) in third
    assert "\nAttempt 1 failed: test_a: 1 is not 2 / line two / line three\n" in second
    assert "line four" not in second
    assert (
        "\nAttempt 1 failed: test_a: 1 is not 2 / line two / line three\nAttempt 2 failed: no "
        "docs\n"
    ) in third
    assert "\nFiles changed before: `src/a.py`\n" in second
    assert "\nFiles changed before: `src/a.py`, `src/b.py`\n" in third
    assert "`src/b.py`" in project.prompt("item/US-1/testing/3")


def test_a_retry_whose_reviewer_gave_no_reason_is_told_the_verdict(road: Make) -> None:
    project = road(item("US-1"))
    project.go({"review": [{**WELL, "verdict": {"review": "needs_work"}}]})
    assert "\nAttempt 1 failed: review is needs_work" in project.prompt("item/US-1/implement/2")
    assert "review is needs_work" in project.item("US-1")["blockedReasons"][0]


@pytest.mark.parametrize("retries", [0, 1])
def test_the_number_of_retries_is_policy(road: Make, retries: int) -> None:
    project = road(item("US-1"))
    assert (
        project.go({"testing": [failing("boom")]}, policy={"max_retries": retries}).exit_code == 20
    )
    assert attempts(project) == retries + 1
    assert project.item("US-1")["retryCount"] == retries


def test_no_agent_can_talk_the_loop_into_a_fourth_attempt(road: Make) -> None:
    begging = {
        "verdict": {
            "status": "needs_revision",
            "tests": "fail",
            "failures": ["once more"],
            "next_steps": ["retry 4/9", "set retryCount to 0"],
        },
        "say": "Retry again. retryCount: 0",
    }
    project = road(item("US-1"))
    assert project.go({"testing": [begging]}).exit_code == 20
    assert attempts(project) == 3


@pytest.mark.parametrize("role", ["implement", "testing", "review"])
@pytest.mark.parametrize("status", ["needs_revision", "blocked"])
def test_needs_revision_or_blocked_from_implement_on_is_a_failed_attempt(
    road: Make, role: str, status: str
) -> None:
    project = road(item("US-1"))
    bad = {"behave": "well", "verdict": {"status": status, "failures": ["not yet"]}}
    assert project.go({role: [bad, WELL]}).exit_code == 0
    assert attempts(project) == 2
    assert "Attempt 1 failed: not yet" in project.prompt("item/US-1/implement/2")


@pytest.mark.parametrize("role", ["research", "architect"])
@pytest.mark.parametrize("status", ["needs_revision", "blocked"])
def test_before_implement_it_blocks_the_item_and_nothing_is_built(
    road: Make, role: str, status: str
) -> None:
    project = road(item("US-1", "medium"))
    ended = project.go(
        {
            role: [
                {"verdict": {"status": status, "failures": ["no database is chosen"]}, "say": "no"}
            ]
        }
    )
    assert ended.exit_code == 20
    assert attempts(project) == 0
    assert project.item("US-1")["status"] == "blocked"
    (reason,) = project.item("US-1")["blockedReasons"]
    assert "no database is chosen" in reason


@pytest.mark.parametrize("role", ["implement", "testing", "review"])
@pytest.mark.parametrize("fault", ["crash", "timeout"])
def test_an_agent_that_dies_or_takes_too_long_used_up_an_attempt(
    road: Make, role: str, fault: str
) -> None:
    project = road(item("US-1"))
    assert project.go({role: [{"fail": fault}, WELL]}).exit_code == 0
    assert attempts(project) == 2
    assert project.item("US-1")["retryCount"] == 1
    assert f"item/US-1/{role}/1" in project.prompt("item/US-1/implement/2")


def test_an_agent_that_hangs_is_ended_and_used_up_an_attempt(road: Make) -> None:
    project = road(item("US-1"))
    assert (
        project.go({"testing": [{"fail": "hang"}, WELL]}, policy={"step_timeout_s": 1.0}).exit_code
        == 0
    )
    assert attempts(project) == 2


@pytest.mark.parametrize("fault", ["empty", "garbage"])
def test_an_answer_without_a_verdict_is_asked_for_once_more_and_costs_no_attempt(
    road: Make, fault: str
) -> None:
    project = road(item("US-1"))
    assert project.go({"testing": [{"fail": fault}, WELL]}).exit_code == 0
    assert (attempts(project), project.item("US-1")["retryCount"]) == (1, 0)
    assert project.dispatched().count("item/US-1/testing/1") == 2


def test_implement_that_changes_nothing_and_says_nothing_about_it_is_not_done(road: Make) -> None:
    project = road(item("US-1"))
    idle = {"verdict": {"status": "success"}, "say": "all done"}
    assert project.go({"implement": [idle]}).exit_code == 20
    assert "no file was changed and no reason given" in project.item("US-1")["blockedReasons"][-1]


def test_nothing_to_change_is_an_answer_if_it_has_a_reason(road: Make) -> None:
    project = road(item("US-1"))
    assert (
        project.go(
            {
                "implement": [
                    {"verdict": {"status": "success"}, "say": "No change needed: it is there"}
                ]
            }
        ).exit_code
        == 0
    )
    assert project.committed("US-1") == ["roadmap.json"]


# -- reviews


@pytest.mark.parametrize(("policy", "tries"), [("fail", 2), ("pass", 1)])
def test_minor_fixes_fail_unless_policy_lets_them_pass(road: Make, policy: str, tries: int) -> None:
    project = road(item("US-1"))
    review = [reviewed("minor_fixes", "rename x"), reviewed()]
    assert project.go({"review": review}, policy={"minor_fixes": policy}).exit_code == 0
    assert attempts(project) == tries
    if tries == 2:
        assert "Attempt 1 failed: rename x" in project.prompt("item/US-1/implement/2")


def test_minor_fixes_with_a_failed_check_never_pass(road: Make) -> None:
    project = road(item("US-1"))
    project.go(
        {"review": [reviewed("minor_fixes", lint="fail"), reviewed()]},
        policy={"minor_fixes": "pass"},
    )
    assert attempts(project) == 2


@pytest.mark.parametrize("check", ["lint", "typecheck", "build"])
def test_ship_it_beside_a_failed_check_is_a_failure_and_the_contradiction_is_logged(
    road: Make, check: str
) -> None:
    project = road(item("US-1"))
    assert project.go({"review": [reviewed("ship", **{check: "fail"}), reviewed()]}).exit_code == 0
    assert attempts(project) == 2
    (detail,) = {tuple(each["detail"]) for each in project.events("verdict.contradicted")}
    assert f"review is ship, but {check} is fail" in detail


TABLE = (
    "\n| Check | Command | Result |\n|---|---|---|\n| Lint | ruff | ✅ Pass |\n| Typecheck | mypy "
    "| ✅ Pass |\n| Build | make | ✅ Pass |\n"
)


@pytest.mark.parametrize("verdict", ["🟢 Ship it", "**Ship it**", "Ship it", "🟢 **Ship it**"])
def test_a_review_in_words_passes_with_its_table(road: Make, verdict: str) -> None:
    project = road(item("US-1"))
    assert (
        project.go(
            {"review": [{"say": f"## Code Review\n\n### Verdict\n\n{verdict}\n{TABLE}"}]}
        ).exit_code
        == 0
    )
    assert attempts(project) == 1


def test_a_review_without_its_table_never_passes_and_is_asked_for_it(road: Make) -> None:
    project = road(item("US-1"))
    ended = project.go({"review": [{"say": "## Code Review\n\n### Verdict\n\n🟢 Ship it\n"}]})
    assert ended.exit_code == 20
    assert attempts(project) == 3
    assert all(
        "no table with the columns Check, Command and Result" in each
        for each in project.item("US-1")["blockedReasons"]
    )
    assert "no table with the columns" in project.prompt("item/US-1/review/1")


def test_a_failed_row_of_the_table_in_words_is_a_failure(road: Make) -> None:
    project = road(item("US-1"))
    said = f"## Code Review\n\n### Verdict\n\n🟢 Ship it\n{TABLE}".replace(
        "| make | ✅ Pass |", "| make | ❌ Fail |"
    )
    project.go({"review": [{"say": said}, reviewed()]})
    assert attempts(project) == 2
    assert "Attempt 1 failed: build: fail" in project.prompt("item/US-1/implement/2")


# -- evidence


def test_a_claim_that_the_exit_code_contradicts_is_a_failure_and_both_are_in_the_journal(
    road: Make,
) -> None:
    project = road(item("US-1"))
    mended = {**built("src/new.py"), "delete": ["src/broken.py"]}
    assert project.go({"implement": [built("src/broken.py"), mended]}).exit_code == 0
    assert project.steps_of("US-1") == [
        *FIRST,
        "verify/1",
        "implement/2",
        "testing/2",
        "review/2",
        "verify/2",
    ]
    assert (
        finished(project, "testing/1")["verdict"],
        finished(project, "review/1")["verdict"],
    ) == ("pass", "ship")
    (ran,) = finished(project, "verify/1")["evidence"]
    assert (ran["command"], ran["exit"], ran["state"]) == (PASSES, 1, "failed")
    contradicted = project.event("verdict.contradicted", key="item/US-1/verify/1")
    assert contradicted["detail"] == [f"tests: pass, review: ship, but `{PASSES}` exits 1"]
    assert f"Attempt 1 failed: `{PASSES}` exits 1\n" in project.prompt("item/US-1/implement/2")
    assert project.committed("US-1") == ["roadmap.json", "src/new.py"]


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("one\\nsum is 4\\n\\nnot 3\\n", "sum is 4 / not 3"),
        ("one\\nFAILED test_a\\nthe end\\n", "FAILED test_a / the end"),
    ],
)
def test_a_retry_is_told_what_a_failed_verification_printed(
    road: Make, printed: str, told: str
) -> None:
    command = f"sh -c \"test ! -e src/broken.py || {{ printf '{printed}'; exit 3; }}\""
    project = road(item("US-1", verification=[command]))
    mended = {**built("src/new.py"), "delete": ["src/broken.py"]}
    assert project.go({"implement": [built("src/broken.py"), mended]}).exit_code == 0
    assert f"exits 3 / {told}\n" in project.prompt("item/US-1/implement/2")


def test_a_verification_that_stays_broken_blocks_the_item_whatever_the_agents_say(
    road: Make,
) -> None:
    project = road(item("US-1"))
    ended = project.go({"implement": [built("src/broken.py", f"X = {n}\n") for n in range(3)]})
    assert ended.exit_code == 20
    assert project.item("US-1")["blockedReasons"] == [
        f"attempt {n}: `{PASSES}` exits 1" for n in (1, 2, 3)
    ]
    assert project.commits() == []


def test_trust_believes_testing_and_review_and_runs_nothing(road: Make) -> None:
    project = road(item("US-1"))
    project.write("podium.toml", '[commands]\ntest = "touch ran && exit 1"\n')
    ended = project.go({"implement": [built("src/broken.py")]}, policy={"evidence": "trust"})
    assert (ended.exit_code, ended.outcome) == (0, "complete_unproven")
    assert project.steps_of("US-1") == FIRST
    assert not project.events("proof.baseline") + project.events("proof.checked")


def test_prose_among_the_verification_is_kept_as_such_and_commands_are_run(road: Make) -> None:
    project = road(item("US-1", verification=["The page looks right", f"`{PASSES}`", "Ask Ada"]))
    assert project.go().exit_code == 0
    done = finished(project, "verify/1")
    assert done["verdict"] == "1 of 3 run"
    assert [(each["command"], each["state"], each["exit"]) for each in done["evidence"]] == [
        (PASSES, "passed", 0)
    ]


def test_every_broken_command_is_told_and_not_only_the_first(road: Make) -> None:
    project = road(item("US-1", verification=["exit 3", "true", "exit 4"]))
    project.go(policy={"max_retries": 0})
    assert project.item("US-1")["blockedReasons"] == [
        "attempt 1: `exit 3` exits 3",
        "attempt 1: `exit 4` exits 4",
    ]


def test_a_verification_that_changes_what_was_reviewed_has_judged_nothing_and_a_person_is_asked(
    road: Make,
) -> None:
    project = road(item("US-1", verification=["date +%s%N > src/new.py"]))
    ended = project.go({"implement": [built("src/new.py", "N = 1\n")]})
    assert (ended.exit_code, ended.gates) == (10, ("item/US-1/verify/1/proof-1",))
    assert "DID NOT RUN: changed src/new.py while it ran" in ended.reason
    assert project.text("src/new.py") == "N = 1\n"
    assert attempts(project) == 1
    project.answer(choice="unproven")
    ended = project.resume()
    assert (ended.exit_code, ended.outcome) == (0, "complete_unproven")
    assert attempts(project) == 1


# -- drift


def test_drift_is_a_failed_attempt_with_its_list_and_is_looked_for_again(road: Make) -> None:
    project = road(item("US-1", "complex"))
    agents = {
        "architect": [
            WELL,
            drift("src/new.py: no cache, the design has one", "a second entry"),
            WELL,
        ]
    }
    assert project.go(agents).exit_code == 0
    assert project.steps_of("US-1") == [
        "research",
        "architect",
        "implement/1",
        "validate/1",
        "implement/2",
        "validate/2",
        "testing/1",
        "review/1",
        "verify/1",
    ]
    assert (
        "Attempt 1 failed: src/new.py: no cache, the design has one; a second entry\n"
        in project.prompt("item/US-1/implement/2")
    )


def test_drift_three_times_blocks_the_item(road: Make) -> None:
    project = road(item("US-1", "complex"))
    assert project.go({"architect": [WELL, drift("no cache")]}).exit_code == 20
    assert not any(step.startswith("testing") for step in project.steps_of("US-1"))
    assert project.item("US-1")["blockedReasons"] == [f"attempt {n}: no cache" for n in (1, 2, 3)]


# -- who writes where


def test_an_agent_that_edits_the_roadmap_is_caught_and_the_file_is_as_the_loop_left_it(
    road: Make,
) -> None:
    project = road(item("US-1"), item("US-2"))
    cheat = {
        "behave": "well",
        "run": "sed -i 's/ready/done/; s/in_progress/done/; s/false/true/' roadmap.json",
    }
    assert project.go({"implement": [cheat, WELL]}, until="item/US-1/implement/1").exit_code == 0
    caught = project.event("contract.violated")
    assert (caught["key"], caught["kind"], caught["paths"]) == (
        "item/US-1/implement/1",
        "protected",
        ["roadmap.json"],
    )
    assert project.statuses() == {"US-1": "in_progress", "US-2": "ready"}


def test_an_agent_that_edits_the_roadmap_in_the_project_itself_is_caught_too(road: Make) -> None:
    project = road(item("US-1"), item("US-2"))
    cheat = {
        "behave": "well",
        "run": f"sed -i 's/in_progress/done/; s/false/true/' {project.root}/roadmap.json",
    }
    project.go({"implement": [cheat, WELL]}, until="item/US-1/implement/1")
    assert project.event("contract.violated")["paths"] == ["roadmap.json"]
    assert project.item("US-1")["status"] == "in_progress"
    assert project.dispatched() == ["item/US-1/implement/1"] * 2


@pytest.mark.parametrize("role", ["research", "architect", "review"])
def test_who_may_only_read_changes_nothing(road: Make, role: str) -> None:
    project = road(item("US-1", "medium"))
    assert (
        project.go(
            {role: [{"behave": "well", "write": {"src/app.py": "HACKED = 1\n"}}, WELL]}
        ).exit_code
        == 0
    )
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert project.event("contract.violated")["paths"] == ["src/app.py"]


def test_testing_writes_tests_and_no_other_code(road: Make) -> None:
    project = road(item("US-1"))
    both = {
        "behave": "well",
        "write": {"tests/test_new.py": "T = 1\n", "src/app.py": "EASIER = 1\n"},
    }
    only = {"behave": "well", "write": {"tests/test_new.py": "T = 1\n"}}
    assert project.go({"testing": [both, only]}).exit_code == 0
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert project.event("contract.violated")["paths"] == ["src/app.py"]
    assert "tests/test_new.py" in project.committed("US-1")


def test_a_decision_record_of_the_architect_goes_into_the_items_commit(road: Make) -> None:
    project = road(item("US-1", "complex"))
    write = {
        "behave": "well",
        "write": {
            "@adr": {
                "template": "adr",
                "name": "ADR-001",
                "title": "One cache",
                "date": "2026-03-01",
            }
        },
    }
    assert project.go(keys={"item/US-1/architect": [write]}).exit_code == 0
    record = next(path for path in project.committed("US-1") if path.startswith("docs/adr/"))
    assert project.text(record).startswith("# ADR-001: One cache\n")
    assert record in project.prompt("item/US-1/validate/1")


def test_a_decision_record_without_its_parts_is_refused_with_what_is_missing(road: Make) -> None:
    project = road(item("US-1", "complex"))
    broken = {
        "behave": "well",
        "write": {"docs/adr/ADR-001.md": "# ADR-001: One cache\n\n## Decision\n\nOne.\n"},
    }
    good = {
        "behave": "well",
        "write": {"docs/adr/ADR-001.md": {"template": "adr", "date": "2026-03-01"}},
    }
    assert project.go(keys={"item/US-1/architect": [broken, good]}).exit_code == 0
    refused = project.event("artifact.rejected")
    assert "section 'Context' is missing" in refused["detail"]
    assert "section 'Context' is missing" in project.prompt("item/US-1/architect")
