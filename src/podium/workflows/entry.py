"""What commands know of a workflow: how a person's input starts a run, and how a resumed run
gets it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from podium.core.effects import Cluster, FanOut
from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.core.retry import Policy
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
    """The definition that the run keeps, so that later edits of it do not change a run under
    way.
    """
    slug: str
    """The beginning of the run's id."""
    title: str
    scope: str
    """The path of the state document; only one live run may have it."""
    finished: Callable[[str], bool] = lambda _: False
    """Whether an existing state document says that this very work is done."""
    adopt: Callable[[str], bool] = lambda _: True
    """Whether a state document that no run here wrote is of this work and continued from;
    InputError if it cannot be.
    """
    required: Sequence[str] = ()
    """Project files that must exist before the run writes anything."""
    call: Mapping[str, Any] = field(default_factory=dict)
    """Policy of this call, not of the run; it also applies when the call continues an existing
    run.
    """


Read = Callable[[str], str | None]
"""A path to the file's text, None if there is no such file."""


@dataclass(frozen=True)
class Entry:
    """One workflow as commands know it."""

    name: str
    summary: str
    takes: str
    """What its input is called in help texts."""
    start: Callable[[Sequence[str], Mapping[str, Any], Mapping[str, Any], Read], Start]
    """(inputs, policy, options, read project file) to a start; raises InputError that names what
    is wrong.
    """
    sample: Callable[[Mapping[str, Any], Read, Read], Workflow]
    """(policy, read project file, read scaffold file) to the workflow as the project defines it,
    without a run.
    """
    remake: Callable[[Mapping[str, Any], Mapping[str, Any]], Workflow]
    """(definition, policy) to the workflow of a run under way."""
    renewed: Callable[[Mapping[str, Any], Callable[[str], str]], Mapping[str, Any]] = (
        lambda definition, _model: definition
    )
    """(definition, role to the model of its agent) to the definition of a run that is resumed:
    agents may be others now.
    """
    defined: Callable[[Workflow], Mapping[str, Any]] = lambda _: {}
    """The part of a run's definition that caps depend on."""
    imagine: Callable[[Workflow, Mapping[str, Any]], Mapping[str, Any]] = (
        lambda _workflow, _policy: {}
    )
    """(workflow, policy) to the members that a simulated run begins with."""
    dialects: Callable[[], Mapping[str, Dialect]] = dict
    """What its agents may say, by the dialect's name; called only where agents run."""
    retries: Callable[[Mapping[str, Any]], Mapping[str, int]] = lambda _: {}
    """Policy to retry limits by class."""
    caps: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, float]] = (
        lambda _definition, _policy: {}
    )
    """(definition, policy) of a run to caps on its use, by the names of the settings; the
    tighter of the two applies.
    """
    options: frozenset[str] = frozenset()
    """Options of `podium run` that only this workflow takes."""
    placed: Callable[[str], str] = lambda _: ""
    """Path in the scaffold to where `podium init` puts it in a project; "" keeps it built in."""
    also: Callable[[], Sequence[Workflow]] = tuple
    """Other workflows that start under the same name, each for certain inputs."""
    home: str = ""
    """The project path that shows that the workflow is set up; "" if it needs none."""
    folders: tuple[str, ...] = ()
    """Folders that the workflow writes to; `podium init` creates them."""
    issue: Callable[[Issue, str], tuple[Sequence[str], Mapping[str, Any]]] | None = None
    """(issue of a tracker, the request made from it) to inputs and options; None if the input is
    not a request in words.
    """
    example: str = ""
    """An input for `podium run` that works right after `podium init`."""
    settings: tuple[str, ...] = ()
    """Lines for a new podium.toml."""

    def retry(self, policy: Mapping[str, Any]) -> Policy:
        """How often a dispatch may be repeated, according to the project's policy."""
        return Policy(
            limits=self.retries(policy),
            backoff_s=policy["retry_backoff_s"],
            repair_attempts=policy.get("repair_attempts", 1),
        )


def check_names(workflow: Workflow, roles: Iterable[str], until: str) -> None:
    """Check `--role` and `--until` as typed: a misspelt name must not mean "no role" or "run to
    the end".
    """
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
        wrong.append(
            Fault(f"--until {until}", "is not a step of this workflow", _meant(until, bases))
        )
    if wrong:
        raise InputError(wrong)


def _meant(spoken: str, known: Iterable[str]) -> str:
    words = list(known)
    near = nearest(spoken, words)
    return f"did you mean {near}?" if near else f"one of {', '.join(words)}"
