"""The steps of a run as a list, all or those below one key: a cluster's members, an item, the
tasks of a wave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from podium.core import keys
from podium.core.effects import Cluster
from podium.core.records import StepRecord
from podium.core.workflow import Step
from podium.views import figures, safe
from podium.views.board import counters
from podium.views.board.groups import broken, order_of
from podium.views.board.row import OUTCOMES, State
from podium.views.board.rows import iteration_of, judge_of, spoken
from podium.views.look import ICONS, TONES, Line, elided, wrapped
from podium.views.style import PLAIN, Style

WIDE = 200
"""Columns if nobody says how many there are."""
_STATES: dict[str, State] = {"running": "running", "interrupted": "pending", "stale": "stale"}


def below(records: Iterable[StepRecord], key: str, steps: Mapping[str, Step]) -> list[StepRecord]:
    """The steps whose keys begin with this one, and the check that judges them."""
    known = list(records)
    found = [each for each in known if each.key.startswith(f"{key.rstrip('/')}/")]
    judges = {
        judge_of(steps, each.step, each.key.rpartition("/")[0])
        for each in found
        if _member(steps.get(each.step))
    }
    shown = {*judges, *(each.key for each in found)}
    return [each for each in known if each.key in shown]


def _member(step: Step | None) -> bool:
    return step is not None and isinstance(step.effect, Cluster)


def about(records: Iterable[StepRecord], tasks: Sequence[str]) -> list[StepRecord]:
    """The steps of these tasks in all iterations: their attempts, their reviews, and the checks
    that judged them.
    """
    found = []
    for each in records:
        kind, _, rest = spoken(each.key).partition("/")
        results = each.sets.get("results")
        judged = isinstance(results, Mapping) and any(task in results for task in tasks)
        if judged or (
            kind in {"task", "review"}
            and any(rest.startswith(f"{keys.path(task)}/") for task in tasks)
        ):
            found.append(each)
    return found


def listed(
    records: Sequence[StepRecord], *, style: Style = PLAIN, title: str = "", width: int = WIDE
) -> str:
    """A line for each: result, key, who did it, how long it took, a remark; groups have a line
    above them.
    """
    heads = _heads(records)
    shown = [each for each in records if heads.get(each.key) is None]
    most = max(16, min(60, width // 2))
    cells = [
        [elided(safe.line(each.key, 200), most), safe.line(_whose(each), 24), _took(each)]
        for each in shown
    ]
    widths = safe.columns(cells, [most, 24 if width >= 60 else 0, 8]) if cells else [0, 0, 0]
    texts = {each.key: cell for each, cell in zip(shown, cells, strict=True)}
    lines: list[Line] = [[(safe.line(title, width), "strong")]] if title else []
    for record in records:
        if (head := heads.get(record.key)) is not None:
            lines += [[("── ", "dim"), (safe.line(head, width - 3), "strong")]] if head else []
            continue
        state = _state(record)
        name, whose, took = (
            safe.pad(text, size) for text, size in zip(texts[record.key], widths, strict=True)
        )
        middle = f"  {whose}  {took}  " if widths[1] else f"  {took}  "
        room = max(4, width - 2 - widths[0] - len(middle))
        said, more = _said(record, room, width)
        lines.append(
            [
                (f"{ICONS[state]} ", TONES[state]),
                (name, "plain"),
                (middle, "dim"),
                (said, TONES[state]),
            ]
        )
        lines += [[("    ", "plain"), (each, TONES[state])] for each in more]
    return "\n".join(style.lines(lines))


def _heads(records: Sequence[StepRecord]) -> dict[str, str]:
    """Checks that only chose a group's next move: by key, the line that announces a new group,
    or "".
    """
    found: dict[str, str] = {}
    last = ("", "")
    for at, each in enumerate(records):
        if (
            OUTCOMES.get(each.outcome) != "done"
            or not {"group", "batch", "order"} <= each.sets.keys()
        ):
            continue
        iteration = next(
            (number for later in records[at:] if (number := iteration_of(later.key)) is not None), 0
        )
        name = str(each.sets["group"] or "")
        group = next((one for one in order_of(each.sets) if str(one.get("group", "")) == name), {})
        words = (
            f"iteration {iteration + 1}, group {name}, {group.get('strategy', '')}: "
            f"{', '.join(counters.texts(group, 'tasks'))}"
        )
        words = words if name else f"iteration {iteration + 1}: all tasks are accepted"
        found[each.key] = "" if (str(iteration), name) == last else words
        last = (str(iteration), name)
    return found


def _state(record: StepRecord) -> State:
    return _STATES.get(record.state) or OUTCOMES.get(record.outcome, "failed")


def _whose(record: StepRecord) -> str:
    role = record.role or record.kind
    return "" if role in record.key.split("/") else role


def _took(record: StepRecord) -> str:
    took = figures.between(record.started, record.finished) if record.finished else None
    return "" if took is None else figures.seconds(took)


def _said(record: StepRecord, room: int, width: int) -> tuple[str, list[str]]:
    """The word it ended with, and why it failed, in separate lines if it does not fit here."""
    word = record.verdict or record.outcome or record.state
    if OUTCOMES.get(record.outcome) == "done":
        return safe.line(word, room), []
    # What failed says more than the command line it failed in.
    news = broken({"evidence": record.evidence}) or record.reason.strip().partition("\n")[0]
    whole = safe.line(word if not news or news in word else f"{word}: {news}", 400)
    if safe.cells(whole) <= room or not news:
        return safe.fit(whole, room), []
    return safe.line(word, room), wrapped(news, width - 4, 2)
