"""Issues through programs that stand in for `gh` and `jira`."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from podium.core.errors import InputError, UsageError
from podium.reach.trackers import fetch
from podium.settings.values import Issues


def program(folder: Path, name: str, script: str) -> None:
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def asked(folder: Path, spec: str, settings: Issues = Issues(), **environ: str) -> str:  # noqa: B008
    return fetch(
        spec, folder, folder, settings, {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", **environ}
    ).text


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gh:12", "issue view 12 --json number,title,body,labels,comments,url"),
        ("gh:#12", "issue view 12 --json number,title,body,labels,comments,url"),
        (
            "gh:acme/app.js#12",
            "issue view 12 --json number,title,body,labels,comments,url --repo acme/app.js",
        ),
    ],
)
def test_gh_is_asked_for_one_issue_in_the_project_with_the_persons_environment(
    tmp_path: Path, spec: str, words: str
) -> None:
    program(tmp_path, "gh", 'echo "$@"; pwd; echo "$GH_TOKEN $GH_PROMPT_DISABLED"')
    assert asked(tmp_path, spec, GH_TOKEN="mine").splitlines() == [words, str(tmp_path), "mine 1"]


def test_jira_is_asked_as_configured(tmp_path: Path) -> None:
    program(tmp_path, "jira", 'echo "$@"')
    program(tmp_path, "acli", 'echo acli "$@"')
    assert asked(tmp_path, "jira:proj-12") == "issue view PROJ-12 --raw\n"
    assert (
        asked(tmp_path, "jira:PROJ-12", Issues(jira=("acli", "view", "{key}")))
        == "acli view PROJ-12\n"
    )


def test_a_file_is_read_from_where_the_person_stands(tmp_path: Path) -> None:
    (tmp_path / "issue.json").write_text('\ufeff{"title": "ü"}')
    assert asked(tmp_path, "file:issue.json") == '{"title": "ü"}'


@pytest.mark.parametrize(
    "spec",
    [
        "12",
        "gh:",
        "gh:x",
        "gh:--help",
        "gh:-R#1",
        "gh:a/b/c#1",
        "gh:12;rm",
        "gh:12\n",
        "jira:12",
        "jira:--raw",
        "jira:P-1 x",
        "gitlab:1",
        "file:",
        "",
    ],
)
def test_a_word_that_names_no_issue_is_refused_before_any_program_runs(
    tmp_path: Path, spec: str
) -> None:
    with pytest.raises(InputError, match=r"gh:12, gh:owner/repo#12"):
        asked(tmp_path, spec)


def test_a_program_that_is_not_there_is_named_with_the_other_way(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gh is not on PATH.*--issue file:PATH"):
        asked(tmp_path, "gh:12", PATH=str(tmp_path))


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            "echo 'To get started with GitHub CLI, please run:  gh auth login' >&2; exit 4",
            "gh is not signed in; `gh auth login` does that",
        ),
        ("echo 'HTTP 401: Bad credentials' >&2; exit 1", "is not signed in"),
        (
            (
                "echo 'GraphQL: Could not resolve to an issue or pull request with the number of "
                "12.' >&2; exit 1"
            ),
            "there is no such issue, or you may not see it",
        ),
        ("echo 'something else' >&2; exit 7", "gh ended with 7: something else"),
        ("exit 1", "gh ended with 1: it said nothing"),
    ],
)
def test_what_went_wrong_is_told_with_the_way_out(tmp_path: Path, script: str, words: str) -> None:
    program(tmp_path, "gh", script)
    with pytest.raises(UsageError) as told:
        asked(tmp_path, "gh:12")
    assert words in str(told.value)


def test_a_program_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    program(tmp_path, "gh", f"(sleep 1; touch {tmp_path}/late) & sleep 30")
    with pytest.raises(UsageError, match=r"did not answer within 0\.2 s"):
        asked(tmp_path, "gh:12", Issues(timeout_s=0.2))
    time.sleep(1.2)
    assert not (tmp_path / "late").exists()


def test_a_program_that_never_ends_to_print_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.reach.trackers.LARGEST", 100)
    program(tmp_path, "gh", "head -c 100000 /dev/zero")
    with pytest.raises(UsageError, match="printed more than 400 bytes"):
        asked(tmp_path, "gh:12")


def test_a_file_that_cannot_be_an_issue_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        asked(tmp_path, "file:x")
    with pytest.raises(InputError, match="cannot be read"):
        asked(tmp_path, f"file:{os.devnull}x")
