"""No secret of the environment and no well-known token reaches a log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.verify.redact import CUT, Redactor

SECRETS = st.text(alphabet="abcXYZ0189-_/+", min_size=8, max_size=30)
PROSE = st.text(alphabet="abcXYZ0189 -_/+\n.:")


@pytest.mark.parametrize(
    "name", ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "CLIENT_SECRET", "DB_PASSWORD", "PGPASSWD", "AWS_CREDENTIAL", "api_key", "HTTP_AUTH"]
)  # fmt: skip
def test_values_of_secret_looking_names_are_cut_out(name: str) -> None:
    assert Redactor({name: "hunter2hunter2"})("say hunter2hunter2 twice: hunter2hunter2") == f"say {CUT} twice: {CUT}"


def test_other_values_stay() -> None:
    assert Redactor({"HOME": "/home/ada", "EDITOR": "emacs-29"})("/home/ada with emacs-29") == "/home/ada with emacs-29"


def test_a_short_value_is_no_secret_or_every_log_would_be_holes() -> None:
    assert Redactor({"API_KEY": "1234567"})("1234567") == "1234567"
    assert Redactor({"API_KEY": "12345678"})("12345678") == CUT


def test_a_secret_that_contains_another_is_cut_whole() -> None:
    redact = Redactor({"A_KEY": "inner-secret", "B_KEY": "outer-inner-secret-tail"})
    assert redact("x outer-inner-secret-tail y inner-secret z") == f"x {CUT} y {CUT} z"


@pytest.mark.parametrize(
    "token",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrst1234",
        "github_pat_abcdefghijklmnopqrst",
        "glpat-abcdefghijklmnop",
        "xoxb-1234567890-abc",
        "AKIAABCDEFGHIJKLMNOP",
        "AIzaabcdefghijklmnopqrstuvwxyz0123456",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc-def_ghi",
    ],
)
def test_well_known_tokens_are_cut_without_knowing_them(token: str) -> None:
    assert Redactor({})(f"export TOKEN={token}; run") == f"export TOKEN={CUT}; run"


@pytest.mark.parametrize("text", ["sk-short", "a task-list-of-many-small-things", "AKIA", "ghp_", "eyJ.eyJ.x"])
def test_words_that_only_begin_like_a_token_stay(text: str) -> None:
    assert Redactor({})(text) == text


@given(secrets=st.lists(SECRETS, min_size=1, max_size=4), parts=st.lists(PROSE, min_size=2, max_size=5))
def test_no_secret_survives_wherever_it_stands(secrets: list[str], parts: list[str]) -> None:
    redact = Redactor({f"TOKEN_{n}": value for n, value in enumerate(secrets)})
    for secret in secrets:
        said = redact(secret.join(parts))
        assert not [each for each in secrets if each in said]


@given(text=PROSE, secret=SECRETS)
def test_redacting_twice_changes_nothing_more(text: str, secret: str) -> None:
    redact = Redactor({"KEY": secret})
    assert redact(redact(text)) == redact(text)


@given(text=st.text(alphabet="abc \n"), secret=SECRETS)
def test_a_text_without_the_secret_is_left_as_it_is(text: str, secret: str) -> None:
    if secret not in text:
        assert Redactor({"KEY": secret})(text) == text
