from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.feature.slug import slug_of, title_of


@pytest.mark.parametrize(
    ("request_text", "slug"),
    [
        ("Add user login", "add-user-login"),
        ("  Add   USER login!! ", "add-user-login"),
        ("# Add user login\n\nWith a long story below", "add-user-login"),
        ("\n- Add user login\n- and more", "add-user-login"),
        ("Show the user's café menu", "show-the-users-cafe-menu"),
        ("Größe in Łódź ändern", "grosse-in-lodz-andern"),
        ("Ⅷ ﬁelds", "viii-fields"),
        ("../../etc/passwd", "etc-passwd"),
        (".git", "git"),
        ("CON", "feature-con"),
        ("lpt1", "feature-lpt1"),
        ("a" * 60, "a" * 40),
        (
            "Let people export their invoices as a file they can open",
            "let-people-export-their-invoices-as-a",
        ),
        ("exactly-forty-characters-are-taken-whole", "exactly-forty-characters-are-taken-whole"),
    ],
)
def test_a_request_gives_its_folder_a_short_name(request_text: str, slug: str) -> None:
    assert slug_of(request_text) == slug


def test_requests_in_other_scripts_have_names_of_their_own() -> None:
    assert re.fullmatch(r"feature-[0-9a-f]{8}", slug_of("添加登录"))
    assert slug_of("添加登录") == slug_of(" 添加登录\n")
    assert slug_of("添加登录") != slug_of("添加注册")
    assert re.fullmatch(r"feature-[0-9a-f]{8}", slug_of(""))
    assert re.fullmatch(r"feature-[0-9a-f]{8}", slug_of("\ud800"))


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_request_gives_a_name_that_is_safe_everywhere(request_text: str) -> None:
    slug = slug_of(request_text)
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", slug)
    assert len(slug) <= 40
    assert slug not in {"con", "prn", "aux", "nul", "com1", "lpt9"}
    assert slug_of(slug) == slug


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ("Add user login", "Add user login"),
        ("## Add user login\n\nMore.", "Add user login"),
        ("\n\n3. Add\tuser \x1b[31mlogin", "Add user [31mlogin"),
        ("", "Feature"),
        ("---\n***", "Feature"),
        ("word " * 30, "word " * 15 + "word…"),
        ("x" * 100, "x" * 79 + "…"),
    ],
)
def test_a_request_gives_a_title_in_one_line(request_text: str, title: str) -> None:
    assert title_of(request_text) == title


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_request_gives_a_title_of_one_line_and_eighty_characters(request_text: str) -> None:
    title = title_of(request_text)
    assert 0 < len(title) <= 80
    assert title.splitlines() == [title]
