"""Proof of a change of code: what was changed, kept as a commit, and the commands that Podium
runs itself.
"""

from __future__ import annotations

import asyncio
import re

from podium.core.contract import Contract
from podium.engine.attempts import bounds
from podium.engine.attempts import evidence as evidence_of
from podium.engine.attempts import view as views
from podium.engine.attempts.attempted import Attempted
from podium.engine.attempts.subject import subject
from podium.engine.session import Session
from podium.engine.step_files import StepFiles
from podium.engine.views.code_view import CodeView
from podium.engine.workspace import trailers_of
from podium.verify.artifact import Rejected

_NO_CHANGE = re.compile(
    (
        r"^[^\w\n]*no (?:code )?changes? (?:is |was |were "
        r")?(?:needed|required|made|necessary)\b[^\w\n]*\w+"
    ),
    re.IGNORECASE | re.MULTILINE,
)


_ENCODED = (
    "an attribute working-tree-encoding says that it is in another encoding; it would not land as "
    "it is here"
)


async def prove(
    session: Session,
    key: str,
    view: views.View,
    contract: Contract,
    result: Attempted,
    files: StepFiles,
) -> None:
    """Proof of a change of code: a summary, the engine's own list of changed files, its own
    commands.
    """
    if contract.code != "write" or view.code is None:
        return
    summary = (
        result.answer.text.strip() or str((result.answer.verdict or {}).get("summary", "")).strip()
    )
    asks = result.verdict.outcome in {
        "abstain",
        "needs_input",
    }  # then it need not have done anything yet
    if contract.proof_of_change != "none" and not asks:
        stands = bool(result.changed) or (
            contract.proof_of_change == "standing" and _rewritten(session, view, contract)
        )
        _prove_change(result, summary, stands=stands)
    if result.changed:
        unencodable = session.services.workspace().unencodable
        lost = await asyncio.to_thread(unencodable, view.code, result.changed)
        result.rejected += [Rejected(path, "malformed", _ENCODED) for path in lost]
        if not lost:
            patch = await asyncio.to_thread(_commit, session, key, view.code, result, summary)
            files.patch("changes.patch", [patch])
            result.patch = patch
    if not (
        asks
        or result.rejected
        or result.strays
        or result.tampered
        or result.verdict.outcome == "fail"
    ):
        result.evidence = await evidence_of.gather(session, key, view, contract, result)


def _commit(session: Session, key: str, code: CodeView, result: Attempted, summary: str) -> bytes:
    """Keep the step's code on the run's branch; returns what it changed, as a patch."""
    workspace, root = session.services.workspace(), session.folder.root_id
    result.commit = workspace.commit(
        code,
        root,
        session.services.redact(subject(summary, key)),
        trailers_of(root, key),
        session.services.now().isoformat(),
        result.changed,
    )
    result.digests = workspace.digests_in(result.commit, result.changed)
    result.base = code.checkpoint.commit
    return workspace.patch_of(result.commit, code.checkpoint)


def _rewritten(session: Session, view: views.View, contract: Contract) -> bool:
    """Whether the agent rewrote a file that it may change with the same content: its work
    stands, and is judged again.
    """
    assert view.code is not None
    return any(
        bounds.may_change(contract, path)
        for path in session.services.workspace().rewritten(view.code)
        if path not in view.outputs and path not in view.manifest
    )


def _prove_change(result: Attempted, summary: str, *, stands: bool) -> None:
    said = [
        summary,
        *(each for each in (result.answer.verdict or {}).values() if isinstance(each, str)),
    ]
    if not summary:
        result.rejected.append(
            Rejected("output.md", "empty", "the final message does not say what was done")
        )
    elif not (stands or any(map(_NO_CHANGE.search, said))):
        result.rejected.append(
            Rejected(
                "output.md",
                "malformed",
                "no file was changed and no reason given (`No change needed: <reason>`)",
            )
        )
