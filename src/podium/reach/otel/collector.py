"""The collector that receives traces and metrics, as configured in `[telemetry]`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

import podium
from podium.core.errors import Fault
from podium.reach import posting
from podium.reach.channel import Undelivered
from podium.reach.otel import otlp
from podium.reach.otel.span import Span, Value
from podium.settings.values import Telemetry
from podium.verify.redact import Redactor


@dataclass(frozen=True)
class Collector:
    settings: Telemetry
    environ: Mapping[str, str]

    @property
    def protocol(self) -> str:
        return self.settings.protocol or ("http/protobuf" if otlp.protobuf_here() else "http/json")

    def send(self, spans: Sequence[Span]) -> None:
        """Send traces and metrics of these spans; raises Undelivered. If sent twice, they are
        the same spans.
        """
        redact = Redactor(self.environ)
        for some in otlp.batches([_redacted(each, redact) for each in spans]):
            self._post("traces", otlp.traces(some))
            if body := otlp.metrics(some):
                self._post("metrics", body)

    def _post(self, kind: str, body: Mapping[str, Any]) -> None:
        place = posting.checked(
            f"{self.settings.endpoint.rstrip('/')}/v1/{kind}",
            "[telemetry] endpoint",
            "headers_env names a variable",
        )
        binary = self.protocol == "http/protobuf"
        data = otlp.protobuf(body, kind) if binary else json.dumps(body).encode()
        told = {
            "Content-Type": "application/x-protobuf" if binary else "application/json",
            "User-Agent": f"podium/{podium.__version__}",
        }
        status = posting.post(place, data, {**self._headers(), **told}, self.settings.timeout_s)
        if not 200 <= status < 300:
            raise Undelivered(f"{place.hostname} answered {status} to {kind}")

    def _headers(self) -> dict[str, str]:
        """`name=value,name=value`, as in OpenTelemetry's own variable."""
        if not self.settings.headers_env:
            return {}
        given = self.environ.get(self.settings.headers_env, "")
        if not given.strip():
            raise Undelivered(f"{self.settings.headers_env} is not set")
        found = {}
        for part in filter(None, (each.strip() for each in given.split(","))):
            name, equals, value = part.partition("=")
            if (
                not equals
                or not name.strip().replace("-", "").isalnum()
                or any(sign in value for sign in "\r\n")
            ):
                raise Undelivered(
                    f"{self.settings.headers_env} is not of the form name=value,name=value"
                )
            found[name.strip()] = unquote(value.strip())
        return found


def faults(settings: Telemetry, environ: Mapping[str, str]) -> Iterator[Fault]:
    """What would prevent telemetry from arriving, as far as that can be seen without sending
    any.
    """
    if not settings.endpoint:
        return
    try:
        place = posting.checked(
            settings.endpoint, "[telemetry] endpoint", "headers_env names a variable"
        )
    except Undelivered as fault:
        yield Fault("telemetry.endpoint", str(fault), "for example http://127.0.0.1:4318")
        return
    if place.scheme == "http" and place.hostname not in posting.LOOPBACK:
        yield Fault(
            "telemetry.endpoint", "is not encrypted", "use https://, or a collector on this machine"
        )
    if settings.headers_env and not environ.get(settings.headers_env):
        yield Fault(
            "telemetry.headers_env",
            f"{settings.headers_env} is not set; nothing is sent",
            "set it where Podium runs",
        )
    if settings.protocol == "http/protobuf" and not otlp.protobuf_here():
        yield Fault(
            "telemetry.protocol",
            "http/protobuf needs an extra",
            "pip install 'podium[otel]', or http/json",
        )


def _redacted(span: Span, redact: Redactor) -> Span:
    def clean(values: Mapping[str, Value]) -> dict[str, Value]:
        return {
            name: redact(value) if isinstance(value, str) else value
            for name, value in values.items()
        }

    marks = tuple(replace(each, attributes=clean(each.attributes)) for each in span.marks)
    return replace(span, attributes=clean(span.attributes), marks=marks)
