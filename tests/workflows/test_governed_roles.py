from __future__ import annotations

from importlib.resources import files

import pytest

from podium.formats.markdown import scan
from podium.workflows.governed.roster import BY_ROLE, ROSTER

ROLES = files("podium.workflows.governed") / "scaffold" / "roles"


@pytest.mark.parametrize("role", [each.role for each in ROSTER])
def test_every_role_of_the_roster_has_a_short_definition(role: str) -> None:
    text = (ROLES / f"{role}-agent.md").read_text(encoding="utf-8")
    assert 20 <= len(text.splitlines()) <= 60
    assert max(map(len, text.splitlines())) <= 200
    titles = [each.title for each in scan(text).headings]
    assert titles[0].replace(" ", "").casefold() == BY_ROLE[role].short.casefold()
    assert titles[1] == "Purpose"
    assert "Limits" in titles


def test_no_definition_is_left_over() -> None:
    names = {each.name for each in ROLES.iterdir()}
    assert names == {f"{each.role}-agent.md" for each in ROSTER}


@pytest.mark.parametrize("role", [each.role for each in ROSTER if each.part == "reviewer"])
def test_reviewers_are_told_that_they_change_nothing(role: str) -> None:
    text = (ROLES / f"{role}-agent.md").read_text(encoding="utf-8").casefold()
    assert "you read" in text
    assert "abstain" in text
