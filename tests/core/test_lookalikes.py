"""Two spellings that some file system takes for one name."""

from __future__ import annotations

import pytest

from podium.core.lookalikes import EVERYWHERE, folded, looks_like


@pytest.mark.parametrize(
    ("path", "same"),
    [
        ("Podium.toml", "podium.toml"),
        ("podium.toml. .", "podium.toml"),
        ("podium.toml::$DATA", "podium.toml"),
        ("\ufeffpodium.toml", "podium.toml"),
        (".GIT/Hooks/pre-commit", ".git/hooks/pre-commit"),
        (".g\u200cit/config", ".git/config"),
        ("sub\\.git\\config", "sub/.git/config"),
        ("GIT~1/config", ".git/config"),
        (".ｇit/config", ".git/config"),
        ("docs/Re\u0301sume\u0301.md", "docs/r\u00e9sum\u00e9.md"),
        ("STRASSE/x", "straße/x"),
        ("...", "..."),
        ("src/app.py", "src/app.py"),
    ],
)
def test_a_path_is_read_as_the_most_forgiving_file_system_does(path: str, same: str) -> None:
    assert folded(path) == folded(same)


@pytest.mark.parametrize(
    "path",
    [
        "Podium.toml",
        "sub/PODIUM.TOML",
        ".Podium/roles/x.md",
        ".GIT/config",
        "sub/.Git",
        ".GitHub/Agents/x.md",
        ".Claude/agents/x.md",
    ],
)
def test_what_says_what_runs_has_no_look_alike(path: str) -> None:
    assert looks_like(path, EVERYWHERE)


@pytest.mark.parametrize(
    "path",
    [
        "podium.toml.md",
        "src/podium.py",
        ".gitignore",
        ".gitmodules",
        ".github/workflows/ci.yml",
        "git/config",
        "fixtures/.github/agents/x.md",
        "git~x",
    ],
)
def test_other_names_are_other_files(path: str) -> None:
    assert not looks_like(path, EVERYWHERE)


def test_patterns_keep_their_wildcards() -> None:
    assert looks_like("Prompts/PROJ-1/Progress.yaml", ("prompts/*/progress.yaml",))
    assert not looks_like("Prompts/a/b/Progress.yaml", ("prompts/*/progress.yaml",))
