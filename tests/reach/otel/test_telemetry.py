"""Runs as traces and metrics, decoded by the protocol's own classes."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.project import Project
from tests.reach.receiver import Receiver, receiving

from podium.reach.channel import Undelivered
from podium.reach.otel import conventions, otlp
from podium.reach.otel.collector import Collector, faults
from podium.reach.otel.live import RECORD, Live
from podium.reach.otel.tracing import Tracer, spans
from podium.settings.values import Telemetry

pytest.importorskip(
    "opentelemetry.proto", reason="the extra otel is not installed: pip install 'podium[otel]'"
)


def decoded(path: str, body: bytes, binary: bool) -> Any:
    """As a collector reads it."""
    from google.protobuf.json_format import ParseDict  # noqa: PLC0415
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (  # noqa: PLC0415
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415

    message = (
        ExportTraceServiceRequest() if path.endswith("traces") else ExportMetricsServiceRequest()
    )
    if binary:
        message.ParseFromString(body)
        return message
    return ParseDict(_base64(json.loads(body)), message)


def _base64(value: Any) -> Any:
    if isinstance(value, dict):
        ids = {"traceId", "spanId", "parentSpanId"}
        return {
            name: base64.b64encode(bytes.fromhex(each)).decode() if name in ids else _base64(each)
            for name, each in value.items()
        }
    return [_base64(each) for each in value] if isinstance(value, list) else value


def received(receiver: Receiver) -> tuple[list[Any], list[Any]]:
    traces, metrics = [], []
    for path, headers, body in receiver.heard:
        message = decoded(path, body, headers["Content-Type"] == "application/x-protobuf")
        if path.endswith("traces"):
            traces += [
                span
                for some in message.resource_spans
                for each in some.scope_spans
                for span in each.spans
            ]
        else:
            metrics += [
                metric
                for some in message.resource_metrics
                for each in some.scope_metrics
                for metric in each.metrics
            ]
    return traces, metrics


def attributes(found: Any) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in found.attributes
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = Project.at(tmp_path_factory.mktemp("run"))
    made.run({"build": [{"fail": "empty"}, {"behave": "well"}]})
    made.approve(note="secret words")
    made.resume()
    made.approve()
    made.resume()
    return made


@pytest.mark.parametrize("protocol", ["http/json", "http/protobuf"])
def test_a_run_is_one_trace_with_a_span_for_each_attempt(project: Project, protocol: str) -> None:
    found = spans(project.events())
    with receiving() as receiver:
        Collector(Telemetry(endpoint=receiver.url, protocol=protocol), {}).send(found)
    traces, metrics = received(receiver)
    assert len({each.trace_id for each in traces}) == 1
    by_name = {each.name: each for each in traces}
    root = by_name["invoke_workflow harness"]
    assert not root.parent_span_id
    assert {each.parent_span_id for each in traces if each is not root} == {root.span_id}
    spec = by_name["invoke_agent po-spec"]
    told = attributes(spec)
    assert (
        told["gen_ai.operation.name"],
        told["gen_ai.agent.name"],
        told["gen_ai.conversation.id"],
    ) == ("invoke_agent", "po-spec", project.run_id)
    assert told["podium.step.outcome"] == "ok"
    assert spec.start_time_unix_nano < spec.end_time_unix_nano
    gate = by_name["podium.gate approve-build"]
    assert attributes(gate)["podium.gate.decision"] == "approved"
    assert {each.name for each in metrics} == {conventions.DURATION}
    assert all(each.histogram.aggregation_temporality == 1 for each in metrics)


def test_attempts_of_one_step_are_linked_and_the_failed_one_says_why(project: Project) -> None:
    tries = [
        each
        for each in spans(project.events())
        if each.attributes.get("podium.step.key") == "build/1"
    ]
    assert len(tries) == 2
    assert tries[1].links == (tries[0].id,)
    assert tries[0].error
    assert tries[0].attributes["error.type"] == tries[0].error


def test_a_round_is_linked_to_the_one_before_it() -> None:
    events = [fact(1, "run.started", workflow="ticket", version="1")]
    for number, key in enumerate(("build/1", "build/2", "plan", "plan/2", "task/7"), 1):
        events += [started(2 * number, key), finished(2 * number + 1, key)]
    by = {each.attributes.get("podium.step.key"): each for each in spans(events)}
    assert by["build/2"].links == (by["build/1"].id,)
    assert by["plan/2"].links == (by["plan"].id,)
    assert by["build/1"].links == by["task/7"].links == ()


def test_the_same_journal_gives_the_same_ids_and_another_run_others(project: Project) -> None:
    events = project.events()
    assert spans(events) == spans(events)
    other = [{**each, "run": "other"} for each in events]
    assert not {each.id for each in spans(events)} & {each.id for each in spans(other)}
    assert all(len(each.id) == 16 and len(each.trace) == 32 for each in spans(events))


def test_words_of_agents_and_people_are_sent_only_when_wanted(project: Project) -> None:
    silent = json.dumps(otlp.traces(spans(project.events())))
    assert "secret words" not in silent
    assert "Ada" not in silent
    assert "Start Build?" not in silent
    spoken = json.dumps(otlp.traces(spans(project.events(), content=True)))
    assert "secret words" in spoken
    assert "Start Build?" in spoken


def test_a_run_that_is_not_over_has_its_open_spans_marked(tmp_path: Path) -> None:
    made = Project.at(tmp_path)
    made.run()
    found = {each.name: each for each in spans(made.events())}
    assert found["podium.gate approve-build"].attributes["podium.open"] is True
    assert found["invoke_workflow harness"].attributes["podium.open"] is True
    assert [mark.name for mark in found["invoke_workflow harness"].marks] == ["run.paused"]


def started(seq: int, key: str, run: str = "R", **more: Any) -> dict[str, Any]:
    return fact(
        seq,
        "step.started",
        run,
        key=key,
        step=key,
        kind="dispatch",
        role="dev",
        attempt=1,
        inputs={},
        **more,
    )


def fact(seq: int, type: str, run: str = "R", **more: Any) -> dict[str, Any]:
    return {
        "type": type,
        "seq": seq,
        "run": run,
        "ts": f"2026-01-01T00:00:{seq:02d}.000Z",
        "hash": f"h{seq}",
        **more,
    }


def finished(seq: int, key: str, run: str = "R", **usage: Any) -> dict[str, Any]:
    return fact(
        seq,
        "step.finished",
        run,
        key=key,
        outcome="ok",
        verdict="done",
        usage=usage,
        assurance={},
        classification="",
    )


def test_tokens_models_and_time_are_measured_by_role_and_provider() -> None:
    events = [
        fact(1, "run.started", workflow="ticket", version="1"),
        started(2, "a"),
        finished(3, "a", tokens_in=100, tokens_out=5, cost_usd=0.5, models=["claude-x"]),
        started(4, "b"),
        finished(14, "b", tokens_in=3000, tokens_out=None, models=["claude-x"]),
    ]
    found = spans(events)
    told = next(each for each in found if each.attributes.get("podium.step.key") == "a").attributes
    assert (
        told["gen_ai.usage.input_tokens"],
        told["gen_ai.usage.output_tokens"],
        told["podium.usage.cost_usd"],
    ) == (100, 5, 0.5)
    assert (told["gen_ai.request.model"], told["gen_ai.provider.name"]) == ("claude-x", "anthropic")
    message = decoded("/v1/metrics", json.dumps(otlp.metrics(found)).encode(), False)
    metrics = {each.name: each for each in message.resource_metrics[0].scope_metrics[0].metrics}
    rows = {
        attributes(point)["gen_ai.token.type"]: point
        for point in metrics[conventions.TOKEN_USAGE].histogram.data_points
    }
    assert (rows["input"].count, rows["input"].sum, rows["output"].count) == (2, 3100, 1)
    assert len(rows["input"].bucket_counts) == len(rows["input"].explicit_bounds) + 1
    assert sum(rows["input"].bucket_counts) == 2
    took = next(
        p
        for p in metrics[conventions.DURATION].histogram.data_points
        if attributes(p)["gen_ai.operation.name"] == "invoke_agent"
    )
    assert (took.count, took.sum, took.min, took.max) == (2, 11.0, 1.0, 10.0)


def test_a_child_run_hangs_below_the_run_that_started_it() -> None:
    events = [
        fact(1, "run.started", workflow="roadmap", version="1"),
        fact(1, "run.started", "R/item/1", workflow="roadmap-item", version="1"),
        started(2, "item/1/build", "R/item/1"),
        finished(3, "item/1/build", "R/item/1"),
        fact(4, "run.completed", "R/item/1", outcome="complete"),
        fact(5, "run.completed", outcome="complete"),
    ]
    by = {each.name: each for each in spans(events)}
    assert by["invoke_workflow roadmap-item"].parent == by["invoke_workflow roadmap"].id
    assert by["invoke_agent dev"].parent == by["invoke_workflow roadmap-item"].id
    assert by["invoke_agent dev"].trace == by["invoke_workflow roadmap"].trace


@pytest.mark.parametrize(
    ("models", "name"),
    [
        (["gpt-5"], "openai"),
        (["google/gemini-3"], "gcp.gemini"),
        (["claude-1", "gpt-5"], "_OTHER"),
        ([], "_OTHER"),
        (["llama"], "_OTHER"),
    ],
)
def test_the_provider_is_named_by_the_models_or_not_at_all(models: list[str], name: str) -> None:
    assert conventions.provider(models) == name


def live(receiver: Receiver, folder: Path, past: list[Mapping[str, Any]]) -> Live:
    return Live(
        Collector(Telemetry(endpoint=receiver.url), {}),
        lambda _: list(past),
        lambda _: folder,
        every_s=0.05,
    )


def test_a_resumed_run_goes_on_where_the_last_process_ended_and_sends_what_others_wrote(
    tmp_path: Path,
) -> None:
    first = [
        fact(1, "run.started", workflow="ticket", version="1"),
        started(2, "a"),
        finished(3, "a"),
    ]
    asked = fact(
        4, "gate.opened", key="g", step="g", kind="approval", prompt="?", choices=[], subject={}
    )
    decided = fact(5, "gate.decided", key="g", decision="approved", by="Ada", note="", subject={})
    ended = fact(6, "run.completed", outcome="complete")
    with receiving() as receiver:
        told = live(receiver, tmp_path, [])
        for each in (*first, asked):
            told.event(each)
        assert told.settle() == []
        assert [each.name for each in received(receiver)[0]] == ["invoke_agent dev"]
        assert json.loads((tmp_path / RECORD).read_text()) == {"R": 4}
        receiver.heard.clear()
        told = live(receiver, tmp_path, [*first, asked, decided])
        told.event(ended)
        assert told.settle() == []
        assert sorted(each.name for each in received(receiver)[0]) == [
            "invoke_workflow ticket",
            "podium.gate g",
        ]


def test_a_decision_that_another_wrote_between_is_read_from_the_journal(tmp_path: Path) -> None:
    journal: list[Mapping[str, Any]] = [
        fact(1, "run.started", workflow="ticket", version="1"),
        fact(
            2, "gate.opened", key="g", step="g", kind="approval", prompt="?", choices=[], subject={}
        ),
        fact(3, "gate.decided", key="g", decision="approved", by="Ada", note="", subject={}),
        fact(4, "run.completed", outcome="complete"),
    ]
    with receiving() as receiver:
        there = journal[:2]
        told = live(receiver, tmp_path, there)
        told._past = lambda _: list(there)
        told.event(journal[0])
        told.event(journal[1])
        time.sleep(0.2)
        there += journal[2:]
        told.event(journal[3])
        assert told.settle() == []
    gate = next(each for each in received(receiver)[0] if each.name == "podium.gate g")
    assert attributes(gate)["podium.gate.decision"] == "approved"


def test_what_was_not_taken_is_sent_again_with_the_same_ids(tmp_path: Path) -> None:
    events = [
        fact(1, "run.started", workflow="ticket", version="1"),
        started(2, "a"),
        finished(3, "a"),
    ]
    with receiving() as receiver:
        receiver.answers = [503]
        told = live(receiver, tmp_path, [])
        for each in events:
            told.event(each)
        deadline = time.monotonic() + 5
        while len(receiver.heard) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert told.settle() == []
    sent = received(receiver)[0]
    assert len(sent) == 2
    assert sent[0].span_id == sent[1].span_id


def test_a_collector_that_is_not_there_is_said_at_the_end_and_no_more(tmp_path: Path) -> None:
    with receiving() as receiver:
        url = receiver.url
    told = Live(
        Collector(Telemetry(endpoint=url), {}), lambda _: [], lambda _: tmp_path, every_s=0.05
    )
    told.event(fact(1, "run.started", workflow="ticket", version="1"))
    told.event(started(2, "a"))
    told.event(finished(3, "a"))
    assert "no connection to 127.0.0.1" in told.settle()[0]
    assert not (tmp_path / RECORD).exists()


def test_an_event_that_nobody_expected_does_not_reach_the_run(tmp_path: Path) -> None:
    with receiving() as receiver:
        told = live(receiver, tmp_path, [])
        told.event({"run": "R"})
        assert "KeyError" in told.settle()[0]


def test_headers_come_from_a_variable_and_nothing_is_sent_without_it() -> None:
    settings = Telemetry(headers_env="OTLP_HEADERS")
    found = spans([fact(1, "run.started", workflow="ticket", version="1")])
    with receiving() as receiver:
        settings = Telemetry(endpoint=receiver.url, headers_env="OTLP_HEADERS")
        Collector(settings, {"OTLP_HEADERS": "api-key=a%20b, x-team=one"}).send(found)
        headers = receiver.heard[0][1]
        assert (headers["api-key"], headers["x-team"]) == ("a b", "one")
        for environ, words in (
            ({}, "is not set"),
            ({"OTLP_HEADERS": "nonsense"}, "is not of the form"),
            ({"OTLP_HEADERS": "a b=c"}, "is not of the form"),
        ):
            with pytest.raises(Undelivered, match=words):
                Collector(settings, environ).send(found)
    assert len(receiver.heard) == 1


def test_secrets_are_cut_out_of_what_is_sent() -> None:
    events = [
        fact(1, "run.started", workflow="ticket", version="1"),
        fact(2, "run.blocked", reason="key s3cret-s3cret", stop="rule"),
    ]
    with receiving() as receiver:
        Collector(
            Telemetry(endpoint=receiver.url, protocol="http/json", content=True),
            {"API_KEY": "s3cret-s3cret"},
        ).send(spans(events, content=True))
    body = receiver.heard[0][2]
    assert b"s3cret" not in body
    assert b"[redacted]" in body


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Telemetry(endpoint="collector:4318"), "must begin with"),
        (Telemetry(endpoint="http://collector:4318"), "is not encrypted"),
        (Telemetry(endpoint="https://c", headers_env="NONE"), "NONE is not set"),
    ],
)
def test_what_is_wrong_with_the_settings_is_told(settings: Telemetry, words: str) -> None:
    assert any(words in each.what for each in faults(settings, {}))


def test_settings_that_are_good_or_empty_have_no_fault() -> None:
    assert not list(faults(Telemetry(), {}))
    assert not list(faults(Telemetry(endpoint="http://127.0.0.1:4318"), {}))


def test_a_tracer_forgives_ends_without_a_begin() -> None:
    tracer = Tracer()
    assert tracer.absorb(finished(9, "x")) == []
    assert tracer.unfinished() == []
