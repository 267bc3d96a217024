from __future__ import annotations

from podium.workflows.governed.phase.detecting import detected


def test_commands_are_those_of_the_project_that_the_phases_files_belong_to() -> None:
    makefile = "build:\n\ttrue\ntest:\n\ttrue\n"
    survey = {
        "name": "survey",
        "files": ["a/Makefile", "b c/Makefile", "b c/x.py"],
        "texts": {"a/Makefile": makefile, "b c/Makefile": makefile},
    }
    assert detected([survey], ["b c/x.py"]) == {
        "build": "cd 'b c' && make build",
        "test": "cd 'b c' && make test",
    }
    linted = {
        **survey,
        "texts": {"a/Makefile": f"{makefile}lint:\n\ttrue\n"},
        "files": ["a/Makefile"],
    }
    assert detected([linted], ["a/x.py"])["lint"] == "cd a && make lint"
    assert detected([{**survey, "files": ["x.py"], "texts": {}}], ["x.py"]) == {}
    assert detected([], ["x.py"]) == {}
