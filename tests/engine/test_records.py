"""The files of one step: what was asked, said, written and found, without secrets, earlier
attempts kept.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.engine.test_services import RUN, World

from podium.agents.protocol import Answer
from podium.core.contract import Brief
from podium.engine import step_files as records
from podium.engine.scribe import Scribe
from podium.engine.step_files import StepFiles, stored_name, stored_output
from podium.verify.redact import CUT, Redactor

SECRET = "hunter2-hunter2"
BRIEF = Brief(
    "build/1",
    "build",
    f"Use {SECRET}",
    "x",
    "t",
    (("task", "task.md", "sha256:1"),),
    (),
    "none",
    (),
    (),
    facts={"Task": "T1"},
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.at(tmp_path, redact=Redactor({"API_KEY": SECRET}), scribe=Scribe())


def files(world: World, earlier: int = 0) -> StepFiles:
    with world.session() as session:
        return StepFiles(session, "build/1", earlier)


def folder(world: World) -> Path:
    """The step's folder, once all that was given to the scribe is written."""
    world.changes["scribe"].flush()
    return world.root / ".podium/runs" / RUN / "steps/build/1"


def test_a_step_has_a_folder_of_its_key(world: World) -> None:
    found = files(world)
    found.evidence("test", "")
    assert found.folder == folder(world)
    assert folder(world).is_dir()


def test_the_brief_and_the_prompt_are_kept_for_show(world: World) -> None:
    files(world).brief(BRIEF, "# build: build/1\n")
    said = json.loads((folder(world) / "brief.json").read_text())
    assert (said["key"], said["inputs"], said["facts"]) == (
        "build/1",
        [["task", "task.md", "sha256:1"]],
        {"Task": "T1"},
    )
    assert (folder(world) / "prompt.md").read_text() == "# build: build/1\n"


def test_the_transcript_is_one_json_object_a_line(world: World) -> None:
    say = files(world).transcript()
    say("text", {"text": "first\nline"})
    say("run", {"command": "make", "path": Path("/x")})
    lines = [
        json.loads(line) for line in (folder(world) / "transcript.jsonl").read_text().splitlines()
    ]
    assert lines == [
        {"kind": "text", "text": "first\nline"},
        {"kind": "run", "command": "make", "path": "/x"},
    ]


def test_a_transcript_has_an_end_and_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LARGEST_TRANSCRIPT", 5_000)
    say = files(world).transcript()
    for number in range(1000):
        say("text", {"text": f"{number} {'x' * 100}"})
    lines = (folder(world) / "transcript.jsonl").read_text().splitlines()
    assert len(lines) < 50
    assert "the rest is not kept" in json.loads(lines[-1])["text"]
    assert "not kept" not in "".join(lines[:-1])


def test_no_transcript_is_made_where_nothing_was_said(world: World) -> None:
    files(world).transcript()
    assert not (folder(world) / "transcript.jsonl").exists()


def test_the_answer_is_kept_with_its_verdict_where_one_was_sent(world: World) -> None:
    files(world).answer(Answer("done"))
    assert (folder(world) / "output.md").read_text() == "done"
    assert not (folder(world) / "verdict.json").exists()
    files(world).answer(Answer("done", verdict={"status": "done"}))
    assert json.loads((folder(world) / "verdict.json").read_text()) == {"status": "done"}


def test_secrets_are_cut_out_of_everything_that_an_agent_said(world: World) -> None:
    found = files(world)
    found.brief(BRIEF, SECRET)
    found.transcript()("text", {"text": SECRET})
    found.answer(Answer(f"I used {SECRET}", verdict={"summary": SECRET}))
    found.patch("changes.patch", [f"+{SECRET}".encode()])
    found.evidence("test", SECRET)
    for path in folder(world).rglob("*"):
        if path.is_file():
            assert SECRET not in path.read_text(), path.name
            assert CUT in path.read_text(), path.name


@pytest.mark.parametrize(
    "secret", ["-----BEGIN KEY-----\nabcdef", 'pass"word"12', "pass\udcffword12", "pässwörd12"]
)
def test_a_secret_of_several_lines_or_with_quotes_or_that_is_no_text_is_cut_out_of_json_too(
    tmp_path: Path, secret: str
) -> None:
    world = World.at(tmp_path, redact=Redactor({"DEPLOY_KEY": secret}), scribe=Scribe())
    said = files(world)
    said.transcript()("text", {"text": f"it is {secret}!"})
    said.answer(Answer(text="", verdict={"status": "done", "summary": f"it is {secret}!"}))
    world.services.scribe.flush()
    assert json.loads((folder(world) / "transcript.jsonl").read_text())["text"] == f"it is {CUT}!"
    assert json.loads((folder(world) / "verdict.json").read_text())["summary"] == f"it is {CUT}!"


def test_an_artifact_is_kept_byte_for_byte_under_a_flat_name(world: World) -> None:
    files(world).output("harness/specs/T1.md", "a\r\nb\n")
    with world.session() as session:
        where = stored_output(session, "build/1", "harness/specs/T1.md")
    assert where.parent == folder(world)
    assert where.read_bytes() == b"a\r\nb\n"


def test_artifacts_of_different_paths_have_different_names() -> None:
    assert stored_name("a/b.md") != stored_name("b.md")
    assert "/" not in stored_name("a/b/c.md")


def test_bytes_that_are_no_text_survive_in_a_patch(world: World) -> None:
    files(world).patch("quarantine.patch", [b"\xff\xfe", b"end"])
    assert (folder(world) / "quarantine.patch").read_bytes() == b"\xff\xfe\nend"


def test_a_patch_of_nothing_is_no_file(world: World) -> None:
    files(world).patch("quarantine.patch", [])
    assert not (folder(world) / "quarantine.patch").exists()


def test_text_that_cannot_be_encoded_is_kept_all_the_same(world: World) -> None:
    files(world).answer(Answer("bad \ud800 surrogate"))
    assert "\\ud800" in (folder(world) / "output.md").read_text()


def test_evidence_is_one_file_for_each_command(world: World) -> None:
    files(world).evidence("test", "FAILED a")
    assert (folder(world) / "evidence/test.txt").read_text() == "FAILED a"


def test_an_earlier_attempt_is_set_aside_whole(world: World) -> None:
    files(world).answer(Answer("first"))
    found = files(world, earlier=1)
    assert not (folder(world) / "output.md").exists()
    found.answer(Answer("second"))
    assert (folder(world) / "attempt-1/output.md").read_text() == "first"
    assert (folder(world) / "output.md").read_text() == "second"


def test_what_an_attempt_strayed_into_stays_with_the_step(world: World) -> None:
    files(world).patch("quarantine.patch", [b"+sneaky"])
    folder(world)
    files(world, earlier=1).patch("quarantine.patch", [])
    for place in ("quarantine.patch", "attempt-1/quarantine.patch"):
        assert (folder(world) / place).read_text() == "+sneaky"


def test_setting_aside_again_after_a_crash_overwrites_nothing(world: World) -> None:
    files(world).answer(Answer("first"))
    files(world, earlier=1).answer(Answer("second"))
    files(world, earlier=1)
    assert (folder(world) / "attempt-1/output.md").read_text() == "first"
    assert (folder(world) / "output.md").read_text() == "second"
