"""The scripted model as real clients see it: whole conversations, faults, whole runs of Podium."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.agents.jobs import until
from tests.fakes.project import NO_GATES, QA, SPEC, Project

from podium.agents.command import CommandAgent
from podium.agents.scenario import Scenario
from podium.agents.scenario_file import parse as scenario
from podium.agents.scripted_model.script import Ending, Refusal, Run, Script, Step, Tokens, Write
from podium.agents.scripted_model.server import ScriptedModel
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

CLIENT = Path(__file__).parents[2] / "fakes" / "model_client.py"
SHAPES = ("anthropic", "responses", "chat", "gemini")
MOUNT = {"anthropic": "", "gemini": "", "responses": "/v1", "chat": "/v1"}


def command(model: ScriptedModel, shape: str, *options: str) -> list[str]:
    return [sys.executable, "-I", str(CLIENT), shape, model.url + MOUNT[shape], "dummy", *options]


def talk(
    model: ScriptedModel, shape: str, prompt: str, cwd: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd)}
    return subprocess.run(
        command(model, shape, *options),
        input=prompt,
        text=True,
        capture_output=True,
        cwd=cwd,
        env=env,
    )


@pytest.mark.parametrize("options", [(), ("stream",)])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_client_of_each_shape_plays_a_script_to_its_end(
    tmp_path: Path, shape: str, options: tuple[str, ...]
) -> None:
    with ScriptedModel() as model:
        done = talk(model, shape, f"[[script:hello cwd={tmp_path}]]", tmp_path, *options)
    assert (done.returncode, done.stdout.strip()) == (0, "Done: hello.txt written."), done.stderr
    assert (tmp_path / "hello.txt").read_text() == "hello from a scripted model\n"
    assert [(each.shape, each.step, each.stream) for each in model.calls] == [
        (shape, 0, bool(options)),
        (shape, 1, bool(options)),
    ]
    assert model.calls[0].called == ("Write",)
    assert {each.key for each in model.calls} == {"dummy"}
    if shape != "chat" or not options:  # a streamed chat tells its cost only where it is asked to
        assert model.total == Tokens(2100, 101)


def test_a_streamed_chat_tells_its_cost_only_where_it_is_asked_to(tmp_path: Path) -> None:
    with ScriptedModel() as model:
        talk(model, "chat", "[[script:text]]", tmp_path, "stream")
        talk(model, "chat", "[[script:text]]", tmp_path, "stream", "usage")
    assert [each.tokens for each in model.calls] == [None, Tokens(1000, 50)]


@pytest.mark.parametrize("shape", SHAPES)
def test_after_an_error_and_after_a_cut_the_next_attempt_is_answered(
    tmp_path: Path, shape: str
) -> None:
    script = Script(
        (Step(acts=(Write("a.txt", "a"),), refuse=Refusal(529, 2), cut=3), Step("done"))
    )
    with ScriptedModel(script) as model:
        done = talk(model, shape, "go", tmp_path, "stream", "usage")
    assert done.stdout.strip() == "done", done.stderr
    assert [(each.status, each.cut) for each in model.calls] == [
        (529, False),
        (529, False),
        (200, True),
        (200, False),
        (200, False),
    ]
    assert (tmp_path / "a.txt").read_text() == "a"


def test_what_a_cut_answer_had_told_of_its_cost_is_what_was_sent(tmp_path: Path) -> None:
    script = Script((Step("words", cut=1),))
    with ScriptedModel(script) as model:
        for shape in SHAPES:
            talk(model, shape, f"{shape} go", tmp_path, "stream", "usage")
    said = {each.shape: each.tokens for each in model.calls if each.cut}
    assert said == {"anthropic": Tokens(1000, 1), "responses": None, "chat": None, "gemini": None}


def test_an_error_says_when_to_come_back_where_the_script_does() -> None:
    script = Script((Step("late", refuse=Refusal(429, 1, 30.0)),))
    with ScriptedModel(script) as model:
        refused = httpx.post(
            f"{model.url}/v1/messages",
            json={"messages": [{"role": "user", "content": "go"}]},
            trust_env=False,
        )
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "30")
    assert refused.json()["error"]["type"] == "rate_limit_error"


def test_a_script_that_loops_never_ends_and_its_cost_is_its_own() -> None:
    script = Script((Step(acts=(Run("date"),), tokens=Tokens(7, 3)),), loop=True)
    history: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    tool = {"type": "function", "function": {"name": "bash", "parameters": {}}}
    with ScriptedModel(script) as model:
        for _ in range(3):
            said = httpx.post(
                f"{model.url}/v1/chat/completions",
                json={"messages": history, "tools": [tool]},
                trust_env=False,
            ).json()
            history += [said["choices"][0]["message"], {"role": "tool", "content": "now"}]
            assert said["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "bash"
    assert model.total == Tokens(21, 9)


def test_a_retry_a_side_request_and_another_agent_do_not_disturb_a_script() -> None:
    def ask(model: ScriptedModel, *messages: str, tools: bool = True) -> Any:
        roles = ["user" if at % 2 == 0 else "assistant" for at in range(len(messages))]
        body: dict[str, Any] = {
            "messages": [{"role": r, "content": m} for r, m in zip(roles, messages, strict=True)]
        }
        if tools:
            body["tools"] = [{"name": "Write", "input_schema": {}}]
        return httpx.post(f"{model.url}/v1/messages", json=body, trust_env=False).json()["content"]

    with ScriptedModel() as model:
        first = ask(model, "[[script:hello cwd=/a]]")
        assert ask(model, "[[script:hello cwd=/a]]") == first
        assert ask(model, "Make a title of: [[script:hello cwd=/a]]", tools=False) == [
            {"type": "text", "text": "ok"}
        ]
        assert ask(model, "[[script:hello cwd=/b]]")[1]["input"]["path"] == "/b/hello.txt"
        assert (
            ask(model, "[[script:hello cwd=/a]]", "I will", "done")[0]["text"]
            == "Done: hello.txt written."
        )
        assert (
            ask(model, "[[script:hello cwd=/a]]", "I will", "done", "Done", "more?")[0]["text"]
            == "ok"
        )


def test_a_tool_of_an_mcp_server_is_called_by_the_end_of_its_name() -> None:
    script = Script((Step(acts=(Ending("report", {"status": "done"}),)),))
    tools = [{"name": "mcp__podium__report", "input_schema": {}}]
    with ScriptedModel(script) as model:
        body = {"messages": [{"role": "user", "content": "go"}], "tools": tools}
        said = httpx.post(f"{model.url}/v1/messages", json=body, trust_env=False).json()
    assert [(each["name"], each["input"]) for each in said["content"]] == [
        ("mcp__podium__report", {"status": "done"})
    ]


def test_it_listens_on_a_unix_socket_that_only_its_owner_can_open(tmp_path: Path) -> None:
    async def main() -> None:
        async with ScriptedModel(socket=tmp_path / "s") as model:
            assert (tmp_path / "s").stat().st_mode & 0o777 == 0o600
            transport = httpx.AsyncHTTPTransport(uds=str(tmp_path / "s"))
            async with httpx.AsyncClient(transport=transport, base_url="http://model") as client:
                assert (await client.get("/v1/models")).status_code == 200
            assert model.port > 0
        assert not (tmp_path / "s").exists()

    asyncio.run(main())


def test_a_client_that_leaves_ends_a_slow_answer() -> None:
    async def main() -> None:
        async with ScriptedModel(Script((Step("late", delay=60),))) as model:
            async with httpx.AsyncClient(trust_env=False, timeout=0.2) as client:
                with pytest.raises(httpx.ReadTimeout):
                    await client.post(
                        f"{model.url}/v1/messages",
                        json={"messages": [{"role": "user", "content": "go"}]},
                    )
            assert await asyncio.to_thread(until, lambda: model.calls[0].left)

    asyncio.run(main())


def test_what_no_model_has_is_not_found_and_a_body_that_is_no_object_is_refused() -> None:
    with ScriptedModel() as model, httpx.Client(base_url=model.url, trust_env=False) as client:
        assert client.get("/v1/nothing").status_code == 404
        assert client.post("/v1beta/models/x:embedContent", json={}).status_code == 404
        assert client.post("/v1/messages", content=b"[1]").status_code == 400
        assert client.post("/v1/messages/count_tokens", json={}).json() == {"input_tokens": 100}
        assert client.post("/v1beta/models/x:countTokens", json={}).json() == {"totalTokens": 100}


def play(
    project: Project,
    model: ScriptedModel,
    shape: str,
    *options: str,
    rehearsed: bool = False,
    **told: Any,
) -> Any:
    agent = CommandAgent("client", command(model, shape, *options))
    found = model.rehearsed(agent) if rehearsed else agent
    parts = Parts(
        environ=project.environ,
        clock=project.clock,
        token=lambda: "0001",
        cwd=project.root,
        agents=lambda _: found,
    )
    options_ = RunOptions(policy={"retry_backoff_s": 0.0, **NO_GATES}, **told)
    return App(project.root, parts=parts).start(
        "harness", ["harness/tasks/T001-sample.md"], options_
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_a_client_completes_a_whole_run_from_its_prompts_alone(tmp_path: Path, shape: str) -> None:
    project = Project.at(tmp_path)
    with ScriptedModel(Scenario()) as model:
        ended = play(project, model, shape, "stream")
    assert ended.status == "complete", ended
    assert project.done() == [
        "specification",
        "design",
        "implementation-planning",
        "build/1",
        "qa/1",
    ]
    assert "Task: T001" in project.text(SPEC)
    assert "## Validation Result\n\nPass\n" in project.text(QA)
    assert (project.root / "work" / "build-1-1.txt").exists()


def test_with_the_jobs_announced_files_are_composed_as_the_contract_has_them(
    tmp_path: Path,
) -> None:
    project = Project.at(tmp_path)
    qa = {
        "template": "qa",
        "result": "Issues Found",
        "readiness": "Back to Build",
        "criteria": {"AC1": "Fail"},
    }
    calls = {
        "qa": [
            {
                "behave": "well",
                "write": {"@qa": qa},
                "verdict": {"result": "Issues Found", "readiness": "Back to Build"},
            },
            {"behave": "well"},
        ]
    }
    with ScriptedModel(scenario(str({"agents": calls}), "test")) as model:
        ended = play(project, model, "anthropic", rehearsed=True)
    assert ended.status == "complete", ended
    assert project.done()[-2:] == ["build/2", "qa/2"]
    assert "### AC6\n\nStatus: Pass" in project.text(QA)
    assert "mcp__podium__report" in [name for each in model.calls for name in each.called]


def test_what_a_scenario_says_of_usage_is_what_the_whole_dispatch_costs(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    calls = {"po-spec": [{"behave": "well", "usage": {"tokens_in": 500, "tokens_out": 20}}]}
    with ScriptedModel(scenario(str({"agents": calls}), "test")) as model:
        play(project, model, "gemini", until="specification")
    assert (model.total, len(model.calls)) == (Tokens(500, 20), 2)


def test_a_limit_in_a_scenario_is_refused_by_the_model_for_ever(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    calls = {"po-spec": [{"fail": "rate_limit", "retry_after": 90}]}
    with ScriptedModel(scenario(str({"agents": calls}), "test")) as model:
        play(project, model, "chat", until="specification")
    assert {each.status for each in model.calls} == {429}
