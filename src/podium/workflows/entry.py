"""What commands know of a workflow: how it is started from a person's words, and made again for a resumed run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from podium.core.dataclass import dataclass
from podium.core.effects import Cluster, FanOut
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.core.verdict import Dialect
from podium.core.workflow import Workflow

if TYPE_CHECKING:
    from podium.formats.issue import Issue


@dataclass(frozen=True)
class Start:
    """Everything a fresh run begins with."""

    workflow: Workflow
    members: Mapping[str, Any]
    """The run record's members."""
    definition: Mapping[str, Any]
    """What the run keeps of its definition, so that a later edit of it does not change a run under way."""
    slug: str
    """The beginning of the run's id."""
    title: str
    scope: str
    """What only one live run may have: the state document's path."""
    finished: Callable[[str], bool] = lambda _: False
    """Whether the state document that is there says that this very work is done."""
    adopt: Callable[[str], bool] = lambda _: True
    """Whether a state document that no run here wrote is this work's, and gone on from; InputError if it cannot be obeyed."""
    required: Sequence[str] = ()
    """Project files that must exist before anything is written."""
    call: Mapping[str, Any] = field(default_factory=dict)
    """Policy that is of this call and not of the run: also where the call goes on with a run that is there."""


Read = Callable[[str], str | None]
"""Path to a file's text, None where there is none."""


@dataclass(frozen=True)
class Entry:
    """One workflow as commands know it."""

    name: str
    summary: str
    takes: str
    """What its input is called in help texts."""
    start: Callable[[Sequence[str], Mapping[str, Any], Mapping[str, Any], Read], Start]
    """(inputs, policy, options, read project file) to a start; InputError names what is wrong."""
    sample: Callable[[Mapping[str, Any], Read, Read], Workflow]
    """(policy, read project file, read scaffold file) to the workflow as a project has it, without a run."""
    remake: Callable[[Mapping[str, Any], Mapping[str, Any]], Workflow]
    """(definition, policy) to the workflow of a run under way."""
    defined: Callable[[Workflow], Mapping[str, Any]] = lambda _: {}
    """The definition that a run of this workflow would keep, as far as caps depend on it."""
    imagine: Callable[[Workflow, Mapping[str, Any]], Mapping[str, Any]] = lambda _workflow, _policy: {}
    """(workflow, policy) to the members that a simulated run begins with."""
    dialects: Callable[[], Mapping[str, Dialect]] = dict
    """By name, what its agents may say; asked for only where an agent is."""
    retries: Callable[[Mapping[str, Any]], Mapping[str, int]] = lambda _: {}
    """Policy to retry limits by class."""
    caps: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, float]] = lambda _definition, _policy: {}
    """A run's definition and policy to caps on what it may use, by the names of the settings; the tighter one holds."""
    options: frozenset[str] = frozenset()
    """Options of `podium run` that only this workflow takes."""
    placed: Callable[[str], str] = lambda _: ""
    """Path in the scaffold to where `podium init` puts it in a project; "" keeps it built in."""
    also: Callable[[], Sequence[Workflow]] = tuple
    """Other workflows that start under the same name, each for some inputs only."""
    home: str = ""
    """The project path that shows the workflow is set up; "" where it needs nothing."""
    folders: tuple[str, ...] = ()
    """Folders that the workflow writes to, made by `podium init`."""
    issue: Callable[[Issue, str], tuple[Sequence[str], Mapping[str, Any]]] | None = None
    """(issue of a tracker, the request it makes) to inputs and options; None where the input is no request in words."""
    example: str = ""
    """What `podium run` can be given right after `podium init`."""
    settings: tuple[str, ...] = ()
    """Lines for a new podium.toml."""


def check_names(workflow: Workflow, roles: Iterable[str], until: str) -> None:
    """`--role` and `--until` as typed: a misspelt name must not mean nobody, or everything."""
    known = workflow.roles()
    wrong = [
        Fault(f"--role {role}", "is not a role of this workflow", _meant(role, known))
        for role in roles
        if known and role not in known
    ]
    steps = {each.key_base for each in workflow.steps.values()}
    nested = any(isinstance(each.effect, FanOut | Cluster) for each in workflow.steps.values())
    if until and until.partition("/")[0] not in steps and not nested:
        bases = [each.key_base for each in workflow.steps.values()]
        wrong.append(Fault(f"--until {until}", "is not a step of this workflow", _meant(until, bases)))
    if wrong:
        raise InputError(wrong)


def _meant(spoken: str, known: Iterable[str]) -> str:
    words = list(known)
    near = nearest(spoken, words)
    return f"did you mean {near}?" if near else f"one of {', '.join(words)}"
