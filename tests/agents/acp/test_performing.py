"""Whole dispatches to an agent that speaks the protocol: real processes, a scripted model, every
way to end.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.acp.talks import Talk, doing, talking, tool
from tests.agents.jobs import run, until

from podium.agents import activity
from podium.agents.acp import conversation, session_file, telling
from podium.agents.acp.agent import AcpAgent
from podium.agents.acp.launch import Plain
from podium.agents.environment import leftovers
from podium.agents.protocol import Answer, Question
from podium.agents.scripted_model.script import Ending, Read, Run, Script, Step, Write

pytestmark = pytest.mark.beside

WRITE = Write("{cwd}/a.txt", "a\n")


def failure(answer: Answer) -> tuple[str, str]:
    assert answer.failure is not None, answer
    return answer.failure.kind, answer.failure.detail


def mark(talk: Talk) -> str:
    return f"{talk.stage.root}/specification"


def sessions(talk: Talk) -> list[Path]:
    """Where the fake agent keeps what was said."""
    return sorted((talk.stage.root / "home/.fake-acp").glob("*.json"))


# -- work


def test_it_works_reports_and_is_written_down(tmp_path: Path) -> None:
    script = doing(
        Read("{cwd}/input.txt"),
        WRITE,
        Ending("report", {"status": "maybe"}),
        Ending("report", {"status": "done", "summary": "s"}),
    )
    with talking(tmp_path, {"work": script}) as talk:
        talk.job("work")
        (talk.stage.folder / "input.txt").write_text("in\n")
        answer = talk.run("work", "write")
        assert (answer.text.strip(), answer.verdict, answer.failure) == (
            "All done.",
            {"status": "done", "summary": "s"},
            None,
        )
        assert (talk.stage.folder / "a.txt").read_text() == "a\n"
        assert [talk.model.total.tokens_in, talk.model.total.tokens_out] == [
            answer.usage.tokens_in,
            answer.usage.tokens_out,
        ]
        kinds = [kind for kind, _ in talk.stage.said]
        assert kinds[0] == "started"
        assert kinds[-3:] == ["usage", "ended", "verdict"]
        assert {each["tool"] for each in talk.told("tool")} == {"read", "edit", "other"}
        assert "it must be one of done, blocked, failed" in "\n".join(talk.results())


def test_a_question_is_asked_through_the_tool(tmp_path: Path) -> None:
    asked = {
        "question": "Which?",
        "choices": [{"id": "a", "description": "one"}],
        "recommended": "a",
    }
    with talking(tmp_path, {"ask": doing(Ending("ask", asked), say="I asked.")}) as talk:
        answer = talk.run("ask")
    assert answer.question == Question("Which?", (("a", "one"),), "a")


def test_a_verdict_may_be_a_file_where_there_is_no_tool(tmp_path: Path) -> None:
    script = doing(Run("""printf '{"status": "failed"}' > "$PODIUM_VERDICT" """))
    with talking(tmp_path, {"file": script}) as talk:
        assert talk.run("file", "write").verdict == {"status": "failed"}
        assert talk.told("verdict") == [{"source": "file"}]


def test_it_gets_the_environment_it_is_given_and_no_files_or_terminals_are_offered(
    tmp_path: Path,
) -> None:
    with talking(tmp_path, {"env": doing(Run("env | cut -d= -f1 | sort | tr '\\n' ' '"))}) as talk:
        talk.run("env", "write")
        assert talk.told("started")[0]["version"] == "fake-acp 1.0"
        names = set(talk.results()[0].split("\n")[0].split())
        assert {"FAKE_ACP", "PODIUM_VERDICT", "TMPDIR", "PATH"} <= names
        assert not {name for name in names if "KEY" in name} - {"MODEL_KEY"}


# -- bounds


def test_reads_and_writes_outside_are_refused_and_never_happen(tmp_path: Path) -> None:
    script = doing(
        Read("{cwd}/../secret.txt"), Write("{cwd}/../escaped.txt", "x"), Write("{cwd}/in.txt", "x")
    )
    (tmp_path / "secret.txt").write_text("SECRET")
    with talking(tmp_path, {"out": script}) as talk:
        answer = talk.run("out", "write")
        assert answer.failure is None
        assert [word for word, _ in talk.decisions()] == ["refused", "refused", "allowed"]
        assert not any("SECRET" in each for each in talk.results())
    assert not (tmp_path / "escaped.txt").exists()
    assert (tmp_path / "view/in.txt").exists()


def test_a_step_that_writes_no_code_runs_no_commands(tmp_path: Path) -> None:
    with talking(tmp_path, {"shell": doing(Run("echo x > ../escaped.txt"))}) as talk:
        talk.run("shell", "read")
        assert [word for word, _ in talk.decisions()] == ["refused"]
    assert not (tmp_path / "escaped.txt").exists()


def test_files_and_terminals_are_refused_even_to_an_agent_that_asks_nobody(tmp_path: Path) -> None:
    script = doing(
        tool("fs_write", path=str(tmp_path / "escaped.txt"), content="x"),
        tool("terminal", command="sh", args=["-c", f"echo x > {tmp_path}/escaped.txt"]),
    )
    with talking(tmp_path, {"deputy": script}) as talk:
        answer = talk.run("deputy", "write")
        assert answer.failure is None
        assert talk.results() == ["refused: -32601", "refused: -32601"]
        assert [each["name"] for each in talk.told("tool")] == [
            "fs/write_text_file",
            "terminal/create",
        ]
    assert not (tmp_path / "escaped.txt").exists()


def test_tools_that_were_never_declared_are_not_there(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        assert talk.run("rogue", "write").failure is None
        assert not (talk.stage.folder / "hello.txt").exists()


CALL = {"toolCallId": "t", "title": "T"}


@pytest.mark.parametrize(
    ("call", "code", "chosen"),
    [
        ({"kind": "edit", "locations": [{"path": "docs/spec.md"}]}, "none", "yes"),
        ({"kind": "edit", "locations": [{"path": "src/x.py"}]}, "none", "no"),
        ({"kind": "edit", "locations": [{"path": "src/x.py"}, 7]}, "write", "no"),
        ({"kind": "delete"}, "write", "no"),
        ({"kind": "fetch", "rawInput": {"url": "http://x"}}, "write", "no"),
        ({"kind": "switch_mode"}, "write", "no"),
        ({"kind": "execute", "rawInput": {"command": "make"}}, "write", "yes"),
        ({"kind": "execute", "rawInput": {"command": "make", "cwd": "/"}}, "write", "no"),
        ({"kind": "read", "rawInput": {"command": "make"}}, "read", "no"),
    ],
)
def test_permissions_of_every_kind_are_answered_by_the_contract(
    tmp_path: Path, call: Any, code: Any, chosen: str
) -> None:
    with talking(tmp_path, {"permit": doing(tool("permit", toolCall={**CALL, **call}))}) as talk:
        talk.run("permit", code)
        assert f'"optionId": "{chosen}"' in talk.results()[0]


def test_without_an_option_for_this_once_nothing_is_chosen(tmp_path: Path) -> None:
    options = [
        {"optionId": "a", "name": "a", "kind": "allow_always"},
        {"optionId": "r", "name": "r", "kind": "reject_always"},
    ]
    call = {**CALL, "kind": "edit", "locations": [{"path": "docs/spec.md"}]}
    with talking(
        tmp_path, {"permit": doing(tool("permit", toolCall=call, options=options))}
    ) as talk:
        talk.run("permit")
        assert talk.results() == ['{"outcome": "cancelled"}']


def test_an_agent_that_ends_its_turn_at_a_refusal_is_told_to_go_on(tmp_path: Path) -> None:
    script = doing(
        Write("{cwd}/../escaped.txt", "x"),
        Ending("report", {"status": "blocked", "summary": "may not"}),
    )
    with talking(tmp_path, {"stuck": script}, "ends-on-reject") as talk:
        answer = talk.run("stuck")
        assert answer.verdict == {"status": "blocked", "summary": "may not"}
        told = [
            each["content"]
            for each in talk.model.calls[-1].body["messages"]
            if each["role"] == "user"
        ]
        assert "This was refused" in told[1]
        assert "outside the step's folder" in told[1]


def test_it_is_not_told_so_for_ever(tmp_path: Path) -> None:
    script = Script((Step(acts=(Write("{cwd}/../escaped.txt", "x"),)),), loop=True)
    with talking(tmp_path, {"stuck": script}, "ends-on-reject") as talk:
        assert failure(talk.run("stuck"))[0] == "empty"
        assert len(talk.decisions()) == conversation.MOST_TURNS


# -- modes


def test_a_mode_in_which_nobody_is_asked_is_no_start(tmp_path: Path) -> None:
    with talking(tmp_path, words="starts-auto") as talk:
        kind, detail = failure(talk.run("hello"))
        assert (kind, "'auto'" in detail) == ("not_dispatchable", True)
        assert talk.model.calls == []


def test_the_mode_that_is_set_is_taken_and_one_that_is_not_there_is_no_start(
    tmp_path: Path,
) -> None:
    with talking(tmp_path, words="starts-auto", mode="read-only") as talk:
        assert talk.run("text").failure is None
    with talking(tmp_path, mode="nonsense") as talk:
        assert "it has default, auto, read-only" in failure(talk.run("text"))[1]


def test_modes_that_are_named_by_an_address_are_known_by_its_end(tmp_path: Path) -> None:
    with talking(tmp_path, words="addressed-modes starts-auto", mode="read-only") as talk:
        assert talk.run("text").failure is None
    with talking(tmp_path, words="addressed-modes starts-auto") as talk:
        kind, detail = failure(talk.run("text"))
        assert (kind, "#auto" in detail) == ("not_dispatchable", True)
    with talking(
        tmp_path, words="addressed-modes starts-auto", mode="https://example.org/modes#auto"
    ) as talk:
        assert talk.run("text").failure is None  # who wrote it down wants it


def test_a_change_of_mode_by_itself_ends_it_as_a_violation(tmp_path: Path) -> None:
    with talking(tmp_path, {"mode": doing(tool("mode", mode="auto", seconds=5), WRITE)}) as talk:
        began = time.monotonic()
        kind, detail = failure(talk.run("mode", "write"))
        assert (kind, "'auto'" in detail) == ("violation", True)
        assert time.monotonic() - began < 5
        assert not (talk.stage.folder / "a.txt").exists()


# -- a person


FETCH = {"toolCallId": "f", "title": "Get the page", "kind": "fetch"}


def test_what_the_policy_leaves_to_a_person_is_parked_and_goes_on_with_their_word(
    tmp_path: Path,
) -> None:
    script = doing(
        WRITE,
        tool("permit", toolCall=FETCH),
        tool("permit", toolCall=FETCH),
        tool("permit", toolCall=FETCH),
    )
    with talking(tmp_path, {"park": script}, permissions="ask") as talk:
        parked = talk.run("park", "write")
        assert parked.failure is not None
        assert (parked.failure.kind, parked.failure.choices) == ("parked", ("allow", "reject"))
        assert "fetch: Get the page" in parked.failure.detail
        again = talk.run("park", "write", resumed="allow", choice="allow")
        # Allowed once; the next time a person is asked again.
        assert again.failure is not None
        assert again.failure.kind == "parked"
        sessions = {each["session"] for each in talk.told("started")}
        assert len(sessions) == 1
        told = [
            each["content"]
            for each in talk.model.calls[-1].body["messages"]
            if each["role"] == "user"
        ]
        assert "You asked to be allowed: fetch: Get the page. It is allowed, once." in told[1]
        assert [word for word, _ in talk.decisions()] == [
            "allowed",
            "refused",
            "allowed",
            "refused",
        ]


def test_a_person_who_refuses_is_heard_too(tmp_path: Path) -> None:
    script = doing(tool("permit", toolCall=FETCH), say="Then without it.")
    with talking(tmp_path, {"park": script}, permissions="ask") as talk:
        assert failure(talk.run("park"))[0] == "parked"
        answer = talk.run("park", resumed="there is no network here", choice="reject")
        assert answer.text.strip() == "Then without it."


def test_a_person_s_other_words_count_as_a_refusal_and_are_passed_on(tmp_path: Path) -> None:
    script = doing(tool("permit", toolCall=FETCH), say="Then without it.")
    with talking(tmp_path, {"park": script}, permissions="ask") as talk:
        assert failure(talk.run("park"))[0] == "parked"
        talk.run("park", resumed="use the copy in docs/")
        told = [
            each["content"]
            for each in talk.model.calls[-1].body["messages"]
            if each["role"] == "user"
        ]
        assert "It is not allowed. They say: use the copy in docs/" in told[-1]


def test_an_agent_that_cannot_resume_begins_anew_with_the_person_s_word(tmp_path: Path) -> None:
    script = doing(tool("permit", toolCall=FETCH))
    with talking(tmp_path, {"park": script}, "no-resume", permissions="ask") as talk:
        assert failure(talk.run("park"))[0] == "parked"
        assert talk.run("park", resumed="allow", choice="allow").failure is None
        assert len({each["session"] for each in talk.told("started")}) == 2
        assert '"optionId": "yes"' in talk.results()[0]


# -- ends


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("max_tokens", "garbage"),
        ("max_turn_requests", "timeout"),
        ("refusal", "crash"),
        ("cancelled", "crash"),
        ("bored", "garbage"),
    ],
)
def test_a_turn_that_did_not_come_to_its_end_is_a_failure(
    tmp_path: Path, reason: str, kind: str
) -> None:
    with talking(tmp_path, {"stop": doing(WRITE, tool("stop", reason=reason))}) as talk:
        assert failure(talk.run("stop", "write"))[0] == kind


def test_an_error_in_place_of_an_answer_is_a_crash_with_its_words(tmp_path: Path) -> None:
    error = tool("error", code=-32603, message="all broken", data={"details": "the cause"})
    with talking(tmp_path, {"error": doing(error, error)}) as talk:
        kind, detail = failure(talk.run("error"))
    assert kind == "crash"
    assert "all broken" in detail
    assert "the cause" in detail


def test_a_turn_that_broke_off_goes_on_once(tmp_path: Path) -> None:
    with talking(
        tmp_path, {"error": doing(tool("error", code=500, message="terminated"), WRITE)}
    ) as talk:
        assert talk.run("error", "write").failure is None
        assert (talk.stage.folder / "a.txt").exists()
        assert "terminated" in "".join(each["text"] for each in talk.told("text"))


def test_a_usage_limit_is_told_as_one_with_its_end(tmp_path: Path) -> None:
    words = "You have hit your usage limit. Try again in 2 hours 30 minutes."
    with talking(tmp_path, {"error": doing(tool("error", code=-32603, message=words))}) as talk:
        found = talk.run("error").failure
        assert found is not None
        assert (found.kind, found.retry_after) == ("rate_limit", 9000.0)
        assert talk.told("ended")[0]["reason"] == "rate_limit"


def test_a_service_that_stays_busy_is_a_usage_limit(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        assert failure(talk.run("limited"))[0] == "rate_limit"


@pytest.mark.parametrize("script", ["retry", "cut"])
def test_a_service_that_fails_once_is_the_agent_s_to_bear(tmp_path: Path, script: str) -> None:
    with talking(tmp_path) as talk:
        assert talk.run(script, "write").failure is None
        assert (talk.stage.folder / "hello.txt").exists()


def test_words_without_a_verdict_are_left_to_the_dialect(tmp_path: Path) -> None:
    with talking(tmp_path, {"badjson": doing(say="This is not JSON.")}) as talk:
        answer = talk.run("badjson")
    assert (answer.text.strip(), answer.verdict) == ("This is not JSON.", None)


def test_a_slow_agent_is_cancelled_when_its_time_is_over(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        kind, detail = failure(talk.run("slow", timeout_s=3.0))
        assert (kind, "3 s" in detail) == ("timeout", True)
        assert talk.told("ended") == [{"reason": "timeout", "detail": detail}]
        assert leftovers(mark(talk)) == []


def test_one_that_does_not_listen_is_ended_with_all_it_started(tmp_path: Path) -> None:
    with talking(
        tmp_path, {"deaf": doing(Run("setsid sleep 600 & echo on"), tool("hang"))}, "deaf"
    ) as talk:
        assert failure(talk.run("deaf", "write", timeout_s=3.0))[0] == "timeout"
        assert leftovers(mark(talk)) == []


def test_a_loop_ends_at_the_limit(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        assert failure(talk.run("loop", "write", timeout_s=3.0))[0] == "timeout"


def test_it_is_ended_when_it_uses_more_tools_than_it_may(tmp_path: Path) -> None:
    with talking(tmp_path, turns=3) as talk:
        kind, detail = failure(talk.run("loop", "write"))
        assert (kind, "more than 3 tools" in detail) == ("timeout", True)
        assert talk.told("ended")[0]["reason"] == "limit"
        assert len([each for each in talk.model.calls if each.script]) <= 5


def test_silence_beyond_the_limit_ends_it(tmp_path: Path) -> None:
    with talking(tmp_path, {"hang": doing(tool("hang"))}, silence_s=3.0) as talk:
        assert failure(talk.run("hang"))[0] == "timeout"
        assert talk.told("ended")[0]["reason"] == "silence"


def test_a_cancelled_dispatch_cancels_the_turn_and_leaves_nothing(tmp_path: Path) -> None:
    with talking(
        tmp_path, {"hang": doing(Run("setsid sleep 600 & echo on"), tool("hang"))}
    ) as talk:

        async def cancel() -> None:
            work = asyncio.ensure_future(talk.agent().perform(talk.job("hang", "write")))
            assert await asyncio.to_thread(until, lambda: len(talk.model.calls) == 2)
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work

        run(cancel())
        assert leftovers(mark(talk)) == []


def test_a_daemon_is_gone_afterwards(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        assert talk.run("daemon", "write").failure is None
        assert leftovers(mark(talk)) == []


# -- death and resumption


def test_an_agent_that_dies_goes_on_once_in_a_new_process_with_its_session(tmp_path: Path) -> None:
    script = doing(WRITE, tool("die", code=9), Write("{cwd}/b.txt", "b\n"))
    with talking(tmp_path, {"die": script}) as talk:
        answer = talk.run("die", "write")
        assert answer.failure is None
        assert (talk.stage.folder / "b.txt").exists()
        started = talk.told("started")
        assert len(started) == 2
        assert started[0]["session"] == started[1]["session"]
        told = [
            each["content"]
            for each in talk.model.calls[-1].body["messages"]
            if each["role"] == "user"
        ]
        assert told[-1] == conversation.INTERRUPTED


def test_a_session_that_is_loaded_replays_nothing_into_the_answer(tmp_path: Path) -> None:
    script = Script(
        (
            Step("I begin.", (WRITE,)),
            Step(acts=(tool("die"),)),
            Step(acts=(tool("stop", reason="end_turn"),)),
        )
    )
    with talking(tmp_path, {"die": script}, "load no-resume") as talk:
        talk.run("die", "write")
        assert [each["text"].strip() for each in talk.told("text")][0::2] == ["I begin."]


def test_it_goes_on_only_once(tmp_path: Path) -> None:
    with talking(tmp_path, {"die": doing(tool("die"), tool("die"), tool("die"))}) as talk:
        kind, detail = failure(talk.run("die"))
        assert (kind, "exit code 9" in detail) == ("crash", True)
        assert len(talk.told("started")) == 2


def test_one_that_cannot_resume_has_crashed(tmp_path: Path) -> None:
    with talking(tmp_path, {"die": doing(tool("die", code=3))}, "no-resume") as talk:
        kind, detail = failure(talk.run("die"))
        assert (kind, "exit code 3 before it answered session/prompt" in detail) == ("crash", True)
        assert len(talk.told("started")) == 1


def test_a_dispatch_whose_engine_died_finds_its_session(tmp_path: Path) -> None:
    script = doing(WRITE, tool("hang"), Write("{cwd}/b.txt", "b\n"))
    with talking(tmp_path, {"hang": script}) as talk:

        async def cut() -> None:
            work = asyncio.ensure_future(talk.agent().perform(talk.job("hang", "write")))
            # Asked is not answered: an agent that has not noted down what it was told asks again,
            # and hangs again.
            assert await asyncio.to_thread(
                until, lambda: any('"hang"' in each.read_text() for each in sessions(talk))
            )
            work.cancel()
            await asyncio.wait({work})

        run(cut())
        assert talk.run("hang", "write").failure is None
        assert (talk.stage.folder / "b.txt").exists()
        assert len({each["session"] for each in talk.told("started")}) == 1


def test_a_dispatch_that_is_done_leaves_no_session_to_go_on_with(tmp_path: Path) -> None:
    with talking(tmp_path, {"work": doing(WRITE)}) as talk:
        assert talk.run("work", "write").failure is None
        assert session_file.kept(talk.stage.scratch) is None
        assert talk.run("work", "write").failure is None
    assert len(sessions(talk)) == 2


def test_a_session_that_the_agent_does_not_know_any_more_is_begun_anew(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        talk.run("text")
        for file in sessions(talk):
            file.unlink()
        assert talk.run("text").failure is None
        assert len({each["session"] for each in talk.told("started")}) == 2


# -- hostile peers


def test_an_agent_that_never_answers_is_ended_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "START_S", 1.5)
    with talking(tmp_path, words="mute") as talk:
        began = time.monotonic()
        kind, detail = failure(talk.run("hello"))
        assert (kind, "initialize" in detail) == ("timeout", True)
        assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        ("huge", "garbage", "larger than"),
        ("v2", "not_dispatchable", "version 2"),
        ("login", "not_dispatchable", "login"),
        ("bad-answer", "garbage", "session/new"),
        ("dies", "crash", "no model is configured"),
    ],
)
def test_one_that_cannot_be_talked_with_says_why(
    tmp_path: Path, words: str, kind: str, said: str
) -> None:
    with talking(tmp_path, words=words) as talk:
        found, detail = failure(talk.run("hello"))
        assert (found, said in detail) == (kind, True)
        assert talk.model.calls == []


UNREADING = """
printf '{"id": 0, "result": {"protocolVersion": 1}}\\n{"id": 1, "result": {"sessionId": "s"}}\\n'
sleep 600
"""


def test_an_agent_that_never_reads_keeps_nobody(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        agent = AcpAgent("unreading", Plain(("sh", "-c", UNREADING)))
        job = talk.job("hello", prompt="x" * 5_000_000)
        assert failure(run(agent.perform(replace(job, timeout_s=2.0))))[0] == "timeout"

        async def cancel() -> float:
            work = asyncio.ensure_future(agent.perform(replace(job, timeout_s=600.0)))
            await asyncio.sleep(2.0)
            began = time.monotonic()
            work.cancel()
            await asyncio.wait({work})
            return time.monotonic() - began

        assert run(cancel()) < 30
        assert leftovers(mark(talk)) == []


def test_a_program_that_is_not_there_cannot_be_dispatched(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        kind, detail = failure(
            run(AcpAgent("none", Plain(("/no/such/program",))).perform(talk.job("hello")))
        )
    assert (kind, "/no/such/program" in detail) == ("not_dispatchable", True)


def test_a_program_that_speaks_something_else_has_crashed(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        answer = run(AcpAgent("echo", Plain(("echo", "hello"))).perform(talk.job("hello")))
    kind, detail = failure(answer)
    assert (kind, "hello" in detail) == ("crash", True)


def test_noise_wrong_ids_and_words_after_the_end_change_nothing(tmp_path: Path) -> None:
    wrong = [
        "garbage",
        {"jsonrpc": "2.0", "id": 999, "result": {"stopReason": "end_turn"}},
        {"id": "x", "error": {"code": 1}},
        [1],
        {"jsonrpc": "2.0", "method": "no/such/notification", "params": {}},
        {"jsonrpc": "2.0", "method": "session/update"},
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": 7, "update": []}},
    ]
    script = doing(tool("raw", lines=wrong), tool("late"), say="The answer.")
    with talking(tmp_path, {"raw": script}, "noise") as talk:
        answer = talk.run("raw")
        assert (answer.text.strip(), answer.failure) == ("The answer.", None)


def test_too_much_noise_is_garbage(tmp_path: Path) -> None:
    with talking(
        tmp_path, {"flood": doing(tool("flood", line="garbage", times=5000), tool("hang"))}
    ) as talk:
        kind, detail = failure(talk.run("flood"))
    assert (kind, "not messages" in detail) == ("garbage", True)


def test_a_flood_of_updates_fills_neither_memory_nor_the_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(activity, "MOST", 1000)
    monkeypatch.setattr(telling, "LONGEST_TEXT", 100_000)
    update = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "x" * 100 + "\n"},
    }
    with talking(
        tmp_path, {"flood": doing(tool("flood", update=update, times=3000), say="The end.")}
    ) as talk:
        answer = talk.run("flood")
        assert answer.failure is None
        assert len(answer.text) <= telling.LONGEST_TEXT + 200
        assert len(talk.stage.said) <= activity.MOST + 5


def test_a_folder_that_cannot_be_prepared_is_told(tmp_path: Path) -> None:
    with talking(tmp_path) as talk:
        job = talk.job("hello")
        talk.stage.scratch.rmdir()
        talk.stage.scratch.write_text("a file")
        assert failure(run(talk.agent().perform(job)))[0] == "not_dispatchable"
