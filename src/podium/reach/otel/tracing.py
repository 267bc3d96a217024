"""The journal as spans: a run is a trace; child runs, attempts of steps and gates until decided
are spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podium.reach.otel import conventions as names
from podium.reach.otel.span import Mark, Span, Value, nanoseconds, span_id, trace_id

Event = Mapping[str, Any]
_WORDS = ("reason", "note", "by", "prompt")
"""Texts of agents and people: sent only if wanted."""


@dataclass
class _Open:
    """A span that has started."""

    id: str
    parent: str
    name: str
    start: int
    attributes: dict[str, Value]
    links: tuple[str, ...] = ()
    marks: list[Mark] = field(default_factory=list)


class Tracer:
    """Takes the events of one family of runs in order, and returns the spans that each event
    ends.
    """

    def __init__(self, *, content: bool = False) -> None:
        """`content`: whether texts of agents and people are included."""
        self._content = content
        self._trace = ""
        self._runs: dict[str, _Open] = {}
        self._steps: dict[tuple[str, str], _Open] = {}
        self._gates: dict[tuple[str, str], _Open] = {}
        self._tries: dict[tuple[str, str], list[str]] = {}
        self._last: dict[str, tuple[int, int]] = {}
        """For each run, (time, seq) of its last event."""

    def absorb(self, event: Event) -> list[Span]:
        run, at = str(event["run"]), nanoseconds(event["ts"])
        self._last[run] = (at, int(event["seq"]))
        place = (run, str(event.get("key", "")))
        match event["type"]:
            case "run.started":
                self._begin(run, at, event)
            case "step.started":
                self._step(place, at, event)
            case "step.finished":
                return self._ended(
                    self._steps.pop(place, None), at, event, self._outcome(event), _failed(event)
                )
            case "retry.scheduled":
                return self._ended(
                    self._steps.pop(place, None),
                    at,
                    event,
                    _usage(event),
                    str(event["classification"]),
                )
            case "step.interrupted":
                return self._ended(self._steps.pop(place, None), at, event, {}, "interrupted")
            case "gate.opened":
                self._gate(place, at, event)
            case "gate.decided":
                told: dict[str, Value] = {
                    "podium.gate.decision": str(event["decision"]),
                    **self._words(event),
                }
                return self._ended(self._gates.pop(place, None), at, event, told, "")
            case "run.completed" | "run.cancelled":
                return self._run_ended(run, at, event)
            case _:
                self._mark(place, at, event)
        return []

    def unfinished(self) -> list[Span]:
        """What is still open, as if it ended with the last event: for a trace of a run that is
        not over.
        """
        found: list[Span] = []
        for (run, _), each in [*self._steps.items(), *self._gates.items()]:
            at, seq = self._last[run]
            found.append(self._closed(each, at, seq, {"podium.open": True}, ""))
        for run, each in self._runs.items():
            at, seq = max(
                self._last[name] for name in self._last if name == run or name.startswith(f"{run}/")
            )
            found.append(self._closed(each, at, seq, {"podium.open": True}, ""))
        return sorted(found, key=lambda span: (span.start, span.id))

    def _begin(self, run: str, at: int, event: Event) -> None:
        self._trace = self._trace or trace_id(run, str(event["hash"]))
        workflow = str(event["workflow"])
        attributes: dict[str, Value] = {
            names.OPERATION: names.INVOKE_WORKFLOW,
            names.WORKFLOW: workflow,
            names.CONVERSATION: run.partition("/")[0],
            "podium.run": run,
            "podium.version": str(event.get("version", "")),
        }
        self._runs[run] = _Open(
            span_id(self._trace, run),
            self._above(run),
            f"{names.INVOKE_WORKFLOW} {workflow}",
            at,
            attributes,
        )

    def _above(self, run: str) -> str:
        """The span of the nearest run whose key is a prefix of this one's."""
        above = [name for name in self._runs if run.startswith(f"{name}/")]
        return self._runs[max(above, key=len)].id if above else ""

    def _step(self, place: tuple[str, str], at: int, event: Event) -> None:
        run, key = place
        role, kind = str(event.get("role", "")), str(event["kind"])
        attributes: dict[str, Value] = {
            names.CONVERSATION: run.partition("/")[0],
            "podium.run": run,
            "podium.step.key": key,
            "podium.step.kind": kind,
            "podium.step.attempt": int(event.get("attempt", 1)),
            "podium.step.repair": int(event.get("repair", 0)),
        }
        name = f"podium.{kind} {event.get('step', key)}"
        if kind == "dispatch":
            name = f"{names.INVOKE_AGENT} {role}"
            attributes |= {names.OPERATION: names.INVOKE_AGENT, names.AGENT: role}
        elif kind == "command":
            tool = str(event.get("step", key))
            name = f"{names.EXECUTE_TOOL} {tool}"
            attributes |= {names.OPERATION: names.EXECUTE_TOOL, names.TOOL: tool}
        tries = self._tries.setdefault(place, [])
        ident = span_id(self._trace, run, key, len(tries) + 1)
        parent = self._runs[run].id if run in self._runs else ""
        self._steps[place] = _Open(
            ident, parent, name, at, attributes, tuple(tries[-1:]) or self._round_before(run, key)
        )
        tries.append(ident)

    def _round_before(self, run: str, key: str) -> tuple[str, ...]:
        """The last attempt of the previous round: `build/2` repeats `build/1`; a first round may
        have no number.
        """
        base, _, number = key.rpartition("/")
        if not base or not number.isdigit() or int(number) < 2:
            return ()
        before = self._tries.get((run, f"{base}/{int(number) - 1}")) or (
            self._tries.get((run, base)) if number == "2" else None
        )
        return tuple((before or ())[-1:])

    def _gate(self, place: tuple[str, str], at: int, event: Event) -> None:
        run, key = place
        attributes: dict[str, Value] = {
            "podium.run": run,
            "podium.gate.key": key,
            "podium.gate.kind": str(event["kind"]),
            **self._words(event),
        }
        parent = self._runs[run].id if run in self._runs else ""
        # The event's own seq tells a gate's openings apart.
        ident = span_id(self._trace, run, key, "gate", event["seq"])
        self._gates[place] = _Open(ident, parent, f"podium.gate {key}", at, attributes)

    def _mark(self, place: tuple[str, str], at: int, event: Event) -> None:
        """Anything else that stops or delays a run becomes an event of the span it belongs to."""
        kind = str(event["type"])
        if (
            kind in {"run.paused", "run.blocked", "run.resumed", "budget.reached"}
            and place[0] in self._runs
        ):
            told = {
                f"podium.{name}": str(event[name])
                for name in ("stop", "until", "axis")
                if event.get(name)
            }
            self._runs[place[0]].marks.append(Mark(kind, at, {**told, **self._words(event)}))
        elif kind in {"artifact.rejected", "contract.violated"} and place in self._steps:
            failure = {"podium.failure": str(event["failure"])} if "failure" in event else {}
            self._steps[place].marks.append(Mark(kind, at, failure))

    def _outcome(self, event: Event) -> dict[str, Value]:
        found: dict[str, Value] = {
            f"podium.step.{name}": str(event[name])
            for name in ("outcome", "verdict", "classification")
            if event.get(name)
        }
        found |= {
            f"podium.assurance.{name}": str(value)
            for name, value in (event.get("assurance") or {}).items()
        }
        return {**found, **_usage(event), **self._words(event)}

    def _run_ended(self, run: str, at: int, event: Event) -> list[Span]:
        cancelled = event["type"] == "run.cancelled"
        outcome = "cancelled" if cancelled else str(event.get("outcome", ""))
        told = {"podium.run.outcome": outcome, **self._words(event)}
        below = [place for place in [*self._steps] if place[0] == run]
        found = [
            span
            for place in below
            for span in self._ended(self._steps.pop(place), at, event, {}, "interrupted")
        ]
        found += [
            span
            for place in [*self._gates]
            if place[0] == run
            for span in self._ended(self._gates.pop(place), at, event, {}, "")
        ]
        return found + self._ended(
            self._runs.pop(run, None), at, event, told, "cancelled" if cancelled else ""
        )

    def _ended(
        self, opened: _Open | None, at: int, event: Event, told: Mapping[str, Value], error: str
    ) -> list[Span]:
        return [] if opened is None else [self._closed(opened, at, int(event["seq"]), told, error)]

    def _closed(
        self, opened: _Open, at: int, seq: int, told: Mapping[str, Value], error: str
    ) -> Span:
        attributes = {**opened.attributes, **told, **({names.ERROR: error} if error else {})}
        if attributes.get(names.OPERATION) == names.INVOKE_AGENT:
            attributes.setdefault(names.PROVIDER, names.provider(()))
        return Span(
            self._trace,
            opened.id,
            opened.parent,
            opened.name,
            opened.start,
            max(at, opened.start),
            attributes,
            error,
            opened.links,
            tuple(opened.marks),
            seq,
        )

    def _words(self, event: Event) -> dict[str, Value]:
        return (
            {f"podium.{name}": str(event[name]) for name in _WORDS if event.get(name)}
            if self._content
            else {}
        )


def _failed(event: Event) -> str:
    return str(event.get("classification") or "failed") if event.get("outcome") == "fail" else ""


def _usage(event: Event) -> dict[str, Value]:
    usage = event.get("usage") or {}
    found: dict[str, Value] = {}
    for name, attribute in (
        ("tokens_in", names.TOKENS_IN),
        ("tokens_out", names.TOKENS_OUT),
        ("cost_usd", "podium.usage.cost_usd"),
    ):
        if isinstance(usage.get(name), int | float):
            found[attribute] = usage[name]
    models = [str(each) for each in usage.get("models") or ()]
    if models:
        found |= {names.MODEL: models[0], names.PROVIDER: names.provider(models)}
    return found


def spans(events: Iterable[Event], *, content: bool = False) -> list[Span]:
    """The whole trace of a run as its journal stands."""
    tracer = Tracer(content=content)
    found = [span for event in events for span in tracer.absorb(event)]
    return sorted([*found, *tracer.unfinished()], key=lambda span: (span.start, span.id))
