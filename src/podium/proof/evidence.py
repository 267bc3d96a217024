"""What one command that the program ran proves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from podium.proof.report import Count, TestReport

State = Literal["passed", "failed", "failed_before", "not_run"]
STATES: tuple[State, ...] = ("passed", "failed_before", "not_run", "failed")
"""From the best to the worst."""
LISTED = 1000
"""Names kept in the evidence; how many there are is in the numbers."""

_SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    13: "SIGPIPE",
    14: "SIGALRM",
    15: "SIGTERM",
    24: "SIGXCPU",
    25: "SIGXFSZ",
    31: "SIGSYS",
}


@dataclass(frozen=True)
class Execution:
    """One command as it ran."""

    name: str
    command: str
    exit: int | None
    """None if it did not start; negative for a signal, as in `subprocess`."""
    report: TestReport = TestReport()
    seconds: float = 0.0
    where: str = ""
    """The kind of view in which it ran."""
    fault: str = ""
    """Why it did not start."""
    timed_out_after: float | None = None
    """The limit in seconds that ended it."""
    cut_after: int | None = None
    """The number of bytes of output after which it was ended."""
    changed: tuple[str, ...] = ()
    """Tracked files that are not as they were before."""


@dataclass(frozen=True)
class Evidence:
    """In exactly one of four states; nothing beside it makes it better or worse."""

    name: str
    command: str
    exit: int | None
    state: State
    tests: Count | None = None
    failing: tuple[str, ...] = ()
    why: str = ""
    """For every state but `passed` one plain sentence, without a full stop."""
    seconds: float = 0.0
    where: str = ""
    new: tuple[str, ...] = ()
    """Of the failing tests those that did not fail before; all if there is nothing to compare."""
    before: Count | None = None
    """The numbers of the code before the run."""
    products: tuple[str, ...] = ()
    """Files that the command makes anew whenever it runs."""
    deselected: int = 0
    reruns: int = 0

    @property
    def more(self) -> int:
        """How many tests were added."""
        return max(0, self._growth)

    @property
    def fewer(self) -> int:
        """How many tests are gone."""
        return max(0, -self._growth)

    @property
    def newly_skipped(self) -> int:
        if self.tests is None or self.before is None:
            return 0
        return max(0, self.tests.skipped - self.before.skipped)

    @property
    def _growth(self) -> int:
        if self.tests is None or self.before is None:
            return 0
        return self.tests.total - self.before.total


def decide(
    now: Execution, before: Execution | None = None, touched: Collection[str] = ()
) -> Evidence:
    """What a command proves, compared with the same command on the code before the run; `touched`
    are the files that any step changed.
    """
    products = _products(now, before, touched)
    if reason := _not_run(now, before, products):
        return _evidence(now, before, "not_run", reason, products)
    if not _bad(now):
        return _evidence(now, before, "passed", "", products)
    if before is None or _not_run(before, before, before.changed):
        return _evidence(now, None, "failed", _failure(now), products)
    difference = _difference(now, before)
    state: State = "failed" if difference else "failed_before"
    return _evidence(now, before, state, difference or "as before", products)


def preflight(now: Execution) -> Evidence:
    """What a command proves on the code before any step. Nobody touched that: what changes there is
    a product, and what looks odd in its output is the way it is.
    """
    if reason := _not_run(now, now, now.changed):
        return _evidence(now, None, "not_run", reason, now.changed)
    state: State = "failed" if _bad(now) else "passed"
    return _evidence(now, None, state, _failure(now) if _bad(now) else "", now.changed)


def _bad(now: Execution) -> bool:
    return now.exit != 0 or bool(now.report.count and now.report.count.failed)


def _products(
    now: Execution, before: Execution | None, touched: Collection[str]
) -> tuple[str, ...]:
    made = frozenset(before.changed if before else ())
    kept = frozenset(touched)
    return tuple(path for path in now.changed if path in made and path not in kept)


def _not_run(now: Execution, before: Execution | None, products: Collection[str]) -> str:
    """Why a command judged nothing, or nothing."""
    report = now.report
    failed = report.count.failed if report.count else 0
    ran = failed + (report.count.passed if report.count else 0)
    if now.timed_out_after is not None:
        return f"timed out after {now.timed_out_after:g} s"
    if now.cut_after is not None:
        return f"stopped after {_size(now.cut_after)} of output"
    if now.exit is None:
        return now.fault or "did not start"
    if signal := _signal(now.exit, failed):
        return f"killed by {signal}"
    if now.exit in {126, 127} and now.exit != failed:
        return report.fault or _EXITS[now.exit]
    if now.exit and report.fault and not ran:
        return report.fault
    if not ran and (report.empty or (now.exit == 0 and report.count)):
        skipped = report.count.skipped if report.count else 0
        return f"all {skipped} tests were skipped" if skipped else "collected no tests"
    if now.exit == 0 and not failed and (reason := _cut_short(report, before)):
        return reason
    return _changes(now, products)


def _cut_short(report: TestReport, before: Execution | None) -> str:
    """What shows that a command that exits with 0 did not come to its end."""
    if before is None:
        return report.stopped
    earlier = before.report
    if not report.runner and earlier.runner and earlier.count:
        return f"no summary of {earlier.runner} in its output"
    usual = before.exit == 0 and earlier.stopped == report.stopped
    return "" if usual else report.stopped


_EXITS = {126: "not allowed to run (exit 126)", 127: "a program was not found (exit 127)"}


def _signal(code: int, failed: int) -> str:
    """The signal that ended a command. A shell adds 128 to its number, and some runners exit with
    the number of failures.
    """
    if code < 0:
        return _SIGNALS.get(-code, f"signal {-code}")
    return "" if failed else _SIGNALS.get(code - 128, "")


def _changes(now: Execution, products: Collection[str]) -> str:
    changed = [path for path in now.changed if path not in frozenset(products)]
    if not changed:
        return ""
    others = len(changed) - 1
    more = f" and {others} other file{'s' * (others > 1)}" if others else ""
    return f"changed {changed[0]}{more} while it ran"


def _size(number: int) -> str:
    return f"{number // 1_000_000} MB" if number >= 1_000_000 else f"{number} bytes"


def _failure(now: Execution) -> str:
    """What is known about a failure by itself."""
    failed = now.report.count.failed if now.report.count else 0
    if not failed:
        return f"exit {now.exit}"
    return f"{_tests(failed)} failed" + ("" if now.exit else ", and yet exit 0")


def _difference(now: Execution, before: Execution) -> str:
    """What shows that a command does not fail as it did before, or nothing."""
    report, earlier = now.report, before.report
    failed = report.count.failed if report.count else 0
    if not report.runner or not earlier.runner:
        return f"exit {now.exit}"
    new = Counter(report.failing) - Counter(earlier.failing)
    if new:
        return f"{_tests(new.total())} failed that did not before"
    if report.unnamed or earlier.unnamed:
        return "not every failure is named"
    if failed > (earlier.count.failed if earlier.count else 0):
        return "more tests failed than before"
    if report.stopped or report.fault:
        return report.stopped or report.fault
    better = failed < (earlier.count.failed if earlier.count else 0)
    if now.exit not in {0, before.exit} and not (failed and better and before.exit):
        return f"exit {now.exit}, before it was {before.exit}"
    coarse = report.coarse | (frozenset() if failed else frozenset({""}))
    if coarse and (not report.complaints or report.complaints != earlier.complaints):
        return _not_the_same(report)
    return ""


def _not_the_same(report: TestReport) -> str:
    if not report.coarse:
        return "all tests passed and the command failed, not in the same way as before"
    name = min(report.coarse)
    if not report.complaints:
        return f"{name} failed before too, but its output does not show what failed in it"
    return f"{name} failed before too, but with another output"


def _tests(number: int) -> str:
    return f"{number} test{'s' * (number != 1)}"


def _evidence(
    now: Execution,
    before: Execution | None,
    state: State,
    why: str,
    products: tuple[str, ...],
) -> Evidence:
    report = now.report
    earlier = before.report if before else TestReport()
    new = Counter(report.failing) - Counter(earlier.failing)
    return Evidence(
        name=now.name,
        command=now.command,
        exit=now.exit,
        state=state,
        tests=report.count,
        failing=report.failing[:LISTED],
        why=why,
        seconds=round(now.seconds, 3),
        where=now.where,
        new=_only(report.failing, new)[:LISTED],
        before=earlier.count,
        products=products,
        deselected=report.deselected,
        reruns=report.reruns,
    )


def _only(names: Sequence[str], counts: Counter[str]) -> tuple[str, ...]:
    """Those of the names that are counted, in order."""
    left = Counter(counts)
    kept = []
    for name in names:
        if left[name] > 0:
            left[name] -= 1
            kept.append(name)
    return tuple(kept)


def to_json(evidence: Evidence) -> dict[str, Any]:
    """As it stands in the journal; facts that say nothing are left out."""
    record: dict[str, Any] = {
        "name": evidence.name,
        "command": evidence.command,
        "exit": evidence.exit,
        "state": evidence.state,
        "tests": _count_json(evidence.tests),
        "failing": list(evidence.failing),
        "why": evidence.why,
        "seconds": evidence.seconds,
        "where": evidence.where,
    }
    facts: dict[str, Any] = {
        "new": list(evidence.new),
        "before": _count_json(evidence.before),
        "products": list(evidence.products),
        "fewer": evidence.fewer,
        "newly_skipped": evidence.newly_skipped,
        "deselected": evidence.deselected,
        "reruns": evidence.reruns,
    }
    record.update((key, value) for key, value in facts.items() if value)
    return record


def from_json(record: Mapping[str, Any]) -> Evidence:
    """The evidence of a journal's record; ValueError if it is none."""
    state = state_of(record)
    if state is None:
        raise ValueError(f"state {record.get('state')!r} is not one of {', '.join(STATES)}")
    code = record.get("exit")
    return Evidence(
        name=str(record.get("name", "")),
        command=str(record.get("command", "")),
        exit=code if isinstance(code, int) else None,
        state=state,
        tests=_count(record.get("tests")),
        failing=_texts(record.get("failing")),
        why=str(record.get("why", "")),
        seconds=float(record.get("seconds", 0.0)),
        where=str(record.get("where", "")),
        new=_texts(record.get("new")),
        before=_count(record.get("before")),
        products=_texts(record.get("products")),
        deselected=int(record.get("deselected", 0)),
        reruns=int(record.get("reruns", 0)),
    )


def state_of(record: Mapping[str, Any]) -> State | None:
    """The state of a journal's record; None if the record is about no command.

    Earlier versions wrote no state. Of those records only the exit counts: what they compared with
    was too coarse.
    """
    if "state" not in record and "exit" in record:
        code = record["exit"]
        return "not_run" if code is None else "failed" if code else "passed"
    return next((each for each in STATES if each == record.get("state")), None)


def _count_json(count: Count | None) -> dict[str, int] | None:
    if count is None:
        return None
    return {"passed": count.passed, "failed": count.failed, "skipped": count.skipped}


def _count(record: Any) -> Count | None:
    if not isinstance(record, Mapping):
        return None
    return Count(*(int(record.get(key, 0)) for key in ("passed", "failed", "skipped")))


def _texts(record: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in record) if isinstance(record, list | tuple) else ()


def holds(record: Mapping[str, Any]) -> bool:
    """Whether a record of the journal speaks for the code. One that is about no command, but about
    the checkout or a commit, has no state.
    """
    if record.get("waived") or not record.keys() & {"state", "exit"}:
        return True
    return state_of(record) in {"passed", "failed_before"}


def broken(records: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records that do not."""
    return [record for record in records if not holds(record)]
