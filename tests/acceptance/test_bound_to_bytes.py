"""What lands is what was proven, whoever writes meanwhile and whatever the files are called."""

from __future__ import annotations

import os

from tests.fakes.project import Project

TESTS = "if grep -q broken src/*.py; then echo FAILED; exit 1; fi\n"
WRITER = "(setsid sh -c 'while :; do echo broken >>{}; sleep 0.02; done' >/dev/null 2>&1 &)"


def build(*commands: str) -> dict[str, object]:
    return {"write": {"src/app.py": "VALUE = 2\n"}, "run": list(commands), "say": "built"}


def test_a_writer_that_a_test_leaves_behind_changes_nothing_that_lands(project: Project) -> None:
    project.write("tests.sh", TESTS + WRITER.format("src/app.py") + "\n")
    project.through({"build": [build()]})
    assert project.text("src/app.py") in {"VALUE = 1\n", "VALUE = 2\n"}


def test_what_is_written_into_the_checkout_after_its_tests_ran_does_not_complete(
    project: Project,
) -> None:
    late = f"echo broken >>{project.path('src/app.py')}"
    ended = project.through({"build": [build()], "qa": [{"behave": "well", "run": [late]}]})
    assert ended.exit_code != 0 or "broken" not in project.text("src/app.py")


def test_names_that_are_no_text_are_bound_and_land_like_any_other(project: Project) -> None:
    odd = "printf 'X = 1\\n' >\"$(printf 'src/caf\\351\\n2.py')\""
    assert project.through({"build": [build(odd)]}).exit_code == 0
    name = os.fsdecode(b"src/caf\xe9\n2.py")
    assert project.path(name).read_bytes() == b"X = 1\n"
    (end,) = project.events("run.completed")
    paths = [each["path"] for each in end["changes"]["files"]]
    assert paths == ["src/app.py", "src/caf\\udce9\n2.py"]
