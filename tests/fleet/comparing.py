"""A run on the fleet beside the same run alone: what differs but for times, ids and hosts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.fakes.repository import git
from tests.fleet.fleets import Fleet, until

from podium.engine.outcome import Ended
from podium.wiring import App
from podium.wiring_values import RunOptions

OF_DEATHS = frozenset({"run.resumed", "step.started", "step.interrupted", "step.reused"})
"""Events that a new owner adds."""
OF_TIME = frozenset({"document.saved"})
"""A document that tells the time is saved when it passes."""
_VARIES = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?( UTC)?"), "<time>"),
    (re.compile(r"\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{7,12}\b"), "<hash>"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|min)\b"), "<seconds>"),
    (re.compile(r"(?<=_minutes: )[\d.]+|(?<=_minutes_estimate: )[\d.]+"), "<minutes>"),
)


def difference(fleet: Fleet, run: str, app: App, kills: int) -> list[str]:
    """One line for each thing that is otherwise; `kills`: executions that may have been in vain."""
    # In this order: who takes up what a dead owner left is between the two.
    until(
        lambda: run not in fleet.journal.with_work() and fleet.journal.holder(run) is None,
        f"{run} is given back",
    )
    there, here = fleet.events(run=run), list(app.events("R1"))
    wrong = _counted("event", _told(there), _told(here))
    twice = [
        key
        for key, times in Counter(
            (each["run"], each["key"]) for each in there if each["type"] == "step.finished"
        ).items()
        if times > 1
    ]
    once = [
        key
        for key, times in Counter(
            (each["run"], each["key"]) for each in here if each["type"] == "step.finished"
        ).items()
        if times > 1
    ]
    wrong += [
        f"finished twice: {key}"
        for key in twice
        if (key[0].replace(run, "R1", 1), key[1]) not in once
    ]
    began = [sum(each["type"] == "step.started" for each in events) for events in (there, here)]
    if began[0] > began[1] + kills:
        wrong.append(
            f"{began[0]} steps were started, {began[1]} alone, and {kills} may have been lost"
        )
    return wrong + _files(fleet, run, app)


def _told(events: Iterable[Mapping[str, Any]]) -> Counter[tuple[str, ...]]:
    left_out = OF_DEATHS | OF_TIME
    return Counter(
        (
            each["type"],
            *(str(each.get(name, "")) for name in ("key", "outcome", "decision", "phase", "round")),
        )
        for each in events
        if each["type"] not in left_out
    )


def _counted(
    what: str, there: Counter[tuple[str, ...]], here: Counter[tuple[str, ...]]
) -> list[str]:
    more = [
        f"{what} only there: {' '.join(each)} ({times})" for each, times in (there - here).items()
    ]
    return more + [
        f"{what} only alone: {' '.join(each)} ({times})" for each, times in (here - there).items()
    ]


def _files(fleet: Fleet, run: str, app: App) -> list[str]:
    names = set(git(fleet.remote, "ls-tree", "-r", "--name-only", f"podium/{run}").splitlines())
    listed = git(app.project, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    saved = {str(each["path"]) for each in app.events("R1") if each["type"] == "document.saved"}
    here = {path for path in {*listed, *saved} if (app.project / path).is_file()}

    def swap(path: str) -> str:
        return path.replace(run, "R1")

    wrong = [f"file only there: {path}" for path in sorted(names) if swap(path) not in here]
    wrong += [f"file only alone: {path}" for path in sorted(here - {swap(path) for path in names})]
    for path in sorted(name for name in names if swap(name) in here):
        texts = [
            _plain(fleet.show(path, run), run),
            _plain((app.project / swap(path)).read_text(), "R1"),
        ]
        if path.endswith(
            (".ndjson", ".jsonl")
        ):  # a log: side by side work is in the order in which it ended
            texts = [
                "\n".join(
                    sorted(
                        line for line in each.splitlines() if '"orchestrator.resume"' not in line
                    )
                )
                for each in texts
            ]
        if texts[0] != texts[1]:
            pairs = zip(texts[0].splitlines(), texts[1].splitlines(), strict=False)
            first = next(
                (f"{one!r} and alone {other!r}" for one, other in pairs if one != other),
                "one is longer",
            )
            wrong.append(f"{path}: {first}")
    return wrong


def _plain(text: str, run: str) -> str:
    """Without what may differ: when, which run, which commit."""
    text = text.replace(run, "<run>")
    for pattern, word in _VARIES:
        text = pattern.sub(word, text)
    return text.rstrip()


def to_the_end(app: App, ended: Ended, answers: Sequence[str]) -> None:
    """A person who approves and answers whatever the run R1 asks, until it is complete."""
    left = list(answers)
    while ended.status.value == "waiting":
        for gate in app.summary("R1").gates:
            if gate["kind"] in {"question", "drift"}:
                app.answer("R1", gate=gate["key"], choice=left.pop(0), text="", note="", by="Ada")
            else:
                app.approve("R1", gate=gate["key"], note="", by="Ada")
        ended = app.resume("R1", RunOptions())
    assert ended.status.value == "complete", ended
