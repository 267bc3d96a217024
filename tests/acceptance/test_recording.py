"""`--record`: any run becomes a scenario, and the scenario played on a fresh copy gives the same
decisions and files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.crash.flows import quick_folder
from tests.fakes.project import QA, SPEC, TASK, Clock, Project
from tests.fakes.repository import git

from podium.agents import scenario_file
from podium.cli.demos import project as demos
from podium.core.errors import UsageError
from podium.engine.outcome import Ended
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions
from podium.workflows.catalog import NAMES

OUTCOMES = "plans/session-outcomes.md"


@dataclass
class Place:
    """One copy of a demo's project, with a home of its own."""

    root: Path
    story: demos.Story
    workflow: str

    @classmethod
    def at(cls, folder: Path, workflow: str) -> Place:
        story = demos.make(folder / "project", workflow, 0.0)
        demos.leave(folder / "project", story)
        return cls(folder / "project", story, workflow)

    @property
    def app(self) -> App:
        home = self.root.parent / "home"
        home.mkdir(exist_ok=True)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_STATE_HOME": str(home),
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        return App(
            self.root,
            parts=Parts(environ, clock=Clock(), token=lambda: "0001", cwd=self.root.parent),
        )

    def run(self, agent: str, **more: Any) -> Ended:
        options = RunOptions(
            agent=agent,
            approve_all=True,
            policy={**self.story.policy, "retry_backoff_s": 0.0},
            by="Ada",
            **more,
        )
        ended = self.app.start(self.workflow, self.story.inputs, options)
        for choice in self.story.answers:
            self.app.answer(ended.run, gate="", text="", note="", choice=choice, by="Ada")
            ended = self.app.resume(ended.run, RunOptions(approve_all=True, by="Ada"))
        return ended

    def decisions(self, run: str) -> list[Any]:
        """What was decided and what came of it, step by step; work side by side in any order."""
        kinds = {
            "step.finished",
            "artifact.verified",
            "artifact.rejected",
            "contract.violated",
            "retry.scheduled",
            "run.advanced",
            "run.completed",
        }
        names = (
            "type",
            "key",
            "outcome",
            "verdict",
            "outputs",
            "path",
            "digest",
            "failure",
            "paths",
            "classification",
            "from",
            "to",
            "reason",
        )
        found = [
            {name: self._alike(each.get(name)) for name in names}
            for each in self.app.events(run)
            if each["type"] in kinds
        ]
        # A commit's name holds the time at which the project below it was made.
        found = [
            {**each, "verdict": "a commit"}
            if re.fullmatch(r"[0-9a-f]{12}", str(each["verdict"]))
            else each
            for each in found
        ]
        return sorted(found, key=lambda each: (str(each["key"]), str(each["type"]), str(each)))

    def _alike(self, value: Any) -> Any:
        """Without what a failing test prints about where and when it ran; the log that quotes it
        is compared with the other files.
        """
        if isinstance(value, dict):
            return {path: "" if path == OUTCOMES else each for path, each in value.items()}
        if not isinstance(value, str):
            return value
        return re.sub(r"\b\d+\.\d+s\b", "", value.replace(str(self.root), ""))

    def usage(self, run: str) -> list[Any]:
        parts = ("tokens_in", "tokens_out", "cost_usd")
        done = [
            each
            for each in self.app.events(run)
            if each["type"] == "step.finished" and each["usage"]
        ]
        return sorted((each["key"], *(each["usage"].get(name) for name in parts)) for each in done)

    def files(self) -> dict[str, bytes]:
        found = {}
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if (
                path.is_file()
                and not name.startswith((".git/", ".podium/"))
                and "__pycache__" not in name
            ):
                found[name] = path.read_bytes().replace(bytes(self.root), b"")
        return found


@pytest.fixture
def quick() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder


def without_times(files: Mapping[str, bytes]) -> dict[str, list[bytes]]:
    """Documents hold times and spans of time, and logs are in the order in which work side by
    side went: neither is compared.
    """
    times = bytes(range(48, 58)) + b"."
    # A commit's name holds the time at which the project was made: the second may have changed
    # between the two.
    lines = {
        name: re.sub(rb"\b[0-9a-f]{40}\b|(?<=commit )[0-9a-f]{12}\b", b"a commit", data)
        .translate(None, times)
        .splitlines()
        for name, data in files.items()
    }
    return {
        name: sorted(each) if name.endswith(("jsonl", "ndjson")) else each
        for name, each in lines.items()
    }


@pytest.mark.parametrize("workflow", NAMES)
def test_a_demo_played_from_its_recording_decides_the_same_and_leaves_the_same_files(
    quick: Path, workflow: str
) -> None:
    (quick / "first").mkdir()
    (quick / "second").mkdir()
    first, second = Place.at(quick / "first", workflow), Place.at(quick / "second", workflow)
    recorded = quick / "first" / "recording.yaml"
    told = first.run(f"scripted:{first.root / demos.SCENARIO}", record="recording.yaml")
    assert told.exit_code == 0
    again = second.run(f"scripted:{recorded}")
    assert (again.exit_code, again.status, again.closing) == (
        told.exit_code,
        told.status,
        told.closing,
    )
    assert second.decisions(again.run) == first.decisions(told.run)
    assert second.usage(again.run) == first.usage(told.run)
    assert without_times(second.files()) == without_times(first.files())


# -- one run in detail


SECRET = "sk-live-0123456789abcdef0123"
ODD = {
    "write": {
        "src/new.py": "NEW = 1\n",
        "src/bin.dat": {"copy": "bin.dat"},
        "./@types/x.d.ts": "x\n",
        "run.sh": "#!/bin/sh\n",
    },
    "delete": ["src/old.py"],
    "chmod": {"run.sh": 755},
    "symlink": {"src/link.py": "app.py"},
    "run": ["rm turned.py && mkdir turned.py && echo 1 > turned.py/inner"],
    "say": "Done\n\nwith a second line",
    "verdict": {"status": "done", "summary": "built", "commands": [{"command": "make", "exit": 0}]},
    "usage": {"tokens_in": 7, "cost_usd": 0.25},
}


def played(project: Project, tmp_path: Path, file: Path, **more: Any) -> Project:
    """The recording on a fresh copy of the project."""
    (tmp_path / "second").mkdir()
    fresh = Project.at(tmp_path / "second")
    fresh.through(agent=f"scripted:{file}", **more)
    return fresh


def outcomes(project: Project) -> Sequence[Any]:
    names = (
        "type",
        "key",
        "outcome",
        "outputs",
        "failure",
        "path",
        "classification",
        "kind",
        "paths",
        "to",
    )
    left_out = {"document.saved", "phase.entered", "phase.left"}
    return [
        tuple(str(each.get(name)) for name in names)
        for each in project.events()
        if each["type"] not in left_out
    ]


def record(project: Project, agents: Mapping[str, Any], **more: Any) -> tuple[Ended, Path]:
    file = project.root.parent / "recording.yaml"
    ended = project.through(agents, record=str(file), policy=more.pop("policy", {}), **more)
    return ended, file


def turned(project: Project) -> None:
    """A file that the agent turns into a folder."""
    project.write("turned.py", "TURNED = False\n")
    git(project.root, "add", "turned.py")
    git(project.root, "commit", "-qm", "turned")


def test_every_kind_of_change_is_recorded(project: Project, tmp_path: Path) -> None:
    (tmp_path / "bin.dat").write_bytes(bytes(range(256)))
    turned(project)
    ended, file = record(project, {"build": [ODD]})
    assert ended.exit_code == 0
    (tmp_path / "second").mkdir()
    fresh = Project.at(tmp_path / "second")
    turned(fresh)
    assert fresh.through(agent=f"scripted:{file}").exit_code == 0
    assert outcomes(fresh) == outcomes(project)
    left_out = (
        ".git/",
        "harness/runs/",
    )  # they name commits, and those the time at which the project was made
    assert fresh.snapshot(*left_out) == project.snapshot(*left_out)
    assert os.readlink(fresh.path("src/link.py")) == "app.py"
    assert fresh.path("run.sh").stat().st_mode & 0o100
    assert fresh.text("turned.py/inner") == "1\n"
    assert not fresh.path("src/old.py").exists()


def test_a_secret_is_in_no_recording(project: Project) -> None:
    project.variables["SERVICE_TOKEN"] = "a-very-private-value"
    call = {
        "behave": "well",
        "write": {"src/a.py": f"KEY = '{SECRET}'\n", "src/b.py": "T = 'a-very-private-value'\n"},
        "say": f"used {SECRET}",
    }
    _, file = record(project, {"build": [call]})
    every = [file, *(each for each in (project.folder / "recording").rglob("*") if each.is_file())]
    assert len(every) > 1
    for each in every:
        assert SECRET not in each.read_text()
        assert "a-very-private-value" not in each.read_text()


@pytest.mark.parametrize(
    "agents",
    [
        pytest.param(
            {"po-spec": [{"say": "done"}, {"behave": "well"}]}, id="an artifact is missing once"
        ),
        pytest.param(
            {"build": [{"behave": "well", "write": {"src/x.py": "broken\n"}}, {"behave": "well"}]},
            id="tests fail once",
        ),
        pytest.param(
            {
                "feature-design": [
                    {"behave": "well", "write": {"src/app.py": ""}},
                    {"behave": "well"},
                ]
            },
            id="a stray write",
        ),
        pytest.param({"tech-lead": [{"fail": "garbage"}, {"behave": "well"}]}, id="garbage once"),
        pytest.param({"tech-lead": [{"fail": "crash"}]}, id="a crash"),
        pytest.param({"tech-lead": [{"fail": "not_dispatchable"}]}, id="nobody to ask"),
        pytest.param(
            {"tech-lead": [{"fail": "violation"}, {"behave": "well"}]},
            id="stopped at what it may not do",
        ),
        pytest.param({"qa": [{"fail": "rate_limit"}, {"behave": "well"}]}, id="a busy service"),
        pytest.param(
            {"build": [{"behave": "well", "verdict": {"status": "blocked", "summary": "no"}}]},
            id="it says it is blocked",
        ),
    ],
)
def test_what_goes_wrong_goes_wrong_again(
    project: Project, tmp_path: Path, agents: Mapping[str, Any]
) -> None:
    ended, file = record(project, agents)
    fresh = played(project, tmp_path, file)
    assert outcomes(fresh) == outcomes(project)
    assert fresh.app.summary(fresh.run_id).status == ended.status.value


def test_a_question_and_its_answer_come_again(project: Project, tmp_path: Path) -> None:
    question = {
        "ask": {
            "prompt": "Which?",
            "choices": [{"id": "a", "description": "the first"}, "b"],
            "recommended": "a",
        }
    }
    ended, file = record(project, {"po-spec": [question, {"behave": "well"}]})
    assert ended.exit_code == 10
    calls = scenario_file.load(file).agents["po-spec"]
    assert (calls[0].ask.prompt, len(calls)) == ("Which?", 1) if calls[0].ask else False
    project.answer(choice="a")
    assert project.resume().exit_code == 0
    assert len(scenario_file.load(file).agents["po-spec"]) == 2
    fresh = played(project, tmp_path, file)
    fresh.answer(choice="a")
    assert fresh.resume().exit_code == 0
    assert outcomes(fresh) == outcomes(project)


def test_the_work_of_a_person_is_recorded_from_where_they_did_it(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = Project.at(tmp_path / "other")
    other.run(until="specification")
    file = tmp_path / "recording.yaml"
    project.run(record=str(file), roles={"po-spec": "human"}, until="specification")
    found = re.search(r" in (/\S+), as the prompt", project.events("gate.opened")[-1]["prompt"])
    assert found
    (Path(found[1]) / SPEC).write_text(other.text(SPEC))
    project.answer(choice="done")
    project.resume(until="specification")
    waits, works = scenario_file.load(file).agents["po-spec"]
    assert waits.fail == "parked"
    assert works.write == (("@spec", other.text(SPEC)),)


# -- the file


def test_a_recording_grows_with_its_run_and_says_whose_it_is(project: Project) -> None:
    file = project.root.parent / "recording.yaml"
    project.run(record=str(file))
    first = file.read_text()
    assert first.startswith(f"# podium recording of {project.run_id} ")
    assert f'podium run harness "{TASK}" --agent scripted:recording.yaml' in first
    assert set(scenario_file.load(file).agents) == {"po-spec", "feature-design", "tech-lead"}
    project.approve()
    project.resume()
    assert set(scenario_file.load(file).agents) == {
        "po-spec",
        "feature-design",
        "tech-lead",
        "build",
        "qa",
    }


def test_what_was_never_recorded_cannot_be_played(project: Project, tmp_path: Path) -> None:
    file = project.root.parent / "recording.yaml"
    project.run(record=str(file))
    fresh = played(project, tmp_path, file)
    summary = fresh.app.summary(fresh.run_id)
    assert summary.stop == "not_dispatchable"
    assert "not in the recording" in summary.reason


def test_a_file_that_is_there_is_refused_before_anything_happens(project: Project) -> None:
    file = project.root.parent / "mine.yaml"
    file.write_text("mine\n")
    with pytest.raises(UsageError, match="choose another name"):
        project.through(record=str(file))
    assert file.read_text() == "mine\n"
    assert not project.folder.exists()


def test_a_folder_that_is_not_there_is_refused(project: Project) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        project.through(record="gone/recording.yaml")


def test_a_recording_of_another_run_is_refused_on_resume(project: Project) -> None:
    project.run(record="a.yaml")
    other = project.path("b.yaml")
    other.write_text(
        project.text("a.yaml")
        .replace(" ", "  ", 1)
        .replace("recording of ", "recording of other-", 1)
    )
    project.approve()
    with pytest.raises(UsageError, match="not a recording of this run"):
        project.resume(record="b.yaml")
    assert project.resume(record="a.yaml").exit_code == 10


def test_a_run_that_began_without_it_cannot_be_recorded_later(project: Project) -> None:
    project.run()
    project.approve()
    with pytest.raises(
        UsageError, match=r"3 of its dispatches \(specification, design, .*\) are not on record"
    ):
        project.resume(record="late.yaml")


def test_a_file_that_somebody_else_wrote_meanwhile_stays_and_the_run_ends_as_it_would(
    project: Project,
) -> None:
    project.run(record="a.yaml")
    project.write("a.yaml", "mine\n")
    project.approve()
    ended = project.resume()
    assert ended.exit_code == 10
    assert "the recording could not be written" in ended.advice[-1]
    assert project.text("a.yaml") == "mine\n"


def test_a_recording_that_was_deleted_is_written_whole_again(project: Project) -> None:
    project.run(record="a.yaml")
    whole = project.text("a.yaml")
    project.path("a.yaml").unlink()
    project.resume()
    assert project.text("a.yaml") == whole


def test_a_call_that_cannot_be_kept_is_told_and_the_run_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.engine.recorder.Recorder._write", _full)
    ended = project.through(record="a.yaml")
    assert ended.exit_code == 0
    assert "No space left" in ended.advice[-1]


def _full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_without_the_option_nothing_is_kept(project: Project) -> None:
    project.through()
    assert not (project.folder / "recording").exists()


def test_a_call_whose_end_was_never_recorded_did_not_happen(project: Project) -> None:
    file = project.root.parent / "recording.yaml"
    project.run(record=str(file))
    lines = project.folder / "recording" / "calls.jsonl"
    lines.write_bytes(
        lines.read_bytes()
        + (
            b'{"key": "build/1", "role": "build", "call": 0, "turn": 1, "in_line": true, "lost": '
            b'[], "does": {}}\n{"torn'
        )
    )
    project.resume()
    assert "build" not in scenario_file.load(file).agents
    assert not project.path(QA).exists()
