"""The words of the roadmap's agents: as an object or in Markdown, the same value, and the worse
of two.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.core.verdict import MalformedVerdict, Verdict
from podium.workflows import roadmap
from podium.workflows.roadmap.dialects import DIALECTS

WORK, VALIDATION = DIALECTS["roadmap"], DIALECTS["roadmap-validation"]
TESTING, REVIEW = DIALECTS["roadmap-testing"], DIALECTS["roadmap-review"]
PASS = {"lint": "pass", "typecheck": "pass", "build": "pass"}
TABLE = (
    "| Check | Command | Result |\n|---|---|---|\n| Lint | `ruff check` | ✅ Pass |\n| Typecheck | "
    "`mypy` | ✅ Pass |\n| Build | `make` | ✅ Pass |\n"
)
EMPTY: dict[str, Any] = {"files": [], "failures": [], "learnings": [], "next_steps": []}


def said(dialect: str, text: str) -> Verdict | None:
    line = DIALECTS[dialect].line
    assert line is not None
    return line(text)


def heard(dialect: str, text: str) -> Verdict:
    found = said(dialect, text)
    assert found is not None
    return found


def fault(dialect: str, text: str) -> str:
    with pytest.raises(MalformedVerdict) as refused:
        said(dialect, text)
    return str(refused.value)


def review(verdict: str = "🟢 Ship it", table: str = TABLE, more: str = "") -> str:
    return (
        f"## Code Review\n\n### Verdict\n\n{verdict}\n\n### Verification Results\n\n{table}\n{more}"
    )


# ---- objects


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("success", "ok"), ("Success", "ok"), ("needs_revision", "revise"), ("blocked", "fail")],
)
def test_an_agent_says_success_needs_revision_or_blocked(status: str, outcome: str) -> None:
    found = WORK.read({"status": status})
    assert (found.outcome, found.word) == (outcome, status.lower())
    assert found.data == {"status": status.lower(), **EMPTY}


@pytest.mark.parametrize(
    ("dialect", "data", "outcome", "word"),
    [
        ("roadmap-validation", {"validation": "aligned"}, "ok", "aligned"),
        ("roadmap-validation", {"validation": "drift_detected"}, "revise", "drift_detected"),
        (
            "roadmap-validation",
            {"validation": "aligned", "status": "needs_revision"},
            "revise",
            "needs_revision",
        ),
        ("roadmap-testing", {"tests": "pass"}, "ok", "pass"),
        ("roadmap-testing", {"tests": "fail"}, "revise", "fail"),
        ("roadmap-testing", {"tests": "fail", "status": "needs_revision"}, "revise", "fail"),
        ("roadmap-testing", {"tests": "pass", "status": "blocked"}, "fail", "blocked"),
        ("roadmap-review", {"review": "ship", "checks": PASS}, "ok", "ship"),
        ("roadmap-review", {"review": "ship", "checks": {**PASS, "build": "n/a"}}, "ok", "ship"),
        ("roadmap-review", {"review": "minor_fixes", "checks": PASS}, "revise", "minor_fixes"),
        ("roadmap-review", {"review": "needs_work", "checks": PASS}, "revise", "needs_work"),
        (
            "roadmap-review",
            {"review": "ship", "checks": {**PASS, "lint": "fail"}},
            "revise",
            "fail",
        ),
    ],
)
def test_the_worst_part_of_an_object_decides(
    dialect: str, data: dict[str, Any], outcome: str, word: str
) -> None:
    found = DIALECTS[dialect].read({"status": "success", **data})
    assert (found.outcome, found.word) == (outcome, word)


def test_the_reason_names_what_was_bad_and_the_first_failure() -> None:
    found = TESTING.read(
        {"status": "success", "tests": "fail", "failures": ["test_a:\nassert 1 == 2", "test_b"]}
    )
    assert found.reason == "tests is fail: test_a: assert 1 == 2"
    assert WORK.read({"status": "success", "failures": ["old"]}).reason == ""


@pytest.mark.parametrize(
    ("dialect", "data", "message"),
    [
        ("roadmap", {}, "member 'status' is missing"),
        (
            "roadmap",
            {"status": "done"},
            "status is 'done'; it must be one of success, needs_revision, blocked",
        ),
        ("roadmap", {"status": True}, "member 'status' has the wrong type bool"),
        (
            "roadmap",
            {"status": "success", "learning": []},
            "unknown member 'learning'; did you mean 'learnings'?",
        ),
        ("roadmap", {"status": "success", "tests": "pass"}, "unknown member 'tests'"),
        ("roadmap", {"status": "success", "files": {}}, "member 'files' has the wrong type dict"),
        (
            "roadmap",
            {"status": "success", "files": ["a.py"]},
            "files[0] must be an object {path, note}",
        ),
        (
            "roadmap",
            {"status": "success", "files": [{"path": "a", "notes": ""}]},
            "unknown member 'notes' in files[0]; did you mean 'note'?",
        ),
        (
            "roadmap",
            {"status": "success", "files": [{"path": "a"}, {"note": "x"}]},
            "files[1].path is missing or empty",
        ),
        (
            "roadmap",
            {"status": "success", "files": [{"path": " ", "note": "x"}]},
            "files[0].path is missing or empty",
        ),
        (
            "roadmap",
            {"status": "success", "files": [{"path": "a", "note": 1}]},
            "files[0].note must be text",
        ),
        (
            "roadmap",
            {"status": "success", "failures": "x"},
            "member 'failures' has the wrong type str",
        ),
        (
            "roadmap",
            {"status": "success", "next_steps": [1]},
            "next_steps[0] must be text, not int",
        ),
        ("roadmap-validation", {"status": "success"}, "member 'validation' is missing"),
        (
            "roadmap-validation",
            {"status": "success", "validation": "ok"},
            "validation is 'ok'; it must be one of aligned, drift_detected",
        ),
        ("roadmap-testing", {"status": "success"}, "member 'tests' is missing"),
        ("roadmap-review", {"status": "success", "review": "ship"}, "member 'checks' is missing"),
        ("roadmap-review", {"status": "success", "checks": PASS}, "member 'review' is missing"),
        (
            "roadmap-review",
            {"status": "success", "review": "ship", "checks": []},
            "member 'checks' has the wrong type list",
        ),
        (
            "roadmap-review",
            {"status": "success", "review": "ship", "checks": {"lint": "pass", "build": "pass"}},
            "member 'typecheck' is missing",
        ),
        (
            "roadmap-review",
            {"status": "success", "review": "ship", "checks": {**PASS, "tests": "pass"}},
            "unknown member 'tests'",
        ),
        (
            "roadmap-review",
            {"status": "success", "review": "ship", "checks": {**PASS, "lint": "ok"}},
            "lint is 'ok'; it must be one of pass, n/a, fail",
        ),
    ],
)
def test_anything_else_is_refused_with_the_exact_fault(
    dialect: str, data: dict[str, Any], message: str
) -> None:
    with pytest.raises(MalformedVerdict) as refused:
        DIALECTS[dialect].read(data)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "name", ["roadmap", "roadmap-validation", "roadmap-testing", "roadmap-review"]
)
def test_each_dialect_wants_a_verdict_and_its_good_answer_is_a_success(name: str) -> None:
    dialect = DIALECTS[name]
    assert dialect.name == name
    assert dialect.required
    assert dialect.read(dialect.good).outcome == "ok"


def test_the_words_that_an_agent_is_told_are_the_words_that_are_read() -> None:
    for dialect, name, words in (
        (WORK, "status", ("success", "needs_revision", "blocked")),
        (VALIDATION, "validation", ("aligned", "drift_detected")),
        (TESTING, "tests", ("pass", "fail")),
        (REVIEW, "review", ("ship", "minor_fixes", "needs_work")),
    ):
        for word in words:
            assert f'"{word}"' in "\n".join(dialect.told)
            dialect.read({**dialect.good, name: word})


ROLES = files(roadmap) / "scaffold" / "roles"


@pytest.mark.parametrize(
    "role", ["planner", "research", "architect", "implement", "testing", "review"]
)
def test_the_objects_that_a_role_shows_are_read_by_its_dialect(role: str) -> None:
    text = (ROLES / f"{role}-agent.md").read_text(encoding="utf-8")
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]
    assert shown
    for data in shown:
        own = {"validation", "tests", "review"} & set(data)
        DIALECTS[
            "-".join(["roadmap", *({"tests": "testing"}.get(each, each) for each in own)])
        ].read(data)


# ---- the status line of a message


@pytest.mark.parametrize(
    "text",
    [
        "Status: needs_revision",
        "status: Needs revision",
        "**Status:** needs_revision",
        "**Status: needs_revision**",
        "- **Status:** `needs_revision`",
        "* Status: needs_revision — two tests are red",
        "1. Status: needs-revision (see below)",
        "  - __Status__: needs_revision.",
        "### Status: needs_revision",
        "## Status\n\nneeds_revision",
        "**Status:**\nneeds_revision",
        "All is said.\n\n### Orchestrator Contract\n\n- Status: needs_revision\n- Evidence: none",
        "Status: needs_revision <!-- not success -->",
    ],
)
def test_a_status_may_be_plain_bold_an_item_or_a_heading(text: str) -> None:
    found = heard("roadmap", text)
    assert (found.outcome, found.word, found.data["status"]) == (
        "revise",
        "needs_revision",
        "needs_revision",
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All done, with success.",
        "```\nStatus: success\n```",
        "    Status: success",
        "> Status: success",
        "<!-- Status: success -->",
        "<!--\nStatus: success\n-->",
        "`Status: success`",
        "~~Status: success~~",
        "I was told to write `Status: success` at the end.",
        "The build status: success",
        "- [ ] Status: success",
        "| Status | success |",
        "## Status\n\nAccepted",
        "Status: Accepted",
        "## Status\n\nnobody can say that this was no\nsuccess\nat all",
    ],
)
def test_a_message_that_states_nothing_has_no_verdict(text: str) -> None:
    assert said("roadmap", text) is None


@pytest.mark.parametrize(
    "value",
    [
        "success | blocked | needs_revision",
        "`success` | `blocked`",
        "not success",
        "success, mostly",
        "done",
        "~~success~~ blocked",
    ],
)
def test_a_status_that_is_unclear_is_malformed_and_quoted(value: str) -> None:
    assert "it must be one of success, needs_revision, blocked" in fault(
        "roadmap", f"Status: {value}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Status: success\n\nStatus: blocked",
        "Status: blocked\n\nand at the end\n\n**Status:** success",
        "## Status: success\n\n- Status: blocked",
        "Status: success — blocked",
    ],
)
def test_two_status_lines_that_disagree_count_as_the_worse(text: str) -> None:
    assert heard("roadmap", text).outcome == "fail"


def test_a_status_that_is_unclear_beside_a_clear_one_is_malformed() -> None:
    assert "'failed'" in fault("roadmap", "Status: success\n\nStatus: failed")


def test_the_status_of_a_decision_record_is_not_the_architects() -> None:
    assert (
        heard("roadmap", "## Status\n\nAccepted\n\nStatus: Proposed\n\n- Status: success").outcome
        == "ok"
    )


def test_the_lists_of_a_message_become_the_members_of_the_object() -> None:
    text = """Done.

### Files Changed

- `src/app.py`: the entry point
- Created src/new module.py
- **src/b.py** — the other part
- nothing here is a path at all

### Failures

1. test_one fails
   ```
   AssertionError: 1 != 2
   ```
2. test_two fails
   with more words

**Learnings:** the cache is global

Next steps:
- run it
- read it

Status: needs_revision
"""
    assert heard("roadmap", text).data == {
        "status": "needs_revision",
        "files": [
            {"path": "src/app.py", "note": "the entry point"},
            {"path": "src/b.py", "note": "the other part"},
        ],
        "failures": ["test_one fails\nAssertionError: 1 != 2", "test_two fails\nwith more words"],
        "learnings": ["the cache is global"],
        "next_steps": ["run it", "read it"],
    }


@pytest.mark.parametrize("nothing", ["None", "- None.", "n/a", "No failures found", "- no issues"])
def test_a_list_that_says_none_is_empty(nothing: str) -> None:
    assert (
        heard("roadmap", f"Status: success\n\n### Failures\n\n{nothing}\n").data["failures"] == []
    )


# ---- testing


@pytest.mark.parametrize(
    ("results", "word"),
    [
        ("- pass", "pass"),
        ("**FAIL** — two of them", "fail"),
        ("✅ Pass", "pass"),
        ("- ❌", "fail"),
        ("- 12 passed, 0 failed", "pass"),
        ("- 12 passed, 1 failed, 2 skipped in 0.31s", "fail"),
        ("- Passed: 12\n- Failed: 0", "pass"),
        ("- Passed: 12\n- Failed: 3", "fail"),
        ("- Pass: 12, Fail: 0", "pass"),
        ("- 14/14 tests passing", "pass"),
        ("- 13/14 tests passing", "fail"),
        ("- All 12 unit tests pass (0.3 s)", "pass"),
        ("- ❌ 12 passed", "fail"),
        ("- Status: ✅ Pass", "pass"),
        ("- pass\n- 2 failed", "fail"),
        ("- [x] fail\n- [ ] pass", "fail"),
    ],
)
def test_the_results_of_testing_are_a_word_or_a_count(results: str, word: str) -> None:
    found = heard(
        "roadmap-testing",
        f"## Testing Result: login\n\n### Scope\n\n- fail safe\n\n### Results\n\n{results}\n",
    )
    assert found.data["tests"] == word
    assert found.outcome == ("ok" if word == "pass" else "revise")
    assert found.data["status"] == ("success" if word == "pass" else "needs_revision")


@pytest.mark.parametrize(
    "text",
    [
        "Tests: pass",
        "**Test results:** 3 passed",
        "Results: pass",
        "## Testing Result: pass",
        "## Testing Result\n\nPass",
        "Status: success\n\n## Results\n\npass",
        "PASS",
        "✅ All tests pass.",
        "Pass: nothing broke",
    ],
)
def test_a_test_result_may_stand_in_several_places(text: str) -> None:
    assert heard("roadmap-testing", text).outcome == "ok"


@pytest.mark.parametrize(
    "results",
    [
        "- 0 passed, 0 failed",
        "- Failed: 0",
        "- it went well",
        "```\n12 passed\n```",
        "- pass / fail",
        "> pass",
        "12 passed or so",
    ],
)
def test_a_test_result_that_is_unclear_is_malformed(results: str) -> None:
    text = f"Status: success\n\n## Testing Result: x\n\n### Results\n\n{results}\n"
    assert "the message does not say tests" in fault("roadmap-testing", text)


@pytest.mark.parametrize(
    "text",
    [
        "I looked at it.\npass",
        "I looked at it.\n\npass",
        "## Scope\n\npass",
        "> pass",
        "~~pass~~",
        "pass or fail",
    ],
)
def test_a_test_result_without_its_key_stands_alone_in_the_message_or_is_none(text: str) -> None:
    assert said("roadmap-testing", text) is None


def test_success_with_failing_tests_is_a_failed_attempt() -> None:
    found = heard("roadmap-testing", "Status: success\n\n### Results\n\n- fail")
    assert (found.outcome, found.word) == ("revise", "fail")


# ---- validation


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("aligned", "aligned"),
        ("**aligned**", "aligned"),
        ("`aligned`", "aligned"),
        ("Validation: aligned", "aligned"),
        ("- **Validation:** `drift_detected`", "drift_detected"),
        ("## Validation\n\nDrift detected", "drift_detected"),
        ("## Validation: aligned", "aligned"),
        ("- **Status:** success\n- **Evidence:** aligned", "aligned"),
        ("I read it all.\n\ndrift_detected: src/a.py imports the store", "drift_detected"),
        ("- aligned: src/a.py\n- drift_detected: src/b.py", "drift_detected"),
        ("Validation: aligned\n\nVerdict: drift_detected", "drift_detected"),
    ],
)
def test_validation_is_aligned_or_drift_detected(text: str, word: str) -> None:
    assert heard("roadmap-validation", text).data["validation"] == word


@pytest.mark.parametrize(
    "text",
    [
        "The modules are not\naligned\nat all.",
        "The modules are not\naligned",
        "aligned\nexcept for the store",
        "Everything is aligned with the record, I think.",
        "```\naligned\n```",
        "> aligned",
    ],
)
def test_a_word_within_a_sentence_is_no_validation(text: str) -> None:
    assert said("roadmap-validation", text) is None


@pytest.mark.parametrize(
    ("text", "drift"),
    [
        (
            (
                "drift_detected\n\n- src/a.py: expected X, found Y\n- src/b.py: no interface\n\n"
                "## More\n\n- not this"
            ),
            ["src/a.py: expected X, found Y", "src/b.py: no interface"],
        ),
        (
            (
                "Validation: drift_detected\n\n### Drift\n\n1. src/a.py writes the store\n2. "
                "src/b.py too\n\nStatus: blocked"
            ),
            ["src/a.py writes the store", "src/b.py too"],
        ),
        ("drift_detected: src/a.py imports the store", ["src/a.py imports the store"]),
    ],
)
def test_drift_comes_with_its_list(text: str, drift: list[str]) -> None:
    assert heard("roadmap-validation", text).data["failures"] == drift


def test_drift_is_no_reason_to_give_up() -> None:
    assert heard("roadmap-validation", "drift_detected").outcome == "revise"
    assert heard("roadmap-validation", "drift_detected\n\nStatus: blocked").outcome == "fail"


def test_validation_without_a_word_is_malformed() -> None:
    assert "aligned, drift_detected" in fault(
        "roadmap-validation", "Status: success\n\nIt all fits."
    )


# ---- review


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        ("🟢 Ship it", "ship"),
        ("**🟢 Ship it**", "ship"),
        ("🟢 **Ship it**!", "ship"),
        ("Ship it", "ship"),
        ("- `ship`", "ship"),
        ("🟢", "ship"),
        ("Ship it 🟢 — good work", "ship"),
        ("🟡 Minor fixes needed", "minor_fixes"),
        ("minor_fixes", "minor_fixes"),
        ("**Minor Fixes Needed** (two names)", "minor_fixes"),
        ("🔴 Needs work", "needs_work"),
        ("__Needs work__", "needs_work"),
        ("🔴 Ship it", "needs_work"),
        ("🟢 Ship it\n\n🔴 Needs work", "needs_work"),
    ],
)
def test_a_review_says_its_verdict_in_signs_bold_or_plain(verdict: str, word: str) -> None:
    found = heard("roadmap-review", review(verdict.replace("__", "**")))
    assert found.data["review"] == word
    assert found.data["checks"] == PASS
    assert found.outcome == ("ok" if word == "ship" else "revise")


@pytest.mark.parametrize(
    "text",
    [
        review().replace("### Verdict\n\n🟢 Ship it", "**Verdict:** 🟢 Ship it"),
        review().replace("### Verdict\n\n🟢 Ship it", "### Verdict: 🟢 Ship it"),
        review().replace("### Verdict\n\n🟢 Ship it", "- Verdict: `ship`"),
        review().replace("### Verdict\n\n🟢 Ship it", "**Verdict**\n\n**Verdict:**\n🟢 Ship it"),
    ],
)
def test_a_review_verdict_may_stand_after_its_key(text: str) -> None:
    assert heard("roadmap-review", text).data["review"] == "ship"


@pytest.mark.parametrize(
    "verdict",
    [
        *(
            "🟢 Ship it",
            "🟢 **Ship it**",
            "**🟢 Ship it**",
            "Ship it",
            "**Verdict** 🟢 Ship it",
            "Verdict — 🟢 Ship it",
        ),
        *(
            "Final Verdict: 🟢 Ship it",
            "**Overall verdict:** Ship it",
            "### Final Verdict\n\nShip it",
        ),
    ],
)
def test_a_review_verdict_may_stand_alone_under_its_title(verdict: str) -> None:
    assert (
        heard("roadmap-review", f"## Code Review\n\n{verdict}\n\n{TABLE}").data["review"] == "ship"
    )
    harsher = verdict.replace("🟢", "🔴").replace("Ship it", "Needs work")
    assert (
        heard("roadmap-review", f"## Code Review\n\n{harsher}\n\n{TABLE}").data["review"]
        == "needs_work"
    )


def test_a_word_alone_is_no_verdict_in_the_middle_of_a_sentence_nor_beside_a_verdict_that_is_named() -> (  # noqa: E501
    None
):
    assert "does not say review" in fault(
        "roadmap-review", f"## Code Review\n\nI would say\nShip it\nif it were tested.\n\n{TABLE}"
    )
    assert "does not say review" in fault("roadmap-review", f"## Notes\n\nShip it\n\n{TABLE}")
    legend = "- 🟢 Ship it\n- 🔴 Needs work"
    assert (
        heard("roadmap-review", f"## Code Review\n\n{legend}\n\n{TABLE}").data["review"]
        == "needs_work"
    )
    assert (
        heard("roadmap-review", f"## Code Review\n\n{legend}\n\nVerdict: Ship it\n\n{TABLE}").data[
            "review"
        ]
        == "ship"
    )


def test_a_review_that_quotes_ship_it_in_a_code_block_while_it_says_needs_work_needs_work() -> None:
    quoted = (
        "```markdown\n### Verdict\n\n🟢 Ship it\n\nVerdict: 🟢 Ship it\n```\n\n> ### Verdict\n>\n> "
        "🟢 Ship it\n"
    )
    assert heard("roadmap-review", quoted + review("🔴 Needs work")).data["review"] == "needs_work"
    assert (
        heard("roadmap-review", review("🔴 Needs work") + "\n" + quoted).data["review"]
        == "needs_work"
    )
    assert "does not say review" in fault("roadmap-review", quoted + "\n" + TABLE)


def test_a_review_with_two_verdict_lines_counts_as_the_worse() -> None:
    for first, second in (("🟢 Ship it", "🔴 Needs work"), ("🔴 Needs work", "🟢 Ship it")):
        text = review(first) + f"\n- Verdict: {second}\n"
        assert heard("roadmap-review", text).data["review"] == "needs_work"


def test_a_table_with_a_failed_check_and_ship_it_is_a_failed_review() -> None:
    table = TABLE.replace("| `mypy` | ✅ Pass |", "| `mypy` | ❌ Fail |")
    found = heard("roadmap-review", review(table=table, more="Status: success"))
    assert (found.outcome, found.word) == ("revise", "fail")
    assert found.data["checks"] == {**PASS, "typecheck": "fail"}
    assert found.data["failures"] == ["typecheck: fail — mypy"]
    assert found.reason.startswith("typecheck is fail")


def test_a_table_with_only_two_checks_is_malformed_and_names_the_third() -> None:
    table = TABLE.replace("| Build | `make` | ✅ Pass |\n", "")
    assert (
        fault("roadmap-review", review(table=table)) == "the table of checks has no row for build"
    )


@pytest.mark.parametrize(
    "table",
    [
        "",
        f"```\n{TABLE}```\n",
        "".join(f"> {row}\n" for row in TABLE.splitlines()),
        "Lint, typecheck and build pass.",
    ],
)
def test_a_review_without_its_table_is_malformed_and_never_passes(table: str) -> None:
    assert "no table with the columns Check, Command and Result" in fault(
        "roadmap-review", review(table=table)
    )


@pytest.mark.parametrize("result", ["", "✅ Pass / ❌ Fail", "maybe", "Pass or Fail", "skipped"])
def test_a_check_whose_result_is_unclear_is_malformed(result: str) -> None:
    table = TABLE.replace("| `make` | ✅ Pass |", f"| `make` | {result} |")
    assert "the check 'build'" in fault("roadmap-review", review(table=table))


@pytest.mark.parametrize(
    ("result", "word"),
    [
        ("✅", "pass"),
        ("**Pass**", "pass"),
        ("passed", "pass"),
        ("N/A", "n/a"),
        ("❌ Fail", "fail"),
        ("✅ Fail", "fail"),
    ],
)
def test_a_check_may_be_spelt_in_several_ways(result: str, word: str) -> None:
    table = TABLE.replace("| `make` | ✅ Pass |", f"| `make` | {result} |")
    assert heard("roadmap-review", review(table=table)).data["checks"]["build"] == word


def test_two_tables_that_disagree_count_as_the_worse() -> None:
    again = TABLE.replace("| Lint | `ruff check` | ✅ Pass |", "| Lint | `ruff check` | ❌ Fail |")
    assert (
        heard("roadmap-review", review(table=TABLE + "\n" + again)).data["checks"]["lint"] == "fail"
    )
    assert (
        heard("roadmap-review", review(table=again + "\n" + TABLE)).data["checks"]["lint"] == "fail"
    )


def test_a_failed_check_that_nobody_asked_for_is_no_less_broken() -> None:
    found = heard("roadmap-review", review(table=TABLE + "| Tests | `pytest` | ❌ Fail |\n"))
    assert (found.outcome, found.data["review"]) == ("revise", "needs_work")
    assert found.data["failures"] == ["tests: fail — pytest"]


def test_the_template_of_a_review_left_unfilled_is_malformed() -> None:
    assert "does not say review" in fault(
        "roadmap-review", review("[🟢 Ship it | 🟡 Minor fixes needed | 🔴 Needs work]")
    )
    assert "review is" in fault(
        "roadmap-review", TABLE + "\nVerdict: 🟢 Ship it | 🟡 Minor fixes needed | 🔴 Needs work"
    )


def test_the_issues_of_a_review_are_its_failures_and_its_suggestions_are_not() -> None:
    text = review(
        "🔴 Needs work",
        more=(
            "### Issues\n\n#### 🔴 Critical (must fix)\n\n| Location | Issue | Fix |\n"
            "|---|---|---|\n"
            "| `src/a.py:L4` | crashes | check it |\n\n#### 🔵 Suggestions\n\n- rename x\n\n"
            "### What Looks Good ✅\n\n- all of it\n"
        ),
    )
    assert heard("roadmap-review", text).data["failures"] == ["`src/a.py:L4` — crashes — check it"]


# ---- both forms


@st.composite
def objects(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(DIALECTS)))
    data: dict[str, Any] = {
        "status": draw(st.sampled_from(["success", "needs_revision", "blocked"]))
    }
    if name == "roadmap-validation":
        data["validation"] = draw(st.sampled_from(["aligned", "drift_detected"]))
    if name == "roadmap-testing":
        data["tests"] = draw(st.sampled_from(["pass", "fail"]))
    if name == "roadmap-review":
        data["review"] = draw(st.sampled_from(["ship", "minor_fixes", "needs_work"]))
        data["checks"] = {each: draw(st.sampled_from(["pass", "fail", "n/a"])) for each in PASS}
    data["failures"] = [f"it fails {number}" for number in range(draw(st.integers(0, 3)))]
    data["learnings"] = draw(
        st.lists(st.sampled_from(["the cache is global", "ids are text"]), unique=True)
    )
    return name, data


def spoken(data: dict[str, Any]) -> str:
    """The same in the Markdown of the format."""
    words = {
        "ship": "🟢 Ship it",
        "minor_fixes": "🟡 Minor fixes needed",
        "needs_work": "🔴 Needs work",
    }
    parts = [f"- **Status:** `{data['status']}`"]
    if "validation" in data:
        parts.append(f"Validation: {data['validation']}")
    if "tests" in data:
        parts.append(f"## Testing Result: x\n\n### Results\n\n- {data['tests']}")
    if "review" in data:
        rows = [
            f"| {name.title()} | `make {name}` | {word} |" for name, word in data["checks"].items()
        ]
        parts += [f"## Code Review\n\n### Verdict\n\n{words[data['review']]}"]
        parts += ["\n".join(["| Check | Command | Result |", "|---|---|---|", *rows])]
    for title, name in (("Failures", "failures"), ("Learnings", "learnings")):
        if data[name]:
            parts.append(f"### {title}\n\n" + "\n".join(f"- {each}" for each in data[name]))
    return "\n\n".join(parts)


@settings(max_examples=150)
@given(objects())
def test_a_message_and_the_object_that_says_the_same_are_one_verdict(
    made: tuple[str, dict[str, Any]],
) -> None:
    name, data = made
    by_object, by_message = DIALECTS[name].read(data), heard(name, spoken(data))
    assert (by_message.outcome, by_message.word) == (by_object.outcome, by_object.word)
    # A failed row of the table is a failure, too, which an object says in its checks only.
    failures = [
        each
        for each in by_message.data["failures"]
        if not each.startswith(("lint:", "typecheck:", "build:"))
    ]
    assert {**by_message.data, "failures": failures} == by_object.data
    assert DIALECTS[name].read(by_message.data).data == by_message.data


PIECES = (
    "Status: success",
    "Status: blocked",
    "**Status:**",
    "success",
    "## Status",
    "### Verdict",
    "🟢 Ship it",
    "🔴 Needs work",
    "aligned",
    "drift_detected",
    "### Results",
    "- pass",
    "- 3 failed",
    "### Failures",
    "- it broke",
    "```",
    "> quote",
    "    code",
    "<!--",
    "-->",
    "| Check | Result |",
    "|---|---|",
    "| Lint | ✅ Pass |",
    "| Build | ❌ |",
    "|",
    "- [ ] x",
    "Failures:",
    "  - a",
    "",
    "Verdict:",
)


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(DIALECTS)),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=16),
)
def test_any_message_is_a_verdict_none_or_malformed(name: str, lines: list[str]) -> None:
    try:
        found = said(name, "\n".join(lines))
    except MalformedVerdict:
        return
    if found is not None:
        assert DIALECTS[name].read(found.data).outcome == found.outcome


@settings(max_examples=150)
@given(
    objects(),
    st.sampled_from(
        [
            "Status: success",
            "### Verdict\n\n🟢 Ship it",
            "Validation: aligned",
            "### Results\n\npass",
        ]
    ),
)
def test_nothing_gets_better_by_a_good_statement_beside_it(
    made: tuple[str, dict[str, Any]], more: str
) -> None:
    name, data = made
    rank = ("ok", "revise", "fail")
    text = spoken(data)
    for both in (f"{more}\n\n{text}", f"{text}\n\n{more}"):
        try:
            found = heard(name, both)
        except MalformedVerdict:
            continue
        assert rank.index(found.outcome) >= rank.index(DIALECTS[name].read(data).outcome)


def test_a_message_of_many_repeats_is_read_in_time() -> None:
    for piece in (
        "Status: success\n",
        "| a | b |\n",
        "- x\n",
        "`",
        "12 passed, ",
        "success: ",
        "**",
        "<!-- ",
        "- ❌ ",
    ):
        for name in DIALECTS:
            try:
                said(name, piece * 4_000)
            except MalformedVerdict:
                continue
