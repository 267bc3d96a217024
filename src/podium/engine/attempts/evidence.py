"""Proof of one step: the commands that its contract names, on the code that would land."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podium.core.contract import Contract
from podium.engine import mutation, test_changes
from podium.engine.attempts import view as views
from podium.engine.attempts.attempted import Attempted
from podium.engine.landed import landed_of
from podium.engine.proof import Subject, prove, recorded
from podium.engine.session import Session
from podium.engine.surveying import surveyed
from podium.project.findings import Finding


async def gather(
    session: Session, key: str, view: views.View, contract: Contract, result: Attempted
) -> tuple[Mapping[str, Any], ...]:
    configured = {name: line for name, line in session.services.commands.items() if line}
    if view.code is None:
        return ()
    # After the work, because the step itself may have made the file that says how the project is
    # built.
    survey = surveyed(view.code, contract.survey) if contract.survey else {}
    known = {**contract.guessed(result.verdict.data, survey), **configured}
    commands = [(name, known[name]) for name in contract.evidence if known.get(name)]
    point, landing = view.code.checkpoint, view.code.checkpoint
    found: list[Finding] = []
    old_tests: Mapping[str, bytes | None] = {}
    if result.commit:
        made = session.services.workspace().checkpoint_of(result.commit)
        landing = replace(landing, commit=made.commit, tree=made.tree, taken_ns=0)
        differences = session.services.workspace().differences(point, made)
        differences = test_changes.less_own(session, key, differences)
        found += test_changes.findings(session, contract, point.tree, made.tree, differences)
        old_tests = test_changes.old_tests(session, point.tree, differences, found)
    subject = Subject(
        landing=landing,
        documents={each.path: each.text for each in result.verified},
        old_tests=old_tests,
        touched=frozenset((*landed_of(session).brought.paths, *result.changed)),
        doubtful=any(finding.how == "left to chance" for finding in found),
    )
    home = views.beside(view.folder, "proof")
    proven = await prove(session, key, subject, commands, home)
    test = known.get("test", "") if result.commit else ""
    asked = proven
    if test and "test" not in dict(commands) and (old_tests or session.services.mutants):
        # Where the workflow runs the tests later, nobody would know the old ones any more.
        asked = await prove(session, key, subject, [("test", test)], home)
    found += test_changes.of_old_tests(asked, old_tests, test_changes.allowed(session, contract))
    found += test_changes.of_counts(asked, session.services.fewer)
    if session.services.mutants and test and all(item.evidence.state == "passed" for item in asked):
        patch = result.patch.decode(errors="surrogateescape")
        home = views.beside(view.folder, "mutants")
        found += await mutation.unnoticed(session, key, subject, patch, test, home)
    result.weakened = tuple(found)
    return recorded(session, key, proven, landing.tree)
