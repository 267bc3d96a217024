"""Errors and the door."""

from __future__ import annotations

from tests.web.pages.looking import harmless

from podium.web.pages import message
from podium.web.pages.frame import Frame


def test_an_error_says_what_and_leads_back(frame: Frame, hostile: str) -> None:
    page = harmless(message.error(frame, 404, "There is no such run", hostile))
    assert "404" in page.text
    assert page.all("a", href="/")
    harmless(message.error(None, 500, hostile, hostile))


def test_the_door_asks_for_a_password_and_says_what_remote_means(hostile: str) -> None:
    page = harmless(message.sign_in("textkit", remote=True, problem="That was not it."))
    assert page.all("input", type="password")
    assert "other machines" in page.text
    assert "That was not it." in page.text
    assert (
        "other machines"
        not in harmless(message.sign_in(hostile, remote=False, problem=hostile)).text
    )


def test_who_is_remote_is_told_and_can_leave(frame: Frame) -> None:
    page = harmless(message.error(Frame("c", "ada", "textkit", remote=True), 404, "x", "y"))
    assert "remote" in page.text
    assert page.all("form", action="/logout")
