"""What must hold before a phase is complete: tests, build, lint, review, todo, and nothing left
undone.

What the program itself ran decides. A report's word counts only if there is nothing to run, and
only if it is a plain pass or also says that there is nothing to run. For tests, a report can only
say so with NOT_RUN, which counts unless the plan requires the phase's tests to pass.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from podium.workflows.governed.phase.reports import ExecutorReport

COMMANDS: Mapping[str, str] = {"tests": "test", "build": "build", "lint": "lint"}
"""Points to the configured commands that prove them."""
TESTED = "tests_pass"
"""The gate of a plan's phase that wants its tests to pass."""
_FAILURES: Mapping[str, str] = {
    "tests": "tests_failed",
    "build": "build_failed",
    "lint": "lint_failed",
    "review": "review_blocked",
}


@dataclass(frozen=True)
class Point:
    """One point of the list."""

    name: str
    holds: bool
    because: str


@dataclass(frozen=True)
class Checklist:
    points: tuple[Point, ...]
    contradictions: tuple[str, ...] = ()
    """Where a report contradicts what the program saw."""

    @property
    def complete(self) -> bool:
        return all(each.holds for each in self.points)

    @property
    def failure(self) -> str:
        """The first failed point in the form that `failures.classify` takes; empty if all hold."""
        return next(
            (_FAILURES.get(each.name, "validation") for each in self.points if not each.holds), ""
        )

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(f"{each.name}: {each.because}" for each in self.points if not each.holds)


def sought(detected: Mapping[str, str], report: ExecutorReport) -> dict[str, str]:
    """Detected commands that the program runs: all unless the report's build passed, else those
    the report leaves open.
    """
    unbuilt = report.build != "PASS"
    open_ = [
        command for name, command in COMMANDS.items() if unbuilt or getattr(report, name) != "PASS"
    ]
    return {name: detected[name] for name in open_ if name in detected}


def phase_checklist(
    report: ExecutorReport,
    ran: Mapping[str, bool],
    *,
    review: bool | None,
    todo: bool,
    gates: Collection[str] = (),
) -> Checklist:
    """The points of one phase.

    `ran` maps a command, configured or detected, to whether it passed; a missing one was not run.
    `review` is None if no review is due. `gates` are the quality gates that the plan sets for the
    phase.
    """
    contradictions = list(report.contradictions)
    points = []
    for name, command in COMMANDS.items():
        absent = {
            "NOT_AVAILABLE",
            *(["NOT_RUN"] if name == "tests" and TESTED not in gates else []),
        }
        point, contradiction = _proof(name, getattr(report, name), ran.get(command), absent)
        points.append(point)
        contradictions += [contradiction] if contradiction else []
    points.append(
        Point(
            "done",
            report.done,
            "nothing is left"
            if report.done
            else f"left: {', '.join(report.unchecked) or 'not named'}",
        )
    )
    points.append(
        Point(
            "review",
            review is not False,
            {True: "passed", None: "not due", False: "did not pass"}[review],
        )
    )
    points.append(Point("todo", todo, "marked" if todo else "not marked"))
    return Checklist(tuple(points), tuple(contradictions))


def _proof(name: str, said: str, ran: bool | None, absent: Collection[str]) -> tuple[Point, str]:
    """`absent`: the words by which this report says that there is nothing to run."""
    if ran is not None:
        lie = (
            f"the report says {name} {said}, and the command failed"
            if said == "PASS" and not ran
            else ""
        )
        return Point(name, ran, "the command passed" if ran else "the command failed"), lie
    if said in {"", "PASS", *absent}:
        words = {
            "": "nothing to run and nothing to say",
            "PASS": "nothing to run; the report says PASS",
        }
        return Point(name, True, words.get(said, "nothing to run, as the report says")), ""
    mend = f"; the plan sets {TESTED}, so run them" if name == "tests" and said == "NOT_RUN" else ""
    return Point(name, False, f"nothing to run, and the report says {said}{mend}"), ""
