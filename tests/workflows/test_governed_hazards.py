from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podium.workflows.governed.payloads.good import good_plan
from podium.workflows.governed.phase.hazards import (
    BULK,
    Change,
    Repository,
    destructive,
    planned_hazards,
    seen_hazards,
)
from podium.workflows.governed.plan.plan import Phase
from podium.workflows.governed.plan.reading import read_object
from podium.workflows.governed.policy.policy import DEFAULT, read_policy
from podium.workflows.governed.terms import ACTIONS

ON_MAIN = Repository(branch="main", published=True)


def actions(*commands: str, repository: Repository | None = None) -> list[str]:
    return [each.action for each in seen_hazards((), commands, DEFAULT, repository)]


def phase_of(**members: Any) -> Phase:
    plan = read_object(good_plan(phases=[members])).plan
    assert plan is not None
    return plan.phases[0]


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("rm -rf build", "rm_rf"),
        ("rm -fr build", "rm_rf"),
        ("rm -r -f build", "rm_rf"),
        ("sudo /bin/rm --recursive --force /srv", "rm_rf"),
        ("cd x && rm -Rf y", "rm_rf"),
        ("find . -name '*.o' | xargs rm -rf", "rm_rf"),
        ("find . -name '*.o' -exec rm -rf {} +", "rm_rf"),
        ("bash -c 'rm -rf x'", "rm_rf"),
        ('sh -c "cd x && rm -rf y"', "rm_rf"),
        ("python -c 'import shutil; shutil.rmtree(\"x\")'", "rm_rf"),
        ("(cd x && rm -rf y)", "rm_rf"),
        ("(git push --force)", "git_force_push"),
        ('bash -lc "rm -rf build"', "rm_rf"),
        ("sh -xc 'git push -f'", "git_force_push"),
        ("eval 'git reset --hard'", "git_reset_hard"),
        ("eval " * 2000 + "true", "rm_rf"),
        ("x eval " * 2000 + "true", "rm_rf"),
        ("git checkout main && git merge topic", "merge_to_protected_branch"),
        ("git switch -q main; git merge topic", "merge_to_protected_branch"),
        ("gh pr merge 4 --squash", "merge_to_protected_branch"),
        ("dropdb shop", "drop_table"),
        ("rm notes.txt", "destructive_file_delete"),
        ("find . -name '*.py' -delete", "destructive_file_delete"),
        ("git clean -fdx", "destructive_file_delete"),
        ("git rm old.py", "destructive_file_delete"),
        ("git push --force origin topic", "git_force_push"),
        ("git push -f", "git_force_push"),
        ("git push --force-with-lease", "git_force_push"),
        ("git push origin +topic", "git_force_push"),
        ("git push origin :topic", "git_force_push"),
        ("git -C sub push -f", "git_force_push"),
        ("git reset --hard HEAD~1", "git_reset_hard"),
        ("psql -c 'DROP TABLE users'", "drop_table"),
        ("mysql -e 'truncate table x'", "drop_table"),
        ("git push origin main", "merge_to_protected_branch"),
        ("git push origin HEAD:refs/heads/master", "merge_to_protected_branch"),
        ("kubectl apply -f x.yaml", "push_to_shared_infrastructure"),
        ("terraform destroy", "push_to_shared_infrastructure"),
        ("docker push registry/x", "push_to_shared_infrastructure"),
        ("npm publish", "push_to_shared_infrastructure"),
        ("ansible-playbook site.yml", "push_to_shared_infrastructure"),
    ],
)
def test_a_command_that_needs_a_person_is_recognised(command: str, action: str) -> None:
    assert action in actions(command)


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("git commit --amend --no-edit", "amend_published_commit"),
        ("git rebase -i HEAD~3", "amend_published_commit"),
        ("git merge topic", "merge_to_protected_branch"),
        ("git push", "merge_to_protected_branch"),
    ],
)
def test_what_git_says_of_the_branch_counts(command: str, action: str) -> None:
    assert action in actions(command, repository=ON_MAIN)
    assert actions(command, repository=Repository(branch="topic")) == []


def test_a_branch_that_an_earlier_command_went_to_counts() -> None:
    assert actions(
        "git checkout main", "git merge topic", repository=Repository(branch="topic")
    ) == ["merge_to_protected_branch"]
    assert (
        actions(
            "git checkout -b main-menu", "git merge topic", repository=Repository(branch="topic")
        )
        == []
    )


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status",
        "bash build.sh",
        "gh pr view 4",
        "(true)",
        "bash -lc 'make test'",
        "git push origin topic",
        "git reset HEAD x",
        "docker compose up",
        "kubectl get pods",
        "pytest -q",
        "",
        "'",
        "echo rmdir",
        "git log --grep='drop'",
    ],
)
def test_harmless_commands_ask_nobody(command: str) -> None:
    assert actions(command) == []


@pytest.mark.parametrize(
    ("change", "action"),
    [
        (Change("a.py", deleted=True), ["destructive_file_delete"]),
        (Change("a.py", deleted=True, created=True), []),
        (Change("m.sql", added=("  DROP TABLE users;",)), ["drop_table"]),
        (Change("m.sql", added=("// drop table",)), []),
        (Change("a.py", added=("x = 1",)), []),
        (Change("m.sql", added=("DROP/**/TABLE users;",)), ["drop_table"]),
        (Change("m.sql", added=("DROP -- all of it", "  TABLE users;")), ["drop_table"]),
        (Change("m.sql", added=("DROP /* all", "of it */ TABLE users;")), ["drop_table"]),
        (Change("m.sql", added=("select '/*'; DROP/*x*/TABLE users;",)), ["drop_table"]),
        (Change("m.sql", added=("DROP /*", *["x" * 100] * 50, "*/ TABLE users;")), ["drop_table"]),
        (Change("m.sql", added=("/*!50000 DROP*/ TABLE users;",)), ["drop_table"]),
        (Change("m.sql", added=("select 2;\x0cDROP TABLE users;",)), ["drop_table"]),
        (Change("m.sql", added=("# harmless\rDROP TABLE users;",)), ["drop_table"]),
        (Change("m.sql", added=("*/ DROP TABLE users;",)), ["drop_table"]),
        (Change("m.sql", added=("DROP TEMPORARY TABLE users;",)), ["drop_table"]),
        (Change("a.py", added=("# drop table\r",)), []),
        (Change("a.py", added=("drop(x)", "table = 1")), []),
        (Change("m.sql", unread=True), ["drop_table"]),
        (Change("logo.PNG", unread=True), []),
    ],
)
def test_a_change_that_needs_a_person_is_recognised(change: Change, action: list[str]) -> None:
    assert [each.action for each in seen_hazards([change], (), DEFAULT)] == action


def test_contracts_rewritten_in_bulk_are_recognised() -> None:
    few = [Change(f"schemas/{number}.json") for number in range(BULK - 1)]
    assert seen_hazards(few, (), DEFAULT) == ()
    [hazard] = seen_hazards([*few, Change("api/openapi.yaml")], (), DEFAULT)
    assert hazard.action == "bulk_contract_rewrite"
    assert "api/openapi.yaml" in hazard.evidence


def test_only_what_the_policy_lists_needs_a_person() -> None:
    policy = read_policy(None, {"approval_required_actions": ["git_reset_hard"]})
    assert [each.action for each in seen_hazards((), ["rm -rf x", "git reset --hard"], policy)] == [
        "git_reset_hard"
    ]


def test_evidence_is_told_once_and_short() -> None:
    long = "rm -rf " + "x" * 5000
    [hazard] = seen_hazards((), [long, long], DEFAULT)
    assert len(hazard.evidence) <= 200


@pytest.mark.parametrize(
    ("members", "risky"),
    [
        ({}, False),
        ({"steps": ["Run git push --force."]}, True),
        ({"steps": ["Then drop table users."]}, True),
        ({"objective": "Delete the old data files."}, True),
        ({"title": "Deploy to production"}, True),
        ({"steps": ["Merge the branch into main."]}, True),
        ({"steps": ["Do a hard reset of the branch."]}, True),
        ({"steps": ["Remove an argument from the function."]}, False),
        ({"steps": ["Read the table of contents."]}, False),
        (
            {
                "files": [
                    {"path": f"schemas/{n}.json", "action": "modify", "reason": "why"}
                    for n in range(3)
                ]
            },
            True,
        ),
        (
            {
                "files": [
                    {"path": f"schemas/{n}.json", "action": "review", "reason": "why"}
                    for n in range(3)
                ]
            },
            False,
        ),
    ],
)
def test_a_phase_that_means_to_do_such_a_thing_is_destructive(
    members: dict[str, Any], risky: bool
) -> None:
    assert destructive(phase_of(**members), DEFAULT) is risky


@given(st.lists(st.text(max_size=40), max_size=3))
@settings(max_examples=80, deadline=None)
def test_no_text_breaks_the_look_at_commands(commands: list[str]) -> None:
    found = seen_hazards((), commands, DEFAULT, ON_MAIN)
    assert all(each.action in ACTIONS for each in found)
    assert planned_hazards(phase_of(steps=["x", *commands]), DEFAULT) is not None


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["drop --", "/* drop ", "drop \n", "*/ /*! dropp", "drop # "])
def test_a_change_of_a_megabyte_is_looked_at_in_no_time(piece: str) -> None:
    assert len(seen_hazards([Change("m.sql", added=(piece * 150_000,))], (), DEFAULT)) <= 1
