"""What of the code a step may change, by any spelling that a file system takes for it."""

from __future__ import annotations

import pytest

from podium.core.contract import Contract
from podium.engine.attempts import bounds

WRITER = Contract("build", code="write", hidden=("secret/**",), protected=("governance/**",))


@pytest.mark.parametrize("folds", [True, False])
def test_a_hidden_file_is_hidden_by_every_spelling_that_leads_to_it(folds: bool) -> None:
    assert not bounds.may_change(WRITER, "secret/a.py", folds=folds)
    assert bounds.may_change(WRITER, "Secret/a.py", folds=folds) == (not folds)
    assert bounds.may_change(WRITER, "src/a.py", folds=folds)


@pytest.mark.parametrize("folds", [True, False])
def test_another_spelling_of_an_ordinary_name_is_another_file_where_the_file_system_says_so(
    folds: bool,
) -> None:
    assert bounds.is_one_of("Governance/notes.md", bounds.protected(WRITER), folds=folds) == folds
    assert bounds.is_one_of("governance/notes.md", bounds.protected(WRITER), folds=folds)
