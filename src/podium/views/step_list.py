"""The steps of a run as a list, whole or those below one key: a cluster's members, an item, the tasks of a wave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from podium.core.effects import Cluster
from podium.core.history import StepRecord
from podium.core.workflow import Step
from podium.views import figures, safe
from podium.views.look import ICONS, TONES, Line
from podium.views.row import OUTCOMES, State
from podium.views.rows import judge_of
from podium.views.style import PLAIN, Style

_STATES: dict[str, State] = {"running": "running", "interrupted": "pending", "stale": "stale"}


def below(records: Iterable[StepRecord], key: str, steps: Mapping[str, Step]) -> list[StepRecord]:
    """The steps whose keys begin with this one, and the check that judges them."""
    known = list(records)
    found = [each for each in known if each.key.startswith(f"{key.rstrip('/')}/")]
    judges = {judge_of(steps, each.step, each.key.rpartition("/")[0]) for each in found if _member(steps.get(each.step))}
    shown = {*judges, *(each.key for each in found)}
    return [each for each in known if each.key in shown]


def _member(step: Step | None) -> bool:
    return step is not None and isinstance(step.effect, Cluster)


def listed(records: Sequence[StepRecord], *, style: Style = PLAIN, title: str = "") -> str:
    """A line for each: how it ended, its key, whose it was, how long it took, what it says."""
    cells = [[safe.line(each.key, 60), safe.line(_whose(each), 24), _took(each)] for each in records]
    widths = safe.columns(cells, [60, 24, 8]) if cells else [0, 0, 0]
    lines: list[Line] = [[(safe.line(title, 200), "strong")]] if title else []
    for record, cell in zip(records, cells, strict=True):
        state = _state(record)
        name, whose, took = (safe.pad(text, width) for text, width in zip(cell, widths, strict=True))
        lines.append([(f"{ICONS[state]} ", TONES[state]), (name, "plain"), (f"  {whose}  {took}  ", "dim"), (_said(record), TONES[state])])
    return "\n".join(style.lines(lines))


def _state(record: StepRecord) -> State:
    return _STATES.get(record.state) or OUTCOMES.get(record.outcome, "failed")


def _whose(record: StepRecord) -> str:
    role = record.role or record.kind
    return "" if role in record.key.split("/") else role


def _took(record: StepRecord) -> str:
    took = figures.between(record.started, record.finished) if record.finished else None
    return "" if took is None else figures.seconds(took)


def _said(record: StepRecord) -> str:
    word = record.verdict or record.outcome or record.state
    news = record.reason.strip().partition("\n")[0] if OUTCOMES.get(record.outcome) != "done" else ""
    return safe.line(word if not news or news in word else f"{word}: {news}", 160)
