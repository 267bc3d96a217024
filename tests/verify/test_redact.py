"""No secret of the environment and no well-known token reaches a log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.chain import FIRST
from podium.state.sealing import sealed
from podium.verify.redact import CUT, EXACT, Redactor

SECRETS = st.text(alphabet="abcXYZ0189-_/+", min_size=8, max_size=30)
PROSE = st.text(alphabet="abcXYZ0189 -_/+\n.:")


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "GITHUB_TOKEN",
        "CLIENT_SECRET",
        "DB_PASSWORD",
        "PGPASSWD",
        "AWS_CREDENTIAL",
        "api_key",
        "HTTP_AUTH",
        "DB_PASS",
        "SMTP_PASS_2",
        "MYSQL_PWD",
        "SIGNING_PASSPHRASE",
        "AZURE_PAT",
        "SENTRY_DSN",
        "SLACK_WEBHOOK_URL",
    ],
)
def test_values_of_secret_looking_names_are_cut_out(name: str) -> None:
    assert (
        Redactor({name: "hunter2hunter2"})("say hunter2hunter2 twice: hunter2hunter2")
        == f"say {CUT} twice: {CUT}"
    )


@pytest.mark.parametrize(
    "name",
    ["HOME", "PWD", "OLDPWD", "PATH", "GIT_ASKPASS", "COMPASS_PLACE", "MANPATH", "GIT_AUTHOR_NAME"],
)
def test_other_values_stay(name: str) -> None:
    assert Redactor({name: "/home/ada/bin"})("in /home/ada/bin") == "in /home/ada/bin"


@pytest.mark.parametrize(
    "said", ["swordfish-1", "postgres://app:swordfish-1@db/x", "swordfish%2D1"]
)
def test_a_password_in_an_address_is_a_secret_whatever_the_variable_is_called(said: str) -> None:
    redact = Redactor(
        {
            "DATABASE_URL": "postgres://app:swordfish%2D1@db.example/x?sslmode=off",
            "PLAIN_URL": "https://db.example/x",
        }
    )
    told = (
        said.replace(":swordfish-1@", CUT).replace("swordfish-1", CUT).replace("swordfish%2D1", CUT)
    )
    assert redact(f"cannot reach {said} now") == f"cannot reach {told} now"
    assert redact("see https://db.example/x") == "see https://db.example/x"


def test_a_password_that_is_a_word_is_cut_out_of_addresses_alone() -> None:
    redact = Redactor({"DATABASE_URL": "postgres://postgres:postgres@localhost/x"})
    assert (
        redact("postgres at postgres://postgres:postgres@localhost/x")
        == f"postgres at postgres://postgres{CUT}localhost/x"
    )


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("it is horse-battery-st", f"it is {CUT}"),
        ("tery-staple-9173 it is", f"{CUT} it is"),
        ("horse-batt", CUT),
        ("aple-9173", CUT),
        ("tery-staple-9173 or horse-battery-st", f"{CUT} or {CUT}"),
        ("horse-battery-staple-9173 or horse-ba", f"{CUT} or {CUT}"),
        ("it is horse-battery", f"it is {CUT}"),
        ("a horse-battery here", "a horse-battery here"),
        ("a horse", "a horse"),
        ("9173 of them", "9173 of them"),
    ],
)
def test_a_piece_of_a_secret_at_the_edge_of_a_text_that_was_cut_is_cut_out(
    said: str, kept: str
) -> None:
    redact = Redactor({"API_TOKEN": "horse-battery-staple-9173"})
    assert redact(said) == kept
    assert redact.suspects(json.dumps(said).encode()) or kept == said


@pytest.mark.parametrize("said", ["it is in /home/ada", "see https://hooks.example"])
def test_a_text_that_ends_like_an_address_begins_stays(said: str) -> None:
    redact = Redactor(
        {
            "SSH_KEY": "/home/ada/.ssh/id_ed25519",
            "CHAT_WEBHOOK": "https://hooks.example/services/T01/B02/x9y8z7",
        }
    )
    assert redact(said) == said


@given(secret=SECRETS, before=PROSE, after=PROSE, cut=st.integers(min_value=1))
def test_wherever_a_text_is_cut_no_half_of_a_secret_is_left(
    secret: str, before: str, after: str, cut: int
) -> None:
    whole, at = before + secret + after, len(before) + cut % len(secret)
    redact = Redactor({"API_TOKEN": secret})
    for piece, part in (
        (whole[:at], secret[: at - len(before)]),
        (whole[at:], secret[at - len(before) :]),
    ):
        if len(part) >= max(8, len(secret) // 2):
            assert part not in redact(piece).replace(CUT, "") or part in before + after


PEM = (
    "-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBgkqhkiG9w0B\r\n  AQEFAASCBKcwggSjAgEAAoIB\r\n"
    "short==\r\n-----END PRIVATE KEY-----\r\n"
)


@pytest.mark.parametrize("line", ["MIIEvQIBADANBgkqhkiG9w0B", "AQEFAASCBKcwggSjAgEAAoIB"])
def test_a_line_of_a_secret_with_many_lines_is_a_secret(line: str) -> None:
    redact = Redactor({"DEPLOY_KEY": PEM})
    assert redact(f"it says {line}, as data {json.dumps(PEM)}").count(CUT) == 3
    assert line not in json.dumps(redact.data({"text": [line, PEM]}))
    assert redact.suspects(line.encode())


def test_what_begins_and_ends_every_key_is_no_secret() -> None:
    assert (
        Redactor({"DEPLOY_KEY": PEM})("-----BEGIN PRIVATE KEY----- shortest")
        == "-----BEGIN PRIVATE KEY----- shortest"
    )


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


@pytest.mark.parametrize(
    "text", ["sk-short", "a task-list-of-many-small-things", "AKIA", "ghp_", "eyJ.eyJ.x"]
)
def test_words_that_only_begin_like_a_token_stay(text: str) -> None:
    assert Redactor({})(text) == text


@given(
    secrets=st.lists(SECRETS, min_size=1, max_size=4), parts=st.lists(PROSE, min_size=2, max_size=5)
)
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


# -- facts on their way into a journal

ODD = st.text(alphabet='abcXYZ01-_ \n\t"\\\x1fé\ud800\U0001f600', min_size=8, max_size=14)
TOKENS = st.sampled_from(
    [
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrst1234",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc",
    ]
)


def lines(fact: dict[str, Any], redact: Redactor | None = None) -> bytes:
    return sealed("r", [fact], 0, FIRST, "2026-01-01T00:00:00.000Z", redact)[1]


@given(secret=ODD, before=st.text(max_size=3), after=st.text(max_size=3))
def test_a_secret_is_suspected_however_json_spells_it(secret: str, before: str, after: str) -> None:
    redact = Redactor({"KEY": secret})
    for told in (before + secret + after, [{"deep": (before + secret, 1)}], {before + secret: 1}):
        assert redact.suspects(lines({"type": "a", "told": told}))


@given(token=TOKENS, before=st.sampled_from(["", "\n", "\t", '"', "\\", " "]))
def test_a_token_is_suspected_also_behind_an_escape(token: str, before: str) -> None:
    assert Redactor({}).suspects(lines({"type": "a", "told": f"it is{before}{token}"}))


@given(
    secret=SECRETS,
    parts=st.lists(PROSE, min_size=2, max_size=4),
    name=st.sampled_from(["reason", "told", "detail"]),
)
def test_what_is_sealed_is_what_going_through_every_part_would_leave(
    secret: str, parts: list[str], name: str
) -> None:
    redact, fact = (
        Redactor({"KEY": secret}),
        {"type": "a", name: [secret.join(parts), *parts], "n": 7},
    )
    assert lines(fact, redact) == lines(redact.fact(fact))
    assert not any(secret in each for each in json.loads(lines(fact, redact))[name])


def test_lines_with_nothing_to_hide_are_not_suspected() -> None:
    assert not Redactor({"KEY": "hunter2hunter2"}).suspects(
        lines({"type": "a", "told": ["of other things", {"n": 7}]})
    )


def test_names_and_digests_of_a_fact_stay_exact_and_the_words_in_a_state_do_not() -> None:
    redact = Redactor({"KEY": "hunter2hunter2"})
    state = {"step": "hunter2hunter2", "reason": "hunter2hunter2", "visits": {"hunter2hunter2": 1}}
    fact = {"state": state, "told": "hunter2hunter2", **dict.fromkeys(EXACT, "hunter2hunter2")}
    assert redact.fact(fact) == {**fact, "told": CUT, "state": {**state, "reason": CUT}}
