"""Known programs from start to end, played by small programs of ours under their names."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.jobs import SPEC, Stage, run

from podium.agents.environment import agent_environment, leftovers
from podium.agents.headless import session_note
from podium.agents.headless.agent import HeadlessAgent
from podium.agents.profiles.catalog import PROFILES
from podium.agents.profiles.staging import Options
from podium.agents.protocol import Answer, Failure, Job, Model
from podium.core.schema import TEXT, object_of

SCHEMA = object_of({"status": TEXT}, ("status",))
HEAD = f"""#!{sys.executable}
import json, os, sys, time
from pathlib import Path
here = Path(sys.argv[0]).resolve().parent
prompt = sys.stdin.read()
with open(here / "starts.jsonl", "a") as file:
    file.write(json.dumps({{"argv": sys.argv[1:], "env": dict(os.environ), "prompt": prompt, "cwd": os.getcwd()}}) + "\\n")
number = sum(1 for _ in open(here / "starts.jsonl"))
def say(**message):
    print(json.dumps(message), flush=True)
def begin(session="s-1"):
    say(type="system", subtype="init", session_id=session, model="m", claude_code_version="1")
def end(text="Done.", **more):
    say(type="result", subtype="success", is_error=False, result=text, usage={{"input_tokens": 3, "output_tokens": 2}}, **more)
"""  # noqa: E501


class Played:
    """One known program that does what the test says."""

    def __init__(self, root: Path) -> None:
        self.stage = Stage(root)
        self.bin = root / "bin"
        self.bin.mkdir()

    def program(self, name: str, body: str) -> None:
        path = self.bin / name
        path.write_text(HEAD + body)
        path.chmod(0o755)

    def job(self, **changes: Any) -> Job:
        environ = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}
        env = agent_environment((), environ, {}, dispatch=f"{self.stage.root}/work")
        return self.stage.job(
            **{"environment": env, "verdict_schema": SCHEMA, "outputs": (), **changes}
        )

    def perform(
        self,
        name: str,
        body: str,
        *,
        options: Options | None = None,
        job: Job | None = None,
        **limits: Any,
    ) -> Answer:
        self.program(name, body)
        agent = HeadlessAgent(name, PROFILES[name], options or Options(), **limits)
        return run(agent.perform(job or self.job()))

    @property
    def starts(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.bin / "starts.jsonl").read_text().splitlines()]


@pytest.fixture
def played(tmp_path: Path) -> Played:
    return Played(tmp_path)


def failed(answer: Answer) -> Failure:
    assert answer.failure is not None
    return answer.failure


def test_a_program_that_is_not_here_is_told_with_how_to_install_it(played: Played) -> None:
    answer = run(HeadlessAgent("claude", PROFILES["claude"], Options()).perform(played.job()))
    assert failed(answer).kind == "not_dispatchable"
    assert "npm install -g @anthropic-ai/claude-code" in failed(answer).detail


def test_it_gets_its_prompt_its_tools_and_an_environment_of_its_own(played: Played) -> None:
    model = Model("anthropic", "http://127.0.0.1:9", "token", withheld=("ANTHROPIC_API_KEY",))
    options = Options(
        environ={"ANTHROPIC_API_KEY": "real", "HOME": "/home/me", "OTHER": "1"}, model="m1", turns=7
    )
    answer = played.perform(
        "claude", "begin(); end('All done.')", options=options, job=played.job(model=model)
    )
    assert answer.text == "All done."
    assert (answer.usage.tokens_in, answer.usage.tokens_out) == (3, 2)
    start = played.starts[0]
    assert start["prompt"].startswith("Write the specification.\n")
    assert "`report` of the MCP server" in start["prompt"]
    assert start["cwd"] == str(played.stage.folder)
    env, home = start["env"], str(played.stage.scratch / "home")
    assert env["HOME"] == home
    assert env["ANTHROPIC_API_KEY"] == "token"
    assert "real" not in json.dumps(start)
    assert "OTHER" not in env
    servers = json.loads((played.stage.scratch / "home" / "podium-mcp.json").read_text())
    assert list(servers["mcpServers"]) == ["podium"]
    joined = " ".join(start["argv"])
    for words in (
        "--model m1",
        "--max-turns 7",
        "--permission-mode acceptEdits",
        f"--mcp-config {home}/podium-mcp.json",
    ):
        assert words in joined
    assert start["argv"][start["argv"].index("--setting-sources") + 1] == ""


def test_in_a_room_its_own_prompts_are_off_and_files_of_the_folder_are_read_only_where_wanted(
    played: Played,
) -> None:
    played.perform(
        "claude", "begin(); end()", job=played.job(enclosed=True), options=Options(ambient=True)
    )
    joined = " ".join(played.starts[0]["argv"])
    assert "--permission-mode bypassPermissions" in joined
    assert "--setting-sources user,project,local" in joined


def test_a_report_by_the_tool_counts_before_one_by_file(played: Played) -> None:
    body = """
spec = json.load(open(Path(os.environ["HOME"]) / "podium-mcp.json"))["mcpServers"]["podium"]
Path(spec["env"]["PODIUM_VERDICT"]).write_text(json.dumps({"status": "by tool"}))
Path(os.environ["PODIUM_VERDICT"]).write_text(json.dumps({"status": "by file"}))
begin(); end(structured_output={"status": "by schema"})
"""
    assert played.perform("claude", body).verdict == {"status": "by tool"}


def test_a_schema_output_counts_where_it_was_asked_for(played: Played) -> None:
    body = 'begin(); end(structured_output={"status": "by schema", "note": None})'
    assert played.perform("claude", body).verdict is None
    answer = played.perform("claude", body, options=Options(report="schema"))
    assert answer.verdict == {"status": "by schema"}
    last = played.starts[-1]
    assert "--json-schema" in last["argv"]
    assert "--mcp-config" not in last["argv"]
    assert "MCP server" not in last["prompt"]


def test_codex_is_ended_at_its_last_word_and_its_message_may_be_the_verdict(played: Played) -> None:
    body = """
say(type="thread.started", thread_id="t-1")
say(type="item.completed", item={"type": "agent_message", "text": '{"status": "fine"}'})
say(type="turn.completed", usage={"input_tokens": 1, "output_tokens": 1})
time.sleep(30)
"""
    began = time.monotonic()
    answer = played.perform("codex", body, options=Options(report="schema"))
    assert time.monotonic() - began < 10
    assert answer.verdict == {"status": "fine"}
    schema = played.starts[0]["argv"][played.starts[0]["argv"].index("--output-schema") + 1]
    assert json.loads(Path(schema).read_text())["required"] == ["status"]


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("begin(); print('oops', file=sys.stderr); sys.exit(3)", "crash", "oops"),
        ("begin()", "crash", "before its stream came to an end"),
        ("print('Welcome to Claude!')", "garbage", "Welcome"),
        ("sys.stdout.buffer.write(b'\\xff\\x00' * 9)", "garbage", "not JSON"),
        ("end('')", "empty", "no message"),
        ("begin(); time.sleep(60)", "timeout", "no answer in 1 s"),
    ],
)
def test_every_bad_end_has_its_type(played: Played, body: str, kind: str, words: str) -> None:
    limits = {"timeout_s": 1.0} if kind == "timeout" else {}
    answer = played.perform("claude", body, **limits)
    assert failed(answer).kind == kind
    assert words in failed(answer).detail
    assert leftovers(f"{played.stage.root}/work") == []


def test_one_that_falls_silent_is_ended_before_its_time(played: Played) -> None:
    began = time.monotonic()
    answer = played.perform("claude", "begin(); time.sleep(60)", silence_s=1.0)
    assert time.monotonic() - began < 15
    assert failed(answer).kind == "timeout"
    assert "silence" in failed(answer).detail
    assert played.stage.acts("ended")[-1]["reason"] == "silence"


def test_one_without_a_limit_of_its_own_is_ended_after_so_many_calls(played: Played) -> None:
    body = """
say(type="thread.started", thread_id="t-1")
for at in range(10_000):
    say(type="item.completed", item={"id": str(at), "type": "command_execution", "command": "date", "status": "completed"})
    time.sleep(0.01)
"""  # noqa: E501
    answer = played.perform("codex", body, options=Options(turns=5))
    assert failed(answer).kind == "timeout"
    assert "more than 5" in failed(answer).detail
    assert played.stage.acts("ended")[-1]["reason"] == "limit"


def test_a_flood_is_kept_in_bounds_and_the_end_behind_it_is_found(played: Played) -> None:
    body = """
begin()
sys.stdout.write("x" * 40_000_000 + "\\n")
for at in range(30_000):
    say(type="assistant", message={"content": [{"type": "text", "text": "again"}]})
end()
"""
    answer = played.perform("claude", body)
    assert answer.failure is None
    assert answer.text == "Done."
    assert len(played.stage.said) < 20_100


DYING = """
if "--resume" not in sys.argv:
    begin("s-1")
    say(type="assistant", message={"content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "x"}}]})
    os.kill(os.getpid(), 9)
begin("s-1"); end("Finished after all.")
"""  # noqa: E501


def test_one_that_dies_at_work_goes_on_with_its_session_once(played: Played) -> None:
    answer = played.perform("claude", DYING)
    assert answer.text == "Finished after all."
    assert len(played.starts) == 2
    again = played.starts[1]
    assert again["argv"][again["argv"].index("--resume") + 1] == "s-1"
    assert "interrupted" in again["prompt"]
    assert "Write the specification." in again["prompt"]


def test_one_that_dies_twice_has_crashed(played: Played) -> None:
    answer = played.perform("claude", DYING.replace('if "--resume" not in sys.argv:', "if True:"))
    assert failed(answer).kind == "crash"
    assert len(played.starts) == 2


def test_all_its_processes_share_one_limit_of_time(played: Played) -> None:
    body = DYING.replace("os.kill", "time.sleep(2.5); os.kill").replace(
        'begin("s-1"); end', 'begin("s-1"); time.sleep(60); end'
    )
    began = time.monotonic()
    answer = played.perform("claude", body, timeout_s=3.0)
    assert time.monotonic() - began < 5
    assert len(played.starts) == 2
    assert (failed(answer).kind, "no answer in 3 s" in failed(answer).detail) == ("timeout", True)


def test_the_usage_of_every_process_counts(played: Played) -> None:
    body = """
spent = {"input_tokens": 3, "output_tokens": 2}
begin("s-1")
if number == 3:
    end("Anew.")
    sys.exit()
if number == 1:
    say(type="assistant", message={"content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "x"}}]})
say(type="result", subtype="error_during_execution", is_error=True, usage=spent, result="fetch failed")
"""  # noqa: E501
    answer = played.perform("claude", body)
    assert (answer.text, len(played.starts)) == ("Anew.", 3)
    assert (answer.usage.tokens_in, answer.usage.tokens_out) == (9, 6)


def test_one_that_broke_off_before_its_session_was_written_down_begins_anew(played: Played) -> None:
    body = """
if "--resume" in sys.argv:
    sys.exit("No conversation found")
begin("s-1")
if len(Path(__file__).with_name("starts.jsonl").read_text().splitlines()) == 1:
    sys.exit(1)
end("Anew.")
"""
    assert played.perform("claude", body).text == "Anew."
    assert ["--resume" in each["argv"] for each in played.starts] == [False, True, False]


def test_a_session_that_an_engine_left_is_gone_on_with_and_one_that_is_not_there_begins_anew(
    played: Played,
) -> None:
    job = played.job()
    body = DYING.replace("os.kill(os.getpid(), 9)", "time.sleep(60)")

    async def killed() -> None:
        agent = HeadlessAgent("claude", PROFILES["claude"], Options())
        task = asyncio.ensure_future(agent.perform(job))
        while not (played.stage.scratch / "session.json").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    played.program("claude", body)
    run(killed())
    assert played.perform("claude", body, job=job).text == "Finished after all."
    assert "--resume" in played.starts[-1]["argv"]
    lost = (
        'if "--resume" in sys.argv:\n    sys.exit("No conversation found")\nbegin("s-2"); '
        'end("Anew.")'
    )
    session_note.keep(played.stage.scratch, "s-9", job.prompt)
    assert played.perform("claude", lost, job=job).text == "Anew."


REFUSED = """
allowed = "Bash" in sys.argv[sys.argv.index("--allowedTools") + 1]
begin()
say(type="assistant", message={"content": [{"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "npm test"}}]})
if allowed:
    Path("docs").mkdir(exist_ok=True); Path("docs/spec.md").write_text("x")
else:
    say(type="system", subtype="permission_denied", tool_name="Bash", tool_use_id="1", decision_reason="ask first")
end("I could not run the tests.")
"""  # noqa: E501


def test_one_that_was_not_allowed_to_run_what_it_needs_is_parked_and_can_be_allowed(
    played: Played,
) -> None:
    job = played.job(outputs=(SPEC,))
    answer = played.perform("claude", REFUSED, job=job)
    assert failed(answer).kind == "parked"
    assert "npm test" in failed(answer).detail
    assert "allow" in failed(answer).choices
    assert played.stage.acts("permission")[0]["decision"] == "refused"
    again = played.perform("claude", REFUSED, job=replace(job, resumed="allow", choice="allow"))
    assert again.failure is None
    assert (played.stage.folder / "docs" / "spec.md").exists()


def test_one_that_did_its_work_all_the_same_is_not_parked(played: Played) -> None:
    assert (
        played.perform("claude", REFUSED).failure is None
    )  # nothing of what it must write is missing


def test_a_plain_program_says_its_message_and_its_exit_code_counts(played: Played) -> None:
    good = played.perform(
        "aider", "assert open(sys.argv[2]).read().startswith('Write'); print('DONE: all of it')"
    )
    assert good.text == "DONE: all of it\n"
    assert failed(played.perform("aider", "print('half'); sys.exit(1)")).kind == "crash"
    assert failed(played.perform("aider", "print('a\\0b')")).kind == "garbage"


def test_a_model_that_cannot_be_had_for_long_ends_an_agent_that_would_wait(played: Played) -> None:
    busy = Failure("rate_limit", "the provider answered 429", 3600.0)
    model = Model("openai", "http://127.0.0.1:9/v1", "token", trouble=lambda: busy)
    began = time.monotonic()
    answer = played.perform(
        "codex",
        'say(type="thread.started", thread_id="t")\ntime.sleep(60)',
        job=played.job(model=model),
    )
    assert time.monotonic() - began < 15
    assert failed(answer) == busy


@pytest.mark.parametrize("name", [each for each in PROFILES if PROFILES[each].needs_model])
def test_behind_a_gateway_some_must_be_told_their_model(played: Played, name: str) -> None:
    job = played.job(model=Model("openai", "http://127.0.0.1:9/v1", "token"))
    answer = (
        played.perform(PROFILES[name].program, "", job=job)
        if PROFILES[name].program == name
        else None
    )
    assert answer is not None
    assert failed(answer).kind == "not_dispatchable"
    assert f"`model` in [agents.{name}]" in failed(answer).detail


def test_a_reader_that_never_reads_its_prompt_blocks_nobody(played: Played) -> None:
    path = played.bin / "claude"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    job = replace(played.job(), prompt="x" * 3_000_000)
    answer = run(HeadlessAgent("claude", PROFILES["claude"], Options(), timeout_s=1.0).perform(job))
    assert failed(answer).kind == "timeout"
