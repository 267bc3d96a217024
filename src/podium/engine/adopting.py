"""Starts a run from existing documents without a journal: in a clone, or after `.podium` was
removed.
"""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

from podium.core import events
from podium.core.effects import Stage
from podium.core.run import Run
from podium.core.workflow import Workflow
from podium.engine import documents
from podium.engine.attempts.view_files import text_of
from podium.engine.session import Session
from podium.engine.views.files import Folder
from podium.state.disk import ensure_folder
from podium.state.regular import read_regular
from podium.verify.artifact import Rejected, verify


def adopted(workflow: Workflow, run: Run, project: Path, path: str) -> tuple[Run, tuple[str, ...]]:
    """The run as its document says, as far as evidence supports it, and what was taken over;
    nothing is written.
    """
    text = _text(project, path)
    return (
        workflow.adopted(run, text, partial(_sound, workflow, run, project))
        if text.strip()
        else (run, ())
    )


def _sound(workflow: Workflow, run: Run, project: Path, step: str) -> tuple[str, str]:
    """What is wrong with the files that a step should have made, otherwise their digest;
    verified as if made now.
    """
    effect = workflow.steps[step].effect
    assert isinstance(effect, Stage)
    mark = ""
    for output in effect.contract(run).outputs:
        text = text_of(Folder(project), output.path, output.path)
        found = verify(output, text, _text(project, output.source) if output.source else "")
        if isinstance(found, Rejected):
            return f"{found.path} is {found.failure}: {found.detail}", ""
        mark = found.digest
    return "", mark


def _text(project: Path, path: str) -> str:
    return (read_regular(project / path) or b"").decode(errors="replace")


def begin(session: Session, path: str) -> None:
    """Record what is taken over and write the documents as the run stands; copies of the old
    ones are kept with the run.
    """
    own = [each.path for each in documents.projections(session) if not each.shared]
    for name in dict.fromkeys((*own, *session.workflow.artifacts(session.run).values())):
        where = session.place(name)
        if os.path.isfile(where) and not os.path.islink(where):
            aside = session.folder.path / "before" / name
            ensure_folder(aside.parent)
            shutil.copy2(where, aside)
    after, changes = adopted(
        session.workflow, session.changed_run(), session.services.project, path
    )
    if changes:
        session.commit(after, events.run_edited(after, path, changes))
        documents.save(session)
        session.append()
