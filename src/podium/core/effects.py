"""The five things a step can ask for. Values only: the engine performs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from podium.core.contract import Contract
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
    """The commands that the engine ran itself, with exit codes and whether a failure is new."""
    run: Run | None = None
    """The run as it stood when the step began."""
    patch: str = ""
    """The diff of that code, as git shows it."""
    commands: tuple[str, ...] = ()
    """Commands that the agent was seen running."""
    branch: str = ""
    """The branch of the person's checkout; empty if there is none, or if the contract does not
    ask (Contract.weighs_git).
    """
    published: bool = False
    """Whether that branch's last commit is on a remote, as far as this machine knows; found out
    together with the branch.
    """


def believe(report: Report) -> Judgement:
    """The default judge: the verdict stands, since contract and evidence have already been
    checked.
    """
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
    """Looks at a failed dispatch before any retry: commands that the agent ran took effect even
    though it failed.
    """
    approved_by: Callable[[Run], str] | None = None
    """The gate step whose approval must hold, for the content on disk, whenever this stage runs;
    "" = none.
    """


@dataclass(frozen=True)
class Cluster:
    """Several agents at once; a pure table decides from all their results."""

    members: Callable[[Run], Sequence[Member]]
    decide: Callable[[Mapping[str, Judgement]], Judgement]
    limit: int = 4
    """How many members work at once."""
    width: Callable[[Run], int] | None = None
    """The same, if it depends on the run; None: `limit`."""
    most: int = 4
    """How many members there can be; `check` counts with it."""
    approved_by: Callable[[Run], str] | None = None
    """As for a Stage."""
    in_order: bool = False
    """Whether work lands in the members' order once all have ended, as for code that they write
    side by side; otherwise each one's work lands as it ends.
    """


DELIVERED = "PODIUM_DELIVERED"
"""The variable in which an effect finds what is proven and which files were changed, in words."""
ANSWERED = "answered"
"""The outcome of an answer in a person's own words; a gate accepts such an answer if this is
among its choices.
"""


@dataclass(frozen=True)
class Gate:
    """A decision only a person may take."""

    question: str
    kind: GateKind = "approval"
    choices: tuple[str, ...] = ("approved",)
    """The outcomes a person may choose; the first is approval."""
    subject: Callable[[Run], Sequence[str]] = lambda _: ()
    """Project paths of the files whose content is approved."""
    default_rejection: str = ""
    """Where a rejection goes if it names no stage."""
    detail: Callable[[Run], str] = lambda _: ""
    """What a person must know about this run to decide, in addition to the question."""
    required: Callable[[Run], bool] = lambda _: True
    """Whether a person still has to be asked. Routes avoid a gate that is not required, but
    flags can change later.
    """
    offers: Callable[[Run], Sequence[str]] | None = None
    """What a person may choose instead of the first of `choices`; the outcome is that first
    choice, whichever they pick.
    """
    into: str = ""
    """offers: the member of the run that stores what they picked."""
    tells: Callable[[Run, str, str], Sequence[Mapping[str, Any]]] = lambda _run, _outcome, _by: ()
    """(run, outcome, who decided) to the workflow's own events about the decision."""


@dataclass(frozen=True)
class Commit:
    """One commit on the checked-out branch: exactly these paths, as they are in the checkout."""

    subject: str
    paths: tuple[str, ...]
    body: str = ""
    of: str = ""
    """The key of the child run whose work it is: what a person had changed in the same files before
    that began stays theirs, uncommitted.
    """
    shared: Mapping[str, Callable[[str, str], str]] = field(default_factory=dict)
    """With `of`: documents that the run and a person write, each with what is the run's: from the
    committed text and the one in the checkout the text to commit.
    """


@dataclass(frozen=True)
class Check:
    """Something the engine finds out itself: a command's result, a git fact, a document, a
    decision.
    """

    what: str
    kind: CheckKind = "decision"
    reads: Callable[[Run], Sequence[str]] = lambda _: ()
    """Project paths whose texts `decide` gets."""
    added: Callable[[Run], Sequence[str]] = lambda _: ()
    """Patterns within one folder each (`tasks/*.md`) for files that people may have added;
    `decide` gets those too.
    """
    commands: tuple[str, ...] = ()
    """Names of configured commands."""
    runs: Callable[[Run], Sequence[str]] = lambda _: ()
    """Command lines of proof that the run itself supplies; they run in a view, like `commands`."""
    words: bool = False
    """Whether some of these lines may be words for a reviewer: one that names no program is left
    to them.
    """
    effects: Callable[[Run], Sequence[str]] = lambda _: ()
    """Command lines that are run for what they do, in the checkout and as the person: they prove
    nothing, and no agent supplies them. `$PODIUM_DELIVERED` is what the run proves and changed.
    """
    tells: bool = False
    """Whether the end of an effect's output is recorded even if it succeeds; if it fails, it
    always is.
    """
    commit: Callable[[Run], Commit | None] | None = None
    """What to commit first; the commit is evidence too."""
    survey: Callable[[Sequence[str]], Sequence[str]] | None = None
    """The project's files to those whose texts are wanted; `decide` sees both, and neither is
    recorded.
    """
    branch: Callable[[Run], str] | None = None
    """The branch the run wants to be on; if given, the state of the checkout is evidence."""
    edited: tuple[str, ...] = ()
    """Outcomes that only a person's edit causes: like a person's answer, they start a new count."""
    timed: bool = False
    """Whether `decide` gets the time."""
    heads: bool = False
    """Whether `decide` gets the commit that is checked out."""
    looks: Callable[[Run], Sequence[str]] = lambda _: ()
    """Folders of the project whose files are listed for `decide`, including those that git
    ignores.
    """
    acts: Callable[[Run], Sequence[str]] = lambda _: ()
    """What to do in the person's checkout before anything else: stash, pull, create, switch,
    commit, unstash.
    """
    leaves: Callable[[Run], Sequence[str]] = lambda _: ()
    """Changed paths that those acts leave alone, because they are the run's own work."""
    decide: (
        Callable[[Run, Mapping[str, str | None], Sequence[Mapping[str, Any]]], Judgement] | None
    ) = None
    """(run, file texts, evidence) to a judgement; None: the commands' exit codes decide."""

    def only_decides(self, run: Run) -> bool:
        """Whether the answer follows from files alone: nothing is run, committed, or done in the
        checkout.
        """
        acts = self.commit is not None or self.branch is not None or self.commands or self.runs(run)
        return self.decide is not None and not acts


@dataclass(frozen=True)
class Child:
    """One child run to start: its key below the parent and the members it starts with."""

    key: str
    members: Mapping[str, Any] = field(default_factory=dict)
    anew: bool = False
    """Whether to leave a child that an earlier visit left blocked as it is and begin another; an
    ended child is always left.
    """


@dataclass(frozen=True)
class FanOut:
    """One child run per item, at most `limit` at once."""

    workflow: Callable[[], Workflow]
    items: Callable[[Run], Sequence[Child]]
    decide: Callable[[Mapping[str, Run]], Judgement]
    """(child key to its resting run) to a judgement."""
    limit: int = 4
    width: Callable[[Run], int] | None = None
    """How many at once in this run, at most `limit`."""
    most: int = 1
    """How many children one visit can start; `check` counts with it."""
    noun: str = "item"
    """What people call one of them."""


Effect = Stage | Cluster | Gate | Check | FanOut
