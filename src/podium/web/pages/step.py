"""The page of one step: what it was told and could read, what it said, did and left, and how
that was judged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podium.core.records import StepRecord
from podium.views import figures
from podium.views.lines import log_line
from podium.views.report.ledger import Ledger, findings
from podium.views.show import ARTIFACT, CHECKS, MOST_BYTES, Material
from podium.views.text import Told
from podium.web.pages import diffs, links, parts
from podium.web.pages.documents import Document, document, lines
from podium.web.pages.frame import Frame
from podium.web.pages.markdown import rendered
from podium.web.pages.progress import Used, used
from podium.web.pages.rendering import render
from podium.web.pages.spans import Span, spans
from podium.web.pages.transcripts import transcript
from podium.web.pages.words import state_of

Event = Mapping[str, Any]

OUTPUT = 400
"""The most lines of a command's output on the page."""


def home(events: Sequence[Event], key: str) -> str | None:
    """The run or child run that a step belongs to; None if there is no such step."""
    found = None
    for event in events:
        if event.get("type") == "step.started" and event.get("key") == key:
            found = str(event.get("run", ""))
    return found


def page(
    frame: Frame,
    summary: Told,
    events: Sequence[Event],
    key: str,
    material: Material,
    now: float,
    files: Sequence[str] = (),
) -> str:
    ledger = Ledger(events)
    at = next(place for place, each in enumerate(ledger.steps) if each.key == key)
    record = ledger.steps[at]
    brief = material.data("brief.json")
    said, unsaid = transcript(material.texts.get("transcript.jsonl", ""))
    near = [
        each.key if each is not None else ""
        for each in (_beside(ledger.steps, at, -1), _beside(ledger.steps, at, 1))
    ]
    return render(
        "step.html",
        frame=frame,
        live=f"{links.run(summary.run)}/events",
        title=key,
        run=summary,
        step=record,
        state_now=state_of(record),
        facts=facts(record, now if summary.holder is not None else None),
        near=near,
        reads=_reads(record, brief),
        wrote=[
            (path, mark, record.before.get(path, ""))
            for path, mark in sorted(record.outputs.items())
        ],
        prompt=_rendered(material, "prompt.md"),
        role=_markdown(brief.get("definition")),
        contract=_contract(brief),
        answer=_rendered(material, "output.md"),
        verdict=_verdict(material),
        changes=diffs.patch(material.texts.get("changes.patch", "")),
        quarantine=diffs.patch(material.texts.get("quarantine.patch", "")),
        transcript=said,
        unsaid=unsaid,
        ran=parts.evidence([record]),
        outputs=_outputs(material),
        documents=_documents(record, material),
        tries=[
            (each, figures.seconds(each.until(now) - each.began))
            for each in spans(_own(events, key))
            if each.key == key
        ],
        troubles=parts.troubles([record]),
        findings=list(findings(record)),
        used=used(record.role, [record]) if record.kind == "dispatch" else None,
        log=[log_line(each, 400) for each in _own(events, key)][-80:],
        files=files,
        cut=[
            name
            for name, text in sorted(material.texts.items())
            if len(text) >= MOST_BYTES // 4 and len(text.encode()) >= MOST_BYTES
        ],
    )


def _own(events: Sequence[Event], key: str) -> list[Event]:
    return [
        each
        for each in events
        if each.get("key") == key or str(each.get("key", "")).startswith(f"{key}/question-")
    ]


def _beside(steps: Sequence[StepRecord], at: int, way: int) -> StepRecord | None:
    """The dispatch before or after it in time."""
    found = at + way
    while 0 <= found < len(steps) and steps[found].kind == "decision":
        found += way
    return steps[found] if 0 <= found < len(steps) else None


@dataclass(frozen=True)
class Facts:
    """The headline of a step."""

    whose: str
    by: str
    """Who did it, if no agent did."""
    outcome: str
    reason: tuple[str, ...]
    took: str
    attempt: str
    assurance: tuple[tuple[str, str], ...]
    commit: str
    definition: tuple[str, str]


def facts(record: StepRecord, now: float | None) -> Facts:
    began = figures.moment(record.started)
    took = (
        figures.between(record.started, record.finished)
        if record.finished
        else (now - began if now and began else None)
    )
    same = record.verdict in {"", record.outcome}
    return Facts(
        whose=record.role or record.kind,
        by=CHECKS.get(record.kind, ""),
        outcome=record.outcome if same else f"{record.outcome}: {record.verdict}",
        reason=tuple(line for line in record.reason.splitlines() if line.strip())[:60],
        took=figures.seconds(took),
        attempt=f"{record.attempt}, dispatched {figures.plural(record.calls, 'time')}"
        if record.kind == "dispatch"
        else "",
        assurance=tuple(
            sorted((str(name), str(level)) for name, level in record.assurance.items())
        ),
        commit=f"{record.base[:12]} … {record.commit[:12]}" if record.commit else "",
        definition=(
            str(record.definition.get("from", "")),
            str(record.definition.get("digest", "")),
        ),
    )


def _reads(record: StepRecord, brief: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(name, path, digest) of everything it was given."""
    told = brief.get("inputs")
    found = (
        [
            (str(each[0]), str(each[1]), str(each[2]))
            for each in told
            if isinstance(each, list) and len(each) == 3
        ]
        if isinstance(told, list)
        else []
    )
    return found or [(name, name, str(mark)) for name, mark in sorted(record.inputs.items())]


def _contract(brief: Mapping[str, Any]) -> str:
    """The brief without what is elsewhere on the page."""
    rest = {
        name: value
        for name, value in brief.items()
        if name not in {"definition", "inputs", "key", "role", "prompt"}
        and value not in (None, "", [], {})
    }
    return json.dumps(rest, indent=2, ensure_ascii=False, sort_keys=True)[:20_000] if rest else ""


def _markdown(text: object) -> Any:
    return rendered(text) if isinstance(text, str) and text.strip() else None


def _rendered(material: Material, name: str) -> Any:
    return _markdown(material.texts.get(name, ""))


def _verdict(material: Material) -> str:
    said = material.data("verdict.json")
    return (
        json.dumps(said, indent=2, ensure_ascii=False, sort_keys=True)[:40_000]
        if said
        else material.texts.get("verdict.json", "")[:40_000]
    )


def _outputs(material: Material) -> list[tuple[str, tuple[str, ...], int]]:
    """(name, lines, number of lines left out) of what commands printed."""
    names = [name for name in sorted(material.texts) if name.startswith("evidence")]
    return [(name, *lines(material.texts[name], OUTPUT)) for name in names]


def _documents(record: StepRecord, material: Material) -> list[tuple[Document, str]]:
    """(file, digest): the artifacts as they were verified."""
    found = []
    for path in sorted(record.outputs):
        text = material.texts.get(ARTIFACT + path.replace("/", "~"))
        if text is not None:
            found.append((document(path, text), str(record.outputs[path])))
    return found


__all__ = ["Facts", "Span", "Used", "facts", "home", "page"]
