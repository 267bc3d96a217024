"""What one step did to tests, and to what decides how they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from podium.core.contract import Contract
from podium.engine.git.trees import GITLINK, Difference
from podium.engine.proof import Proven
from podium.engine.session import Session
from podium.project.findings import Change, Finding, Policy, weakened
from podium.project.kinds import Patterns, kind_of

MOST_TESTS = 100
"""Tests whose literals are known, those nearest to the top first."""
_TESTS = frozenset({"test", "golden", "machinery"})


def patterns(session: Session) -> Patterns:
    return Patterns(*session.services.test_patterns)


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
    policy = Policy(contract.tests, own, commands)

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


def of_old_tests(proven: Sequence[Proven], paths: Sequence[str]) -> list[Finding]:
    """The strongest sign: the tests from before the step fail on its code."""
    return [
        Finding(
            paths[0],
            "old tests fail",
            tuple(worse.failing[:50]) or (worse.why,),
        )
        for _, _, worse in proven
        if worse is not None and paths
    ]
