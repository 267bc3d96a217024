"""The live view, drawn at the widths people have."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pyte
import pytest

from podium.core.digest import canonical
from podium.views import safe
from podium.views.board.board import Board
from podium.views.frame import frame
from podium.views.look import Look, plain
from podium.views.terminal.live import LiveView, live_observer


def view(steps, events, width=80, height=40, title="T001 Round totals to cents"):
    out = io.StringIO()
    return LiveView(
        Board(steps, title, events), out, color=True, size=lambda: (width, height), moves=True
    ), out


def screen(text, width=80, height=40):
    shown = pyte.Screen(width, height)
    pyte.Stream(shown).feed(text.replace("\r\n", "\n").replace("\n", "\r\n"))
    return [line.rstrip() for line in shown.display]


def test_a_run_that_was_refused_leaves_no_board_above_the_error(steps):
    live, out = view(steps, [])
    with pytest.raises(ValueError, match="refused"), live:
        raise ValueError("refused")
    assert not any(screen(out.getvalue()))


def test_a_run_that_was_left_in_the_middle_does_not_stand_there_as_running(steps, at_second_build):
    live, out = view(steps, at_second_build)
    with live:
        live.event({**at_second_build[-1], "type": "document.saved", "path": "x"})
    lines = screen(out.getvalue())
    assert re.search(r" stopped  \S+", lines[0])
    assert any(line.startswith(" Stopped at build") for line in lines)


@pytest.mark.parametrize("width", [80, 120])
def test_the_last_picture_stays_with_what_to_do_next(steps, at_gate, width):
    live, out = view(steps, [], width)
    with live:
        for event in at_gate:
            live.event(event)
    lines = screen(out.getvalue(), width)
    assert lines[0].startswith(" harness  T001 Round totals to cents")
    assert lines[0].endswith("waits for you  2m 20s")
    assert "  ✓ specification            po-spec             41s  done" in lines
    assert " next  podium approve T001-k3f9 --go" in lines
    assert sum("podium approve" in line for line in lines) == 1


def test_the_running_stage_says_what_its_agent_does(steps, at_second_build):
    board = Board(steps, "T001", at_second_build)
    board.activity("build/2", "run", {"command": "pytest -q tests/unit"})
    lines = plain(frame(board, Look(now=time.time())))
    at = next(index for index, line in enumerate(lines) if "round 2" in line)
    assert lines[at].startswith("  ● build")
    assert lines[at + 1] == "     runs pytest -q tests/unit"


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(steps, at_second_build, wave, attack, width):
    for events in (at_second_build, wave, attack):
        for line in plain(frame(Board(steps, "T" * 300, events), Look(width=width, now=0.0))):
            assert safe.cells(line) <= width or "podium " in line


def test_on_a_low_screen_the_running_stage_stays_in_sight(steps, at_second_build):
    lines = plain(frame(Board(steps, "T001", at_second_build), Look(height=11, now=0.0)))
    assert len(lines) < 11
    assert any("● build" in line for line in lines)
    assert any("done" in line and "…" in line for line in lines)


def test_hostile_text_moves_no_cursor_and_paints_nothing(steps, attack, hostile):
    live, out = view(steps, attack, title=hostile)
    live.activity("build/1", hostile, {hostile: hostile, "text": hostile})
    with live:
        pass
    # What is left after the codes of our own must be plain text.
    rest = re.sub(r"\x1b\[[0-9;]*[mAKJ]|\x1b\[\?25[hl]", "", out.getvalue())
    assert all(each.isprintable() for each in re.split(r"[\r\n]+", rest))
    assert "[bold red]x[/]" in rest


def test_its_timer_ends_with_it(steps, at_second_build):
    before = threading.active_count()
    live, _ = view(steps, at_second_build)
    with live:
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_text_for_people_scrolls_away_above_the_board(steps, at_second_build):
    live, out = view(steps, at_second_build)
    told = {
        "type": "roadmap.iteration",
        "run": "T001-k3f9",
        "ts": at_second_build[-1]["ts"],
        "text": "## Iteration\n\n- " + "word " * 30,
    }
    with live:
        live.event(told)
        live.activity("", "interrupt", {})
        live.screen.draw()
    lines = screen(out.getvalue())
    assert lines[0] == "## Iteration"
    assert lines[3].startswith("  word")
    assert " Finishing this step, then pausing. Press Ctrl-C again to stop now." in lines
    assert sum(" harness  T001" in line for line in lines) == 1


def test_that_ctrl_c_was_heard_is_said_in_a_narrow_terminal_too(steps, at_second_build):
    live, out = view(steps, at_second_build, width=40)
    with live:
        live.activity("", "interrupt", {})
        live.screen.draw()
    lines = screen(out.getvalue(), width=40)
    assert lines[:2] == [" Finishing this step, then pausing.", " Press Ctrl-C again to stop now."]
    assert sum(" harness  T001" in line for line in lines) == 1


@pytest.mark.parametrize("height", [24, 12])
def test_lines_of_progress_stand_below_each_other_and_apart_from_the_board(
    steps, at_second_build, height
):
    live, out = view(steps, at_second_build, height=height)
    told = {"type": "ticket.progress", "run": "T001-k3f9", "ts": at_second_build[-1]["ts"]}
    with live:
        for percent in (0, 71):
            live.event({**told, "text": f"Progress: {percent}%"})
            live.screen.draw()
            assert len(live.screen.painter._shown) < height
    lines = screen(out.getvalue(), 80, 60)
    assert lines[:3] == ["Progress: 0%", "Progress: 71%", ""]
    assert lines[3].startswith(" harness")


def test_without_colour_there_is_none(steps, at_gate):
    out = io.StringIO()
    with live_observer("T001", steps, out, color=False, past=at_gate):
        pass
    assert "\x1b" not in out.getvalue()
    assert "Your turn: approve-build" in out.getvalue()


def test_a_poor_encoding_gets_plain_signs(steps, at_gate):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "ascii")
    with live_observer("größer", steps, stream, color=False, past=at_gate):
        pass
    stream.flush()
    assert b"+ specification" in raw.getvalue()


def test_an_exception_passes_through_and_the_cursor_comes_back(steps, at_second_build):
    live, out = view(steps, at_second_build)
    with pytest.raises(KeyboardInterrupt), live:
        raise KeyboardInterrupt
    assert out.getvalue().count("\x1b[?25l") == out.getvalue().count("\x1b[?25h") == 1
    assert "Interrupted at build" in out.getvalue()


SCRIPT = """
import json, sys, time
from podium.views.terminal.live import live_observer
with live_observer("T001 Round totals", [], sys.stdout, color=True) as view:
    for line in open(sys.argv[1]):
        view.event(json.loads(line))
        time.sleep(0.01)
    view.activity("build/2", "write", {"path": "src/app.py"})
    time.sleep(0.4)
"""


@pytest.mark.terminal
def test_on_a_real_terminal_the_board_redraws_in_place(at_second_build, tmp_path):
    story = tmp_path / "journal.jsonl"
    story.write_text("".join(canonical(event) + "\n" for event in at_second_build))
    parent, child = pty.openpty()
    env = {
        **os.environ,
        "TERM": "xterm-256color",
        "COLUMNS": "80",
        "LINES": "24",
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), str(story)],
        stdout=child,
        stderr=child,
        env=env,
    )
    os.close(child)
    data = b""
    while chunk := _read(parent):
        data += chunk
    os.close(parent)
    assert process.wait() == 0
    shown = pyte.Screen(80, 24)
    pyte.ByteStream(shown).feed(data)
    lines = [line.rstrip() for line in shown.display]
    assert sum("specification" in line for line in lines) == 1
    assert lines[0].startswith(" harness  T001 Round totals")
    assert any("writes src/app.py" in line for line in lines)
    assert " next  podium resume T001-k3f9" in lines
    assert not shown.cursor.hidden


def _read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end is closed
        return b""


def _demo(folder, width=100, height=24):
    """Every screen of the ticket's demo, as somebody at a terminal of this size sees them."""
    parent, child = pty.openpty()
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PODIUM_", "GIT_")) and name != "NO_COLOR"
    }
    env |= {
        "TERM": "xterm-256color",
        "COLUMNS": str(width),
        "LINES": str(height),
        "HOME": str(folder),
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
    }
    command = [sys.executable, "-m", "podium", "demo", "ticket", "--keep", str(folder / "demo")]
    process = subprocess.Popen(command, stdout=child, stderr=child, env=env, cwd=folder)
    os.close(child)
    shown = pyte.Screen(width, height)
    stream, screens = pyte.ByteStream(shown), []
    while chunk := _read(parent):
        stream.feed(chunk)
        screens.append([line.rstrip() for line in shown.display])
    os.close(parent)
    assert process.wait() == 0
    return screens


def _answered(screen):
    return any("The demo answers" in line for line in screen)


@pytest.mark.terminal
def test_on_a_real_terminal_the_demo_shows_groups_tasks_attempts_and_the_numbers_of_progress_yaml(
    tmp_path,
):
    screens = _demo(tmp_path)
    seen = "\n".join(line for screen in screens for line in screen)
    for expected in (
        r" ◆ Your turn: ask-dirty",
        r"The demo answers as you would: podium answer TEXT-7-\w+ --choice stash --go",
        r"  . group A    parallel    ─{10}  0 of 3 +\d",
        r"    . TASK-2  attempt 2 of 5  at work",
        r"    ✗ test: \d failed",
        r"  ✓ ask-dirty +stash by the demo",
        r"  ✓ group A    parallel    ━{10}  3 of 3 .* 3 more attempts",
        r"  . group B    sequential  ─{10}  0 of 1",
        r"    . TASK-4  in review",
        r"    . TASK-4  attempt 2 of 5  .*again: the Reviewer: ",
        r"[━─]   71%   3 of 4 tasks",
        r"[━─]   95%   4 of 4 tasks",
        r"Progress: 71% \| Completed: 3/4 tasks \| ETA: ~\d+ min remaining",
        r" made  4 tasks in 2 groups, 4 more attempts, 1 iteration, 2 commits",
    ):
        assert re.search(expected, seen), expected
    assert not re.search("which-ticket|next-group|[✓✗○] iteration/0", seen)
    # Never two boards at once, one before the question and one after it, and what stands last is
    # what the file says.
    assert all(
        sum(line.startswith(" ticket  TEXT-7") for line in screen) <= 1
        for screen in screens
        if not _answered(screen)
    )
    assert all(
        sum(line.startswith(" ticket  TEXT-7") for line in screen) <= 2 for screen in screens
    )
    said = (tmp_path / "demo/prompts/TEXT-7/progress.yaml").read_text()
    done, whole, percent = (
        re.search(rf"^  {name}: (\d+)$", said, re.MULTILINE)[1]
        for name in ("tasks_completed", "tasks_total", "percent_complete")
    )
    assert re.search(rf"[━─]   {percent}%   {done} of {whole} tasks", seen)
    assert (done, whole, percent) == ("4", "4", "100")
