"""Keys in, acts out: what each key means at each moment, and what is seen meanwhile."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.views.conftest import HOSTILE

from podium.views import safe
from podium.views.gate import Gate
from podium.views.look import plain
from podium.views.terminal.desk import Asked, Decision, Desk, Go, Later, Show
from podium.views.terminal.reader import Section

APPROVAL = Asked(
    "R",
    Gate(
        "approve-build",
        "approval",
        "Build this?",
        ("approved", "design", "planning"),
        {"plan.md": "sha256:" + "a" * 64},
        "t1",
    ),
)
SIMPLE = Asked("R", Gate("approve-plan", "approval", "Go?", ("approved", "plan"), {}, "t2"))
QUESTION = Asked(
    "R", Gate("ask", "question", "Which way?", ("core", "plugin"), {}, "t3", words=True)
)
OPEN = Asked("R", Gate("ask/2", "question", "How?", (), {}, "t4", words=True))
FIXED = Asked(
    "R", Gate("ask-dirty", "question", "What shall happen?", ("stash", "abort"), {}, "t6")
)
MANY = Asked(
    "R",
    Gate(
        "ask/3", "question", "Which?", tuple(f"way-{number}" for number in range(1, 13)), {}, "t5"
    ),
)


def typed(desk: Desk, *keys: str) -> list[object]:
    return [act for key in keys if (act := desk.press(key)) is not None]


def at(*asked: Asked) -> Desk:
    desk = Desk()
    desk.put(asked)
    return desk


@pytest.mark.parametrize(
    ("asked", "keys", "act"),
    [
        (APPROVAL, ["a", "enter"], Decision(APPROVAL, "approve")),
        (APPROVAL, ["a", *"ok", "enter"], Decision(APPROVAL, "approve", "ok")),
        (APPROVAL, ["r", "1", *"no", "enter"], Decision(APPROVAL, "reject", "no", "design")),
        (APPROVAL, ["r", "enter", *"no", "enter"], Decision(APPROVAL, "reject", "no")),
        (SIMPLE, ["r", *"nö漢", "backspace", "enter"], Decision(SIMPLE, "reject", "nö")),
        (QUESTION, ["2"], Decision(QUESTION, "answer", choice="plugin")),
        (QUESTION, ["t", *"both", "enter"], Decision(QUESTION, "answer", text="both")),
        (OPEN, ["t", *"x", "clear", *"so", "enter"], Decision(OPEN, "answer", text="so")),
        (MANY, ["c", *"12", "enter"], Decision(MANY, "answer", choice="way-12")),
        (APPROVAL, ["v"], Show(APPROVAL, "subject")),
        (APPROVAL, ["d"], Show(APPROVAL, "diff")),
        (APPROVAL, ["l"], Later(APPROVAL)),
        (QUESTION, ["q"], Later(QUESTION)),
    ],
    ids=str,
)
def test_keys_and_what_they_do(asked, keys, act):
    assert typed(at(asked), *keys) == [act]


@pytest.mark.parametrize("room", [None, *range(6, 30)])
def test_every_file_that_is_approved_is_named_or_counted(room):
    files = {f"docs/part-{number}.md": "sha256:" + "a" * 64 for number in range(9)}
    lines = plain(
        at(
            Asked(
                "R", Gate("approve", "approval", "Approve these? " * 30, ("approved",), files, "t7")
            )
        ).lines(60, room)
    )
    assert room is None or len(lines) <= room
    named = [each for each in lines if "docs/part-" in each]
    counted = [int(each.split()[2]) for each in lines if each.strip().startswith("… and ")]
    assert len(named) + sum(counted) == 9
    assert (named, counted) != ([], [])
    assert room is None or room < 18 or not counted


def test_words_are_offered_only_where_they_are_an_answer():
    desk = at(FIXED)
    assert typed(desk, "t", *"abort it", "enter") == []
    assert "in words" not in "\n".join(plain(desk.lines(80, None)))
    assert "in words" in "\n".join(plain(at(QUESTION).lines(80, None)))


@pytest.mark.parametrize(
    ("asked", "keys"),
    [
        (APPROVAL, ["enter", "y", " ", "A", "1", "esc", "up"]),
        (APPROVAL, ["a", "esc", "enter"]),
        (SIMPLE, ["r", "enter"]),
        (SIMPLE, ["r", " ", "enter"]),
        (QUESTION, ["a", "r", "3", "0", "enter"]),
        (QUESTION, ["t", "enter"]),
        (MANY, ["1", "c", *"13", "enter"]),
        (APPROVAL, ["r", "9", "3", "esc", "1"]),
    ],
    ids=str,
)
def test_keys_that_decide_nothing(asked, keys):
    assert typed(at(asked), *keys) == []


def test_a_rejection_without_a_reason_asks_for_one():
    desk = at(SIMPLE)
    typed(desk, "r", "enter")
    assert any("say why" in line for line in plain(desk.lines(80, 12)))


def test_the_gate_under_a_persons_eyes_stays_there_while_others_come_and_go():
    desk = at(APPROVAL, QUESTION)
    desk.press("n")
    desk.press("t")
    desk.press("x")
    desk.put([QUESTION, OPEN])
    assert (desk.now, desk.mode, desk.typed) == (QUESTION, "text", "x")
    desk.put([OPEN])
    assert (desk.now, desk.mode, desk.typed) == (OPEN, "ask", "")


def test_a_note_that_was_begun_for_one_gate_never_goes_to_another():
    desk = at(APPROVAL)
    typed(desk, "a", *"fine")
    desk.put([SIMPLE])
    assert typed(desk, "enter") == []


def test_reading_takes_all_keys_until_it_is_closed():
    desk = at(APPROVAL)
    desk.read("plan", [Section("plan.md", "one\ntwo\n" * 50), Section("more.md", "three")])
    assert desk.page(80, 24)[0][0][0].strip() == "plan"
    assert typed(desk, "a", "G", "n", "l") == []
    assert desk.page(80, 24) is not None
    assert typed(desk, "q") == []
    assert desk.page(80, 24) is None


def test_a_run_that_could_go_on_is_offered_once():
    desk = Desk()
    desk.offer("R")
    assert "Enter continue here" in plain(desk.lines(80, 10))[-1]
    assert typed(desk, "a", "x") == []
    assert typed(desk, "enter") == [Go("R", yes=True)]
    assert typed(desk, "l") == [Go("R", yes=False)]


@pytest.mark.parametrize("size", [(40, 5), (60, 8), (80, 12), (200, 30)], ids=str)
@pytest.mark.parametrize(
    "asked", [APPROVAL, SIMPLE, QUESTION, OPEN, MANY], ids=lambda each: each.gate.key
)
def test_the_keys_are_in_sight_on_every_screen(asked, size):
    desk = at(asked)
    for key in ("", "r", "t", "esc"):
        if key:
            desk.press(key)
        lines = plain(desk.lines(*size))
        assert len(lines) <= size[1] + 1
        assert all(safe.cells(line) <= size[0] for line in lines)
        assert any(word in lines[-1] for word in ("l later", "Esc back", "approve", "answer"))


TEXT = st.text(max_size=40) | st.just(HOSTILE)


@settings(max_examples=80, deadline=None)
@given(
    TEXT,
    TEXT,
    st.lists(TEXT, max_size=12),
    TEXT,
    st.lists(
        st.sampled_from([*"arvdltnc19", "enter", "esc", "tab", "backspace", "\x1b", "漢"]),
        max_size=8,
    ),
)
def test_hostile_gates_paint_nothing_and_no_keys_break_it(key, prompt, choices, path, keys):
    asked = Asked("R", Gate(key, "question", prompt, tuple(choices), {path: HOSTILE}, "t"), (path,))
    desk = at(asked)
    for each in keys:
        desk.press(each)
        for line in plain(desk.lines(60, 10)):
            assert line.isprintable()
            assert safe.cells(line) <= 60
