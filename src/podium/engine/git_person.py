"""The person's own checkout at the git gate: what is so in it, and the few things that may be done with it.

Everything here can be repeated after a crash: a branch that was made carries the run's id in git's configuration, a
stash carries it in its message. Nothing is pushed, forced, reset or deleted; there are no functions for it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from podium.core.errors import Halted
from podium.engine.git import Git, GitFailed, split
from podium.engine.git_commit import commit_paths

_OPERATIONS = {
    "MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply": "rebase", "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert", "BISECT_LOG": "bisect",
}  # fmt: skip
FETCH_S = 60


def facts(git: Git, target: str, run_id: str, *, born: bool, ask_remote: bool) -> dict[str, Any]:
    """What the gate must know. `ask_remote`: whether the remote is asked for what is new."""
    branch = git.maybe("symbolic-ref", "-q", "--short", "HEAD") or ""
    default = _default(git)
    found: dict[str, Any] = {
        "target": target,
        "repository": True,
        "unborn": not born,
        "branch": branch,
        "default": default,
        "changes": changes(git),
        "operation": next((word for name, word in _OPERATIONS.items() if os.path.lexists(git.git_dir / name)), ""),
        "unmerged": sorted({line.partition("\t")[2] for line in split(git.run("ls-files", "-u", "-z"))}),
        "target_exists": any(
            git.maybe("rev-parse", "-q", "--verify", f"{where}/{target}") for where in ("refs/heads", "refs/remotes/origin")
        ),
        "target_owned": owner(git, target) == run_id,
        "target_worktree": _worktree(git, target),
        "head": (git.maybe("rev-parse", "-q", "--verify", "HEAD") or "") if born else "",
    }
    return {**found, **(_remote(git, default) if ask_remote and branch == default and born else {"remote": "none"})}


def changes(git: Git) -> list[str]:
    """Changed and untracked paths, both names of a rename."""
    parts = split(git.run("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none"))
    found: list[str] = []
    at = 0
    while at < len(parts):
        code, path = parts[at][:2], parts[at][3:]
        found.append(path)
        if code[0] in "RC":  # the old name follows as a part of its own
            at += 1
            found.append(parts[at])
        at += 1
    return sorted(set(found))


def _default(git: Git) -> str:
    said = git.maybe("symbolic-ref", "-q", "refs/remotes/origin/HEAD") or ""
    if said:
        return said.removeprefix("refs/remotes/origin/")
    there = (each for each in ("master", "main") if git.maybe("rev-parse", "-q", "--verify", f"refs/heads/{each}"))
    return next(there, "")


def owner(git: Git, branch: str) -> str:
    return git.maybe("config", f"branch.{branch}.podiumRun") or ""


def _worktree(git: Git, branch: str) -> str:
    """Another worktree that has the branch checked out."""
    here = ""
    for line in git.word("worktree", "list", "--porcelain").splitlines():
        if line.startswith("worktree "):
            here = line.removeprefix("worktree ")
        elif line == f"branch refs/heads/{branch}" and os.path.realpath(here) != os.path.realpath(git.work_tree):
            return here
    return ""


def _remote(git: Git, default: str) -> dict[str, Any]:
    remote = git.maybe("config", f"branch.{default}.remote") or ""
    if not remote:
        return {"remote": "none"}
    try:
        git.run("fetch", "--quiet", "--no-tags", remote, default)
    except GitFailed:
        return {"remote": "refuses"}
    counted = git.word("rev-list", "--left-right", "--count", f"{default}...FETCH_HEAD").split()
    return {"remote": "ok", "ahead": int(counted[0]), "behind": int(counted[1])}


# -- acts


def perform(git: Git, act: str, target: str, run_id: str, date: str) -> Mapping[str, Any]:
    """One act, done or found done; what it says is evidence."""
    if act not in _ACTS:
        raise AssertionError(f"no act {act!r}")
    said = _ACTS[act](git, target, run_id, date)
    return {"name": f"git {act}", "passed": True, "said": said}


def _message(run_id: str) -> str:
    return f"podium {run_id}"


def stashed(git: Git, run_id: str) -> str:
    """The name of the run's stash, empty where there is none."""
    if git.maybe("rev-parse", "-q", "--verify", "refs/stash") is None:
        return ""
    for line in git.word("stash", "list", "--format=%gd%x09%gs").splitlines():
        name, _, subject = line.partition("\t")
        if subject.endswith(f": {_message(run_id)}"):
            return name
    return ""


def _stash(git: Git, _target: str, run_id: str, _date: str) -> str:
    if stashed(git, run_id):
        return "was stashed already"
    if not changes(git):
        return "nothing to stash"
    git.run("stash", "push", "--quiet", "--include-untracked", "-m", _message(run_id))
    return "stashed"


def _unstash(git: Git, _target: str, run_id: str, _date: str) -> str:
    name = stashed(git, run_id)
    if not name:
        return "nothing to give back"
    for words in (("pop", "--quiet", "--index"), ("pop", "--quiet")):
        try:
            git.run("stash", *words, name)
        except GitFailed:
            if changes(git) and git.run("ls-files", "-u", "-z"):
                # Half applied: the markers are in the files and the stash is still there, nothing is lost.
                return f"your changes clash with the branch; they are in {name} (git stash show -p {name})"
            continue
        return "given back"
    return f"could not be given back; your changes are in {name} (git stash show -p {name})"


def _pull(git: Git, _target: str, _run_id: str, _date: str) -> str:
    try:
        git.run("merge", "--ff-only", "--quiet", "FETCH_HEAD")
    except GitFailed as failed:
        return f"not pulled: {failed.errors.splitlines()[-1] if failed.errors else failed}"
    return "pulled"


def _create(git: Git, target: str, run_id: str, _date: str) -> str:
    if git.maybe("symbolic-ref", "-q", "--short", "HEAD") == target:
        return "on it already"
    git.run("config", f"branch.{target}.podiumRun", run_id)
    return _switch(git, target, run_id, "") if _exists(git, target) else _switched(git, "-c", target)


def _switch(git: Git, target: str, _run_id: str, _date: str) -> str:
    if git.maybe("symbolic-ref", "-q", "--short", "HEAD") == target:
        return "on it already"
    return _switched(git, target)


def _exists(git: Git, target: str) -> bool:
    return git.maybe("rev-parse", "-q", "--verify", f"refs/heads/{target}") is not None


def _switched(git: Git, *words: str) -> str:
    try:
        git.run("switch", "--quiet", "--no-recurse-submodules", *words)
    except GitFailed as failed:
        raise Halted(f"git cannot switch to {words[-1]}: {failed.errors.splitlines()[0] if failed.errors else failed}") from failed
    return f"on {words[-1]}"


def _commit(git: Git, _target: str, run_id: str, date: str) -> str:
    made = commit_paths(git, changes(git), "wip: changes from before the run", {"Podium-Run": run_id}, date)
    return f"committed as {made[:12]}" if made else "nothing to commit"


_ACTS = {"stash": _stash, "unstash": _unstash, "pull": _pull, "create": _create, "switch": _switch, "commit": _commit}
