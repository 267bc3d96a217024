"""Proof of Build: changed files and exit codes that the program saw itself, and a landing that
loses nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import REPORT, WELL, Project
from tests.fakes.repository import Kind, git

EVERY_FILE = """\
count=0 code=0
for file in src/*.py; do
    count=$((count + 1))
    if grep -q broken "$file"; then echo "not ok $count - $file"; code=1
    else echo "ok $count - $file"; fi
done
echo "1..$count"
exit $code
"""
BREAKS: dict[str, Any] = {
    "write": {"src/app.py": "VALUE = 'broken'\n"},
    "say": "Built it; all tests pass.",
}


def tracked(project: Project) -> dict[str, str]:
    """All that git keeps for its user: commit, branch, index, stashes, refs but the run's own."""
    refs = git(project.root, "for-each-ref", "--format=%(refname) %(objectname)")
    return {
        "head": git(project.root, "rev-parse", "HEAD"),
        "branch": git(project.root, "symbolic-ref", "HEAD"),
        "index": git(project.root, "ls-files", "--stage"),
        "stashes": git(project.root, "stash", "list"),
        "refs": "\n".join(line for line in refs.splitlines() if "podium" not in line),
    }


def landed_commit(project: Project, key: str = "build/1") -> str:
    return str(project.event("step.finished", key=key)["commit"])


# -- something was done


def test_a_build_that_changes_nothing_and_gives_no_reason_is_not_done(project: Project) -> None:
    ended = project.through({"build": [{"say": "Everything is implemented and tested."}]})
    assert (ended.exit_code, ended.stop) == (20, "verification")
    found = project.events("artifact.rejected", key="build/1")
    assert [(each["failure"], each["repair"]) for each in found] == [
        ("malformed", 0),
        ("malformed", 1),
    ]
    assert "no file was changed and no reason given" in found[0]["detail"]
    assert "qa/1" not in project.started()
    assert project.state("Current Stage") == "Build"
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason


@pytest.mark.parametrize(
    "words",
    [
        "No change needed: count_words is there and tested.",
        "**No code change needed** — it exists",
        "no changes were required because it exists",
    ],
)
def test_a_build_may_say_why_no_change_is_needed(project: Project, words: str) -> None:
    assert project.through({"build": [{"say": words}]}).exit_code == 0
    assert project.event("step.finished", key="build/1")["outputs"] == {}
    assert words.strip("*") in project.said("build/1")


@pytest.mark.parametrize(
    "words", ["No change needed", "No change needed.", "I made no change of note."]
)
def test_no_change_without_a_reason_is_not_done(project: Project, words: str) -> None:
    assert project.through({"build": [{"say": words}]}).exit_code == 20
    assert project.events("artifact.rejected", key="build/1")


def test_a_reason_in_the_verdict_counts_too(project: Project) -> None:
    sent = {"status": "done", "summary": "No change needed: it is there"}
    assert project.through({"build": [{"say": "see the verdict", "verdict": sent}]}).exit_code == 0


def test_a_build_that_writes_only_ignored_files_changed_nothing(project: Project) -> None:
    ended = project.through(
        {"build": [{"write": {"debug.log": "x", "build/out.o": "x"}, "say": "built"}]}
    )
    assert ended.exit_code == 20
    assert project.events("artifact.rejected", key="build/1")
    assert not project.path("debug.log").exists()


def test_a_build_without_a_final_message_is_not_done(project: Project) -> None:
    ended = project.through({"build": [{"behave": "well", "say": " ", "verdict": {"summary": ""}}]})
    assert ended.exit_code == 20
    assert (
        "does not say what was done"
        in project.events("artifact.rejected", key="build/1")[0]["detail"]
    )


# -- the program's own commands


def test_newly_failing_tests_are_given_back_three_times_and_then_the_run_is_blocked(
    project: Project,
) -> None:
    ended = project.through({"build": [BREAKS]})
    assert (ended.exit_code, ended.stop) == (20, "validation")
    assert project.started()[3:] == ["build/1"] * 4
    retries = project.events("retry.scheduled", key="build/1")
    assert [(each["classification"], each["attempt"], each["limit"]) for each in retries] == [
        ("validation", 2, 3),
        ("validation", 3, 3),
        ("validation", 4, 3),
    ]
    assert project.event("retry.exhausted")["rule"] == "limits.validation"
    assert "test: failed (exit 1) (`sh tests.sh`)" in project.prompt("build/1")
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert project.state("Current Stage") == "Build"
    assert project.state("Stop Reason") == project.report("Stop Reason") == ended.reason
    assert "sh tests.sh" in ended.reason


def test_the_number_of_validation_fixes_is_policy(project: Project) -> None:
    assert project.through({"build": [BREAKS]}, policy={"validation_fixes": 1}).exit_code == 20
    assert project.started()[3:] == ["build/1"] * 2


def test_the_next_attempt_finds_the_work_of_the_one_before_in_its_folder(project: Project) -> None:
    first = {
        "write": {"src/app.py": "broken\nVALUE = 2\n", "src/new.py": "NEW = 1\n"},
        "delete": ["src/old.py"],
        "say": "done",
    }
    second = {
        "run": "grep -c broken src/app.py; ls src",
        "append": {"src/app.py": "broken too\n"},
        "say": "better",
    }
    third = {"run": "grep -c broken src/app.py; sed -i /broken/d src/app.py", "say": "mended"}
    assert project.through({"build": [first, second, third]}).exit_code == 0
    assert project.text("src/app.py") == "VALUE = 2\n"
    assert project.text("src/new.py") == "NEW = 1\n"
    assert not project.path("src/old.py").exists()
    assert project.printed("build/1") == ["2"]
    assert project.printed("build/1/attempt-2") == ["2", "app.py", "new.py"]


def test_tests_that_failed_before_are_recorded_and_do_not_block(project: Project) -> None:
    project.write("tests.sh", EVERY_FILE)
    project.write("src/legacy.py", "broken since 2019\n")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-q", "-m", "Legacy")
    assert (
        project.through(
            {"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "done"}]}
        ).exit_code
        == 0
    )
    evidence = project.event("step.finished", key="build/1")["evidence"]
    assert [(each["exit"], each["state"], each["failing"]) for each in evidence] == [
        (1, "failed_before", ["src/legacy.py"])
    ]
    assert "test: 1 failed, the same as before: src/legacy.py" in project.text(REPORT)


def test_a_new_failure_beside_an_old_one_blocks(project: Project) -> None:
    project.write("tests.sh", EVERY_FILE)
    project.write("src/legacy.py", "broken since 2019\n")
    ended = project.through({"build": [BREAKS]}, policy={"validation_fixes": 0})
    assert (ended.exit_code, ended.stop) == (20, "validation")
    evidence = project.event("step.finished", key="build/1")["evidence"]
    assert evidence[0]["new"] == ["src/app.py"]


def test_a_failure_of_an_earlier_build_is_no_baseline_for_the_next(project: Project) -> None:
    """QA sends back; what the first Build of this task broke is not an old failure in the
    second.
    """
    back = {
        "write": {
            "@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
        },
        "say": "no",
    }
    ended = project.through({"build": [WELL, BREAKS], "qa": [back]}, policy={"validation_fixes": 0})
    assert ended.exit_code == 20
    assert project.event("run.blocked")["key"] == "build/2"
    assert project.text("src/app.py") == "VALUE = 1\n"


def test_a_claim_of_exit_0_counts_for_nothing_against_the_programs_own_run(
    project: Project,
) -> None:
    claim = {
        "status": "done",
        "summary": "all green",
        "commands": [{"command": "sh tests.sh", "exit": 0}],
    }
    ended = project.through(
        {"build": [{**BREAKS, "verdict": claim}]}, policy={"validation_fixes": 0}
    )
    assert (ended.exit_code, ended.stop) == (20, "validation")
    assert project.event("step.finished", key="build/1")["evidence"][0]["exit"] == 1
    assert project.text("src/app.py") == "VALUE = 1\n"


def test_a_build_that_rewrites_the_test_command_is_still_judged_by_it(project: Project) -> None:
    """The command is the project's; a build that changes podium.toml to `true` broke its
    contract.
    """
    cheat = {**BREAKS, "write": {**BREAKS["write"], "podium.toml": '[commands]\ntest = "true"\n'}}
    assert project.through({"build": [cheat]}).exit_code == 20
    assert project.text("src/app.py") == "VALUE = 1\n"
    assert 'test = "sh tests.sh"' in project.text("podium.toml")


def test_every_evidence_command_runs_in_its_order(project: Project) -> None:
    project.write("podium.toml", '[commands]\nbuild = "true"\ntest = "sh tests.sh"\n')
    project.through()
    evidence = project.event("step.finished", key="build/1")["evidence"]
    assert [(each["name"], each["exit"]) for each in evidence] == [("build", 0), ("test", 0)]
    assert "build/1: test: passed (`sh tests.sh`)" in project.text(REPORT)


# -- the commands judge what lands, and nothing else


def test_a_compiled_file_that_hides_a_broken_one_is_no_evidence(project: Project) -> None:
    """A byte-code file of the unchecked kind is taken whatever became of its source."""
    project.write(".gitignore", "__pycache__/\n")
    project.write(
        "podium.toml",
        (
            '[commands]\ntest = "python3 -c \'import sys; sys.path.insert(0, \\"src\\"); import '
            "app'\"\n"
        ),
    )
    compiled = (
        "import py_compile as p; p.compile('src/app.py', "
        "invalidation_mode=p.PycInvalidationMode.UNCHECKED_HASH)"
    )
    hides = {
        "run": f"python3 -c \"{compiled}\" && echo 'raise SystemExit(3)' > src/app.py",
        "say": "improved",
    }
    ended = project.through({"build": [hides]}, policy={"validation_fixes": 0})
    assert (ended.exit_code, ended.stop) == (20, "validation")
    assert project.text("src/app.py") == "VALUE = 1\n"


@pytest.mark.parametrize(
    "places",
    [
        {
            ".gitignore": "*.log\nbuild/\nhelper.sh\n",
            "helper.sh": "exit 0\n",
            "tests.sh": ". ./helper.sh\n",
        },
        {"build/deep/helper.sh": "exit 0\n", "tests.sh": ". ./build/deep/helper.sh\n"},
        {
            ".gitignore": "vendor/\n",
            "vendor/helper.sh": "exit 0\n",
            "tests.sh": ". ./vendor/helper.sh\n",
        },
    ],
)
def test_code_moved_to_where_nothing_lands_is_no_evidence(
    project: Project, places: dict[str, str]
) -> None:
    ended = project.through(
        {"build": [{"write": places, "say": "moved"}]}, policy={"validation_fixes": 0}
    )
    assert (ended.exit_code, ended.stop) == (20, "validation")
    assert project.text("tests.sh").startswith("if grep")


@pytest.mark.parametrize(
    ("ignores", "path"),
    [
        ("node_modules/\n", "node_modules/kit/run.sh"),
        (".venv\n", "sub/.venv/bin/run.sh"),
        ("web/\n", "web/node_modules/kit/run.sh"),
        ("vendor/\n", "vendor/kit/run.sh"),
    ],
)
def test_dependencies_that_a_build_installed_are_no_evidence(
    project: Project, ignores: str, path: str
) -> None:
    """They land nowhere, and whoever writes them writes what the tests find."""
    project.write(".gitignore", ignores)
    installs = {"write": {path: "exit 0\n", "tests.sh": f". ./{path}\n"}, "say": "with a kit"}
    ended = project.through({"build": [installs]}, policy={"validation_fixes": 0})
    assert (ended.exit_code, ended.stop) == (20, "validation")
    assert not project.path(path).exists()


@pytest.mark.parametrize("path", ["node_modules/kit/run.sh", "sub/.venv/bin/run.sh"])
def test_dependencies_of_the_checkout_are_there_for_the_tests(project: Project, path: str) -> None:
    project.write(".gitignore", "node_modules/\n.venv\n")
    project.write(path, "exit 0\n")
    project.write("tests.sh", f". ./{path}\n")
    needs = {"write": {"src/new.py": "NEW = 1\n"}, "say": "with a kit"}
    assert project.through({"build": [needs]}).exit_code == 0
    assert project.text(path) == "exit 0\n"


def test_documents_that_git_ignores_are_there_for_the_tests_and_a_shut_folder_is_not(
    project: Project,
) -> None:
    project.write(".gitignore", "*.log\nbuild/\nharness/\n")
    git(project.root, "rm", "-rq", "--cached", "harness")
    shut = {
        "write": {"build/deep/a.log": "x", "src/new.py": "NEW = 1\n"},
        "run": "chmod 555 build/deep build",
        "say": "done",
    }
    project.write("tests.sh", "ls build && exit 1\nls harness/tasks > /dev/null\n")
    assert project.through({"build": [shut]}).exit_code == 0
    assert project.path("src/new.py").is_file()


# -- what may be written


@pytest.mark.parametrize(
    "path",
    [
        "harness/notes.md",
        "harness/artifacts/specs/T001-feature-spec.md",
        "podium.toml",
        ".podium/roles/qa.md",
    ],
)
def test_build_may_not_write_the_harness_or_its_settings(project: Project, path: str) -> None:
    ended = project.through({"build": [{"behave": "well", "write": {path: "mine now\n"}}]})
    assert (ended.exit_code, ended.stop) == (20, "contract")
    assert project.events("contract.violated", key="build/1")[-1]["paths"] == [path]
    assert not project.path(path).exists() or "mine now" not in project.text(path)


def test_deleted_and_renamed_files_land(project: Project) -> None:
    moves = {
        "delete": ["src/old.py"],
        "run": "mv src/app.py src/main.py && chmod +x tests.sh",
        "say": "moved",
    }
    assert project.through({"build": [moves]}).exit_code == 0
    assert not project.path("src/old.py").exists()
    assert not project.path("src/app.py").exists()
    assert project.text("src/main.py") == "VALUE = 1\n"
    assert project.path("tests.sh").stat().st_mode & 0o100
    outputs = project.event("step.finished", key="build/1")["outputs"]
    assert (outputs["src/old.py"], outputs["src/app.py"]) == ("missing", "missing")


def test_ignored_files_stay_out_of_the_project(project: Project) -> None:
    litter = {
        "behave": "well",
        "write": {"debug.log": "x", "build/out.o": "x", "src/new.py": "NEW = 1\n"},
    }
    assert project.through({"build": [litter]}).exit_code == 0
    assert project.path("src/new.py").is_file()
    assert not project.path("debug.log").exists()
    assert not project.path("build").exists()


# -- whose checkout it is


def dirty(project: Project) -> dict[str, bytes]:
    """Uncommitted work of every kind; the files of it."""
    project.write("src/old.py", "OLD = 'staged'\n")
    git(project.root, "add", "src/old.py")
    project.write("src/old.py", "OLD = 'staged, then edited'\r\n")
    project.write("notes.txt", "untracked\n")
    project.write("secret.log", "ignored\n")
    project.path(".gitignore").chmod(0o600)
    return {
        name: project.path(name).read_bytes()
        for name in ("src/old.py", "notes.txt", "secret.log", ".gitignore")
    }


def test_uncommitted_work_survives_byte_for_byte(project: Project) -> None:
    before = dirty(project)
    index = git(project.root, "ls-files", "--stage")
    assert (
        project.through(
            {"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "done"}]}
        ).exit_code
        == 0
    )
    assert {name: project.path(name).read_bytes() for name in before} == before
    assert git(project.root, "ls-files", "--stage") == index
    assert project.text("src/app.py") == "VALUE = 2\n"


def test_build_sees_uncommitted_work(project: Project) -> None:
    dirty(project)
    project.through(
        {"build": [{"behave": "well", "run": "cat src/old.py notes.txt; ls secret.log"}]}
    )
    said = "\n".join(project.printed("build/1"))
    assert "staged, then edited" in said
    assert "untracked" in said
    assert "No such file" in said


def test_head_index_branches_and_stashes_are_as_they_were(project: Project) -> None:
    project.write("src/app.py", "VALUE = 'stashed'\n")
    git(project.root, "stash")
    git(project.root, "branch", "feature")
    dirty(project)
    before = tracked(project)
    back = {
        "write": {
            "@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
        },
        "say": "no",
    }
    assert project.through({"qa": [back, WELL]}).exit_code == 0
    assert tracked(project) == before


def test_the_work_is_a_commit_on_the_runs_own_branch_with_its_trailers(project: Project) -> None:
    project.through(
        {"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": "Count words.\n\nMore."}]}
    )
    branch = f"podium/{project.run_id}"
    assert git(project.root, "rev-parse", branch).strip() == landed_commit(project)
    message = git(project.root, "log", "-1", "--format=%B", branch)
    assert message.startswith("Count words\n\nPodium-Run: ")
    trailers = git(project.root, "log", "-1", "--format=%(trailers:only,unfold)", branch)
    assert trailers.split("\n")[:2] == [f"Podium-Run: {project.run_id}", "Podium-Step: build/1"]
    assert git(project.root, "show", "--name-only", "--format=", branch).split() == ["src/app.py"]


def test_nothing_in_the_subject_of_a_commit_is_obeyed_by_a_terminal(project: Project) -> None:
    words = "\x1b[2J\x1b]0;owned\x07Count \x1b[31mwords\u202e\x08, schön 😀"
    project.through({"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "say": words}]})
    assert (
        git(project.root, "log", "-1", "--format=%s", f"podium/{project.run_id}").strip()
        == "Count words, schön 😀"
    )


def test_an_edit_of_another_file_during_build_is_no_conflict(project: Project) -> None:
    edit = f"echo 'MINE = 1' >> {project.path('src/old.py')}"
    ended = project.through(
        {"build": [{"write": {"src/app.py": "VALUE = 2\n"}, "run": edit, "say": "done"}]}
    )
    assert ended.exit_code == 0
    assert project.text("src/app.py") == "VALUE = 2\n"
    assert project.text("src/old.py") == "OLD = True\nMINE = 1\n"


# -- every kind of project


@pytest.mark.parametrize("kind", ["repository", "unborn", "plain"])
def test_a_whole_run_lands_its_code_in_every_kind_of_project(tmp_path: Path, kind: Kind) -> None:
    project = Project.at(tmp_path, kind)
    work: dict[str, Any] = {
        "write": {"src/app.py": "VALUE = 2\n", "src/new.py": "NEW = 1\n"},
        "delete": ["src/old.py"],
        "say": "done",
    }
    project.run({"build": [work]})
    project.approve()
    assert project.resume().gates == ("approve-completion",)
    project.approve()
    assert project.resume().exit_code == 0
    assert project.state("Current Stage") == "Complete"
    assert project.text("src/app.py") == "VALUE = 2\n"
    assert project.text("src/new.py") == "NEW = 1\n"
    assert not project.path("src/old.py").exists()
    assert project.path(".git").exists() == (kind != "plain")
    assert project.event("step.finished", key="build/1")["evidence"][0]["exit"] == 0


# -- what landed stays in view


def test_a_rule_that_ignores_what_an_earlier_step_landed_hides_it_from_nobody(
    project: Project,
) -> None:
    """The file stays in the checkout, and git says nothing of it: without this QA would judge
    code that it is not shown.
    """
    rules = project.text(".gitignore") + "src/aside.py\n"
    returned = {
        "write": {
            "@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
        },
        "say": "reviewed",
    }
    builds = [
        {"write": {"src/aside.py": "ASIDE = 1\n"}, "say": "Built it."},
        {"write": {".gitignore": rules, "src/app.py": "VALUE = 2\n"}, "say": "Mended it."},
        {
            "write": {"src/app.py": "VALUE = 3\n"},
            "run": "cat src/aside.py",
            "say": "Mended it again.",
        },
    ]
    looks = {**WELL, "run": "cat src/aside.py"}
    assert (
        project.through(
            {"build": builds, "qa": [returned, {**returned, "run": "cat src/aside.py"}, looks]}
        ).exit_code
        == 0
    )
    assert project.text("src/aside.py") == "ASIDE = 1\n"
    assert "aside" not in git(project.root, "status", "--short")
    for key in ("qa/2", "build/3", "qa/3"):
        assert project.printed(key) == ["ASIDE = 1"]
    assert (
        git(project.root, "show", f"{landed_commit(project, 'build/3')}:src/aside.py")
        == "ASIDE = 1\n"
    )


@pytest.mark.parametrize("rules", ["build/\n", "*.log\nbuild/\n!local.log\n", None])
@pytest.mark.parametrize("kind", ["repository", "unborn", "plain"])
def test_a_rule_that_a_step_takes_away_opens_nothing_that_a_person_keeps_out_of_git(
    tmp_path: Path, kind: Kind, rules: str | None
) -> None:
    """A file of keys beside the code was in the views of all later steps, and in the run's
    branch.
    """
    project = Project.at(tmp_path, kind)
    project.write("local.log", "KEY = 1\n")
    opens: dict[str, Any] = (
        {"delete": [".gitignore"]} if rules is None else {"write": {".gitignore": rules}}
    )
    returned = {
        "write": {
            "@qa": {"template": "qa", "result": "Issues Found", "readiness": "Back to Build"}
        },
        "say": "reviewed",
    }
    builds = [
        {**opens, "say": "Built it."},
        {
            "write": {"src/app.py": "VALUE = 2\n", "mine.log": "made\n"},
            "run": "ls *.log",
            "say": "Mended it.",
        },
    ]
    looks = {"run": "ls *.log"}
    assert (
        project.through(
            {"build": builds, "qa": [{**returned, **looks}, {**WELL, **looks}]}, until="build/2"
        ).exit_code
        == 0
    )
    assert project.resume().exit_code == 0  # another process knows of it, too
    assert "local.log" not in {
        line for key in ("qa/1", "build/2", "qa/2") for line in project.printed(key)
    }
    assert ("mine.log" in project.printed("qa/2")) == (rules != "*.log\nbuild/\n!local.log\n")
    assert project.text("local.log") == "KEY = 1\n"


# -- what lands is what was tested


@pytest.mark.parametrize("encoding", ["UTF-7", "UTF-16", "none-such"])
def test_a_file_that_git_would_land_in_another_encoding_is_not_done(
    project: Project, encoding: str
) -> None:
    """In UTF-7 a plus is written otherwise: `1 + 1` passed the tests, and `1 +- 1` landed."""
    written = {
        ".gitattributes": f"*.py working-tree-encoding={encoding}\n",
        "src/sum.py": "TWO = 1 + 1\n",
    }
    ended = project.through({"build": [{"write": written, "say": "Built it."}]})
    assert (ended.exit_code, ended.stop) == (20, "verification")
    found = project.events("artifact.rejected", key="build/1")
    assert [each["path"] for each in found] == ["src/sum.py"] * 2
    assert "working-tree-encoding" in found[0]["detail"]
    assert not project.path("src/sum.py").exists()
    assert not project.path(".gitattributes").exists()


def test_a_file_in_the_encoding_that_the_project_says_lands_as_it_is(project: Project) -> None:
    project.write(".gitattributes", "*.txt working-tree-encoding=UTF-16LE-BOM eol=crlf\n")
    git(project.root, "add", ".gitattributes")
    written = "printf '\\377\\376a\\000\\r\\000\\n\\000' > note.txt"
    assert project.through({"build": [{"run": written, "say": "Built it."}]}).exit_code == 0
    assert project.path("note.txt").read_bytes() == b"\xff\xfea\0\r\0\n\0"
