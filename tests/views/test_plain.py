"""Lines for no terminal."""

from __future__ import annotations

import io
import re

import pytest
from tests.views import tickets

from podium.views.lines import log_line
from podium.views.plain import plain_observer


def told(steps, events, **how):
    out = io.StringIO()
    with plain_observer("T001", steps, out, **how) as view:
        for event in events:
            view.event(event)
            view.activity(str(event.get("key")), "text", {"text": "chatter"})
    return out.getvalue()


def test_a_line_for_what_matters_and_last_words(steps, at_gate):
    lines = told(steps, at_gate).splitlines()
    assert lines[1] == "12:03:05 specification started (po-spec)"
    assert not [each for each in lines if "chatter" in each or "saved" in each]
    assert " next  podium approve T001-k3f9 --go" in lines


def test_whoever_waits_for_an_agent_sees_that_its_model_does_not_answer(steps, at_gate):
    out = io.StringIO()
    with plain_observer("T001", steps, out) as view:
        view.event(at_gate[0])
        view.activity("build", "retry", {"detail": "500 server_error (retry 3 of 10)"})
        assert out.getvalue().splitlines()[-1] == (
            "build has no answer from its model, tries again: 500 server_error (retry 3 of 10)"
        )


def test_a_pause_tells_the_whole_question_and_the_files_it_is_about(steps, at_gate):
    long = (
        "write it in /home/somebody/"
        + "a-long-folder/" * 20
        + "specification, then say that it is done"
    )
    gate = next(each for each in at_gate if each["type"] == "gate.opened")
    asked = [
        {**each, "prompt": long, "subject": {"docs/plan.md": "sha256:0123456789abcdef"}}
        if each is gate
        else each
        for each in at_gate
    ]
    lines = told(steps, asked).splitlines()
    shown = lines[lines.index(f" ◆ Your turn: {gate['key']}") :]
    assert shown[1:4] == [f"   {long}", "   docs/plan.md  0123456789ab", ""]
    assert shown[4].startswith(" Paused for your decision")


def test_there_are_no_control_characters(steps, attack):
    assert all(each.isprintable() for each in told(steps, attack).split("\n"))


def test_the_engines_advice_wins(steps, at_gate):
    out = io.StringIO()
    with plain_observer("", steps, out, past=at_gate[:-1]) as view:
        view.event(at_gate[-1])
        view.conclude(("podium approve X",))
    assert "next  podium approve X" in out.getvalue()
    assert "--go" not in out.getvalue()


def test_an_interrupted_run_says_how_to_go_on(steps, at_second_build):
    out = io.StringIO()
    with pytest.raises(KeyboardInterrupt), plain_observer("", steps, out, past=at_second_build):
        raise KeyboardInterrupt
    assert "Interrupted at build" in out.getvalue()
    assert "podium resume T001-k3f9" in out.getvalue()


def test_a_poor_encoding_and_a_closed_pipe_do_not_stop_the_run(steps, whole):
    raw = io.BytesIO()
    with plain_observer("", steps, io.TextIOWrapper(raw, "ascii")) as view:
        view.event({**whole[0], "input": ["größer ✓"]})
        assert b"gr??er ?" in raw.getvalue()

    class Closed(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    with plain_observer("", steps, Closed()) as view:
        for event in whole:
            view.event(event)


def test_a_group_has_one_line_when_it_begins_and_none_for_its_moves():
    lines = told(tickets.STEPS, tickets.whole().told).splitlines()
    groups = [line.split(" ", 1)[1] for line in lines if "group " in line]
    assert groups == [
        "group A begins (parallel): TASK-1, TASK-2, TASK-3",
        "group B begins (sequential): TASK-4",
    ]
    assert not any("next-group" in line for line in lines)
    assert any("validate/1 revise (fail)" in line for line in lines)
    assert " made  4 tasks in 2 groups, 3 more attempts, 1 iteration, 1 commit" in lines


def test_the_groups_of_a_second_iteration_begin_anew_and_the_log_has_every_move():
    story = tickets.at_second_iteration()
    story.group_a()
    lines = told(tickets.STEPS, story.told)
    assert lines.count("group A begins") == 2
    assert (
        sum(
            "next-group/" in log_line(event)
            for event in story.told
            if event["type"] == "step.finished"
        )
        > 8
    )


def test_a_move_that_failed_is_told():
    story = tickets.at_second_attempt()
    story.check(
        "next-group",
        "next_group",
        "decision",
        "fail",
        "exhausted",
        reason="TASK-1 failed 5 attempts",
        sets={"group": "A", "batch": ["TASK-1"], "order": story.run.order},
    )
    assert "fail (exhausted) after 0.1s: TASK-1 failed 5 attempts" in told(
        tickets.STEPS, story.told
    )


def test_a_line_of_progress_stands_among_the_others_and_a_longer_text_has_room():
    story = tickets.at_second_attempt()
    line = "Progress: 71% | Completed: 3/4 tasks | ETA: ~2 min remaining"
    short = {**story.told[-1], "type": "ticket.progress", "text": line}
    long = {**story.told[-1], "type": "roadmap.iteration", "text": "## One\n\n- two"}
    lines = told(tickets.STEPS, [*story.told, short, long]).splitlines()
    at = lines.index(line)
    assert lines[at - 1] != ""
    assert lines[at + 1 : at + 3] == ["", "## One"]


def test_every_fact_of_a_log_begins_with_its_time(steps, whole):
    facts = told(steps, whole).split(" Complete after")[0].splitlines()
    assert facts
    assert all(re.match(r"\d\d:\d\d:\d\d \S", each) for each in facts if each.strip())
