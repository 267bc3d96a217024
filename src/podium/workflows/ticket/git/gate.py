"""The git gate: from the state of a person's repository to what may be done with it. Nothing is
done here.

The run writes only to its own branch. A person's uncommitted changes are never lost from sight:
they are carried along, stashed and given back at the end, or committed to the run's branch, as the
person chooses. Nothing is pushed, forced, reset or deleted: there is no action for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from podium.workflows.ticket.git.changes import dirt

Action = Literal["stash", "pull", "create", "switch", "unstash", "commit"]
Remote = Literal["none", "ok", "refuses"]
DIRTY_CHOICES = ("stash", "commit", "carry", "abort")
BRANCH_CHOICES = ("use", "abort")
_NO_ANSWERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class GitFacts:
    """What the engine found out about the repository."""

    target: str
    """The run's branch."""
    repository: bool = True
    unborn: bool = False
    """There is no commit yet."""
    branch: str = ""
    """The branch that is checked out; empty for a detached HEAD."""
    default: str = ""
    """The default branch; empty if unknown."""
    changes: tuple[str, ...] = ()
    """The person's changed and untracked paths, with both names of a rename; without the
    program's own.
    """
    operation: str = ""
    """The operation in progress: merge, rebase, cherry-pick, revert, bisect."""
    unmerged: tuple[str, ...] = ()
    remote: Remote = "none"
    """Whether the default branch follows a remote, and whether the remote answered."""
    ahead: int = 0
    behind: int = 0
    target_exists: bool = False
    """Locally or at the remote."""
    target_owned: bool = False
    """Whether this run created it."""
    target_worktree: str = ""
    """Another worktree that has the target checked out."""
    loose: bool = False
    """Whether no branch or tag contains the commit of a detached HEAD."""


@dataclass(frozen=True)
class Proceed:
    """The actions, in order; if one fails, nothing of the person's is lost."""

    actions: tuple[Action, ...]
    warnings: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    """A person's changes that stay in the tree during the run; they do not count as strays of a
    task.
    """
    give_back: bool = False
    """Whether a stash is kept until the run ends and given back then."""


@dataclass(frozen=True)
class Ask:
    """A person must choose; until then nothing is touched."""

    key: str
    """`branch` or `dirty`: the name under which the answer is kept."""
    question: str
    choices: tuple[str, ...]
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refuse:
    reason: str
    mend: str = ""


Decision = Proceed | Ask | Refuse


def decide(
    facts: GitFacts, answers: Mapping[str, str] = _NO_ANSWERS, *, resuming: bool = False
) -> Decision:
    """What the gate does; `resuming` means that it was passed before, so the branch must exist."""
    if refused := _impossible(facts, resuming=resuming):
        return refused
    if (asked := _branch(facts, answers)) is not None:
        return asked
    if facts.loose and _move(facts) == ("switch",):
        return Refuse(
            "no branch has the commit that is checked out",
            "`git branch NAME` keeps it, then resume",
        )
    found = dirt(facts.changes)
    if found == "mixed":
        chosen = answers.get("dirty", "")
        if chosen == "abort":
            return Refuse("the run was aborted at the git gate; nothing was touched")
        if chosen not in DIRTY_CHOICES:
            many = (
                "1 changed file is not a document"
                if len(facts.changes) == 1
                else f"{len(facts.changes)} changed files are not only documents"
            )
            question = (
                f"{many}. What should happen to {'it' if len(facts.changes) == 1 else 'them'}?"
            )
            return Ask("dirty", question, DIRTY_CHOICES, facts.changes)
        return _mixed(facts, chosen)
    pull = _pulls(facts)
    move = _move(facts)
    # Without a pull or a switch, nothing can collide with changed documents.
    aside = found == "docs" and (pull or move == ("switch",))
    actions = (*_if(aside, "stash"), *_if(pull, "pull"), *move, *_if(aside, "unstash"))
    return Proceed(actions, _warnings(facts, pulled=pull), facts.changes)


def _impossible(facts: GitFacts, *, resuming: bool) -> Refuse | None:
    if not facts.repository:
        return Refuse("this is not a git repository", "git init, then a first commit")
    if facts.operation or facts.unmerged:
        busy = (
            f"a {facts.operation} is in progress"
            if facts.operation
            else f"{facts.unmerged[0]} is not merged"
        )
        return Refuse(f"{busy} in the repository", "finish or abort it, then resume")
    if facts.unborn:
        return Refuse(
            "the repository has no commit to start from", "make a first commit, then resume"
        )
    if facts.target_worktree:
        return Refuse(
            f"{facts.target} is checked out in {facts.target_worktree}",
            "remove that worktree or switch it",
        )
    if resuming and not facts.target_exists and facts.branch != facts.target:
        return Refuse(
            f"the run's branch {facts.target} is gone",
            "restore it, or rewind the run to the git gate",
        )
    return None


def _branch(facts: GitFacts, answers: Mapping[str, str]) -> Decision | None:
    """A branch that the run did not create is used only if a person says so."""
    if facts.branch == facts.target or not facts.target_exists or facts.target_owned:
        return None
    chosen = answers.get("branch", "")
    if chosen == "use":
        return None
    if chosen == "abort":
        return Refuse("the run was aborted at the git gate; nothing was touched")
    return Ask(
        "branch",
        f"The branch {facts.target} exists and this run did not create it. Use it?",
        BRANCH_CHOICES,
    )


def _mixed(facts: GitFacts, chosen: str) -> Proceed:
    """A person's own changes, treated as they chose."""
    move = _move(facts)
    if chosen == "stash":
        pull = _pulls(facts)
        return Proceed(
            ("stash", *_if(pull, "pull"), *move), _warnings(facts, pulled=pull), give_back=True
        )
    warnings = _warnings(facts, pulled=False)
    if chosen == "commit":
        return Proceed((*move, "commit"), warnings)
    return Proceed(move, warnings, facts.changes)


def _move(facts: GitFacts) -> tuple[Action, ...]:
    if facts.branch == facts.target:
        return ()
    return ("switch",) if facts.target_exists else ("create",)


def _pulls(facts: GitFacts) -> bool:
    """Only a new branch that starts from the default branch needs the remote's latest commits."""
    return _wants_pull(facts) and facts.remote == "ok" and not _diverged(facts)


def _wants_pull(facts: GitFacts) -> bool:
    return _move(facts) == ("create",) and bool(facts.branch) and facts.branch == facts.default


def _diverged(facts: GitFacts) -> bool:
    return facts.ahead > 0 and facts.behind > 0


def _if(wanted: bool, action: Action) -> tuple[Action, ...]:
    return (action,) if wanted else ()


def _warnings(facts: GitFacts, *, pulled: bool) -> tuple[str, ...]:
    """What a person should know about where the branch begins."""
    if _move(facts) != ("create",):
        return ()
    if not facts.branch:
        return (f"{facts.target} begins at a detached HEAD",)
    if facts.default and facts.branch != facts.default:
        return (f"{facts.target} begins at {facts.branch}, not at {facts.default}",)
    if pulled or not _wants_pull(facts) or facts.remote == "none":
        return ()
    if facts.remote == "refuses":
        return (
            f"the remote did not answer; {facts.target} begins at {facts.branch} as it is here",
        )
    if _diverged(facts):
        return (
            f"{facts.branch} is {facts.ahead} ahead and {facts.behind} behind; it was not pulled",
        )
    return (f"{facts.branch} was not pulled, because of the changes in the tree",)
