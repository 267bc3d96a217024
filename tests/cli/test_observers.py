"""Who watches: the live view where the cursor can be moved, plain lines elsewhere."""

from __future__ import annotations

import sys
from argparse import Namespace

import pytest

from podium.cli import observers
from podium.cli.commands import demo
from podium.cli.terminal import Terminal
from podium.views.plain import PlainView
from podium.views.terminal.live import LiveView


@pytest.mark.parametrize(
    ("tty", "term", "kind"),
    [
        (True, "xterm-256color", LiveView),
        (True, "dumb", PlainView),
        (True, "unknown", PlainView),
        (False, "xterm", PlainView),
    ],
)
def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines(
    monkeypatch: pytest.MonkeyPatch, project: object, tty: bool, term: str, kind: type
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty)
    monkeypatch.setenv("TERM", term)
    view = observers.view(Namespace(project=""), Terminal(), "title", [])
    assert isinstance(view, kind)


def test_the_title_is_asked_for_once_the_run_is_there() -> None:
    named: list[str] = []

    class Watching(observers.Quiet):
        def name(self, title: str) -> None:
            named.append(title)

    heard = observers.Heard(Watching(), lambda run: f"title of {run}")
    heard.event({"type": "run.started", "run": "R"})
    heard.event({"type": "run.started", "run": "R/item/US-1"})
    assert named == ["title of R"]


def test_the_demo_without_a_name_is_one_that_this_version_has() -> None:
    assert demo._usual() == "ticket"
