"""The review tier: one sensitive path is enough for Full, and only harmless paths make
Lightweight.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.workflows.feature.tier import DEFAULT_RULES, TIERS, review_tier, rules_of

FULL = [
    *(
        "src/auth/login.py",
        "src/AuthService.ts",
        "lib/user_auth.py",
        "app/oauth-client.js",
        "web/session.rb",
    ),
    *(
        "src/storage/file.py",
        "db/migrations/0001.sql",
        "report.sql",
        "app/database.py",
        "src/UserStore.kt",
    ),
    *("payments/charge.go", "src/billing/invoice.py", "admin/index.php", "src/adminPanel.tsx"),
    *(
        "src/network/retry.py",
        "src/HTTPServer.java",
        "api/v1/users.py",
        "src/public/index.ts",
        "openapi.yaml",
    ),
    *("src/core/engine.py", "schema.graphql", "user.proto", "src\\auth\\x.cs", "./src/auth/x.cs"),
    *(
        ".env",
        "deploy/.env.production",
        "certs/server.pem",
        ".github/workflows/ci.yml",
        "CODEOWNERS",
    ),
    *(
        "config/secrets.yaml",
        "docs/security/threats.md",
        "AGENTS.md",
        ".claude/agents/x.md",
        "src/crypto.rs",
    ),
]
LIGHT = [
    *(
        "README.md",
        "docs/guide/intro.md",
        "docs/pictures/a.png",
        "LICENSE",
        "AUTHORS.md",
        "CHANGELOG.rst",
    ),
    *(
        "pyproject.toml",
        "settings.ini",
        ".editorconfig",
        ".prettierrc.json",
        ".gitignore",
        "tsconfig.build.json",
    ),
    *("config/app/settings.json", "src/config.json"),
    *(
        "package.json",
        "package-lock.json",
        "yarn.lock",
        "Cargo.lock",
        "requirements-dev.txt",
        "go.sum",
    ),
]
STANDARD = [
    "src/orders/total.py",
    "src/author.py",
    "lib/rapid.ts",
    "tests/test_total.py",
    "Makefile",
    "src/tokenizer.py",
    "docs_tool/x.py",
    "src/internal/api/rows.py",
]


@pytest.mark.parametrize("path", FULL)
def test_a_sensitive_path_is_reviewed_in_full_whatever_else_changed(path: str) -> None:
    assert review_tier([path]) == "Full"
    assert review_tier([*LIGHT, *STANDARD, path]) == "Full"


@pytest.mark.parametrize("path", LIGHT)
def test_documentation_configuration_and_dependencies_are_reviewed_lightly(path: str) -> None:
    assert review_tier([path]) == "Lightweight"


@pytest.mark.parametrize("path", STANDARD)
def test_anything_else_is_standard_even_beside_documentation(path: str) -> None:
    assert review_tier([path]) == "Standard"
    assert review_tier([*LIGHT, path]) == "Standard"


def test_an_internal_folder_is_no_less_sensitive_for_its_name() -> None:
    assert (
        review_tier(["src/internal/auth/x.py"]) == review_tier(["src/internal/db/x.py"]) == "Full"
    )


def test_the_globs_of_a_policy_replace_those_of_their_tier_alone() -> None:
    assert rules_of({"review_full": (), "review_lightweight": ()}) == rules_of({}) == {}
    rules = rules_of({"review_full": ["src/orders/**"], "review_lightweight": []})
    assert (review_tier(["src/orders/x.py"], rules), review_tier(["src/core/x.py"], rules)) == (
        "Full",
        "Standard",
    )
    assert review_tier(["README.md"], rules) == "Lightweight"


def test_only_harmless_paths_together_are_lightweight() -> None:
    assert review_tier(LIGHT) == "Lightweight"


def test_nothing_changed_proves_nothing() -> None:
    assert review_tier([]) == "Standard"


def test_a_policy_adds_and_takes_away_but_not_what_is_relevant_to_security() -> None:
    rules = {"Full": ["src/orders/**"], "Lightweight": ["assets/**"]}
    assert review_tier(["src/Orders/total.py"], rules) == "Full"
    assert review_tier(["src/core/x.py"], rules) == "Standard"
    assert review_tier(["assets/a.css"], rules) == "Lightweight"
    assert review_tier(["README.md"], rules) == "Standard"
    assert review_tier(["src/auth/x.py"], {"Full": [], "Lightweight": ["**"]}) == "Full"
    assert review_tier(["src/core/x.py"], {"Lightweight": ["assets/**"]}) == "Full"
    assert review_tier(["docs_api.py"], {"Full": ["docs/*"]}) == "Standard"


@given(
    st.lists(st.sampled_from([*FULL, *LIGHT, *STANDARD]), max_size=6),
    st.sampled_from([*FULL, *LIGHT, *STANDARD]),
)
def test_one_more_path_never_makes_the_review_lighter(paths: list[str], more: str) -> None:
    before, after = review_tier(paths), review_tier([*paths, more])
    assert not paths or TIERS.index(after) <= TIERS.index(before)
    assert review_tier(reversed([*paths, more])) == after


def test_the_rules_name_globs_for_the_two_ends_only() -> None:
    assert set(DEFAULT_RULES) == {"Full", "Lightweight"}
