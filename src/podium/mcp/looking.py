"""What a chat agent may see: the same as the reading commands, as data and a few words. Nothing
here writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from podium.core.errors import UsageError
from podium.core.keys import names
from podium.core.nearest import nearest
from podium.core.records import StepRecord
from podium.mcp.result import Result
from podium.proof.delivery import as_text, delivery_of
from podium.state.run_folder import step_folder
from podium.views import safe
from podium.views.lines import entry as lines_of
from podium.views.look import ENDS
from podium.views.report.ledger import Ledger
from podium.views.report.report import markdown
from podium.views.show import read_step
from podium.views.step_list import listed
from podium.wiring import App
from podium.wiring_values import Summary
from podium.workflows.catalog import NAMES, entry

LARGEST_TEXT = 40_000
"""The most characters of one file or report: a chat has to hold it."""
MOST_LINES = 200
"""The most lines of one question."""
LARGEST_ANSWER = 4 * LARGEST_TEXT
_BRIEF = (
    "run",
    "workflow",
    "title",
    "status",
    "outcome",
    "proof",
    "step",
    "reason",
    "stop",
    "updated",
)


def list_runs(app: App, given: Mapping[str, Any]) -> Result:
    found = app.list()
    some = found[: _bounded(given.get("limit"), 20, 200)]
    runs = [
        {**{name: getattr(each, name) for name in _BRIEF}, "waits_for": _waits(each)}
        for each in some
    ]
    words = [f"{len(found)} runs; the latest {len(some)}:"] + [
        safe.line(f"{each.run}: {_word(each)} at {each.step} — {each.title}", 160) for each in some
    ]
    return Result(
        {"runs": runs, "total": len(found)}, "\n".join(words) if found else "There is no run yet."
    )


def run_status(app: App, given: Mapping[str, Any]) -> Result:
    return standing(app.summary(app.resolve(str(given.get("run", "@")))))


def standing(summary: Summary, head: str = "") -> Result:
    """Where a run stands, with every open gate and its question."""
    data = {
        **asdict(summary),
        "gates": [dict(gate) for gate in summary.gates],
        "advice": list(summary.advice),
    }
    lines = [
        *([head] if head else ()),
        *_delivered({"evidence": summary.evidence, "changes": summary.changes}),
        safe.line(f"{summary.run}: {_word(summary)} at {summary.step}. {summary.reason}", 500),
    ]
    for gate in summary.gates:
        lines += _delivered(gate)
        lines += _asked(gate)
        lines.append(safe.line(f"  choices: {', '.join(map(str, gate['choices']))}", 300))
    if summary.holder:
        lines.append(f"Process {summary.holder.get('pid')} drives it.")
    return Result(data, "\n".join(lines))


def _delivered(told: Mapping[str, Any]) -> list[str]:
    """What is proven, and the code, before anything else."""
    return [safe.line(text, 1000) for text in as_text(delivery_of(told))]


def _asked(gate: Mapping[str, Any]) -> list[str]:
    return safe.block(f"gate {gate['key']} ({gate['kind']}): {gate['prompt']}", lines=MOST_LINES)


def _word(summary: Summary) -> str:
    return ENDS[summary.outcome][0] if summary.outcome in ENDS else summary.status


def run_log(app: App, given: Mapping[str, Any]) -> Result:
    run = app.resolve(str(given.get("run", "@")))
    events = app.events(run)
    since = max(int(given.get("since", 0)), 0)
    some = events[since : since + _bounded(given.get("limit"), 50, 500)]
    told = [
        {
            "n": number,
            "at": each["ts"],
            "run": each["run"],
            "seq": each["seq"],
            "type": each["type"],
            **({"key": each["key"]} if "key" in each else {}),
            "line": "\n".join(lines_of(each)),
        }
        for number, each in enumerate(some, since + 1)
    ]
    after = min(since, len(events)) + len(some)
    words = "\n".join(each["line"] for each in told) or "Nothing new."
    return Result({"run": run, "events": told, "next": after, "total": len(events)}, words)


def show_step(app: App, given: Mapping[str, Any]) -> Result:
    run = app.resolve(str(given.get("run", "@")))
    ledger = Ledger(app.events(run))
    wanted = str(given.get("key", ""))
    if not wanted:
        steps = [
            {
                "key": each.key,
                "role": each.role,
                "state": each.state,
                "outcome": each.outcome,
                "verdict": each.verdict,
            }
            for each in ledger.steps
        ]
        return Result(
            {"run": run, "steps": steps}, listed(ledger.steps, width=160) or "No step yet."
        )
    if gate := next((each for key, each in ledger.gates.items() if names(wanted, key)), None):
        return Result(
            {"run": run, "gate": asdict(gate)},
            "\n".join(
                [
                    *_delivered(vars(gate)),
                    *_asked(vars(gate)),
                ]
            ),
        )
    record = _chosen({each.key: each for each in ledger.steps}, wanted, run)
    texts = _files(read_step(step_folder(app.folder(run), record.key)).texts)
    words = (
        f"{record.key} ({record.role}): {record.state} {record.outcome} {record.verdict} "
        f"{record.reason}"
    )
    return Result({"run": run, "step": asdict(record), "files": texts}, safe.line(words, 1000))


def run_report(app: App, given: Mapping[str, Any]) -> Result:
    summary = app.summary(app.resolve(str(given.get("run", "@"))))
    text = markdown(app.events(summary.run), summary, app.workflow(summary.run).steps.values())
    return Result({"run": summary.run, "markdown": _cut(text)}, _cut(text))


def list_workflows(_app: App, _given: Mapping[str, Any]) -> Result:
    found = [
        {"workflow": name, "summary": entry(name).summary, "input": entry(name).takes}
        for name in NAMES
    ]
    return Result(
        {"workflows": found},
        "\n".join(f"{each['workflow']} {each['input']}: {each['summary']}" for each in found),
    )


def _waits(summary: Summary) -> list[str]:
    return [str(gate["key"]) for gate in summary.gates]


def _bounded(value: Any, usual: int, most: int) -> int:
    return usual if value is None else min(max(int(value), 1), most)


def _cut(text: str) -> str:
    return (
        text
        if len(text) <= LARGEST_TEXT
        else f"{text[:LARGEST_TEXT]}\n… {len(text) - LARGEST_TEXT} more characters"
    )


def _files(found: Mapping[str, str]) -> dict[str, str]:
    """Each file cut, and no more of them than a chat can hold; the last ones are only named."""
    left, texts = LARGEST_ANSWER, {}
    for name, text in found.items():
        texts[name] = _cut(text) if left > 0 else f"… {len(text)} characters"
        left -= len(texts[name])
    return texts


def _chosen(steps: Mapping[str, StepRecord], wanted: str, run: str) -> StepRecord:
    fitting = (
        [steps[wanted]]
        if wanted in steps
        else [each for key, each in steps.items() if names(wanted, key)]
    )
    if not fitting:
        match = nearest(wanted, list(steps))
        raise UsageError(
            f"run {run} has no step {wanted!r}" + (f"; did you mean {match}?" if match else "")
        )
    return fitting[-1]
