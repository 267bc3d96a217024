"""What the output of a command says about tests, whichever runners printed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from podium.proof.complaints import complaints
from podium.proof.output import lines, plain
from podium.proof.runners import READERS
from podium.proof.scopes import banner, streams, workspace
from podium.proof.session import Session
from podium.proof.startup import fault_at_start


@dataclass(frozen=True)
class Count:
    """Numbers of tests; errors count as failed; pending, todo and ignored ones as skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped


@dataclass(frozen=True)
class TestReport:
    """Where an output can be read in two ways, the worse one."""

    __test__ = False  # for pytest, which takes it for a test because of its name

    runner: str = ""
    """The names of the recognised runners, in order; empty if there is none."""
    count: Count | None = None
    """None if no runner gave numbers."""
    failing: tuple[str, ...] = ()
    """Names of failing tests with their files or suites; one for each failure, so that two tests of
    one name are two.
    """
    coarse: frozenset[str] = frozenset()
    """Those of the names that stand for a file, a package or a program instead of one test."""
    unnamed: int = 0
    """Failures that were counted and not named."""
    deselected: int = 0
    reruns: int = 0
    """Tests that were tried again."""
    empty: bool = False
    """Whether a runner said that there were no tests, and none ran."""
    stopped: str = ""
    """Why not all tests ran, or how it can be seen that a runner did not come to its end."""
    fault: str = ""
    """Why the command could not do what it was told, such as `mocha: not found`."""
    complaints: tuple[str, ...] = ()
    """Lines about what is wrong, without what changes from run to run, sorted; () if they are not
    needed or cannot be compared.
    """


def read_report(output: str, folder: str = "") -> TestReport:
    """Read the whole output of a command, stdout before stderr; `folder` is where it ran, and names
    are relative to it.
    """
    text = plain(output)
    parts = streams(text)
    sessions: list[Session] = []
    labels: dict[str, None] = {}
    for name, part in parts.items():
        sessions += _read(part, name, labels)
    sessions = _without_absorbed(sessions)
    names, coarse = _names(sessions, labels, folder)
    report = _summed(sessions)
    failed = report.count.failed if report.count else 0
    covered = sum(session.covered for session in sessions)
    ran = bool(report.count and (report.count.passed or report.count.failed))
    compared = bool(coarse) or (bool(report.runner) and not names)
    return TestReport(
        runner=report.runner,
        count=report.count,
        failing=names,
        coarse=coarse,
        unnamed=max(0, failed - len(names) - covered),
        deselected=report.deselected,
        reruns=report.reruns,
        empty=report.empty,
        stopped=report.stopped,
        fault=fault_at_start(text, tests_ran=ran),
        complaints=complaints(text, folder) if compared else (),
    )


def _read(text: str, name: str, labels: dict[str, None]) -> list[Session]:
    """The sessions in one stream of lines."""
    searched = f"\n{text}\n"
    readers = [reader for reader in (make() for make in READERS) if reader.applies(searched)]
    del searched
    for reader in readers:
        reader.label = name
    if name:
        labels[name] = None
    for line in lines(text) if readers else ():
        for reader in readers:
            if reader.sees(line):
                reader.read(line)
        if not name and (label := banner(line)):
            labels[label] = None
            for reader in readers:
                reader.label = label
        if not name and (label := workspace(line)):
            for session in (reader.latest for reader in readers if reader.sessions):
                session.label = label
    for reader in readers:
        reader.close()
    return [session for reader in readers for session in reader.sessions if _speaks(session)]


def _speaks(session: Session) -> bool:
    """Whether anything was recognised in a session."""
    return bool(
        session.begun
        or session.counted
        or session.empty
        or session.stopped
        or session.failing
        or session.least
    )


def _without_absorbed(sessions: list[Session]) -> list[Session]:
    """The sessions, less those whose tests another runner started and counted; if they tell of more
    failures than it does, it has those too.
    """
    absorbers = [session for session in sessions if session.absorbs]
    if not absorbers:
        return sessions
    names = {name for session in absorbers for name in session.absorbs}
    absorbed = [session for session in sessions if session.runner in names]
    more = sum(session.failed for session in absorbed) - sum(one.failed for one in absorbers)
    absorbers[-1].least = max(absorbers[-1].failed + max(0, more), absorbers[-1].least)
    return [session for session in sessions if session not in absorbed]


def _names(
    sessions: Sequence[Session], labels: Iterable[str], folder: str
) -> tuple[tuple[str, ...], frozenset[str]]:
    """The failing tests of all sessions, and which of them are coarse. Names of two packages, or of
    two starts of one runner, do not fall together.
    """
    several = len(list(labels)) > 1
    starts: Counter[tuple[str, str]] = Counter()
    names: list[str] = []
    coarse: set[str] = set()
    root = folder.rstrip("/") + "/" if folder else ""
    for session in sessions:
        label = session.label if several else ""
        starts[session.runner, label] += 1
        number = starts[session.runner, label]
        start = f"{label} > " if label else ""
        start += f"{session.runner} #{number} > " if number > 1 else ""
        for name in session.failing:
            whole = start + (name.replace(root, "") if root else name)
            names.append(whole)
            if name in session.coarse:
                coarse.add(whole)
    return tuple(names), frozenset(coarse)


def _summed(sessions: Sequence[Session]) -> TestReport:
    counted = [one for one in sessions if one.counted or one.failed]
    count = None
    if counted:
        count = Count(
            passed=sum(one.passed for one in counted),
            failed=sum(one.failed for one in counted),
            skipped=sum(one.skipped for one in counted),
        )
    ran = count.passed + count.failed if count else 0
    ends = dict.fromkeys(end for end in map(_end, sessions) if end)
    return TestReport(
        runner=", ".join(dict.fromkeys(one.runner for one in sessions)),
        count=count,
        deselected=sum(one.counts["deselected"] for one in sessions),
        reruns=sum(one.counts["reruns"] for one in sessions),
        empty=any(one.empty for one in sessions) and not ran,
        stopped="; ".join(ends),
    )


def _end(session: Session) -> str:
    """Why a session did not come to its end, if it did not."""
    if session.stopped:
        return f"{session.runner} ended early: {session.stopped}"
    if session.begun and not session.ended:
        return f"{session.runner} ended early: it printed no summary"
    return ""
