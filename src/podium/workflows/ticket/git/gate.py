"""The git gate: from the state of a person's repository to what may be done with it. Nothing is done here.

The run writes to its own branch only. What a person has not committed is never left out of sight:
it is carried along, put on a stash that the run gives back, or committed to the run's branch, as
they choose. Nothing is pushed, forced, reset or deleted: there are no words for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, get_args

from podium.core.dataclass import dataclass
from podium.workflows.ticket.git.changes import dirt

Action = Literal["stash", "pull", "create", "switch", "unstash", "commit"]
ACTIONS: tuple[Action, ...] = get_args(Action)
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
    """No commit yet."""
    branch: str = ""
    """The branch that is checked out; empty for a detached HEAD."""
    default: str = ""
    """The default branch; empty where nobody knows."""
    changes: tuple[str, ...] = ()
    """Changed and untracked paths of the person, both names of a rename; the program's own are left out."""
    operation: str = ""
    """What git is in the middle of: merge, rebase, cherry-pick, revert, bisect."""
    unmerged: tuple[str, ...] = ()
    remote: Remote = "none"
    """Whether the default branch follows a remote, and whether that answered."""
    ahead: int = 0
    behind: int = 0
    target_exists: bool = False
    """Locally, or at the remote."""
    target_owned: bool = False
    """Whether this run created it."""
    target_worktree: str = ""
    """Another worktree that has the target checked out."""
    loose: bool = False
    """Whether no branch or tag has the commit of a detached HEAD."""


@dataclass(frozen=True)
class Proceed:
    """The actions, in order; each may fail, and then nothing of the person's is lost."""

    actions: tuple[Action, ...]
    warnings: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    """A person's changes that stay in the tree while the run works: they are no task's strays."""
    give_back: bool = False
    """Whether a stash stays until the run ends, and is given back then."""


@dataclass(frozen=True)
class Ask:
    """A person must choose; until then nothing is touched."""

    key: str
    """`branch` or `dirty`: where the answer is looked for."""
    question: str
    choices: tuple[str, ...]
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refuse:
    reason: str
    mend: str = ""


Decision = Proceed | Ask | Refuse


def decide(facts: GitFacts, answers: Mapping[str, str] = _NO_ANSWERS, *, resuming: bool = False) -> Decision:
    """What the gate does; `resuming` = it was passed once, so the branch must be there."""
    if refused := _impossible(facts, resuming=resuming):
        return refused
    if (asked := _branch(facts, answers)) is not None:
        return asked
    if facts.loose and _move(facts) == ("switch",):
        return Refuse("no branch has the commit that is checked out", "`git branch NAME` keeps it, then resume")
    found = dirt(facts.changes)
    if found == "mixed":
        chosen = answers.get("dirty", "")
        if chosen == "abort":
            return Refuse("the run was aborted at the git gate; nothing was touched")
        if chosen not in DIRTY_CHOICES:
            many = "1 changed file is not a document" if len(facts.changes) == 1 else f"{len(facts.changes)} changed files are not only documents"
            question = f"{many}. What should happen to {'it' if len(facts.changes) == 1 else 'them'}?"
            return Ask("dirty", question, DIRTY_CHOICES, facts.changes)
        return _mixed(facts, chosen)
    pull = _pulls(facts)
    move = _move(facts)
    # Without a pull or a switch nothing can get in the way of changed documents.
    aside = found == "docs" and (pull or move == ("switch",))
    actions = (*_if(aside, "stash"), *_if(pull, "pull"), *move, *_if(aside, "unstash"))
    return Proceed(actions, _warnings(facts, pulled=pull), facts.changes)


def _impossible(facts: GitFacts, *, resuming: bool) -> Refuse | None:
    if not facts.repository:
        return Refuse("this is not a git repository", "git init, then a first commit")
    if facts.operation or facts.unmerged:
        busy = f"a {facts.operation} is in progress" if facts.operation else f"{facts.unmerged[0]} is not merged"
        return Refuse(f"{busy} in the repository", "finish or abort it, then resume")
    if facts.unborn:
        return Refuse("the repository has no commit to start from", "make a first commit, then resume")
    if facts.target_worktree:
        return Refuse(f"{facts.target} is checked out in {facts.target_worktree}", "remove that worktree or switch it")
    if resuming and not facts.target_exists and facts.branch != facts.target:
        return Refuse(f"the run's branch {facts.target} is gone", "restore it, or rewind the run to the git gate")
    return None


def _branch(facts: GitFacts, answers: Mapping[str, str]) -> Decision | None:
    """A branch that the run did not make is used only if a person says so."""
    if facts.branch == facts.target or not facts.target_exists or facts.target_owned:
        return None
    chosen = answers.get("branch", "")
    if chosen == "use":
        return None
    if chosen == "abort":
        return Refuse("the run was aborted at the git gate; nothing was touched")
    return Ask("branch", f"The branch {facts.target} exists and this run did not create it. Use it?", BRANCH_CHOICES)


def _mixed(facts: GitFacts, chosen: str) -> Proceed:
    """A person's own changes, treated as they chose."""
    move = _move(facts)
    if chosen == "stash":
        pull = _pulls(facts)
        return Proceed(("stash", *_if(pull, "pull"), *move), _warnings(facts, pulled=pull), give_back=True)
    warnings = _warnings(facts, pulled=False)
    if chosen == "commit":
        return Proceed((*move, "commit"), warnings)
    return Proceed(move, warnings, facts.changes)


def _move(facts: GitFacts) -> tuple[Action, ...]:
    if facts.branch == facts.target:
        return ()
    return ("switch",) if facts.target_exists else ("create",)


def _pulls(facts: GitFacts) -> bool:
    """Only a new branch that starts from the default one needs what is new at the remote."""
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
        return (f"the remote did not answer; {facts.target} begins at {facts.branch} as it is here",)
    if _diverged(facts):
        return (f"{facts.branch} is {facts.ahead} ahead and {facts.behind} behind; it was not pulled",)
    return (f"{facts.branch} was not pulled, because of the changes in the tree",)
