"""The scripted agent does every act and every failure of a scenario, and hides nothing."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import Stage, run, size, still_writing, until

from podium.agents.protocol import Answer, Failure, Question, Usage
from podium.agents.scenario import Call, Copy, Document, Scenario, Template
from podium.agents.scripted import ScriptedAgent


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def play(stage: Stage, call: Call, **changes: Any) -> Answer:
    return run(ScriptedAgent(Scenario(defaults=call), stage.root).perform(stage.job(**changes)))


def text(stage: Stage, path: str) -> str:
    return (stage.folder / path).read_text()


def test_behaving_well_writes_every_output_and_reports_success(stage: Stage) -> None:
    answer = play(stage, Call(behave_well=True))
    assert answer == Answer(
        text="DONE: specification", verdict={"status": "done", "summary": "all good"}
    )
    assert text(stage, "docs/spec.md") == "# Spec\ntitle: Untitled\n"
    assert text(stage, "docs/notes.md") == "notes\n"
    assert not (stage.folder / "work").exists()


def test_behaving_well_leaves_a_proof_of_change_where_one_is_asked(stage: Stage) -> None:
    play(
        stage,
        Call(behave_well=True),
        key="item/US-7/build/2",
        attempt=3,
        proof_of_change=True,
        outputs=(),
    )
    assert text(stage, "work/item-US-7-build-2-3.txt") == "item/US-7/build/2, attempt 3\n"


@pytest.mark.parametrize(
    ("writable", "path", "line"),
    [
        (("src/app.py", "src/b.py"), "src/app.py", "# {}"),
        (("src/main.rs",), "src/main.rs", "// {}"),
        (("README.md",), "README.md", "<!-- {} -->"),
        (("schema.sql",), "schema.sql", "-- {}"),
        (("site.css",), "site.css", "/* {} */"),
        (("Makefile",), "Makefile", "# {}"),
        (("src/**/*.go", "a.py"), "src/t-2.go", "// {}"),
        (("lib/**",), "lib/t-2.txt", "{}"),
        (("lib/",), "lib/t-2.txt", "{}"),
        (("src", "a.py"), "src/t-2.txt", "# {}"),
        (("src/*.min.js",), "work/t-2.txt", "{}"),
        (("work/**", "a.py"), "work/t-2.txt", "{}"),
        (("**",), "work/t-2.txt", "{}"),
    ],
)
def test_the_proof_of_change_is_where_the_contract_allows_one(
    stage: Stage, writable: tuple[str, ...], path: str, line: str
) -> None:
    (stage.folder / "src").mkdir(parents=True)
    play(
        stage,
        Call(behave_well=True),
        key="t",
        attempt=2,
        proof_of_change=True,
        outputs=(),
        writable=writable,
    )
    assert text(stage, path) == line.format("t, attempt 2") + "\n"


def test_a_proof_in_a_file_that_is_there_is_a_line_of_its_own(stage: Stage) -> None:
    stage.folder.mkdir()
    (stage.folder / "app.py").write_text("VALUE = 1")
    play(
        stage,
        Call(behave_well=True),
        key="t",
        attempt=1,
        proof_of_change=True,
        outputs=(),
        writable=("app.py",),
    )
    assert text(stage, "app.py") == "VALUE = 1\n# t, attempt 1\n"


def test_one_thing_goes_wrong_in_an_otherwise_good_answer(stage: Stage) -> None:
    call = Call(
        behave_well=True,
        verdict={"status": "blocked"},
        write=(("@notes", "mine"),),
        delete=("@spec",),
    )
    answer = play(stage, call)
    assert answer.verdict == {"status": "blocked", "summary": "all good"}
    assert "DONE" not in answer.text
    assert text(stage, "docs/notes.md") == "mine"
    assert not (stage.folder / "docs/spec.md").exists()


def test_without_a_verdict_none_is_sent(stage: Stage) -> None:
    assert play(stage, Call(say="hi")).verdict is None
    assert play(stage, Call(behave_well=True), good_verdict={}).verdict is None
    assert play(stage, Call(verdict={})).verdict == {}


def test_contents_may_be_text_a_copy_a_template_or_data(stage: Stage) -> None:
    (stage.root / "data.bin").write_bytes(b"\x00\xff")
    play(
        stage,
        Call(
            write=(
                ("a/b.txt", "text\r\n"),
                ("a/data.bin", Copy("data.bin")),
                ("@spec", Template("spec", {"title": "Mine"})),
                ("@plan", Document({"ü": [1]})),
                ("x.yaml", Document({"a": {"b": [1, None]}})),
            )
        ),
    )
    assert (stage.folder / "a/b.txt").read_bytes() == b"text\r\n"
    assert (stage.folder / "a/data.bin").read_bytes() == b"\x00\xff"
    assert text(stage, "docs/spec.md") == "# Spec\ntitle: Mine\n"
    assert json.loads(text(stage, "plans/plan.json")) == {"ü": [1]}
    assert text(stage, "x.yaml").startswith("a:\n  b:\n")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (Call(write=(("@qa", "x"),)), "has no output @qa; its outputs: @spec, @notes, @plan"),
        (Call(delete=("@qa",)), "has no output @qa"),
        (Call(write=(("a", Template("qa", {})),)), "has no output @qa"),
        (Call(write=(("a", Template("notes", {})),)), "no template"),
        (Call(write=(("@spec", Template("spec", {"wrong": 1})),)), "template spec: KeyError"),
        (Call(write=(("a.md", Document({})),)), "a.md takes text"),
        (Call(write=(("a", Copy("gone")),)), "cannot copy gone"),
    ],
)
def test_what_the_contract_does_not_know_is_not_dispatchable(
    stage: Stage, call: Call, said: str
) -> None:
    failure = play(stage, call).failure
    assert failure is not None
    assert failure.kind == "not_dispatchable"
    assert said in failure.detail


def test_files_are_appended_to_deleted_linked_and_given_modes(stage: Stage) -> None:
    stage.job()
    for name in ("old.txt", "log.txt", "folder/x"):
        (stage.folder / name).parent.mkdir(exist_ok=True)
        (stage.folder / name).write_text("old\n")
    call = Call(
        append=(("log.txt", "new\n"), ("fresh.txt", "a")),
        delete=("old.txt", "folder"),
        chmod=(("log.txt", 0o600),),
        symlink=(("link", "../elsewhere"), ("fresh.txt", "log.txt")),
    )
    play(stage, call)
    assert text(stage, "log.txt") == "old\nnew\n"
    assert sorted(os.listdir(stage.folder)) == ["fresh.txt", "link", "log.txt"]
    assert (stage.folder / "log.txt").stat().st_mode & 0o777 == 0o600
    assert os.readlink(stage.folder / "link") == "../elsewhere"
    assert os.readlink(stage.folder / "fresh.txt") == "log.txt"


def test_reading_says_what_was_there_and_what_was_not(stage: Stage) -> None:
    stage.job()
    (stage.folder / "here.md").write_text("12345")
    answer = play(stage, Call(read=("here.md", "src/app.py", "here.md/x", "."), say="DONE: read"))
    assert answer.text.splitlines() == [
        "DONE: read",
        "read here.md: 5 bytes",
        "read src/app.py: not there",
        "read here.md/x: not there",
        "read .: a folder",
    ]
    assert stage.acts("read")[0] == {"path": "here.md", "bytes": 5}


def test_a_hostile_path_is_written_as_asked_and_told(stage: Stage) -> None:
    outside = stage.root / "absolute.txt"
    play(stage, Call(write=(("../climbed.txt", "c"), (str(outside), "a"), ("in/../side.txt", "s"))))
    assert (stage.root / "climbed.txt").read_text() == "c"
    assert outside.read_text() == "a"
    assert [fields.get("outside", False) for fields in stage.acts("write")] == [True, True, False]


def test_a_write_goes_through_a_link_that_is_there(stage: Stage) -> None:
    stage.job()
    (stage.folder / "link").symlink_to(stage.root / "target.txt")
    play(stage, Call(write=(("link", "through"),)))
    assert (stage.root / "target.txt").read_text() == "through"


def test_an_act_the_system_refuses_is_told_and_the_call_goes_on(stage: Stage) -> None:
    stage.job()
    (stage.folder / ".git").write_text("gitdir: elsewhere")
    call = Call(
        write=((".git/hooks/x", "evil"), ("ok.txt", "ok")),
        delete=("gone",),
        chmod=(("gone", 0o777),),
        say="done",
    )
    answer = play(stage, call)
    assert answer.text == "done"
    assert text(stage, "ok.txt") == "ok"
    assert ["failed" in fields for fields in stage.acts("write")] == [True, False]
    assert "failed" in stage.acts("delete")[0]
    assert "failed" in stage.acts("chmod")[0]


def test_commands_run_in_the_folder_with_the_agents_environment(stage: Stage) -> None:
    play(stage, Call(run=("pwd; echo $PODIUM_AGENT; exit 3", "echo second > two.txt")))
    first, second = stage.acts("run")
    assert (first["exit"], first["output"]) == (3, f"{stage.folder}\n1\n")
    assert second["exit"] == 0
    assert text(stage, "two.txt") == "second\n"


FAILURES: Mapping[str, tuple[Call, Failure]] = {
    "crash": (Call(fail="crash"), Failure("crash", "exit code 1")),
    "empty": (Call(fail="empty"), Failure("empty", "the agent ended without an answer")),
    "rate_limit": (
        Call(fail="rate_limit", retry_after=9),
        Failure("rate_limit", "the usage limit is reached", 9),
    ),
    "timeout": (
        Call(fail="timeout"),
        Failure("timeout", "the agent gave up waiting for its model"),
    ),
    "parked": (
        Call(fail="parked"),
        Failure("parked", "the agent waits at a permission prompt that nobody answers"),
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_is_a_value_and_comes_after_the_files(stage: Stage, name: str) -> None:
    call, failure = FAILURES[name]
    answer = play(stage, replace(call, write=(("a.txt", "a"),), usage=Usage(5)))
    assert (answer.failure, answer.usage, answer.verdict) == (failure, Usage(5), None)
    assert text(stage, "a.txt") == "a"


def test_garbage_and_empty_answers_have_no_text(stage: Stage) -> None:
    assert play(stage, Call(fail="empty", say="x")).text == ""
    garbage = play(stage, Call(fail="garbage", say="x"))
    assert garbage.text == ""
    assert garbage.failure is not None
    assert garbage.failure.kind == "garbage"
    assert "\\x80" in garbage.failure.detail


@pytest.mark.parametrize("call", [Call(fail="hang"), Call(sleep=60), Call(run=("sleep 60",))])
def test_what_takes_too_long_is_a_timeout(stage: Stage, call: Call) -> None:
    failure = play(stage, call, timeout_s=0.2).failure
    assert failure == Failure("timeout", "no answer in 0.2 s")


def test_a_cancelled_command_leaves_nothing_running(stage: Stage) -> None:
    beat = stage.root / "beat"
    call = Call(run=(f"setsid sh -c 'while :; do echo x >> {beat}; sleep 0.02; done'",))

    async def cancel_it() -> None:
        work = asyncio.ensure_future(
            ScriptedAgent(Scenario(defaults=call), stage.root).perform(stage.job())
        )
        await asyncio.to_thread(until, lambda: size(beat) > 0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    run(cancel_it())
    assert not still_writing(beat)


def test_a_question_usage_and_words_come_back(stage: Stage) -> None:
    question = Question("Which?", (("a", "A"),), "a")
    answer = play(stage, Call(ask=question, usage=Usage(1, 2, 0.5)))
    assert answer == Answer(text="Which?", usage=Usage(1, 2, 0.5), question=question)


def test_a_call_without_words_tells_its_acts(stage: Stage) -> None:
    assert (
        play(stage, Call(write=(("a.txt", "a"),), delete=("a.txt",))).text
        == "write a.txt; delete a.txt"
    )


def spelled_stage(stage: Stage) -> Any:
    """The stage's outputs, of which the first may also be sent as data."""
    first, *rest = stage.job().outputs
    return (replace(first, spelled=str), *rest)


def test_who_writes_what_could_be_sent_sends_no_other_object_beside_it(stage: Stage) -> None:
    call = Call(behave_well=True, write=(("@spec", "# Mine\n"),))
    assert play(stage, call, outputs=spelled_stage(stage)).verdict is None
    assert text(stage, "docs/spec.md") == "# Mine\n"


def test_who_sends_an_object_of_its_own_writes_no_other_document_beside_it(stage: Stage) -> None:
    answer = play(
        stage, Call(behave_well=True, verdict={"summary": "mine"}), outputs=spelled_stage(stage)
    )
    assert answer.verdict == {"status": "done", "summary": "mine"}
    assert not (stage.folder / "docs/spec.md").exists()
