"""What one step did to tests, and to what decides how they run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podium.core.contract import Contract
from podium.engine.git.trees import ABSENT, GITLINK, Difference
from podium.engine.proof import Proven
from podium.engine.session import Session
from podium.project.findings import Change, Finding, Policy, weakened
from podium.project.kinds import Patterns, kind_of
from podium.proof.report import Count

MOST_TESTS = 100
"""Tests whose literals are known, those nearest to the top first."""
_TESTS = frozenset({"test", "golden", "machinery"})


def patterns(session: Session) -> Patterns:
    return Patterns(*session.services.test_patterns)


def allowed(session: Session, contract: Contract) -> Any:
    """What a step may do to tests: `add`, `edit` or `protect`."""
    return contract.tests or session.services.tests


def less_own(
    session: Session, key: str, differences: Sequence[Difference]
) -> tuple[Difference, ...]:
    """Tests that earlier steps of the same work have added may still change: they are as new."""
    made = _added_by_this_work(session, key)
    return tuple(
        replace(row, old_mode=ABSENT) if row.path in made else row
        for row in differences
        if row.new or row.path not in made
    )


def _added_by_this_work(session: Session, key: str) -> frozenset[str]:
    """The files that steps beside this one brought, and that nobody had before them."""
    known = session.history.steps.values()
    steps = [step for step in known if step.commit and _around(step.key) == _around(key)]
    if not steps:
        return frozenset()
    brought = {path for step in steps for path in step.outputs if path not in step.before}
    content, first = session.services.workspace().content, steps[0].base
    return frozenset(path for path in brought if content(first, path) is None)


def _around(key: str) -> str:
    """What a step belongs to: the item in `item/4/implement/2`, the run in `build/1`."""
    base, _, number = key.rpartition("/")
    return (base if number.isdigit() else key).rpartition("/")[0]


def old_tests(
    session: Session, base: str, differences: Sequence[Difference], found: Sequence[Finding]
) -> dict[str, bytes | None]:
    """What a step changed of tests and their machinery, as it was before; None = not there."""
    workspace, own = session.services.workspace(), patterns(session)
    flagged = {finding.path for finding in found if finding.how == "machinery changed"}
    return {
        row.path: workspace.content(base, row.path) if row.old else None
        for row in differences
        if (kind_of(row.path, own) in _TESTS or row.path in flagged)
        and GITLINK not in {row.old_mode, row.new_mode}
    }


def findings(
    session: Session,
    contract: Contract,
    base: str,
    tree: str,
    differences: Sequence[Difference],
) -> tuple[Finding, ...]:
    """What a person should see before these tests are believed."""
    workspace = session.services.workspace()

    def text(of: str, path: str) -> str | None:
        data = workspace.content(of, path)
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError:
            return None

    changes = [_change(row) for row in differences]
    commands = tuple(line for line in session.services.commands.values() if line)
    own = patterns(session)
    policy = Policy(allowed(session, contract), own, commands)

    def tests() -> Iterator[str]:
        paths = (path for path in workspace.paths_of(base) if kind_of(path, own) == "test")
        yield from sorted(paths, key=lambda path: (path.count("/"), path))[:MOST_TESTS]

    return weakened(
        changes, lambda path: text(base, path), lambda path: text(tree, path), policy, tests()
    )


def _change(row: Difference) -> Change:
    kinds_differ = row.old and row.new and row.old_mode[:3] != row.new_mode[:3]
    status: Any = "A" if not row.old else "D" if not row.new else "T" if kinds_differ else "M"
    return Change(status, row.path, mode=int(row.new_mode, 8), old_mode=int(row.old_mode, 8))


def of_old_tests(
    proven: Sequence[Proven], old: Mapping[str, bytes | None], allowed: str
) -> list[Finding]:
    """The strongest sign: the tests from before the step fail on its code, and pass as they are
    now. Where a step may edit tests, that is what it did.
    """
    findings = []
    for now, _, worse in proven:
        if worse is None or not old:
            continue
        lost = list((Counter(worse.new) - Counter(now.failing)).elements())
        path = min(old, key=lambda path: (not any(path in name for name in lost), path))
        lines = tuple(f"-{name}" for name in lost) or (f"-{worse.why}",)
        findings.append(Finding(path, "old tests fail", lines, blocks=allowed != "edit"))
    return findings


def of_counts(proven: Sequence[Proven], rule: str) -> list[Finding]:
    """Fewer tests than before the run, or more that are skipped, where the settings want that a
    person sees it first.
    """
    return [
        Finding(now.name, "fewer tests", (f"-{_counted(now.before)}", f"+{_counted(now.tests)}"))
        for now, _, _ in proven
        if rule == "block" and (now.fewer or now.newly_skipped) and now.before and now.tests
    ]


def _counted(count: Count | None) -> str:
    assert count is not None
    return f"{count.total} tests, {count.skipped} of them skipped"
