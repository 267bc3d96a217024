"""Spans and histograms in OTLP format: as JSON, and as protobuf if the extra `otel` is
installed.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import podium
from podium.core.errors import UsageError
from podium.reach.otel import conventions as names
from podium.reach.otel.metrics import Histogram, Labels, measured
from podium.reach.otel.span import Mark, Span, Value

INTERNAL, ERROR, DELTA = 1, 2, 1
UNITS = {names.TOKEN_USAGE: "{token}", names.DURATION: "s"}
ABOUT = {
    names.TOKEN_USAGE: "Number of input and output tokens used.",
    names.DURATION: "GenAI operation duration.",
}
_IDS = ("traceId", "spanId", "parentSpanId")


def traces(spans: Sequence[Span]) -> dict[str, Any]:
    """The body of a request to `/v1/traces`."""
    return {
        "resourceSpans": [
            {**_resource(), "scopeSpans": [{**_scope(), "spans": [_span(each) for each in spans]}]}
        ]
    }


def metrics(spans: Sequence[Span]) -> dict[str, Any]:
    """The body of a request to `/v1/metrics`; empty if nothing was measured."""
    found = [_metric(name, rows) for name, rows in sorted(measured(spans).items())]
    return (
        {"resourceMetrics": [{**_resource(), "scopeMetrics": [{**_scope(), "metrics": found}]}]}
        if found
        else {}
    )


def protobuf_here() -> bool:
    return find_spec("opentelemetry") is not None and find_spec("opentelemetry.proto") is not None


def protobuf(body: Mapping[str, Any], kind: str) -> bytes:
    """The same as protobuf; `kind` is `traces` or `metrics`."""
    if not protobuf_here():
        raise UsageError(
            "http/protobuf needs an extra: pip install 'podium[otel]'; or set [telemetry] "
            "protocol = 'http/json'"
        )
    from google.protobuf.json_format import ParseDict  # noqa: PLC0415 - an extra
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (  # noqa: PLC0415
        ExportMetricsServiceRequest,
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415

    message = ExportTraceServiceRequest() if kind == "traces" else ExportMetricsServiceRequest()
    data: bytes = ParseDict(_binary(body), message).SerializeToString()
    return data


def _binary(value: Any) -> Any:
    """OTLP writes ids in hexadecimal, protobuf's own JSON in base64."""
    if isinstance(value, Mapping):
        return {
            name: base64.b64encode(bytes.fromhex(each)).decode() if name in _IDS else _binary(each)
            for name, each in value.items()
        }
    return [_binary(each) for each in value] if isinstance(value, list) else value


def _resource() -> dict[str, Any]:
    told = {"service.name": "podium", "service.version": podium.__version__}
    return {"resource": {"attributes": _attributes(told)}, "schemaUrl": names.SCHEMA}


def _scope() -> dict[str, Any]:
    return {"scope": {"name": "podium", "version": podium.__version__}, "schemaUrl": names.SCHEMA}


def _span(span: Span) -> dict[str, Any]:
    found: dict[str, Any] = {
        "traceId": span.trace,
        "spanId": span.id,
        "name": span.name,
        "kind": INTERNAL,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _attributes(span.attributes),
    }
    if span.parent:
        found["parentSpanId"] = span.parent
    if span.marks:
        found["events"] = [_event(each) for each in span.marks]
    if span.links:
        found["links"] = [
            {
                "traceId": span.trace,
                "spanId": each,
                "attributes": _attributes({"podium.link": "retry_of"}),
            }
            for each in span.links
        ]
    return {**found, "status": {"code": ERROR, "message": span.error}} if span.error else found


def _event(mark: Mark) -> dict[str, Any]:
    return {
        "timeUnixNano": str(mark.at),
        "name": mark.name,
        "attributes": _attributes(mark.attributes),
    }


def _metric(name: str, rows: Mapping[Labels, Histogram]) -> dict[str, Any]:
    points = [_point(labels, row) for labels, row in rows.items()]
    histogram = {"aggregationTemporality": DELTA, "dataPoints": points}
    return {"name": name, "unit": UNITS[name], "description": ABOUT[name], "histogram": histogram}


def _point(labels: Labels, row: Histogram) -> dict[str, Any]:
    return {
        "attributes": _attributes(dict(labels)),
        "startTimeUnixNano": str(row.start),
        "timeUnixNano": str(row.end),
        "count": str(sum(row.counts)),
        "sum": row.total,
        "min": row.least,
        "max": row.most,
        "bucketCounts": [str(each) for each in row.counts],
        "explicitBounds": [float(each) for each in row.bounds],
    }


def _attributes(values: Mapping[str, Value]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in sorted(values.items())]


def _value(value: Value) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value.encode(errors="backslashreplace").decode()}


def batches(spans: Sequence[Span], most: int = 500) -> Iterable[Sequence[Span]]:
    """Split the spans: collectors refuse bodies that are too large."""
    return (spans[at : at + most] for at in range(0, len(spans), most))
