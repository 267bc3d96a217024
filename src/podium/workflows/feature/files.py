"""The documents of a feature that the program keeps, and the paths of all documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from podium.core.history import History
from podium.core.run import Run
from podium.core.workflow import Projection
from podium.workflows.feature import remembering
from podium.workflows.feature.documents import initial_request
from podium.workflows.feature.documents.documents import SHAPES
from podium.workflows.feature.memory import memory
from podium.workflows.feature.run import FeatureRun

ROLES = (
    "researcher",
    "spec",
    "designer",
    "ct-security",
    "ct-scalability",
    "ct-maintainability",
    "ct-strategy",
    "planner",
    "implementer",
    "documentation-writer",
    "v-build",
    "v-tests",
    "v-tasks",
    "v-feature",
    "r-quality",
    "r-security",
    "r-testing",
    "r-knowledge",
)


def artifacts(run: FeatureRun) -> Mapping[str, str]:
    known = {name: f"{run.folder}/{shape.path}" for name, shape in SHAPES.items()}
    more = (
        "initial-request",
        "memory",
        "plan",
        "design_critical_review",
        "verifier",
        "review",
        "decisions",
    )
    return {**known, **{name: f"{run.folder}/{name}.md" for name in more}}


def projections(run: FeatureRun, history: History) -> Sequence[Projection]:
    request = initial_request.render(run.request, "", run.slug, run.began)
    found = remembering.known(run)
    return (
        # Written once: a person may add to it, and from then on it is theirs.
        Projection(f"{run.folder}/initial-request.md", lambda before, _: before or request),
        Projection(
            f"{run.folder}/memory.md",
            lambda _before, _template: memory.render(found),
            needed=False,
            check=_unreadable,
            read_back=lambda text, at: _edited(text, at, history),
        ),
    )


def _unreadable(text: str) -> tuple[str, ...]:
    found, faults = memory.parse(text)
    return () if found is not None else tuple(faults) or ("it is not a memory file",)


def _edited(text: str, run: Run, history: History) -> tuple[Run, tuple[str, ...]]:
    """A memory that a person edited replaces the run's own; an unreadable one is rebuilt from
    the journal.
    """
    assert isinstance(run, FeatureRun)
    found, faults = memory.parse(text)
    if found is None:
        if not run.memory:
            facts = [
                (each.key, each.role, path)
                for each in history.steps.values()
                for path in each.outputs
                if each.role
            ]
            remembering.keep(run, memory.rebuilt(facts))
        run.warn(
            "memory.md could not be read and was rebuilt from the journal: "
            f"{faults[0] if faults else ''}"
        )
        return run, ("memory.md could not be read and was rebuilt from the journal",)
    if found == remembering.known(run):
        return run, ()
    remembering.keep(run, found)
    return run, ("memory.md was edited",)
