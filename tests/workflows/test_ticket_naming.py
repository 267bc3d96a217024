from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.ticket.request.naming import SLUG, Paths, branch_of, ignored, slug_of


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("add a login button to the header", "login_button_header"),
        ("fix login", "fix_login_proj"),
        ("fix", "fix_proj_123"),
        ("Größe der Tabelle über UTF-8 prüfen", "grosse_der_tabelle"),
        ("修复登录", "fix_proj_123"),
        ("an_identifier_in_snake_case", "identifier_snake_case"),
        ("PROJ-1 PROJ-123 fix the sum of large numbers", "sum_large_numbers"),
        ("Fix PROJ-123 where logout hangs forever", "logout_hangs_forever"),
    ],
)
def test_a_slug_is_three_words_of_the_request(text: str, slug: str):
    assert slug_of(text, "PROJ-123", lead="fix") == slug


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.sampled_from(["", "fix", "feature"]))
def test_every_request_has_a_slug_of_three_words(text: str, lead: str):
    assert re.fullmatch(SLUG, slug_of(text, "A-1", lead))


def test_a_branch_is_named_after_type_ticket_and_slug():
    assert branch_of("fix", "PROJ-1", "a_b_c") == "fix/PROJ-1_a_b_c"


def test_every_file_has_its_place():
    paths = Paths("PROJ-1")
    assert (paths.prompt, paths.progress, paths.log, paths.scratch) == (
        "prompts/PROJ-1/prompt.yaml",
        "prompts/PROJ-1/progress.yaml",
        "prompts/PROJ-1/log.jsonl",
        "prompts/PROJ-1/tmp",
    )
    assert paths.plan(2) == "prompts/PROJ-1/iteration_2/plan.md"
    assert paths.tasks(0) == "prompts/PROJ-1/iteration_0/tasks.yaml"


def test_the_first_plan_starts_from_the_prompt_and_the_next_from_the_review_before():
    paths = Paths("PROJ-1")
    assert paths.planning_input(0) == paths.prompt
    assert paths.planning_input(3) == "prompts/PROJ-1/iteration_2/review_report.yaml"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (None, "prompts/\ndocs/docs_cache_state.yaml\n"),
        ("", "prompts/\ndocs/docs_cache_state.yaml\n"),
        ("node_modules\n", "node_modules\nprompts/\ndocs/docs_cache_state.yaml\n"),
        ("dist", "dist\nprompts/\ndocs/docs_cache_state.yaml\n"),
        ("a\r\n", "a\r\nprompts/\r\ndocs/docs_cache_state.yaml\r\n"),
        ("/prompts\ndocs/docs_cache_state.yaml\n", "/prompts\ndocs/docs_cache_state.yaml\n"),
        ("#prompts/\n", "#prompts/\nprompts/\ndocs/docs_cache_state.yaml\n"),
    ],
)
def test_git_ignores_what_the_workflow_keeps_to_itself(text: str | None, after: str):
    assert ignored(text) == after
    assert ignored(after) == after
