"""What a project's settings bound."""

from __future__ import annotations

from pathlib import Path

from podium.cli import catalog
from podium.cli.bounds import caps, limits
from podium.settings.policies import defaults
from podium.settings.sources import load


def test_the_tighter_of_the_projects_and_the_workflows_own_caps_holds(tmp_path: Path) -> None:
    (tmp_path / "podium.toml").write_text(
        "[budget]\ntokens = 500\ncost_usd = 9.0\n"
        "[policy.governed]\nbudget_defaults.enabled = true\nbudget_defaults.cost_usd = 2.5\n"
    )
    settings = load(tmp_path, {})
    policy = settings.policy_of("governed")
    found = caps(settings, "governed", catalog.workflow("governed", tmp_path), policy)
    assert (found.tokens, found.cost_usd) == (500, 2.5)
    asked = settings.policy_of("governed", {"budget_defaults.cost_usd": 1.5})
    assert (
        caps(
            settings,
            "governed",
            catalog.workflow("governed", tmp_path, {"budget_defaults.cost_usd": 1.5}),
            asked,
        ).cost_usd
        == 1.5
    )
    alone = caps(settings, "governed", None, policy)
    assert (alone.cost_usd, alone.dispatches) == (9.0, None)


def test_retries_are_those_of_the_policy() -> None:
    found = limits(
        "harness",
        {
            **defaults("harness"),
            "validation_fixes": 7,
            "repair_attempts": 4,
            "retry_backoff_s": 3.0,
        },
    )
    assert (found.limit("validation"), found.limit("artifact"), found.backoff_s) == (7, 4, 3.0)
