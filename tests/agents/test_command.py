"""Any program can be an agent; what it leaves is an answer or a failure with its cause."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import Stage, run

from podium.agents.command import CommandAgent
from podium.agents.protocol import Answer


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def perform(stage: Stage, *argv: str, job: dict[str, Any] | None = None, **options: Any) -> Answer:
    return run(CommandAgent("mine", argv, **options).perform(stage.job(**(job or {}))))


def shell(stage: Stage, script: str, **options: Any) -> Answer:
    return perform(stage, "sh", "-c", script, **options)


def failed(answer: Answer, kind: str, said: str) -> bool:
    assert answer.failure is not None
    assert (answer.failure.kind, said in answer.failure.detail) == (kind, True), answer.failure
    return True


def test_the_prompt_comes_on_standard_input_and_the_message_is_what_it_prints(stage: Stage) -> None:
    assert (
        shell(stage, "cat; echo DONE: ok; echo work > out.txt").text
        == "Write the specification.\nDONE: ok\n"
    )
    assert (stage.folder / "out.txt").read_text() == "work\n"


def test_arguments_may_ask_for_the_prompt_its_file_and_the_folders(stage: Stage) -> None:
    script = 'echo "$1|$2|$3|$4"; cat "$2"; cat'
    answer = perform(
        stage, "sh", "-c", script, "x", "{prompt}", "{prompt_file}", "{folder}", "in {scratch}"
    )
    prompt = "Write the specification.\n"
    file = stage.scratch / "prompt.md"
    assert answer.text == f"{prompt}|{file}|{stage.folder}|in {stage.scratch}\n{prompt}"


def test_a_prompt_with_placeholders_in_it_is_left_alone(stage: Stage) -> None:
    answer = perform(stage, "echo", "{prompt}", job={"prompt": "use {prompt_file} and {x}"})
    assert answer.text == "use {prompt_file} and {x}\n"


def test_a_prompt_too_long_for_an_argument_becomes_the_name_of_its_file(stage: Stage) -> None:
    answer = perform(stage, "echo", "{prompt}", job={"prompt": "long " * 50_000})
    assert f"in the file {stage.scratch / 'prompt.md'}" in answer.text
    assert (stage.scratch / "prompt.md").read_text() == "long " * 50_000


def test_only_named_variables_reach_it(stage: Stage) -> None:
    environ = {"MY_KEY": "k", "OTHER": "o"}
    answer = shell(
        stage, "env | sort", env_allow=["MY_KEY"], environ=environ, env_set={"QUIET": "1"}
    )
    lines = answer.text.splitlines()
    assert {"MY_KEY=k", "QUIET=1", "PODIUM_AGENT=1", "TERM=dumb"} <= set(lines)
    assert f"TMPDIR={stage.scratch / 'tmp'}" in lines
    assert not any(line.startswith("OTHER") for line in lines)


def test_a_verdict_is_read_from_its_file(stage: Stage) -> None:
    answer = shell(stage, """echo '{"status": "done"}' > "$PODIUM_VERDICT"; echo ok""")
    assert answer == Answer(text="ok\n", verdict={"status": "done"})


def test_a_verdict_of_an_earlier_attempt_does_not_count(stage: Stage) -> None:
    stage.job()
    (stage.scratch / "verdict.json").write_text('{"status": "done"}')
    assert shell(stage, "echo nothing").verdict is None


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('echo no > "$PODIUM_VERDICT"', "not JSON"),
        ('ln -s /etc/passwd "$PODIUM_VERDICT"', "a symbolic link"),
        ('mkfifo "$PODIUM_VERDICT"', "not a regular file"),
        ("printf 'a\\000b'", "NUL"),
        ("printf '\\377\\376'", "not UTF-8"),
    ],
)
def test_what_is_no_message_and_no_verdict_is_garbage(stage: Stage, script: str, said: str) -> None:
    assert failed(shell(stage, script), "garbage", said)


def test_a_crash_tells_its_exit_code_and_last_words(stage: Stage) -> None:
    answer = shell(stage, "seq 100 >&2; echo boom >&2; exit 9")
    assert failed(answer, "crash", "exit code 9: 90\n")
    assert failed(answer, "crash", "100\nboom")


def test_no_words_and_no_verdict_is_no_answer(stage: Stage) -> None:
    assert failed(shell(stage, "true"), "empty", "no message")
    assert shell(stage, 'echo "{}" > "$PODIUM_VERDICT"').verdict == {}


def test_the_shorter_of_both_limits_ends_it(stage: Stage) -> None:
    assert failed(shell(stage, "sleep 60", timeout_s=0.2), "timeout", "no answer in 0.2 s")
    assert failed(
        shell(stage, "sleep 60", timeout_s=60, job={"timeout_s": 0.3}), "timeout", "0.3 s"
    )


def test_one_that_says_nothing_for_too_long_is_ended(stage: Stage) -> None:
    assert failed(
        shell(stage, "echo begun; sleep 60", silence_s=0.5),
        "timeout",
        "silence: no output for 0.5 s",
    )


def test_a_program_that_cannot_run_is_not_dispatchable(stage: Stage) -> None:
    stage.job()
    (stage.folder / "plain.txt").write_text("")
    noexec = stage.folder / "noexec"
    noexec.write_text("no interpreter line")
    noexec.chmod(0o755)
    for program, said in {
        "no-such-agent-anywhere": "not on the PATH",
        "/no/such/agent": "there is no program",
        "./plain.txt": "not executable",
        "./noexec": "cannot be started",
    }.items():
        assert failed(perform(stage, program), "not_dispatchable", said)
    assert failed(perform(stage), "not_dispatchable", "no command")


def test_the_message_may_come_from_a_file_instead(stage: Stage) -> None:
    answer = perform(
        stage,
        "sh",
        "-c",
        "echo noise; echo final > $0",
        "{scratch}/a.md",
        result_file="{scratch}/a.md",
    )
    assert answer.text == "final\n"
    assert failed(shell(stage, "echo noise", result_file="a.md"), "empty", "no message")
    assert failed(
        shell(stage, f"mkfifo {stage.scratch}/a.md", result_file="a.md"),
        "garbage",
        "not a regular file",
    )


def test_a_message_cut_inside_a_character_is_still_a_message(stage: Stage) -> None:
    script = "import sys; sys.stdout.write('x' + 'ä' * 6_000_000)"
    answer = perform(
        stage, sys.executable, "-c", script, job={"environment": {**os.environ, "PYTHONUTF8": "1"}}
    )
    assert answer.failure is None
    assert answer.text.endswith("ä")


def test_its_lines_are_seen_while_it_works(stage: Stage) -> None:
    shell(stage, "echo one; echo two >&2")
    assert {fields["text"] for fields in stage.acts("text")} == {"one", "two"}
