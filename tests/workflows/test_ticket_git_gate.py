from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import get_args

import pytest

from podium.workflows.ticket.git.changes import dirt
from podium.workflows.ticket.git.gate import (
    BRANCH_CHOICES,
    DIRTY_CHOICES,
    Action,
    Ask,
    Decision,
    GitFacts,
    Proceed,
    Refuse,
    decide,
)

TARGET = "fix/PROJ-1_a_b_c"
DOCS = ("README.md",)
MIXED = ("README.md", "src/a.py")


def facts(**members) -> GitFacts:
    return GitFacts(
        **{"target": TARGET, "branch": "main", "default": "main", "remote": "ok", **members}
    )


@pytest.mark.parametrize(
    ("found", "actions"),
    [
        (facts(), ("pull", "create")),
        (facts(behind=3), ("pull", "create")),
        (facts(remote="none"), ("create",)),
        (facts(remote="refuses"), ("create",)),
        (facts(ahead=1, behind=1), ("create",)),
        (facts(ahead=1), ("pull", "create")),
        (facts(changes=DOCS), ("stash", "pull", "create", "unstash")),
        (facts(changes=DOCS, remote="none"), ("create",)),
        (facts(branch="topic"), ("create",)),
        (facts(branch="topic", changes=DOCS), ("create",)),
        (facts(branch=""), ("create",)),
        (facts(branch="", changes=DOCS), ("create",)),
        (facts(default=""), ("create",)),
        (facts(branch=TARGET, target_exists=True), ()),
        (facts(branch=TARGET, target_exists=True, changes=DOCS), ()),
        (facts(target_exists=True, target_owned=True), ("switch",)),
        (
            facts(target_exists=True, target_owned=True, changes=DOCS),
            ("stash", "switch", "unstash"),
        ),
    ],
)
def test_a_tree_without_code_changes_needs_no_person(found: GitFacts, actions: tuple[str, ...]):
    decided = decide(found)
    assert isinstance(decided, Proceed)
    assert decided.actions == actions
    assert not decided.give_back


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"repository": False}, "not a git repository"),
        ({"unborn": True}, "no commit"),
        ({"operation": "rebase"}, "a rebase is in progress"),
        ({"unmerged": ("a.py",)}, "a.py is not merged"),
        ({"target_exists": True, "target_worktree": "/other"}, "checked out in /other"),
    ],
)
def test_a_repository_that_is_not_ready_is_left_alone_with_the_way_out(members: dict, words: str):
    decided = decide(facts(**members))
    assert isinstance(decided, Refuse)
    assert words in decided.reason
    assert decided.mend


@pytest.mark.parametrize("branch", ["main", "topic", "", TARGET])
@pytest.mark.parametrize(
    ("choice", "actions", "carried", "back"),
    [
        ("stash", ("stash", "create"), (), True),
        ("commit", ("create", "commit"), (), False),
        ("carry", ("create",), MIXED, False),
    ],
)
def test_a_person_chooses_what_happens_to_changed_code(
    branch: str, choice: str, actions: tuple, carried: tuple, back: bool
):
    found = facts(branch=branch, changes=MIXED, remote="none", target_exists=branch == TARGET)
    asked = decide(found)
    assert asked == Ask(
        "dirty",
        "2 changed files are not only documents. What should happen to them?",
        DIRTY_CHOICES,
        MIXED,
    )
    decided = decide(found, {"dirty": choice})
    assert isinstance(decided, Proceed)
    assert decided.actions == tuple(
        each for each in actions if branch != TARGET or each != "create"
    )
    assert (decided.carried, decided.give_back) == (carried, back)


def test_only_a_stashed_tree_is_pulled_into():
    dirty = facts(changes=MIXED)
    assert decide(dirty, {"dirty": "stash"}) == Proceed(("stash", "pull", "create"), give_back=True)
    for choice in ("carry", "commit"):
        decided = decide(dirty, {"dirty": choice})
        assert isinstance(decided, Proceed)
        assert "pull" not in decided.actions
        assert decided.warnings == ("main was not pulled, because of the changes in the tree",)


def test_a_branch_that_the_run_did_not_make_is_asked_about():
    found = facts(target_exists=True)
    asked = decide(found)
    assert isinstance(asked, Ask)
    assert (asked.key, asked.choices) == ("branch", BRANCH_CHOICES)
    assert decide(found, {"branch": "use"}) == Proceed(("switch",))
    assert isinstance(decide(found, {"branch": "abort"}), Refuse)


def test_a_commit_that_no_branch_has_is_not_left_behind():
    loose = facts(branch="", loose=True, target_exists=True)
    decided = decide(loose, {"branch": "use"})
    assert isinstance(decided, Refuse)
    assert "`git branch NAME` keeps it" in decided.mend
    assert decide(facts(branch="", loose=True)) == Proceed(
        ("create",), (f"{TARGET} begins at a detached HEAD",)
    )


def test_both_questions_come_one_after_the_other():
    found = facts(target_exists=True, changes=MIXED)
    first = decide(found)
    second = decide(found, {"branch": "use"})
    assert isinstance(first, Ask)
    assert isinstance(second, Ask)
    assert (first.key, second.key) == ("branch", "dirty")
    assert decide(found, {"branch": "use", "dirty": "stash"}) == Proceed(
        ("stash", "switch"), give_back=True
    )


def test_an_answer_that_was_not_offered_is_no_answer():
    assert isinstance(decide(facts(changes=MIXED), {"dirty": "reset"}), Ask)
    assert isinstance(decide(facts(target_exists=True), {"branch": "delete"}), Ask)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"remote": "refuses"}, "the remote did not answer"),
        ({"ahead": 2, "behind": 1}, "main is 2 ahead and 1 behind"),
        ({"branch": "topic"}, "begins at topic, not at main"),
        ({"branch": ""}, "begins at a detached HEAD"),
    ],
)
def test_a_beginning_that_may_surprise_is_told(members: dict, words: str):
    decided = decide(facts(**members))
    assert isinstance(decided, Proceed)
    assert words in decided.warnings[0]


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"branch": TARGET, "target_exists": True}, Proceed),
        ({"target_exists": True, "target_owned": True}, Proceed),
        ({"target_exists": True, "target_owned": True, "changes": MIXED}, Ask),
        ({}, Refuse),
    ],
)
def test_a_resumed_run_goes_back_to_its_branch_or_says_that_it_is_gone(members: dict, kind: type):
    assert isinstance(decide(facts(**members), resuming=True), kind)


def everything() -> Iterator[tuple[GitFacts, dict[str, str], Decision]]:
    """Every combination of facts and answers."""
    answers = [
        {"dirty": dirty, "branch": branch}
        for dirty, branch in product(("", *DIRTY_CHOICES, "x"), ("", *BRANCH_CHOICES))
    ]
    for branch, changes, remote, (ahead, behind), (exists, owned), worktree in product(
        ("main", "topic", "", TARGET),
        ((), DOCS, MIXED),
        ("none", "ok", "refuses"),
        ((0, 0), (1, 0), (0, 1), (1, 1)),
        ((False, False), (True, False), (True, True)),
        ("", "/w"),
    ):
        for default, broken, given in product(
            ("main", ""),
            ({}, {"repository": False}, {"unborn": True}, {"operation": "merge"}),
            answers,
        ):
            found = facts(
                branch=branch,
                changes=changes,
                remote=remote,
                ahead=ahead,
                behind=behind,
                target_exists=exists,
                target_owned=owned,
                target_worktree=worktree,
                default=default,
                **broken,
            )
            yield found, given, decide(found, given)


def test_in_every_combination_nothing_of_a_person_is_lost_or_touched_unasked():
    seen = 0
    for found, given, decided in everything():
        seen += 1
        kind = dirt(found.changes)
        broken = (
            not found.repository
            or found.unborn
            or bool(found.operation)
            or bool(found.target_worktree)
        )
        if broken:
            assert isinstance(decided, Refuse)
        if isinstance(decided, Ask):
            assert given[decided.key] not in decided.choices
            assert set(decided.choices) <= {*DIRTY_CHOICES, *BRANCH_CHOICES}
        if not isinstance(decided, Proceed):
            continue
        actions = decided.actions
        assert not broken
        assert set(actions) <= set(get_args(Action))
        # A foreign branch is entered, and changed code moved, only by choice.
        if "switch" in actions:
            assert found.target_owned or given["branch"] == "use"
        if kind == "mixed":
            assert given["dirty"] in {"stash", "commit", "carry"}
        # The run ends up on its own branch, by one way.
        assert actions.count("create") + actions.count("switch") == (found.branch != TARGET)
        if "create" in actions:
            assert not found.target_exists
        # A pull only into a tree that is clean by then, on the default branch, forwards.
        if "pull" in actions:
            assert found.branch == found.default != ""
            assert kind == "clean" or actions[0] == "stash"
            assert found.remote == "ok"
            assert not (found.ahead and found.behind)
        # What is stashed comes back: at once, or at the end.
        assert ("stash" in actions) == ("unstash" in actions or decided.give_back)
        assert not ("unstash" in actions and decided.give_back)
        # A person's changes are in the tree, in a stash that is given back, or in a commit on the
        # run's branch.
        if found.changes:
            assert decided.carried == found.changes or "stash" in actions or actions[-1] == "commit"
    assert seen == 4 * 3 * 3 * 4 * 3 * 2 * 2 * 4 * 18


def test_one_changed_file_is_asked_about_as_one():
    asked = decide(facts(changes=("src/a.py",), remote="none"))
    assert asked == Ask(
        "dirty",
        "1 changed file is not a document. What should happen to it?",
        DIRTY_CHOICES,
        ("src/a.py",),
    )
