"""The run's branch on the remote, for people: follows the journal in the background, for the
current owner only.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from podium.engine.git.git import Git, GitFailed
from podium.fleet.parcels.objects import Objects

EPOCH = re.compile(r"^Podium-Epoch: (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Sight:
    """What the branch should show: a tree, the commit that the checkout stands on, and a
    message.
    """

    tree: str
    head: str
    said: str
    date: str


@dataclass
class RunBranch:
    """`podium/<run>` on the remote. One thread pushes the newest sight; older ones it did not
    get to are dropped.
    """

    git: Git
    objects: Objects
    remote: str
    run: str
    epoch: int
    shown: str | None = None
    """What the branch contained when last looked at; None before that."""
    _seen: Sight | None = None
    """What was last shown from here; its tree and HEAD need not be asked for again."""
    _wanted: Sight | None = None
    _thread: threading.Thread | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def ref(self) -> str:
        return f"refs/heads/podium/{self.run}"

    def soon(self, sight: Sight) -> None:
        """Show it in the background. If the remote does not answer, the next sight or `now`
        tries again.
        """
        with self._lock:
            self._wanted = sight
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def now(self, sight: Sight, patiently: Callable[[Callable[[], None]], None]) -> None:
        """Show it before returning."""
        with self._lock:
            self._wanted, thread = None, self._thread
        if thread is not None:
            thread.join()
        patiently(lambda: self._show(sight))

    def _work(self) -> None:
        while True:
            with self._lock:
                sight, self._wanted = self._wanted, None
                if sight is None:
                    self._thread = None
                    return
            with contextlib.suppress(GitFailed):
                self._show(sight)

    def _show(self, sight: Sight) -> None:
        """Push the sight, again if an earlier owner moved the branch; a remote that refuses is
        asked twice.
        """
        refused = 0
        while refused < 2:
            if self.shown is None:
                self._look()
            if self.shown and self._tree() == sight.tree:
                return
            commit, before = self._commit(sight), self.shown
            try:
                self.git.run(
                    "push",
                    "--quiet",
                    f"--force-with-lease={self.ref}:{before}",
                    self.remote,
                    f"{commit}:{self.ref}",
                    limit_s=120.0,
                )
            except GitFailed as failed:
                if "stale info" not in failed.errors and "rejected" not in failed.errors:
                    raise
                if self._overtaken():
                    return
                # A push can outlive its owner: each earlier owner may move the branch once more,
                # but not for ever.
                refused += self.shown == before
            else:
                self.shown, self._seen = commit, sight
                return

    def _look(self) -> None:
        listed = self.git.word("ls-remote", self.remote, self.ref)
        found = listed.split()[0] if listed else ""
        if found:
            self.git.run(
                "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", self.remote, found
            )
        self.shown, self._seen = found, None

    def _overtaken(self) -> bool:
        self._look()
        said = self.git.word("cat-file", "commit", self.shown) if self.shown else ""
        found = EPOCH.search(said)
        return found is not None and int(found[1]) > self.epoch

    def _commit(self, sight: Sight) -> str:
        before = [self.shown] if self.shown else []
        parents = before if before and self._ahead(sight.head) else [*before, sight.head]
        return self.objects.commit(
            sight.tree, parents, f"{sight.said}\n\nPodium-Epoch: {self.epoch}", sight.date
        )

    def _ahead(self, head: str) -> bool:
        if self._seen is not None and self._seen.head == head:
            return True
        return self.git.maybe("merge-base", "--is-ancestor", head, str(self.shown)) is not None

    def _tree(self) -> str:
        return (
            self._seen.tree
            if self._seen is not None
            else self.git.word("rev-parse", f"{self.shown}^{{tree}}")
        )
