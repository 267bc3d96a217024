"""The person's own checkout at the git gate: the facts about it, and the few acts that are allowed
in it.

Looking changes nothing except a ref of ours that keeps what the remote has. Every act can be
repeated after a crash: a branch that was made carries the run's id in git's configuration, a stash
carries it in its message. Nothing is pushed, forced, reset or deleted; there are no functions for
that.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from podium.core.errors import Halted
from podium.engine.git.checkout import Checkout, current, refuse_under_way, under_way
from podium.engine.git.commit import commit_paths
from podium.engine.git.git import KEPT_REFS, PERSONAL, Git, GitFailed, split
from podium.engine.git.marks import mark, owner, unmark
from podium.engine.git.stash import put_aside
from podium.engine.git.unstash import give_back

FETCH_S = 60.0
MOVE_S = 3600.0
"""Longer than any checkout takes: one that is interrupted leaves files of two commits in the
tree.
"""
LOCK_S = 3.0
"""How long another git command may hold the index; editors take it for moments."""
_NOBODY_ASKED = {
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "false",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
}
_WIP = "chore: changes from before the run"


def facts(at: Checkout, *, ask_remote: bool) -> dict[str, Any]:
    """What the gate must know. `ask_remote`: whether to ask the remote for news."""
    git, target = at.git, at.target
    branch, default = current(git), _default(git)
    head = git.maybe("rev-parse", "-q", "--verify", "HEAD") or ""
    exists = _exists(git, target) or _tracked(git, target)
    found: dict[str, Any] = {
        "target": target,
        "repository": True,
        "unborn": not head,
        "branch": branch,
        "default": default,
        "changes": at.changes(),
        "operation": under_way(git),
        "unmerged": sorted(
            {line.partition("\t")[2] for line in split(git.run("ls-files", "-u", "-z"))}
        ),
        "target_exists": exists,
        "target_owned": owner(git, target) == at.run_id,
        "target_worktree": "" if branch == target else _worktree(git, target),
        "head": head,
        "loose": bool(head) and not branch and _loose(git),
    }
    asked = ask_remote and bool(head) and branch == default and not exists
    return {**found, **(_remote(at, default) if asked else {"remote": "none"})}


def _default(git: Git) -> str:
    said = git.maybe("symbolic-ref", "-q", "refs/remotes/origin/HEAD") or ""
    if said:
        return said.removeprefix("refs/remotes/origin/")
    return next((each for each in ("master", "main") if _exists(git, each)), "")


def _exists(git: Git, branch: str) -> bool:
    return git.maybe("rev-parse", "-q", "--verify", f"refs/heads/{branch}") is not None


def _tracked(git: Git, branch: str) -> bool:
    return git.maybe("rev-parse", "-q", "--verify", f"refs/remotes/origin/{branch}") is not None


def _loose(git: Git) -> bool:
    """Whether no branch or tag of the person's contains the checked-out commit."""
    kept = git.word("for-each-ref", "--contains=HEAD", "--format=%(refname)")
    return not [
        ref
        for ref in kept.splitlines()
        if not ref.startswith((KEPT_REFS, "refs/heads/podium/", "refs/stash"))
    ]


def _worktree(git: Git, branch: str) -> str:
    """Another worktree that has the branch checked out."""
    here = ""
    for line in git.word("worktree", "list", "--porcelain").splitlines():
        if line.startswith("worktree "):
            here = line.removeprefix("worktree ")
        elif line == f"branch refs/heads/{branch}":
            return here
    return ""


def _news(run_id: str) -> str:
    """The ref that keeps what the remote had when the gate looked; the person's own refs stay as
    they are.
    """
    return f"{KEPT_REFS}{run_id}/upstream"


def _remote(at: Checkout, default: str) -> dict[str, Any]:
    git = at.git
    remote, branch = (
        git.maybe("config", f"branch.{default}.{each}") or "" for each in ("remote", "merge")
    )
    if not remote or not branch:
        return {"remote": "none"}
    how = (
        "--quiet",
        "--no-tags",
        "--no-prune",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--refmap=",
    )
    try:
        git.run(
            "-c",
            "credential.interactive=false",
            "fetch",
            *how,
            remote,
            f"+{branch}:{_news(at.run_id)}",
            env=_NOBODY_ASKED,
            limit_s=FETCH_S,
        )
    except GitFailed as failed:
        return {"remote": "refuses", "remote_said": last_words(failed)}
    counted = git.word(
        "rev-list", "--left-right", "--count", f"HEAD...{_news(at.run_id)}", "--"
    ).split()
    return {"remote": "ok", "ahead": int(counted[0]), "behind": int(counted[1])}


def last_words(failed: GitFailed) -> str:
    """The most informative line of git's error output."""
    lines = [line.strip() for line in failed.errors.splitlines() if line.strip()]
    loud = [line for line in lines if line.startswith(("error:", "fatal:"))]
    return (loud or lines or [str(failed)])[0].removeprefix("error: ").removeprefix("fatal: ")


# -- acts


def perform(at: Checkout, act: str) -> Mapping[str, Any]:
    """Perform one act, or find it done; what it says is evidence. Halted if it is impossible:
    then nothing was changed.
    """
    if act != "unstash":
        refuse_under_way(at.git)
    await_lock(at.git)
    told: dict[str, Any] = {"name": f"git {act}"}
    try:
        if act == "unstash":
            given = give_back(at, busy=under_way(at.git))
            return {**told, "said": given.said, "left": given.left}
        return {**told, "said": _ACTS[act](at)}
    except GitFailed as failed:
        raise Halted(f"git {act}: {last_words(failed)}") from failed
    except OSError as fault:
        raise Halted(f"git {act}: {fault.filename or 'a file'}: {fault.strerror}") from fault


def await_lock(git: Git) -> None:
    """Let another git command in the checkout finish; if one died and left its lock, a person
    must look.
    """
    lock = git.git_dir / "index.lock"
    until = time.monotonic() + LOCK_S
    while os.path.lexists(lock):
        if time.monotonic() > until:
            raise Halted(
                f"{lock} is there: another git command runs in this repository, or one died. "
                "Wait for it, or remove that file if none runs; then resume"
            )
        time.sleep(0.05)


def _pull(at: Checkout) -> str:
    git, news = at.git, _news(at.run_id)
    default = _default(git)
    if git.maybe("rev-parse", "-q", "--verify", news) is None:
        return "not pulled: the remote was not asked"
    if not default or current(git) != default:
        return f"not pulled: the checkout is not on {default or 'a default branch'}"
    if git.maybe("merge-base", "--is-ancestor", news, "HEAD") is not None:
        return "nothing new"
    try:
        how = ("--ff-only", "--quiet", "--no-stat", "--no-overwrite-ignore")
        git.run("merge", *how, news, settings=PERSONAL, limit_s=MOVE_S)
    except GitFailed as failed:
        return f"not pulled: {last_words(failed)}"
    return "pulled"


def _create(at: Checkout) -> str:
    git, target = at.git, at.target
    if current(git) == target:
        return "on it already"
    if _exists(git, target):
        if owner(git, target) != at.run_id:
            raise Halted(
                f"the branch {target} was made by somebody else meanwhile; resume to be asked "
                "about it"
            )
        return _switch(at)
    # The mark comes first: a branch without it would count as somebody else's.
    mark(git, target, at.run_id)
    try:
        return _switched(at, "--no-track", "-c", target)
    except Halted:
        if not _exists(git, target):
            unmark(git, target)
        raise


def _switch(at: Checkout) -> str:
    git, target = at.git, at.target
    if current(git) == target:
        return "on it already"
    if not current(git) and _loose(git):
        head = git.word("rev-parse", "--short", "HEAD")
        raise Halted(
            f"no branch has the commit {head} that is checked out; `git branch NAME {head}` "
            "keeps it, then resume"
        )
    if _exists(git, target):
        return _switched(at, "--no-guess", target)
    if not _tracked(git, target):
        raise Halted(f"the branch {target} is gone; restore it, or rewind the run to the git gate")
    return _switched(at, "--track", "-c", target, f"refs/remotes/origin/{target}")


def _switched(at: Checkout, *words: str) -> str:
    try:
        how = ("--quiet", "--no-overwrite-ignore", "--no-recurse-submodules")
        at.git.run("switch", *how, *words, settings=PERSONAL, limit_s=MOVE_S)
    except GitFailed as failed:
        paths = [line.strip() for line in failed.errors.splitlines() if line.startswith("\t")]
        named = f" {', '.join(paths[:5])}{' …' if len(paths) > 5 else ''}" if paths else ""
        raise Halted(f"git cannot switch to {at.target}: {last_words(failed)}{named}") from failed
    return f"on {at.target}"


def _commit(at: Checkout) -> str:
    if current(at.git) != at.target:
        raise Halted(
            f"the checkout is on {current(at.git) or 'no branch'}, not on {at.target}; "
            "nothing was committed"
        )
    paths = [path for path in at.changes() if not path.endswith("/")]
    made = commit_paths(
        at.git, paths, _WIP, {"Podium-Run": at.run_id, "Podium-Step": "git-gate"}, at.date
    )
    return f"committed as {made[:12]}" if made else "nothing to commit"


_ACTS: Mapping[str, Callable[[Checkout], str]] = {
    "stash": put_aside,
    "pull": _pull,
    "create": _create,
    "switch": _switch,
    "commit": _commit,
}
