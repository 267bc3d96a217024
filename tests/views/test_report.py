"""The run report."""

from __future__ import annotations

from markdown_it import MarkdownIt
from tests.views import teams, tickets
from tests.views.conftest import HOSTILE, Teller

from podium.views.report.report import markdown


def test_the_report_tells_the_whole_story(steps, whole, told):
    text = markdown(whole, told(status="complete", step="done"), steps, {"git": "2.43"})
    for expected in (
        "# T001 Round totals to cents",
        "qa/1 :crit, s5, 2026-01-31T12:22:36.050, 2026-01-31T12:23:14.050",
        "approve-build approved :milestone, g1, 2026-01-31T12:20:24.030, 0s",
        "| `qa/1` | qa | revise | Issues Found | 38s | 1 |",
        (
            "| `approve-build` | approved | ada | 2026-01-31 12:20 UTC | `plan.md` `ab12ab12ab12` "
            "| go |"
        ),
        (
            "| `build/1` | `pytest -q \\| tail` | 1 | **test: 1 failed: "
            "tests/test\\_app.py::test\\_total** |"
        ),
        "| `design` | `artifacts/design/T001.md` | malformed |",
        "| `build/1` | `harness/run-state.md` |",
        "| Cost | at least $0.07 | 1 |",
        "| Dispatches | 8 |",
        "| git | 2.43 |",
        "36 events in 1 journal, every hash checked and unbroken",
    ):
        assert expected in text


def test_a_run_in_a_folder_without_git_says_where_its_branch_is(steps, told):
    t = Teller()
    t.begin("build/1", "build", "build")
    t.end(
        "build/1",
        "ok",
        "done",
        1.0,
        outputs={"a.py": "sha256:1"},
        commit="0123456789",
        base="9876543210",
    )
    at = f"On the branch `podium/{t.run}`"
    assert f"{at}:" in markdown(t.events, told(), steps)
    assert (
        f"{at} of `.podium/snapshots.git`, since the project is not a git repository:"
        in markdown(t.events, told(), steps, apart=".podium/snapshots.git")
    )


def test_the_same_journal_gives_the_same_bytes(steps, whole, told):
    assert markdown(whole, told(), steps) == markdown(list(whole), told(), steps)


def test_an_open_gate_comes_with_its_command(steps, at_gate, told):
    assert "`podium approve T001-k3f9 --go`" in markdown(at_gate, told(), steps)


def test_a_changed_journal_is_said_to_be_changed(steps, whole, told):
    whole[20] = {**whole[20], "ts": "2027-01-01T00:00:00.000Z"}
    assert "line 21 was changed after it was written" in markdown(whole, told(), steps)


def test_child_journals_are_checked_each_for_itself(wave, told):
    assert "6 events in 3 journals" in markdown(wave, told())


def test_hostile_text_stays_text(steps, attack, told, hostile):
    bad = told(
        hostile, title=hostile, workflow=hostile, status=hostile, step=hostile, reason=hostile
    )
    more = (
        "![x](http://evil/a.png) <script> https://evil www.evil.com [a](javascript:x) | `` ` @all"
    )
    attack.append({**attack[-1], "type": "run.blocked", "reason": more})
    text = markdown(
        attack,
        told(bad.run, title=more, reason=more, status=hostile, step=hostile),
        steps,
        {more: more},
    )
    assert all(line.isprintable() for line in text.split("\n"))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    for tag in ("<script", "<img", "<a ", "<b>"):
        assert tag not in html
    assert html.count("<h1>") == 1


def test_a_report_of_items_has_a_line_for_each_with_its_attempts_and_its_way(told):
    text = markdown(
        teams.second_attempt(), told(status="active", step="item", workflow="roadmap"), teams.LOOP
    )
    for expected in (
        "| Step | item US-2: implement, attempt 2 of 3; 1 of 3 items done |",
        "| Result | 1 of 3 items done, 1 more attempt, 1 commit |",
        "| `US-1` | Story US-1 | done | 1 of 3 | 4.3s | `0000001abc` | implement, testing |",
        "| `US-2` | Story US-2 | at work | 2 of 3 |",
        "implement, testing **fail**, implement |",
        "| `item/US-2/testing/1` | 1 test fails |",
        "| `0000001abc` | `commit/1` | `a.py` |",
        "    section US-2\n    item/US-2/implement/1 :done, s3,",
    ):
        assert expected in text
    assert "## Steps" not in text
    assert "harness" not in text


def test_a_report_of_waves_tells_tasks_clusters_findings_and_warnings(told):
    t = teams.to_fix()
    text = markdown(t.events, told(status="active", step="wave", workflow="feature"), teams.LINE)
    for expected in (
        "| `wave/1` | `02-b` | implementer | done | 6.0s | merged with parallel work |",
        (
            "| `wave/2` | `03-c` | implementer | **failed** | 3.0s | src/app.py changed in "
            "another task, too |"
        ),
        "| `fix/1/wave/1` | `04-mend` | implementer | running |",
        (
            "| `ct/1` | ct-security DONE (High), ct-strategy DONE | **NEEDS\\_REVISION**: "
            "ct-security DONE with High | `docs/review.md` |"
        ),
        (
            "| `ct/2` | ct-security DONE, ct-strategy DONE | DONE: 2 of 2 are done | "
            "`docs/review.md` |"
        ),
        "| `ct/1/ct-security` | High | design | names are unchecked |",
        "wave/2/03-c cannot be merged with parallel work: src/app.py",
    ):
        assert expected in text
    warned = markdown(teams.to_waves().events, told(status="active", step="wave"), teams.LINE)
    assert "## Warnings\n\n- the plan is long" in warned


def test_a_long_run_has_a_bar_for_each_item_and_lists_only_what_did_not_hold(told):
    story = teams.LoopStory(60)
    for number in range(1, 61):
        story.whole(f"US-{number}")
    text = markdown(story.told, told(workflow="roadmap"), teams.LOOP)
    assert "    US-60 :done, s60," in text
    assert "item/US-60/implement/1 :" not in text


def test_a_reason_of_many_lines_is_told_whole(steps, at_second_build, told):
    reason = "blocked: US-4\n- Item US-4 is blocked:\n  - Evidence: 1 test fails"
    text = markdown(at_second_build, told(status="blocked", reason=reason), steps)
    assert "| Reason | blocked: US-4 |" in text
    assert "- blocked: US-4\n- Item US-4 is blocked:\n- Evidence: 1 test fails" in text


def test_a_report_of_groups_has_tables_of_groups_tasks_and_rejections(told):
    text = markdown(
        tickets.whole().told, told(status="complete", step="done", workflow="ticket"), tickets.STEPS
    )
    for expected in (
        "| Result | 4 tasks in 2 groups, 3 more attempts, 1 iteration, 1 commit |",
        "| Progress | 100%, 4 of 4 tasks, 2 of 2 groups, iteration 1 of 5 |",
        "| Branch | `feature/X-1_a_b_c` |",
        "| 1 | A | parallel | accepted | 3 of 3 | 24s | `TASK-1`, `TASK-2`, `TASK-3` |",
        "| 1 | A | `TASK-1` | accepted | 2 of 5 | 8.0s | 1 by build and test |",
        "| 1 | B | `TASK-4` | accepted | 1 of 5 | 5.0s |   |",
        (
            "| 1 | `TASK-1`, `TASK-2`, `TASK-3` | 1 | rejected | build and test | "
            "test: 1 failed: tests/test\\_lines.py::test\\_lines (\\`/usr/bin/make test\\`)<br>"
            "FAIL: test\\_lines<br>AssertionError: 2 != 3 |"
        ),
        "| `iteration/0/plan/planner` | planner | ok | DONE |",
        "| `0123456789` | `commit/1` | `a.py` |",
    ):
        assert expected in text
    for absent in ("## Waves", "## Iterations", "next-group", "split-tasks", "Counters"):
        assert absent not in text


def test_a_report_of_a_rejected_iteration_says_what_its_review_said(told):
    story = tickets.at_second_iteration()
    story.plan()
    text = markdown(
        story.told, told(status="active", step="next_group", workflow="ticket"), tickets.STEPS
    )
    assert "| 1 | **rejected** | 4 of 4 |" in text
    assert "| the longest word is not the first |" in text
    assert "| 2 | open | 0 of 4 |" in text
    assert "| 2 | A | parallel | not begun | 0 of 3 | – |" in text


def test_hostile_groups_stay_text(told):
    story = tickets.TicketStory()
    story.plan([(HOSTILE, HOSTILE, [HOSTILE])])
    story.run.tries = {HOSTILE: 1}
    story.go(
        "next_group",
        group=HOSTILE,
        batch=[HOSTILE],
        results={
            HOSTILE: {
                "status": "REJECTED",
                "evidence": [HOSTILE, "<script>x</script>\n![x](http://evil)"],
            }
        },
    )
    text = markdown(story.told, told(status="active", step="next_group"), tickets.STEPS)
    assert all(line.isprintable() for line in text.split("\n"))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert not any(tag in html for tag in ("<script", "<img", "<a ", "<b>"))
