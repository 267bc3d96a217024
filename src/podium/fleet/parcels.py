"""A run's files on their way between machines: one commit that holds all a new owner needs.

A parcel is a tree of three: `project` (the checkout with what is not committed), `run` (the run's folder without its
journal, which the database has) and `place.json` (HEAD, refs, branches' settings). Its parents are the parcel before it
and every commit that one of its refs names, so that one push carries everything. It goes to the owner's own ref, and
is there before the journal speaks of it; an owner of the past can therefore overwrite nothing but its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.core.errors import Halted
from podium.engine.git.git import Git, GitFailed
from podium.engine.git.trees import commit_tree, enter, entries, scratch_index
from podium.engine.git.view import KEPT_REFS
from podium.engine.workspace import Workspace
from podium.state.run_folder import RunFolder

FORMAT = 1
REFS = "refs/podium/"
"""On the remote: `refs/podium/<run>/<epoch>`, one for each owner."""
LEFT_OUT = ("lock", "inbox", "journal.jsonl", "state.json", ".state.json.spare")
"""Of a run's folder: what the database has, and what only this machine needs."""
PAUSE_S = 1.0


@dataclass
class Parcels:
    """Packs one run's files under one epoch and sends them off."""

    workspace: Workspace
    remote: str
    run: str
    epoch: int
    last: str = ""
    """The parcel before, which the next one names as its parent."""
    patience_s: float = 600.0
    """How long a remote that does not answer is waited for."""
    documents: set[str] = field(default_factory=set)
    """Project paths that the journal names, which go along even where git ignores them."""
    shown: str | None = None
    """What the run's branch on the remote had when it was last looked at."""
    _known: tuple[str, ...] = field(default=(), init=False)
    _asked: tuple[tuple[int, ...], list[list[str]]] = field(default=((), []), init=False)

    @property
    def git(self) -> Git:
        return self.workspace.git

    def send(self, date: str) -> str:
        """The commit with the files as they are now; pushed, unless nothing changed since the last."""
        project = self._project(date)
        folder = RunFolder(self.workspace.project, self.run).path
        place = self._place()
        tree = self._tree(project, self._run_tree(folder), place)
        parents = tuple(dict.fromkeys([place["head"], *place["refs"].values()]))
        if self._known == (tree, *parents):
            return self.last
        before = [self.last] if self.last else []
        parcel = commit_tree(self.git, tree, [*before, *parents], f"{self.run}: parcel of epoch {self.epoch}", date)
        self._push(f"+{parcel}:{REFS}{self.run}/{self.epoch}")
        self.last, self._known = parcel, (tree, *parents)
        return parcel

    def show(self, date: str, said: str) -> None:
        """Move the run's branch on the remote to the project as the last parcel has it; who was overtaken moves nothing."""
        branch = f"refs/heads/podium/{self.run}"
        if self.shown is None:
            listed = self.git.word("ls-remote", self.remote, branch)
            self.shown = listed.split()[0] if listed else ""
            if self.shown:
                self.git.run("fetch", "--quiet", "--no-tags", self.remote, self.shown)
        tree = self.git.word("rev-parse", f"{self.last}:project")
        head = self._place()["head"]
        if self.shown and self.git.word("rev-parse", f"{self.shown}^{{tree}}") == tree:
            return
        parents = [self.shown] if self.shown and self._ahead(head) else [each for each in (self.shown, head) if each]
        commit = commit_tree(self.git, tree, parents, said, date)
        try:
            self.git.run("push", "--quiet", f"--force-with-lease={branch}:{self.shown}", self.remote, f"{commit}:{branch}")
        except GitFailed as failed:
            if "stale info" not in failed.errors and "rejected" not in failed.errors:
                raise
            return
        self.shown = commit

    def tidy(self) -> None:
        """Of an ended run one parcel is enough: it names all others as its parents."""
        listed = self.git.word("ls-remote", self.remote, f"{REFS}{self.run}/*")
        names = [line.split()[1] for line in listed.splitlines()]
        old = [f":{name}" for name in names if name != f"{REFS}{self.run}/{self.epoch}"]
        if old:
            with contextlib.suppress(GitFailed):  # a remote that lets nobody delete keeps them
                self.git.run("push", "--quiet", self.remote, *old)

    def _ahead(self, head: str) -> bool:
        return self.git.maybe("merge-base", "--is-ancestor", head, str(self.shown)) is not None

    def _push(self, what: str) -> None:
        deadline = time.monotonic() + self.patience_s
        while True:
            try:
                self.git.run("push", "--quiet", self.remote, what, limit_s=120.0)
            except GitFailed:
                if time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE_S)
            else:
                return

    def _project(self, date: str) -> str:
        """The checkout's tree, with documents of the run that the ignore rules would leave behind."""
        tree = self.workspace.checkpoint("parcel", date).tree
        there = entries(self.git, tree)
        outer = (self.workspace.outward(path) for path in self.documents)
        missing = sorted(path for path in set(outer) if path not in there and (self.workspace.toplevel / path).is_file())
        if not missing:
            return tree
        with scratch_index(self.git, tree) as mine:
            enter(mine, missing, ())
            return mine.word("write-tree")

    def _run_tree(self, folder: Path) -> str:
        """Its own index is kept, so that only files that changed are read again."""
        index = self.workspace.podium_dir / "cache" / f"parcel-{self.run}.index"
        index.parent.mkdir(parents=True, exist_ok=True)
        mine = self.git.at(work_tree=folder, index=index)
        left = [f":(exclude,glob)**/{name}" for name in LEFT_OUT] + [":(exclude,glob)**/inbox/**"]
        mine.run("add", "--all", "--force", "--", ".", *left)
        return mine.word("write-tree")

    def _place(self) -> dict[str, Any]:
        """Three reads and one call: this is done for every event."""
        listed = self.git.word(
            "for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/", f"{KEPT_REFS}{self.run}/", "refs/stash"
        )
        refs = {name: commit for commit, name in (line.split(" ", 1) for line in listed.splitlines())}
        said = (self.git.git_dir / "HEAD").read_text().strip()
        branch = said.removeprefix("ref: ") if said.startswith("ref: ") else ""
        head = refs.get(branch, "") if branch else said
        if not head:
            raise Halted("a run on the fleet needs a git repository with a first commit: make one, then submit again")
        return {
            "format": FORMAT,
            "head": head,
            "branch": branch,
            "prefix": self.workspace.prefix,
            "refs": refs,
            "settings": self._settings(),
        }

    def _settings(self) -> list[list[str]]:
        """What git remembers of branches, such as whose they are; asked again only where the file changed."""
        facts = os.stat(self.git.common / "config")
        mark = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
        if mark != self._asked[0]:
            said = self.git.maybe("config", "--local", "-z", "--get-regexp", r"^branch\.") or ""
            self._asked = mark, [each.split("\n", 1) for each in said.split("\0") if "\n" in each]
        return self._asked[1]

    def _tree(self, project: str, run: str, place: dict[str, Any]) -> str:
        text = json.dumps(place, indent=1, sort_keys=True) + "\n"
        blob = self.git.word("hash-object", "-w", "--stdin", stdin=text.encode())
        listed = f"100644 blob {blob}\tplace.json\n040000 tree {project}\tproject\n040000 tree {run}\trun\n"
        return self.git.word("mktree", stdin=listed.encode())


def spoken_of(events: Sequence[Mapping[str, Any]]) -> set[str]:
    """Project paths whose content these events claim."""
    saved = {str(each["path"]) for each in events if each["type"] == "document.saved"}
    return saved.union(*(each["outputs"] for each in events if each["type"] == "step.finished"))
