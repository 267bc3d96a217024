"""A workflow of a person's own, from a file of their project: run, decided, checked, drawn, as the
how-to page has it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.repository import git

from podium.__main__ import main
from podium.api.template import filled

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-workflow.md"
TUTORIAL = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
BROKEN, FIXED = "def add(a, b):\n    return a - b\n", "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\nassert add(2, 2) == 4 or add(2, 2) == 0\nassert add(0, 0) == 0\n"
Answer = tuple[int, str, str]


class Place:
    """A project and the command, as a person types it."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.root, self._capture = root, capture

    def podium(self, *words: str) -> Answer:
        code = main(list(words))
        said = self._capture.readouterr()
        return code, said.out, said.err

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def scenario(self, **agents: Any) -> str:
        self.write("../scenario.json", json.dumps({"agents": agents}))
        return f"scripted:{self.root.parent / 'scenario.json'}"

    def trusted(self, name: str, text: str) -> None:
        self.write(f".podium/workflows/{name}.py", text)
        assert self.podium("trust", f".podium/workflows/{name}.py")[0] == 0

    def events(self, kind: str) -> list[Mapping[str, Any]]:
        lines = self.podium("log", "@", "--json", "--all")[1].splitlines()
        return [event for event in map(json.loads, lines) if event["type"] == kind]


@pytest.fixture
def place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Place:
    for name in [name for name in os.environ if name.startswith(("PODIUM_", "GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / "state"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("PODIUM_USER", "Ada")
    root = tmp_path / "project"
    made = Place(root, capsys)
    made.write("calc.py", BROKEN)
    made.write("check.py", TEST)
    made.write("podium.toml", '[commands]\ntest = "python3 check.py"\n[policy.fix]\ntries = 1\n')
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "A small project")
    monkeypatch.chdir(root)
    return made


WORK = {
    "analyst": [{"behave": "well"}],
    "developer": [
        {"write": {"calc.py": FIXED}, "say": "Fixed."},
        {"write": {"calc.py": "# sums\n" + FIXED}, "say": "With a comment."},
    ],
}


def test_the_workflow_of_the_page_is_trusted_checked_drawn_run_rejected_and_approved(
    place: Place,
) -> None:
    assert len(TUTORIAL.splitlines()) <= 40
    place.trusted("fix", TUTORIAL)
    assert "fix " in place.podium("workflows")[1]
    code, text, _ = place.podium("check", "fix")
    assert (code, "holds    nothing is stuck" in text) == (0, True)
    assert "holds    done only after accept approves" in text
    assert "accept --> fix" in place.podium("graph", "fix")[1]
    assert place.podium("simulate", "fix", "-n", "5")[0] == 0
    agent = place.scenario(**WORK)
    assert place.podium("run", "fix", "add is wrong", "--agent", agent)[0] == 10
    assert "Accept this change?" in place.podium("status", "@")[1]
    assert place.podium("reject", "@", "--note", "say what it does", "--go")[0] == 10
    assert place.podium("approve", "@", "--go")[0] == 0
    assert (place.root / "calc.py").read_text() == "# sums\n" + FIXED
    assert [event["outcome"] for event in place.events("run.completed")] == ["complete"]
    assert [event["decision"] for event in place.events("gate.decided")] == ["rejected", "approved"]


def test_a_workflow_that_breaks_its_own_rule_is_shown_how_and_not_begun(place: Place) -> None:
    place.trusted("fix", TUTORIAL.replace("done only after accept", "accept only after analyse"))
    code, _, said = place.podium("run", "fix", "x", "--agent", place.scenario(**WORK))
    assert (code, "which can end with: done" in said) == (2, True), said
    place.trusted("fix", TUTORIAL.replace("done only after accept approves", "fix at most 1 time"))
    code, text, _ = place.podium("check", "fix")
    assert (code, "3. accept ends reject" in text, "4. fix begins here" in text) == (20, True, True)
    code, _, said = place.podium("run", "fix", "x", "--agent", place.scenario(**WORK))
    assert (code, "podium: .podium/workflows/fix.py: fix at most 1 time:" in said) == (2, True), (
        said
    )
    assert not (place.root / ".podium" / "runs").exists()


def test_a_lie_about_the_tests_is_not_complete(place: Place) -> None:
    place.trusted("fix", TUTORIAL)
    lie = {"write": {"calc.py": "def add(a, b):\n    return 7\n"}, "say": "All tests pass."}
    agent = place.scenario(analyst=[{"behave": "well"}], developer=[lie])
    code, out, said = place.podium("run", "fix", "add is wrong", "--agent", agent)
    assert (code, "Blocked: fix/1: test: failed (exit 1)" in out) == (20, True), out + said
    assert not place.events("run.completed")


def test_a_person_who_sends_it_back_too_often_is_told_by_the_rule(place: Place) -> None:
    place.trusted("fix", TUTORIAL)
    other = {"write": {"calc.py": "# again\n" + FIXED}, "say": "Again."}
    agent = place.scenario(**{**WORK, "developer": [*WORK["developer"], other]})
    place.podium("run", "fix", "add is wrong", "--agent", agent)
    place.podium("reject", "@", "--note", "no", "--go")
    code, out, _ = place.podium("reject", "@", "--note", "no", "--go")
    assert (code, "sent back too often" in out) == (20, True)


def test_a_file_runs_only_as_it_was_trusted_and_a_run_keeps_the_one_it_began_with(
    place: Place,
) -> None:
    place.write(".podium/workflows/fix.py", TUTORIAL)
    agent = place.scenario(**WORK)
    code, _, said = place.podium("run", "fix", "add is wrong", "--agent", agent)
    assert (code, "podium trust .podium/workflows/fix.py" in said) == (2, True)
    assert not (place.root / ".podium" / "runs").exists()
    place.trusted("fix", TUTORIAL)
    assert place.podium("run", "fix", "add is wrong", "--agent", agent)[0] == 10
    place.write(".podium/workflows/fix.py", TUTORIAL.replace('return "accept"', 'return "done"'))
    assert place.podium("status", "@")[0] == 0
    assert place.podium("run", "fix", "another", "--agent", agent)[0] == 2
    assert place.podium("approve", "@", "--go")[0] == 0


def test_any_path_can_be_run_and_two_classes_need_a_name(place: Place) -> None:
    place.write("own/flow.py", TUTORIAL + "\n\nclass Second(Workflow):\n    pass\n")
    place.podium("trust", "own/flow.py")
    agent = place.scenario(**WORK)
    code, _, said = place.podium("run", "own/flow.py", "x", "--agent", agent)
    assert (code, "name one: own/flow.py:Fix" in said) == (2, True)
    assert place.podium("run", "own/flow.py:Fix", "x", "--agent", agent)[0] == 10


HEAD = """\
from typing import Literal
from podium import Document, Policy, Run, Workflow, agent, check, gate, parallel
NOTES = Document("notes.md", sections=["Notes"])
"""
REVIEW = (
    HEAD
    + """
class Review(Workflow):
    @parallel({"one": agent("first", verdict=["ship", "iterate"]),
               "two": agent("second", verdict=["ship", "iterate"])}, join="JOIN")
    def review(self, run: Run, outcome: Literal["pass", "fail"]) -> Literal["prove", "ask"]:
        return "prove" if outcome == "pass" else "ask"

    @check("test")
    def prove(self, run: Run, outcome: Literal["pass", "fail"]) -> Literal["done", "ask"]:
        return "done" if outcome == "pass" else "ask"

    @gate("What now?")
    def ask(self, run: Run, outcome: Literal["ship", "drop"]) -> Literal["done"]:
        return "done"
"""
)


@pytest.mark.parametrize(
    ("join", "words", "asked"),
    [
        ("all", ("ship", "ship"), False),
        ("all", ("ship", "iterate"), True),
        ("any", ("ship", "iterate"), False),
        ("any", ("iterate", "iterate"), True),
    ],
)
def test_several_agents_are_joined_and_a_gate_has_words_of_its_own(
    place: Place, join: str, words: tuple[str, str], asked: bool
) -> None:
    place.trusted("review", REVIEW.replace("JOIN", join))
    calls = [[{"verdict": {"verdict": word, "summary": "so"}, "say": "so"}] for word in words]
    agent = place.scenario(first=calls[0], second=calls[1])
    code = place.podium("run", "review", "look", "--agent", agent)[0]
    assert (code == 10) is asked
    if asked:
        assert place.podium("answer", "@", "--choice", "drop", "--go")[0] == 0
    assert place.events("run.completed")


STEP = """
class Own(Workflow):
    @agent("a", {options})
    def work(self, run: Run, outcome: Literal[{words}]) -> Literal[{exits}]:
        return "done"
"""


def own(options: str = "", words: str = '"done"', exits: str = '"done"') -> str:
    return HEAD + STEP.format(options=options, words=words, exits=exits)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (own('task="{{ inptu }}"'), "names 'inptu'"),
        (own('task="{{ policy.tries }}"'), "names 'policy.tries'"),
        (own(words='"ok"'), "outcome must be a Literal of done, not 'ok'"),
        (
            own('verdict=["ship"]', '"ship", "done"'),
            "outcome must be a Literal of ship, not 'done'",
        ),
        (own(exits='"nowhere"'), "leads to unknown step 'nowhere'"),
        (own('proof=["test"]'), "proof is for a step that may write code"),
        (own('code="all"'), "code is none of none, read, write"),
        (HEAD, "has no class that is a podium.Workflow"),
        (HEAD + "class Own(Workflow):\n    pass\n", "has no steps"),
        (HEAD + "class Own(Workflow:\n", "cannot be loaded: SyntaxError"),
        (HEAD + "raise ValueError('no')\n", "own.py:4: cannot be loaded: ValueError: no"),
        (
            own().replace("class Own", "class P(Policy):\n    tries: int\nclass Own"),
            "has no default",
        ),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence_before_anything_is_written(
    place: Place, text: str, told: str
) -> None:
    place.trusted("own", text)
    code, _, said = place.podium("run", "own", "x", "--agent", place.scenario())
    assert (code, told in said) == (2, True), said
    assert not (place.root / ".podium" / "runs").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("fix", "x", "--set", "tris=3"), "tris is not known (did you mean tries?)"),
        (("fix", "x", "--set", "tries=many"), "tries must be a whole number"),
        (("fix",), "fix takes what is wrong"),
        (("fixx", "x"), "did you mean fix?"),
    ],
)
def test_wrong_input_is_refused_with_the_way_out(
    place: Place, words: tuple[str, ...], told: str
) -> None:
    place.trusted("fix", TUTORIAL)
    code, _, said = place.podium("run", *words, "--agent", place.scenario())
    assert (code, told in said) == (2, True), said


VALUES = (
    "plain",
    "two\nlines",
    "```\nfence",
    "{{ policy.tries }}",
    "'; rm -rf / #",
    "`",
    "ü\u202e",
)


@pytest.mark.parametrize("value", VALUES)
def test_what_a_person_gives_is_marked_off_as_data(value: str) -> None:
    text = filled("Do {{ input }}", {"input": value})
    assert value in text
    if value == "plain":
        assert text == "Do plain"
    else:
        fence = text.splitlines()[-1]
        assert set(fence) == {"`"}
        assert f"\n{fence}" not in f"\n{value}"
        assert text.startswith("Do (the input, given below)\n")
