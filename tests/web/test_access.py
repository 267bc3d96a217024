from __future__ import annotations

import pytest

from podium.web.access import PAUSE_S, SESSIONS, TRIES, Access, TooOften, fit_name

WORD = "correct horse battery"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_link_lets_one_browser_in_and_then_no_more() -> None:
    access = Access(1, who="Ada")
    token = access.new_token()
    cookie = access.exchange(token)
    assert cookie is not None
    assert access.exchange(token) is None
    visitor = access.visitor({"podium_1": cookie})
    assert visitor is not None
    assert visitor.who == "Ada"


def test_before_the_first_link_nothing_opens() -> None:
    assert Access(1, who="Ada").exchange("") is None


def test_a_new_link_makes_the_old_one_void() -> None:
    access = Access(1, who="Ada")
    old = access.new_token()
    access.new_token()
    assert access.exchange(old) is None


@pytest.mark.parametrize("cookies", [{}, {"podium_1": ""}, {"podium_1": "x"}, {"podium_2": "{}"}])
def test_who_has_no_cookie_of_ours_is_nobody(cookies: dict[str, str]) -> None:
    access = Access(1, who="Ada")
    cookie = access.exchange(access.new_token())
    assert access.visitor({name: value.format(cookie) for name, value in cookies.items()}) is None


def test_two_browsers_have_two_csrf_words() -> None:
    access = Access(1, who="Ada")
    made = [
        access.visitor({"podium_1": access.exchange(access.new_token()) or ""}) for _ in range(2)
    ]
    assert len({each.csrf for each in made if each}) == 2


def test_somebody_who_left_is_nobody_again() -> None:
    access = Access(1, who="Ada")
    cookie = access.exchange(access.new_token()) or ""
    access.leave(cookie)
    assert access.visitor({"podium_1": cookie}) is None


def test_the_oldest_session_goes_when_there_are_too_many() -> None:
    access = Access(1, who="Ada")
    cookies = [access.exchange(access.new_token()) or "" for _ in range(SESSIONS + 1)]
    known = [access.visitor({"podium_1": each}) is not None for each in cookies]
    assert known == [False] + [True] * SESSIONS


def test_the_password_lets_in_under_the_name_that_was_given() -> None:
    access = Access(1, password=WORD)
    cookie = access.sign_in(" Grace ", WORD)
    visitor = access.visitor({"podium_1": cookie or ""})
    assert visitor is not None
    assert visitor.who == "Grace"
    assert access.exchange(access.new_token()) is None, "there is no link where there is a password"


@pytest.mark.parametrize(
    ("name", "word"), [("Grace", "wrong"), ("", WORD), ("a\nb", WORD), ("x" * 81, WORD)]
)
def test_a_wrong_password_or_a_name_the_journal_cannot_hold_lets_nobody_in(
    name: str, word: str
) -> None:
    assert Access(1, password=WORD).sign_in(name, word) is None


def test_guessing_is_slowed_down_for_everybody_and_ends_by_itself() -> None:
    clock = Clock()
    access = Access(1, password=WORD, clock=clock)
    for _ in range(TRIES):
        assert access.sign_in("Eve", "guess") is None
    with pytest.raises(TooOften):
        access.sign_in("Ada", WORD)
    clock.now += PAUSE_S + 1
    assert access.sign_in("Ada", WORD)


def test_the_proxy_names_who_asks_and_nothing_else_does() -> None:
    access = Access(1, header="X-User")
    visitor = access.visitor({}, ["ada@example.org"])
    assert visitor is not None
    assert visitor.who == "ada@example.org"
    assert access.visitor({}, []) is None
    assert access.visitor({}, ["ada", "eve"]) is None, (
        "a header given twice may be the visitor's own"
    )
    assert access.visitor({}, ["  "]) is None
    assert access.sign_in("Ada", "") is None


@pytest.mark.parametrize(
    ("name", "fits"),
    [("Ada", True), ("Ada\x1b[31m", False), ("", False), ("A" * 80, True), ("\u202eadA", False)],
)
def test_a_name_is_short_and_can_be_printed(name: str, fits: bool) -> None:
    assert fit_name(name) is fits
