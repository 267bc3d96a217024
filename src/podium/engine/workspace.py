"""The project's files: agents see them in views, and only landing audited work changes them.

The user's checkout is read to make a checkpoint and written by `land` and `restore`. HEAD,
branches, index and stashes belong to the user. Podium's own refs are the branch `podium/<run>` and
`refs/podium-kept/<run>/`, which protects checkpoints from git's garbage collection. A folder
without git has its snapshots in `.podium/snapshots.git`.

A path in this interface is relative to the project. A repository's path is relative to its top
level; the two differ if the project is a subfolder, and `inward` and `outward` translate.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from podium.core import globs
from podium.core.errors import Fault, Halted, InputError, PodiumError
from podium.engine.git import landing
from podium.engine.git import snapshot as git_snapshot
from podium.engine.git.branch import put_on_top
from podium.engine.git.checkout import current
from podium.engine.git.commit import commit_paths
from podium.engine.git.git import KEPT_REFS, NO_REPOSITORY, Git, GitFailed, call, split
from podium.engine.git.landing import Conflict, Landed
from podium.engine.git.links import turned_out
from podium.engine.git.merge import merged_tree, with_instead
from podium.engine.git.own_part import NOTHING_THEIRS, Before
from podium.engine.git.patch import PATCH_BYTES, lines_between, patch_between
from podium.engine.git.snapshot import NOTHING_BROUGHT, Brought, Checkpoint, Own, Taken
from podium.engine.git.trees import (
    GITLINK,
    MAX_BYTES,
    Difference,
    between,
    commit_tree,
    composed,
    displaced,
    entries,
    staged,
    tree_of,
)
from podium.engine.views import quarantine
from podium.engine.views.audit import Change
from podium.engine.views.audit import changes as changes_in
from podium.engine.views.code_view import CodeView, Kind
from podium.engine.views.dependencies import Dependencies, beside, choose
from podium.engine.views.encoded import unencodable
from podium.engine.views.machine import support
from podium.engine.views.open import Opening, open_view, visible
from podium.engine.views.repository import planted, prune_objects
from podium.engine.views.store import TreeStore
from podium.project.dependencies import Item
from podium.state.removal import remove_all

__all__ = [
    "Change",
    "Checkpoint",
    "CodeView",
    "Conflict",
    "Landed",
    "Workspace",
    "run_branch",
    "trailers_of",
]

Project = Literal["repository", "unborn", "plain"]
Choose = Callable[[Path, Sequence[str]], tuple[Item, ...]]
MOST_ASKED = 500
"""Paths about which git is asked at once."""
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
    kind: Project
    toplevel: Path
    prefix: str
    """The project's path in the repository; empty if they are the same folder."""
    git: Git
    views: Path
    """Where views and the layers that they share are kept."""
    wanted_kind: str = "auto"
    """The kind of view that the settings ask for."""
    brings: Choose = choose
    """(top level, ignored paths in it) to what every view brings."""

    @classmethod
    def find(
        cls,
        project: Path,
        podium_dir: Path,
        views: Path | None = None,
        *,
        wanted_kind: str = "auto",
        brings: Choose = choose,
    ) -> Workspace:
        """The workspace of a folder, with or without git; creates nothing."""
        more = (views or podium_dir / "views", wanted_kind, brings)
        project, podium_dir = project.resolve(), podium_dir.resolve()
        if not project.is_dir():
            raise InputError(Fault(str(project), "is not a folder", "name the project's folder"))
        git = _discovered(project)
        if git is not None:
            kind: Project = "repository" if _head(git) else "unborn"
            prefix = (
                "" if project == git.work_tree else project.relative_to(git.work_tree).as_posix()
            )
            # A project that an enclosing repository ignores (a home folder under git) does not
            # belong to that repository.
            if not prefix or git.maybe("check-ignore", "-q", "--", f"./{prefix}/") is None:
                return cls(project, podium_dir, kind, git.work_tree, prefix, git, *more)
        shadow = Git(podium_dir / "snapshots.git", project)
        return cls(project, podium_dir, "plain", project, "", shadow, *more)

    def head(self) -> str | None:
        """The commit that the user has checked out; None in a folder without history."""
        return None if self.kind == "plain" else _head(self.git)

    def checkpoint(
        self,
        label: str,
        date: str,
        *,
        run_id: str = "",
        max_bytes: int = MAX_BYTES,
        brought: Brought = NOTHING_BROUGHT,
    ) -> Checkpoint:
        """The checkout as it is, with uncommitted and untracked files but without ignored ones;
        `brought`: by the run itself.

        HEAD itself if nothing differs from it. With a run's id the commit is kept until `sweep`.
        """
        plain, taken_ns = self.kind == "plain", time.time_ns()
        brought = Brought(
            self._outward_all(brought.paths), [tree_of(self.git, each) for each in brought.rules]
        )
        if plain:
            git_snapshot.ensure_shadow(self.git)
        found = None if plain else git_snapshot.over_head(self.git, self._own(), max_bytes, brought)
        if found is None:
            found = Taken(
                "",
                *git_snapshot.take(
                    self.git, self._own(), max_bytes, remember=plain, brought=brought
                ),
                git_snapshot.ignored(self.git, self._own()),
            )
        if found.head and tree_of(self.git, found.head) == found.tree:
            commit = found.head
        else:
            commit = commit_tree(
                self.git,
                found.tree,
                [found.head] if found.head else [],
                f"Checkpoint: {label}",
                date,
            )
        if run_id:
            self.git.run("update-ref", f"{KEPT_REFS}{run_id}/{commit}", commit)
        left_out = tuple(self.inward(path) for path in found.left_out)
        beside = (*found.ignored, *found.left_out)
        return Checkpoint(commit, found.tree, left_out, beside, taken_ns)

    def checkpoint_of(self, commit: str) -> Checkpoint:
        """The checkpoint that a journal names by its commit; an error if it is gone."""
        return Checkpoint(commit, self.git.word("rev-parse", "--verify", f"{commit}^{{tree}}"))

    def open_view(
        self,
        home: Path,
        checkpoint: Checkpoint,
        *,
        hidden: Sequence[str] = (),
        only: Sequence[str] = (),
        kind: Kind | None = None,
    ) -> CodeView:
        """A view of the checkpoint's files, except the hidden ones, in a folder of ours; leftovers
        in it are removed first.

        `kind`: another one than the best that works here.
        """
        tree, unseen = visible(
            self.git, checkpoint, self.inward, self.outward, hidden=hidden, only=only
        )
        others = checkpoint.beside
        if others is None:
            others = git_snapshot.ignored(self.git, self._own())
        others = beside(self.git, checkpoint.tree, others)
        opening = Opening(checkpoint, tree, unseen, self.brings(self.toplevel, others))
        return open_view(
            self.store,
            self.dependencies,
            Path(os.path.abspath(home)),
            opening,
            kind=kind or self.view_kind,
            inner=self.prefix,
        )

    @property
    def store(self) -> TreeStore:
        return TreeStore(self.views / "frozen", self.git)

    @property
    def dependencies(self) -> Dependencies:
        return Dependencies(self.views / "brought", self.toplevel)

    @property
    def view_kind(self) -> Kind:
        """The best kind of view that works here."""
        return support(self.views, self.wanted_kind, self.toplevel).kind

    def close_view(self, view: CodeView) -> None:
        """Remove the view, whatever is left of it."""
        remove_all(view.home)

    def changes(self, view: CodeView, *, max_bytes: int = MAX_BYTES) -> tuple[Change, ...]:
        """Every path that is not as the agent found it, except ignored ones."""
        result = changes_in(self.git, view, max_bytes=max_bytes)
        return tuple(replace(change, path=self.inward(change.path)) for change in result)

    def planted(self, view: CodeView) -> tuple[str, ...]:
        """Hooks and settings that would have git run programs."""
        return tuple(self.inward(path) for path in planted(self.git, view))

    def rewritten(self, view: CodeView) -> tuple[str, ...]:
        """Files of the view that its programs wrote, whether or not anything in them changed."""
        written = view.changes(touched=True)
        tracked = entries(self.git, view.base, [path for path, item in written if item])
        return tuple(self.inward(path) for path in tracked)

    def content(self, tree: str, path: str) -> bytes | None:
        """A file of a tree as git stores it; None if there is none."""
        outer = self.outward(path)
        entry = entries(self.git, tree, [outer]).get(outer)
        return self.git.run("cat-file", "blob", entry[1]) if entry and entry[0] != GITLINK else None

    def paths_of(self, tree: str) -> list[str]:
        """The files of the project in a tree."""
        top = [self.prefix] if self.prefix else None
        return [self.inward(path) for path in entries(self.git, tree, top, within=True)]

    def untracked(self, paths: Collection[str]) -> frozenset[str]:
        """Those of these files of the project that the person's git does not keep."""
        if self.kind == "plain" or not 0 < len(paths) <= MOST_ASKED:
            return frozenset()
        places = [f":(top,literal){self.outward(path)}" for path in paths]
        known = {self.inward(path) for path in split(self.git.run("ls-files", "-z", "--", *places))}
        return frozenset(paths) - known

    def named(self, point: Checkpoint, path: str) -> str:
        """Git's mode and id of what is at this path of a checkpoint; "" if nothing is."""
        outer = self.outward(path)
        return " ".join(entries(self.git, point.tree, [outer]).get(outer, ()))

    def unencodable(self, view: CodeView, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of these changed files that git would write back as other bytes."""
        lost = unencodable(self.git, view, self._outward_all(paths))
        return tuple(self.inward(path) for path in lost)

    def patch_of(self, commit: str, base: Checkpoint, *, max_bytes: int = PATCH_BYTES) -> bytes:
        """What a step's commit changed, for `git apply` at the top level."""
        return patch_between(self.git, base.tree, commit, max_bytes=max_bytes)

    def patch(self, view: CodeView, paths: Iterable[str], *, max_bytes: int = PATCH_BYTES) -> bytes:
        """How the paths differ from what the agent found, for `git apply` at the top level."""
        return quarantine.patch(self.git, view, self._outward_all(paths), max_bytes=max_bytes)

    def undo(self, view: CodeView, paths: Iterable[str]) -> None:
        """Restore these paths of the view to what the agent found."""
        quarantine.undo(self.git, view, self._outward_all(paths))

    def commit(
        self,
        view: CodeView,
        run_id: str,
        message: str,
        trailers: Mapping[str, str],
        date: str,
        paths: Iterable[str],
    ) -> str:
        """Keep these paths of the view as a commit on the run's branch: the checkpoint with only
        them changed.

        The parent is the branch's tip, or the checkpoint if the run has no branch yet. If the
        checkout has changed since the tip, a merge of tip and checkpoint comes in between, so that
        the step's commit shows only the step's work. If repeated after a crash, it finds its commit
        and makes no second one.
        """
        if self.kind != "plain" and current(self.git) == run_branch(run_id):
            raise Halted(
                f"The checkout is on {run_branch(run_id)}, the branch of the run itself. "
                "Switch to another branch."
            )
        tree = self._tree_with(view, self._outward_all(paths))
        ref, text = f"refs/heads/{run_branch(run_id)}", composed(message, trailers)
        meanwhile = composed("The checkout as it was meanwhile", {"Podium-Run": run_id})
        with _ONE_BY_ONE:
            return put_on_top(self.git, ref, tree, view.checkpoint, text, meanwhile, date)

    def land(self, commit: str, base: Checkpoint) -> Landed:
        """Bring what the commit changed since the checkpoint into the checkout: all of it, or
        nothing.
        """
        return self._carried(base.tree, tree_of(self.git, commit))

    def conflicts(self, commit: str, base: Checkpoint) -> tuple[Conflict, ...]:
        """What would prevent `land` now; writes nothing."""
        wanted = {
            each.path: each for each in between(self.git, base.tree, tree_of(self.git, commit))
        }
        found = landing.plan(self.git, base.tree, wanted, self.prefix).conflicts
        return tuple(Conflict(self.inward(path), why) for path, why in sorted(found.items()))

    def merge(
        self,
        commit: str,
        base: Checkpoint,
        label: str,
        date: str,
        run_id: str,
        over: Mapping[str, str] | None = None,
        brought: Brought = NOTHING_BROUGHT,
    ) -> tuple[str, Checkpoint] | None:
        """The commit's change merged with the checkout as it is now, and the checkpoint of that;
        None if they conflict.

        `over`: paths whose content in the checkout is ignored, each with the commit whose version
        replaces it.
        """
        now = self.checkpoint(label, date, run_id=run_id, brought=brought)
        known = {
            self.outward(path): entries(self.git, tree_of(self.git, each))
            for path, each in (over or {}).items()
        }
        ours = with_instead(
            self.git, now.tree, {path: each.get(path) for path, each in known.items()}
        )
        tree = merged_tree(self.git, base.tree, ours, tree_of(self.git, commit)) if ours else None
        if tree is None or turned_out(self.git, now.tree, tree, self.prefix):
            return None
        made = commit_tree(self.git, tree, [now.commit, commit], f"Merge: {label}", date)
        self.git.run("update-ref", f"{KEPT_REFS}{run_id}/{made}", made)
        return made, now

    def changed_between(self, old: str, new: str) -> tuple[str, ...]:
        """The project's paths that differ between two trees."""
        return tuple(self.inward(row.path) for row in between(self.git, old, new))

    def differences(self, old: Checkpoint, new: Checkpoint) -> tuple[Difference, ...]:
        """What differs between two checkpoints below the project, with the project's paths."""
        rows = between(self.git, old.tree, new.tree)
        return tuple(replace(row, path=self.inward(row.path)) for row in rows)

    def lines_changed(
        self, old: Checkpoint, new: Checkpoint
    ) -> dict[str, tuple[int | None, int | None]]:
        """The project's paths that differ, with the numbers of lines added and removed."""
        counts = lines_between(self.git, old.tree, new.tree)
        return {self.inward(path): numbers for path, numbers in counts.items()}

    def changed_in(self, commit: str, base: Checkpoint) -> tuple[str, ...]:
        """The project's paths that differ between a checkpoint and a commit."""
        return tuple(
            self.inward(each.path)
            for each in between(self.git, base.tree, tree_of(self.git, commit))
        )

    def difference(
        self,
        commit: str,
        now: Checkpoint,
        *,
        hidden: Sequence[str] = (),
        max_bytes: int = PATCH_BYTES,
    ) -> bytes:
        """What changed from a commit to a checkpoint, as a patch without the hidden paths."""
        found = [each.path for each in between(self.git, commit, now.tree)]
        wanted = [path for path in found if not globs.matches(self.inward(path), hidden)]
        if not wanted:
            return b""
        # Paths are named only if some are left out, because a command line has its limits.
        only = wanted if len(wanted) < len(found) else ()
        return patch_between(self.git, commit, now.tree, paths=only, max_bytes=max_bytes)

    def commit_here(
        self,
        paths: Iterable[str],
        message: str,
        trailers: Mapping[str, str],
        date: str,
        brought: Brought = NOTHING_BROUGHT,
        before: Before = NOTHING_THEIRS,
        texts: Mapping[str, bytes | None] | None = None,
    ) -> str | None:
        """Commit these paths of the checkout on its own branch; None in a folder without git, or
        if nothing differs. `before` and `texts`: see `commit_paths`.
        """
        if self.kind == "plain":
            return None
        return commit_paths(
            self.git,
            self._outward_all(paths),
            message,
            trailers,
            date,
            frozenset(self._outward_all(brought.paths)),
            before,
            {self.outward(path): text for path, text in (texts or {}).items()},
        )

    def text_at_head(self, path: str) -> str | None:
        """A file's text in HEAD; None if it has none."""
        outer = self.outward(path)
        if not (head := self.git.maybe("rev-parse", "-q", "--verify", "HEAD^{tree}")):
            return None
        entry = entries(self.git, head, [outer]).get(outer)
        return None if entry is None else self.git.run("cat-file", "blob", entry[1]).decode()

    def restore(self, paths: Iterable[str], base: Checkpoint, commit: str) -> Landed:
        """Restore landed paths to the checkpoint if the checkout still has what was landed;
        otherwise report a conflict.
        """
        only = frozenset(self._outward_all(paths))
        return self._carried(tree_of(self.git, commit), base.tree, only=only, partly=True)

    def digests_in(self, commit: str, paths: Iterable[str]) -> dict[str, str]:
        """Digest of each file as landing the commit writes it, `missing` if the commit has none."""
        wanted = list(paths)
        tree = tree_of(self.git, commit)
        there = entries(self.git, tree, self._outward_all(wanted))
        stage = self.podium_dir / "cache" / f"digests-{commit[:16]}-{os.getpid()}"
        with staged(self.git, tree, sorted(there), stage) as ready:
            return landing.digests(ready / self.prefix, wanted)

    def kept_refs(self, run_id: str) -> list[str]:
        """The refs that keep a run's checkpoints; its branch is not one of them."""
        there = self.git.git_dir.is_dir()
        return (
            self.git.word(
                "for-each-ref", "--format=%(refname)", f"{KEPT_REFS}{run_id}/"
            ).splitlines()
            if there
            else []
        )

    def sweep(self, run_id: str) -> None:
        """Let go of what a run kept, and of what views kept and nothing has used lately."""
        self.store.prune()
        prune_objects(self.store)
        self.dependencies.prune()
        if refs := self.kept_refs(run_id):
            self.git.run(
                "update-ref", "--stdin", stdin="".join(f"delete {each}\n" for each in refs).encode()
            )

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
        stage = (
            self.podium_dir / "cache" / "-".join(["landing", old[:16], new[:16], str(os.getpid())])
        )
        done = landing.carry(
            self.git, old, new, under=self.prefix, stage=stage, only=only, partly=partly
        )
        conflicts = tuple(replace(each, path=self.inward(each.path)) for each in done.conflicts)
        return Landed(tuple(self.inward(path) for path in done.paths), conflicts)

    def _tree_with(self, view: CodeView, paths: Sequence[str]) -> str:
        """The checkpoint's tree with exactly these paths as the view has them."""
        tree = view.checkpoint.tree
        links = quarantine.submodules(self.git, view.base, paths)
        kinds = quarantine.sort(view, paths, links)
        new, changes = quarantine.changed_tree(self.git, view, tree, kinds)
        hidden = entries(self.git, tree, paths).keys() - entries(self.git, view.base, paths).keys()
        outside = {
            path for path in changes if self.prefix and not path.startswith(f"{self.prefix}/")
        }
        wrong = {
            *kinds.odd,
            *displaced(self.git, tree, new, changes),
            *(hidden & changes.keys()),
            *outside,
        }
        if wrong:
            raise PodiumError(
                f"{min(wrong)!r} cannot be committed: it is hidden, outside the project or no "
                "file. Undo it first."
            )
        return new


def _discovered(project: Path) -> Git | None:
    """The repository around a folder; None if there is none."""
    facts, places = (
        ("--is-bare-repository", "--is-inside-git-dir"),
        ("--absolute-git-dir", "--show-toplevel"),
    )
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
        what, mend = (
            "is a bare repository or inside a .git folder",
            "name a folder with files checked out",
        )
        raise InputError(Fault(str(project), what, mend))
    git_dir, top = (
        Path(os.fsdecode(call(("rev-parse", word), cwd=project)).removesuffix("\n"))
        for word in places
    )
    return Git(git_dir, top)


def _head(git: Git) -> str | None:
    """The commit of HEAD; None before the first one."""
    return git.maybe("rev-parse", "-q", "--verify", "HEAD")
