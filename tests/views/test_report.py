"""The run report."""

from __future__ import annotations

from markdown_it import MarkdownIt

from podium.views.report import markdown


def test_the_report_tells_the_whole_story(steps, whole, told):
    text = markdown(whole, told(status="complete", step="done"), steps, {"git": "2.43"})
    for expected in (
        "# T001 Round totals to cents",
        "qa/1 :crit, s5, 2026-01-31T12:22:36.050, 2026-01-31T12:23:14.050",
        "approve-build approved :milestone, g1, 2026-01-31T12:20:24.030, 0s",
        "| `qa/1` | qa | revise | Issues Found | 38s | 1 |",
        "| `approve-build` | approved | ada | 2026-01-31 12:20 UTC | `plan.md` `ab12ab12ab12` | go |",
        "| `build/1` | `pytest -q \\| tail` | 1 | 0 | FAILED tests/test\\_app.py::test\\_total | **failed** |",
        "| `design` | `artifacts/design/T001.md` | malformed |",
        "| `build/1` | `harness/run-state.md` |",
        "| Cost | at least $0.07 | 1 |",
        "| Dispatches | 8 |",
        "| git | 2.43 |",
        "36 events in 1 journal, every hash checked and unbroken",
    ):
        assert expected in text


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
    bad = told(hostile, title=hostile, workflow=hostile, status=hostile, step=hostile, reason=hostile)
    more = "![x](http://evil/a.png) <script> https://evil www.evil.com [a](javascript:x) | `` ` @all"
    attack.append({**attack[-1], "type": "run.blocked", "reason": more})
    text = markdown(
        attack, told(bad.run, title=more, reason=more, status=hostile, step=hostile), steps, {more: more}
    )
    assert all(line.isprintable() for line in text.split("\n"))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    for tag in ("<script", "<img", "<a ", "<b>"):
        assert tag not in html
    assert html.count("<h1>") == 1
