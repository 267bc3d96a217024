"""The project's files: agents see them in views, and only landing audited work changes them.

The user's checkout is read to make a checkpoint and written by `land` and `restore`. HEAD, branches, index and
stashes belong to the user. Podium's own refs are the branch `podium/<run>` and `refs/podium-kept/<run>/`, which
protects checkpoints from git's garbage collection. A folder without git has its snapshots in `.podium/snapshots.git`.

A path in this interface is relative to the project. A repository's path is relative to its top level; the two
differ if the project is a subfolder, and `inward` and `outward` translate.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from podium.core import globs
from podium.core.dataclass import dataclass
from podium.core.errors import Fault, Halted, InputError, PodiumError
from podium.engine.git import audit as git_audit
from podium.engine.git import landing
from podium.engine.git import snapshot as git_snapshot
from podium.engine.git import strays as git_strays
from podium.engine.git.audit import MAX_BYTES, Change
from podium.engine.git.branch import put_on_top
from podium.engine.git.checkout import current
from podium.engine.git.commit import commit_paths
from podium.engine.git.git import NO_REPOSITORY, Git, GitFailed, call
from podium.engine.git.index_file import Entry
from podium.engine.git.landing import Conflict, Landed
from podium.engine.git.links import turned_out
from podium.engine.git.listing import FULL_ID, in_the_way, listing, rebuilt
from podium.engine.git.merge import merged_tree, with_instead
from podium.engine.git.snapshot import NOTHING_BROUGHT, Brought, Own, Taken
from podium.engine.git.strays import PATCH_BYTES
from podium.engine.git.trees import (
    GITLINK,
    between,
    commit_tree,
    composed,
    entries,
    gitlinks,
    is_loose,
    remember_tree,
    staged,
    stored,
    tree_of,
)
from podium.engine.git.view import (
    KEPT_REFS,
    Checkpoint,
    CodeView,
    always_seen,
    borrowed,
    furnish,
    visible_tree,
)
from podium.state.removal import remove_all

__all__ = ["Change", "Checkpoint", "CodeView", "Conflict", "Landed", "Workspace", "run_branch", "trailers_of"]

Kind = Literal["repository", "unborn", "plain"]
_ONE_BY_ONE = threading.Lock()
"""Steps side by side commit to one branch, one on top of the other."""


def run_branch(run_id: str) -> str:
    return f"podium/{run_id}"


def trailers_of(run_id: str, step: str) -> dict[str, str]:
    return {"Podium-Run": run_id, "Podium-Step": step}


@dataclass(frozen=True)
class Workspace:
    """A project and the repository that keeps its snapshots."""

    project: Path
    podium_dir: Path
    kind: Kind
    toplevel: Path
    prefix: str
    """The project's path in the repository; empty if they are the same folder."""
    git: Git

    @classmethod
    def find(cls, project: Path, podium_dir: Path) -> Workspace:
        """The workspace of a folder, with or without git; creates nothing."""
        project, podium_dir = project.resolve(), podium_dir.resolve()
        if not project.is_dir():
            raise InputError(Fault(str(project), "is not a folder", "name the project's folder"))
        git = _discovered(project)
        if git is not None:
            kind: Kind = "repository" if _head(git) else "unborn"
            prefix = "" if project == git.work_tree else project.relative_to(git.work_tree).as_posix()
            # A project that an enclosing repository ignores (a home folder under git) does not belong to that repository.
            if not prefix or git.maybe("check-ignore", "-q", "--", f"./{prefix}/") is None:
                return cls(project, podium_dir, kind, git.work_tree, prefix, git)
        shadow = Git(podium_dir / "snapshots.git", project)
        return cls(project, podium_dir, "plain", project, "", shadow)

    def head(self) -> str | None:
        """The commit that the user has checked out; None in a folder without history."""
        return None if self.kind == "plain" else _head(self.git)

    def checkpoint(
        self, label: str, date: str, *, run_id: str = "", max_bytes: int = MAX_BYTES, brought: Brought = NOTHING_BROUGHT
    ) -> Checkpoint:
        """The checkout as it is, with uncommitted and untracked files but without ignored ones; `brought`: by the run itself.

        HEAD itself if nothing differs from it. With a run's id the commit is kept until `sweep`.
        """
        plain = self.kind == "plain"
        brought = Brought(self._outward_all(brought.paths), [tree_of(self.git, each) for each in brought.rules])
        if plain:
            git_snapshot.ensure_shadow(self.git)
        found = None if plain else git_snapshot.over_head(self.git, self._own(), max_bytes, brought)
        if found is None:
            found = Taken("", *git_snapshot.take(self.git, self._own(), max_bytes, remember=plain, brought=brought))
        if found.head and tree_of(self.git, found.head) == found.tree:
            commit = found.head
        else:
            commit = commit_tree(self.git, found.tree, [found.head] if found.head else [], f"Checkpoint: {label}", date)
        if run_id:
            self.git.run("update-ref", f"{KEPT_REFS}{run_id}/{commit}", commit)
        return Checkpoint(commit, found.tree, tuple(self.inward(path) for path in found.left_out))

    def checkpoint_of(self, commit: str) -> Checkpoint:
        """The checkpoint that a journal names by its commit; an error if it is gone."""
        if not is_loose(self.git, commit):
            return Checkpoint(commit, self.git.word("rev-parse", "--verify", f"{commit}^{{tree}}"))
        return Checkpoint(commit, tree_of(self.git, commit))

    def open_view(
        self,
        folder: Path,
        checkpoint: Checkpoint,
        *,
        hidden: Sequence[str] = (),
        only: Sequence[str] = (),
        apart: bool = False,
    ) -> CodeView:
        """A folder with the checkpoint's files, except the hidden ones; leftovers in it are removed first.

        `apart`: hidden files are not in the view's repository either.
        """
        folder = Path(os.path.abspath(folder))
        remove_all(folder)
        tree, commit = checkpoint.tree, checkpoint.commit
        if hidden or only:

            def seen(path: str) -> bool:
                inner = self.inward(path)
                return not globs.matches(inner, hidden) and (
                    not only or globs.matches(inner, only) or always_seen(inner)
                )

            tree = visible_tree(self.git, tree, seen)
        if tree != checkpoint.tree:
            # Without parent and refs, because history would show what is hidden.
            commit = commit_tree(self.git, tree, [], "The files of this step", "1970-01-01T00:00:00Z")
        whole = tree == checkpoint.tree
        furnish(self.git, folder, head=commit, tree=tree, refs=whole, apart=apart and not whole)
        project = folder / self.prefix
        project.mkdir(parents=True, exist_ok=True)
        return CodeView(folder, project, checkpoint, tree)

    def borrowed(self, view: CodeView) -> tuple[Path, ...]:
        """Folders outside a view opened `apart` that it must be able to read: none, unless it shows everything."""
        return borrowed(self.git) if view.base == view.checkpoint.tree else ()

    def close_view(self, view: CodeView) -> None:
        """Remove the view, whatever is left of it."""
        remove_all(view.folder)

    def changes(self, view: CodeView, *, max_bytes: int = MAX_BYTES) -> tuple[Change, ...]:
        """Every path that is not as the agent found it, except ignored ones, which `ignored` lists."""
        found = git_audit.changes(self.git, view, max_bytes=max_bytes)
        return tuple(replace(change, path=self.inward(change.path)) for change in found)

    def content(self, tree: str, path: str) -> bytes | None:
        """A file of a tree as git stores it; None if there is none."""
        entry = entries(self.git, tree).get(self.outward(path))
        return self.git.run("cat-file", "blob", entry[1]) if entry and entry[0] != GITLINK else None

    def named(self, point: Checkpoint, path: str) -> str:
        """Git's mode and id of what is at this path of a checkpoint; "" if nothing is."""
        return " ".join(entries(self.git, point.tree).get(self.outward(path), ()))

    def ignored(self, view: CodeView) -> tuple[str, ...]:
        """Paths made in the view that ignore rules cover: scratch files, never landed."""
        return tuple(self.inward(path) for path in git_audit.ignored(self.git, view))

    def patch_of(self, commit: str, base: Checkpoint, *, max_bytes: int = PATCH_BYTES) -> bytes:
        """What a step's commit changed, for `git apply` at the top level."""
        return git_strays.patch_between(self.git, base.tree, commit, max_bytes=max_bytes)

    def patch(self, view: CodeView, paths: Iterable[str], *, max_bytes: int = PATCH_BYTES) -> bytes:
        """How the paths differ from what the agent found, for `git apply` at the top level."""
        return git_strays.patch(self.git, view, self._outward_all(paths), max_bytes=max_bytes)

    def undo(self, view: CodeView, paths: Iterable[str]) -> None:
        """Restore these paths of the view to what the agent found."""
        git_strays.undo(self.git, view, self._outward_all(paths))

    def commit(
        self,
        view: CodeView,
        run_id: str,
        message: str,
        trailers: Mapping[str, str],
        date: str,
        paths: Iterable[str],
    ) -> str:
        """Keep these paths of the view as a commit on the run's branch: the checkpoint with only them changed.

        The parent is the branch's tip, or the checkpoint if the run has no branch yet. If the checkout has changed
        since the tip, a merge of tip and checkpoint comes in between, so that the step's commit shows only the step's
        work. If repeated after a crash, it finds its commit and makes no second one.
        """
        if self.kind != "plain" and current(self.git) == run_branch(run_id):
            raise Halted(
                f"The checkout is on {run_branch(run_id)}, the branch of the run itself. Switch to another branch."
            )
        tree = self._tree_with(view, self._outward_all(paths))
        ref, text = f"refs/heads/{run_branch(run_id)}", composed(message, trailers)
        meanwhile = composed("The checkout as it was meanwhile", {"Podium-Run": run_id})
        with _ONE_BY_ONE:
            return put_on_top(self.git, ref, tree, view.checkpoint, text, meanwhile, date)

    def land(self, commit: str, base: Checkpoint) -> Landed:
        """Bring what the commit changed since the checkpoint into the checkout: all of it, or nothing."""
        return self._carried(base.tree, tree_of(self.git, commit))

    def conflicts(self, commit: str, base: Checkpoint) -> tuple[Conflict, ...]:
        """What would prevent `land` now; writes nothing."""
        wanted = {each.path: each for each in between(self.git, base.tree, tree_of(self.git, commit))}
        found = landing.plan(self.git, base.tree, wanted, self.prefix).conflicts
        return tuple(Conflict(self.inward(path), why) for path, why in sorted(found.items()))

    def merge(
        self, commit: str, base: Checkpoint, label: str, date: str, run_id: str, over: Mapping[str, str] | None = None,
        brought: Brought = NOTHING_BROUGHT,
    ) -> tuple[str, Checkpoint] | None:  # fmt: skip
        """The commit's change merged with the checkout as it is now, and the checkpoint of that; None if they conflict.

        `over`: paths whose content in the checkout is ignored, each with the commit whose version replaces it.
        """
        now = self.checkpoint(label, date, run_id=run_id, brought=brought)
        known = {self.outward(path): entries(self.git, tree_of(self.git, each)) for path, each in (over or {}).items()}
        ours = with_instead(self.git, now.tree, {path: each.get(path) for path, each in known.items()})
        tree = merged_tree(self.git, base.tree, ours, tree_of(self.git, commit)) if ours else None
        if tree is None or turned_out(self.git, now.tree, tree, self.prefix):
            return None
        made = commit_tree(self.git, tree, [now.commit, commit], f"Merge: {label}", date)
        self.git.run("update-ref", f"{KEPT_REFS}{run_id}/{made}", made)
        return made, now

    def changed_in(self, commit: str, base: Checkpoint) -> tuple[str, ...]:
        """The project's paths that differ between a checkpoint and a commit."""
        return tuple(self.inward(each.path) for each in between(self.git, base.tree, tree_of(self.git, commit)))

    def difference(self, commit: str, now: Checkpoint, *, hidden: Sequence[str] = (), max_bytes: int = PATCH_BYTES) -> bytes:
        """What changed from a commit to a checkpoint, as a patch without the hidden paths."""
        found = [each.path for each in between(self.git, commit, now.tree)]
        wanted = [path for path in found if not globs.matches(self.inward(path), hidden)]
        if not wanted:
            return b""
        # Paths are named only if some are left out, because a command line has its limits.
        only = wanted if len(wanted) < len(found) else ()
        return git_strays.patch_between(self.git, commit, now.tree, paths=only, max_bytes=max_bytes)

    def commit_here(
        self, paths: Iterable[str], message: str, trailers: Mapping[str, str], date: str, brought: Brought = NOTHING_BROUGHT
    ) -> str | None:
        """Commit these paths of the checkout on its own branch; None in a folder without git, or if nothing differs."""
        if self.kind == "plain":
            return None
        return commit_paths(self.git, self._outward_all(paths), message, trailers, date, frozenset(self._outward_all(brought.paths)))

    def restore(self, paths: Iterable[str], base: Checkpoint, commit: str) -> Landed:
        """Restore landed paths to the checkpoint if the checkout still has what was landed; otherwise report a conflict."""
        only = frozenset(self._outward_all(paths))
        return self._carried(tree_of(self.git, commit), base.tree, only=only, partly=True)

    def digests_in(self, commit: str, paths: Iterable[str]) -> dict[str, str]:
        """Digest of each file as landing the commit writes it, `missing` if the commit has none."""
        wanted = list(paths)
        tree = tree_of(self.git, commit)
        there = entries(self.git, tree).keys() & set(self._outward_all(wanted))
        stage = self.podium_dir / "cache" / f"digests-{commit[:16]}-{os.getpid()}"
        with staged(self.git, tree, sorted(there), stage) as ready:
            return landing.digests(ready / self.prefix, wanted)

    def kept_refs(self, run_id: str) -> list[str]:
        """The refs that keep a run's checkpoints; its branch is not one of them."""
        there = self.git.git_dir.is_dir()
        return self.git.word("for-each-ref", "--format=%(refname)", f"{KEPT_REFS}{run_id}/").splitlines() if there else []

    def sweep(self, run_id: str) -> None:
        if refs := self.kept_refs(run_id):
            self.git.run("update-ref", "--stdin", stdin="".join(f"delete {each}\n" for each in refs).encode())

    def inward(self, path: str) -> str:
        """A repository path as a project path."""
        if not self.prefix:
            return path
        inner = posixpath.relpath(path, self.prefix)
        return f"{inner}/" if path.endswith("/") else inner

    def outward(self, path: str) -> str:
        """A project path as a repository path."""
        outer = posixpath.normpath(posixpath.join(self.prefix, path))
        if outer in {"", ".", ".."} or outer.startswith(("../", "/")):
            raise PodiumError(f"{path!r} is not a path in {self.toplevel}")
        return outer

    def _outward_all(self, paths: Iterable[str]) -> list[str]:
        return [self.outward(path) for path in paths]

    def _own(self) -> Own:
        inside = self.podium_dir.is_relative_to(self.toplevel)
        return Own(self.podium_dir.relative_to(self.toplevel).as_posix() if inside else "")

    def _carried(
        self, old: str, new: str, *, only: frozenset[str] | None = None, partly: bool = False
    ) -> Landed:
        stage = self.podium_dir / "cache" / "-".join(["landing", old[:16], new[:16], str(os.getpid())])
        done = landing.carry(self.git, old, new, under=self.prefix, stage=stage, only=only, partly=partly)
        conflicts = tuple(replace(each, path=self.inward(each.path)) for each in done.conflicts)
        return Landed(tuple(self.inward(path) for path in done.paths), conflicts)

    def _tree_with(self, view: CodeView, paths: Sequence[str]) -> str:
        """The checkpoint's tree with exactly these paths as the view has them."""
        kinds = git_strays.sort(view.folder, paths, gitlinks(self.git, view.base))
        was = listing(self.git, view.checkpoint.tree)
        left = {path: entry for path, entry in was.files.items() if path not in kinds.absent}
        now = stored(self.git.at(work_tree=view.folder), left, kinds.present, view.audited)
        changes: dict[str, Entry | None] = {path: entry for path, entry in now.items() if entry != was.files.get(path)}
        changes |= dict.fromkeys(path for path in kinds.absent if path in was.files)
        concealed: set[str] = set()
        if view.base != view.checkpoint.tree:
            concealed = changes.keys() & (was.files.keys() - entries(self.git, view.base).keys())
        outside = {each for each in changes if self.prefix and not each.startswith(f"{self.prefix}/")}
        unasked = in_the_way(left, was.levels, now)
        wrong = sorted({*kinds.odd, *unasked, *concealed, *outside})
        if wrong:
            raise PodiumError(
                f"{wrong[0]!r} cannot be committed: it is hidden, outside the project or no file. Undo it first."
            )
        return rebuilt(self.git, view.checkpoint.tree, changes)


def _discovered(project: Path) -> Git | None:
    """The repository around a folder; None if there is none."""
    facts, places = ("--is-bare-repository", "--is-inside-git-dir"), ("--absolute-git-dir", "--show-toplevel")
    with contextlib.suppress(GitFailed):
        told = call(("rev-parse", *facts, *places), cwd=project).splitlines()
        if told[:-2] == [b"false", b"false"]:  # a folder's name may contain a line end
            return Git(*(Path(os.fsdecode(each)) for each in told[-2:]))
    try:
        answers = call(("rev-parse", *facts), cwd=project).split()
    except GitFailed as failed:
        if NO_REPOSITORY in failed.errors:
            return None
        last = failed.errors.splitlines()[-1] if failed.errors else str(failed)
        raise InputError(Fault(str(project), f"git cannot use this repository: {last}")) from failed
    if b"true" in answers:
        what, mend = "is a bare repository or inside a .git folder", "name a folder with files checked out"
        raise InputError(Fault(str(project), what, mend))
    git_dir, top = (Path(os.fsdecode(call(("rev-parse", word), cwd=project)).removesuffix("\n")) for word in places)
    return Git(git_dir, top)


def _head(git: Git) -> str | None:
    """The commit of HEAD; None before the first one."""
    told = git.word("cat-file", "--batch-check=%(objectname)", stdin=b"HEAD\nHEAD^{tree}\n").splitlines()
    if len(told) == 2 and all(FULL_ID.fullmatch(each) for each in told):
        remember_tree(*told)
        return told[0]
    return git.maybe("rev-parse", "-q", "--verify", "HEAD")
