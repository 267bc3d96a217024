"""A run's files on their way between machines: one commit that contains everything a new owner
needs.

A parcel's tree has three parts: `project` (the checkout, including uncommitted files), `run` (the
run's folder without its journal, which is in the database) and `place.json` (HEAD, refs, branch
settings). If a store is set there may be a fourth, `large.json`, which names what is kept there.
The commit's parents are the previous parcel and every commit that one of its refs names, so one
push carries everything. It goes to the owner's own ref, and is there before the journal mentions
it; so an earlier owner can overwrite nothing but its own ref.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from podium.core.errors import Halted
from podium.engine.git.git import KEPT_REFS, SETTINGS, Git, GitFailed
from podium.engine.git.snapshot import Own
from podium.engine.git.trees import FILE, FOLDER, enter, scratch_index
from podium.engine.workspace import Workspace
from podium.fleet.parcels.objects import UNSYNCED, Objects
from podium.fleet.parcels.showing import RunBranch, Sight
from podium.fleet.parcels.trees import ProjectTree, RunTree
from podium.fleet.patience import patiently
from podium.fleet.store import large_files
from podium.fleet.store.large_files import Keeper, Pointer
from podium.fleet.store.store import Store
from podium.state.run_folder import RunFolder

FORMAT = 1
WITH_STORE = 2
"""The format of a parcel that names objects of a store: an older worker must not take it as
complete.
"""
REFS = "refs/podium/"
"""On the remote: `refs/podium/<run>/<epoch>`, one for each owner."""


@dataclass
class Parcels:
    """Packs one run's files under one epoch and sends them off."""

    workspace: Workspace
    remote: str
    run: str
    epoch: int
    last: str = ""
    """The previous parcel, which becomes the next one's parent."""
    patience_s: float = 600.0
    """How long to wait for a remote or a store that does not answer."""
    documents: set[str] = field(default_factory=set)
    """Project paths that the journal names; they are included even if git ignores them."""
    store: Store | None = None
    above: int = 5_000_000
    """Bytes above which a file goes to the store."""
    synced: bool = True
    """Whether objects are synced to disk: not in a checkout that nobody needs after a power cut."""
    _known: tuple[str, ...] = field(default=(), init=False)
    _asked: tuple[tuple[int, ...], list[list[str]]] = field(default=((), []), init=False)
    _sight: tuple[str, str] = field(default=("", ""), init=False)
    """Tree and HEAD of the last parcel's project."""

    @property
    def git(self) -> Git:
        return self.workspace.git

    @cached_property
    def objects(self) -> Objects:
        return Objects(self.git)

    @cached_property
    def branch(self) -> RunBranch:
        return RunBranch(self.git, self.objects, self.remote, self.run, self.epoch)

    @cached_property
    def project(self) -> ProjectTree:
        podium = self.workspace.podium_dir
        inside = podium.is_relative_to(self.workspace.toplevel)
        own = Own(podium.relative_to(self.workspace.toplevel).as_posix() if inside else "")
        index = podium / "cache" / f"parcel-{self.run}-{self.epoch}.index"
        return ProjectTree(self.git, index, own, self._above, SETTINGS if self.synced else UNSYNCED)

    @cached_property
    def folder(self) -> RunTree:
        return RunTree(RunFolder(self.workspace.project, self.run).path, self.objects, self._above)

    @cached_property
    def keeper(self) -> Keeper | None:
        return (
            None
            if self.store is None
            else Keeper(self.store, self.workspace.podium_dir / "cache" / "large", self.patience_s)
        )

    @property
    def _above(self) -> int | None:
        return None if self.store is None else self.above

    def send(self, date: str) -> str:
        """The commit with the files as they are now; pushed, unless nothing changed since the
        last.
        """
        place = self._place()
        project = self.project.write({self.workspace.outward(path) for path in self.documents})
        run = self.folder.write()
        tree = self._tree(project, run, place, self._pointers())
        parents = tuple(dict.fromkeys([place["head"], *place["refs"].values()]))
        self._sight = project, place["head"]
        if self._known == (tree, *parents):
            return self.last
        before = [self.last] if self.last else []
        parcel = self.objects.commit(
            tree, [*before, *parents], f"{self.run}: parcel of epoch {self.epoch}", date
        )
        self._push(f"+{parcel}:{REFS}{self.run}/{self.epoch}")
        self.last, self._known = parcel, (tree, *parents)
        return parcel

    def show(self, date: str, said: str, *, soon: bool = False) -> None:
        """Move the run's branch on the remote to the project as in the last parcel, unless a newer
        owner has moved it.

        `soon`: in the background.
        """
        tree, head = self._sight
        sight = Sight(self._readable(tree), head, said, date)
        if soon:
            self.branch.soon(sight)
        else:
            self.branch.now(sight, self._patiently)

    def tidy(self) -> None:
        """An ended run needs only one parcel: it has all the others among its ancestors."""
        listed = self.git.word("ls-remote", self.remote, f"{REFS}{self.run}/*")
        names = [line.split()[1] for line in listed.splitlines()]
        old = [f":{name}" for name in names if name != f"{REFS}{self.run}/{self.epoch}"]
        if old:
            with contextlib.suppress(GitFailed):  # a remote that forbids deleting keeps them
                self.git.run("push", "--quiet", self.remote, *old)

    def _push(self, what: str) -> None:
        self._patiently(lambda: self.git.run("push", "--quiet", self.remote, what, limit_s=120.0))

    def _patiently(self, work: Callable[[], object]) -> None:
        patiently(work, self.patience_s, GitFailed)

    def _pointers(self) -> list[Pointer]:
        """Files that are too large for git, now stored."""
        if self.keeper is None:
            return []
        roots = {
            "project": (self.git.work_tree, self.project.large),
            "run": (self.folder.folder, self.folder.large),
        }
        found = [
            self.keeper.pointer(where, root, path)
            for where, (root, paths) in roots.items()
            for path in sorted(paths)
        ]
        return [each for each in found if each is not None]

    def _readable(self, tree: str) -> str:
        """The tree plus ignored documents from the store: people read on the branch what they
        approve.
        """
        top = self.git.work_tree
        wanted = [
            path
            for path in sorted(self.project.ignored)
            if (top / path).is_file() and (top / path).stat().st_size <= self.above
        ]
        if not wanted:
            return tree
        with scratch_index(self.git, tree) as mine:
            enter(mine, wanted, ())
            return mine.word("write-tree")

    def _place(self) -> dict[str, Any]:
        """Kept cheap (three reads and one call), because it is done for every event."""
        listed = self.git.word(
            "for-each-ref",
            "--format=%(objectname) %(refname)",
            "refs/heads/",
            f"{KEPT_REFS}{self.run}/",
            "refs/stash",
        )
        refs = {
            name: commit for commit, name in (line.split(" ", 1) for line in listed.splitlines())
        }
        said = (self.git.git_dir / "HEAD").read_text().strip()
        branch = said.removeprefix("ref: ") if said.startswith("ref: ") else ""
        head = refs.get(branch, "") if branch else said
        if not head:
            raise Halted(
                "a run on the fleet needs a git repository with a first commit: make one, "
                "then submit again"
            )
        return {
            "format": FORMAT,
            "head": head,
            "branch": branch,
            "prefix": self.workspace.prefix,
            "refs": refs,
            "settings": self._settings(),
        }

    def _settings(self) -> list[list[str]]:
        """What git remembers about branches, such as their run; asked again only if the file
        changed.
        """
        facts = os.stat(self.git.common / "config")
        mark = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
        if mark != self._asked[0]:
            said = self.git.maybe("config", "--local", "-z", "--get-regexp", r"^branch\.") or ""
            self._asked = mark, [each.split("\n", 1) for each in said.split("\0") if "\n" in each]
        return self._asked[1]

    def _tree(
        self, project: str, run: str, place: dict[str, Any], pointers: Sequence[Pointer]
    ) -> str:
        if pointers:
            place = {**place, "format": WITH_STORE}
        text = json.dumps(place, indent=1, sort_keys=True) + "\n"
        entries = {
            "place.json": (FILE, "blob", self.objects.blob(text.encode())),
            "project": (FOLDER, "tree", project),
            "run": (FOLDER, "tree", run),
        }
        if pointers:
            entries[large_files.NAME] = (
                FILE,
                "blob",
                self.objects.blob(large_files.written(pointers).encode()),
            )
        return self.objects.join(entries)


def spoken_of(events: Sequence[Mapping[str, Any]]) -> set[str]:
    """Project paths whose content these events claim."""
    saved = {str(each["path"]) for each in events if each["type"] == "document.saved"}
    return saved.union(*(each["outputs"] for each in events if each["type"] == "step.finished"))
