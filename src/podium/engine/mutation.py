"""A last question to the tests: whether they would notice if the change were wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from podium.engine.commands import execute
from podium.engine.proof import Subject, before
from podium.engine.session import Session
from podium.project.findings import Finding
from podium.project.kinds import Patterns, kind_of
from podium.proof.evidence import decide
from podium.proof.mutants import Mutant, changed_lines, mutants
from podium.state.removal import remove_all

LARGEST = 1_000_000
"""Bytes of a file that is broken on purpose."""


async def unnoticed(
    session: Session, key: str, subject: Subject, patch: str, test: str, home: Path
) -> list[Finding]:
    """Break changed lines of code one at a time, in a view of their own. A finding if the tests
    notice none of the breaks.
    """
    workspace, own = session.services.workspace(), Patterns(*session.services.test_patterns)
    scratch = Path(f"{home}-scratch")
    code = workspace.open_view(home, subject.landing, hidden=(".podium/**",))
    try:
        changed = {}
        for path, numbers in changed_lines(patch).items():
            data = code.read(path, LARGEST + 1)
            if kind_of(path, own) == "code" and data is not None and len(data) <= LARGEST:
                text = data.decode(errors="surrogateescape")
                lines = len(text.splitlines())
                changed[path] = (text, [number for number in numbers if number <= lines])
        tried = mutants(changed, session.services.mutants)
        for number, mutant in enumerate(tried, 1):
            text = changed[mutant.path][0]
            broken = mutant.applied(text).encode(errors="surrogateescape")
            entry = code.entry(mutant.path)
            mode = entry.facts.st_mode & 0o777 if entry is not None else 0o644
            code.write(mutant.path, broken, mode)
            output = await execute(session, key, f"mutant-{number}", test, code, scratch)
            code.write(mutant.path, text.encode(errors="surrogateescape"), mode)
            baseline = await before(session, key, "test", test, needed=False)
            if decide(output.execution, baseline).state not in {"passed", "failed_before"}:
                return []
        return [_finding(tried)] if tried else []
    finally:
        workspace.close_view(code)
        remove_all(scratch)


def _finding(tried: Sequence[Mutant]) -> Finding:
    lines = [
        line
        for mutant in tried
        for line in (
            f"- {mutant.path}:{mutant.line} {mutant.before.strip()}",
            f"+ {mutant.path}:{mutant.line} {mutant.after.strip()}",
        )
    ]
    return Finding(tried[0].path, "no test notices", tuple(lines))
