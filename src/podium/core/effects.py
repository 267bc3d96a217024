"""The five things a step can ask for. Values only: the engine performs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from podium.core.contract import Contract
from podium.core.dataclass import dataclass
from podium.core.verdict import Judgement, Verdict

if TYPE_CHECKING:
    from podium.core.run import Run
    from podium.core.workflow import Workflow

GateKind = Literal["approval", "question", "high_risk", "drift"]
CheckKind = Literal["command", "git", "document", "decision"]


@dataclass(frozen=True)
class Report:
    """What the engine saw of one finished dispatch or check; a judge decides from this alone."""

    verdict: Verdict
    answer: str = ""
    """The agent's final message."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """Output name to its verified text."""
    changed: tuple[str, ...] = ()
    """Code paths that the engine found changed."""
    evidence: tuple[Mapping[str, Any], ...] = ()
    """The engine's own commands with exit codes and whether a failure is new."""
    run: Run | None = None
    """The run as it stood when the step began."""
    patch: str = ""
    """The difference of that code, as git shows it."""
    commands: tuple[str, ...] = ()
    """Commands that the agent was seen to run."""
    branch: str = ""
    """The branch of the person's checkout; empty for none, and where nobody asked for it (Contract.weighs_git)."""
    published: bool = False
    """Whether its last commit is on a remote, as far as is known here; looked at with the branch."""


def believe(report: Report) -> Judgement:
    """The default judge: the verdict stands, since contract and evidence were checked already."""
    said = report.verdict
    return Judgement(said.outcome, said.word, said.reason)


@dataclass(frozen=True)
class Member:
    """One agent of a cluster."""

    name: str
    """Last part of its key."""
    contract: Callable[[Run], Contract]
    judge: Callable[[Report], Judgement] = believe


@dataclass(frozen=True)
class Stage:
    """One agent, bounded by what it may read and must write."""

    role: str
    contract: Callable[[Run], Contract]
    """The closed list for this run; pure, so that `--dry-run` and `check` can ask for it."""
    judge: Callable[[Report], Judgement] = believe
    alarm: Callable[[Report], Judgement | None] = lambda _: None
    """What counts of a dispatch that failed, before anybody is asked again: what an agent ran was run all the same."""
    approved_by: Callable[[Run], str] | None = None
    """The gate step whose approval must stand, for the content on disk, whenever this stage runs; "" = none."""


@dataclass(frozen=True)
class Cluster:
    """Several agents at once; a pure table decides from all their results."""

    members: Callable[[Run], Sequence[Member]]
    decide: Callable[[Mapping[str, Judgement]], Judgement]
    limit: int = 4
    """How many of them at once."""
    width: Callable[[Run], int] | None = None
    """How many of them at once where that depends on the run; `limit` where None."""
    most: int = 4
    """How many members there can be; `check` counts with it."""
    approved_by: Callable[[Run], str] | None = None
    """As for a Stage."""
    in_order: bool = False
    """Whether work goes into the project in the members' order once all have ended, as with code they write
    side by side; else each one's as it ends."""


ANSWERED = "answered"
"""The outcome of an answer in a person's own words: a gate takes one where this is among its choices."""


@dataclass(frozen=True)
class Gate:
    """A decision only a person may take."""

    question: str
    kind: GateKind = "approval"
    choices: tuple[str, ...] = ("approved",)
    """The outcomes a person may choose; the first is the approval."""
    subject: Callable[[Run], Sequence[str]] = lambda _: ()
    """Project paths of the files whose content is approved."""
    default_rejection: str = ""
    """Where a rejection goes that names no stage."""
    detail: Callable[[Run], str] = lambda _: ""
    """What a person must know of this run to decide, beside the question."""
    required: Callable[[Run], bool] = lambda _: True
    """Whether a person is still to be asked; routes do not lead here otherwise, but flags can change."""
    offers: Callable[[Run], Sequence[str]] | None = None
    """What a person may choose in place of the first of `choices`, which is then the outcome, whichever it is."""
    into: str = ""
    """offers: the member of the run that takes the choice."""
    tells: Callable[[Run, str, str], Sequence[Mapping[str, Any]]] = lambda _run, _outcome, _by: ()
    """(run, outcome, who decided) to what the workflow itself records of the decision."""


@dataclass(frozen=True)
class Commit:
    """One commit on the branch that is checked out: exactly these paths, as they are in the checkout."""

    subject: str
    paths: tuple[str, ...]
    body: str = ""


@dataclass(frozen=True)
class Check:
    """Something the engine finds out itself: a command, a git fact, a document, a decision."""

    what: str
    kind: CheckKind = "decision"
    reads: Callable[[Run], Sequence[str]] = lambda _: ()
    """Project paths handed to `decide`."""
    added: Callable[[Run], Sequence[str]] = lambda _: ()
    """Patterns within one folder each, `tasks/*.md`: files that people may have added, handed to `decide`, too."""
    commands: tuple[str, ...] = ()
    """Names of configured commands."""
    runs: Callable[[Run], Sequence[str]] = lambda _: ()
    """Command lines of the run itself; the ones that name no program are evidence of that, and not run."""
    tells: bool = False
    """Whether the end of what they print is evidence where they pass, too; of those that fail it always is."""
    commit: Callable[[Run], Commit | None] | None = None
    """What is committed first; the commit is evidence, too."""
    survey: Callable[[Sequence[str]], Sequence[str]] | None = None
    """The project's files to those whose texts are wanted; both are shown to `decide` and not recorded."""
    branch: Callable[[Run], str] | None = None
    """The branch the run wants to be on; where it is given, the state of the checkout is evidence."""
    edited: tuple[str, ...] = ()
    """Outcomes that only a person's edit brings about: like an answer of theirs, they start a new count."""
    timed: bool = False
    """Whether `decide` is told the time."""
    heads: bool = False
    """Whether `decide` is told the commit that the checkout is at."""
    looks: Callable[[Run], Sequence[str]] = lambda _: ()
    """Folders of the project whose files are listed for `decide`, those that git ignores too."""
    acts: Callable[[Run], Sequence[str]] = lambda _: ()
    """What is done in the person's checkout before anything else: stash, pull, create, switch, commit, unstash."""
    leaves: Callable[[Run], Sequence[str]] = lambda _: ()
    """Changed paths of the project that those acts leave alone: they are the run's own work."""
    decide: Callable[[Run, Mapping[str, str | None], Sequence[Mapping[str, Any]]], Judgement] | None = None
    """(run, file texts, command evidence) to a judgement; without it the commands' exit codes decide."""

    def only_decides(self, run: Run) -> bool:
        """Whether the answer follows from files alone: no command is run, nothing committed, nothing done in a checkout."""
        acts = self.commit is not None or self.branch is not None or self.commands or self.runs(run)
        return self.decide is not None and not acts


@dataclass(frozen=True)
class Child:
    """One child run to start: its key below the parent and the members it starts with."""

    key: str
    members: Mapping[str, Any] = field(default_factory=dict)
    anew: bool = False
    """Whether one that an earlier visit left blocked is left as it is, and another begun; an ended one always is."""


@dataclass(frozen=True)
class FanOut:
    """One child run per item, at most `limit` at once."""

    workflow: Callable[[], Workflow]
    items: Callable[[Run], Sequence[Child]]
    decide: Callable[[Mapping[str, Run]], Judgement]
    """(child key to its resting run) to a judgement."""
    limit: int = 4
    width: Callable[[Run], int] | None = None
    """How many at once in this run, under the limit."""
    most: int = 1
    """How many children one visit can start; `check` counts with it."""
    noun: str = "item"
    """What people call one of them."""


Effect = Stage | Cluster | Gate | Check | FanOut
