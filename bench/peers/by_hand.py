"""What a document stage of Podium guarantees, by hand: what people write around a step if their
engine has no contracts.

As lean as possible: nothing is configured, recorded, retried or explained.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

PROTECTED = (
    ".podium/roles",
    ".podium/roles/writer.md",
    ".git/hooks",
    ".git/config",
    ".git/info/exclude",
)


class ByHand:
    """The contract of every step of a run: one document is read, one is written, nothing else is
    touched.
    """

    def __init__(self, project: Path) -> None:
        self.project = str(project)
        self.views = tempfile.mkdtemp(dir=project.parent)
        os.makedirs(f"{self.project}/docs", exist_ok=True)
        self.given = ("", "")
        self.seen: list[tuple[int, ...]] = []

    def open(self, number: int) -> str:
        """Make a folder that contains only the input, and record the protected files as they are
        now.
        """
        path = f"docs/{number - 1}.md" if number else "input.md"
        data = _read(f"{self.project}/{path}")
        view = f"{self.views}/{number}"
        os.mkdir(view)
        os.mkdir(f"{view}/docs")
        _write(f"{view}/{path}", data)
        self.given = (path, hashlib.sha256(data).hexdigest())
        self.seen = self._look()
        return view

    def work(self, view: str, number: int) -> None:
        """The step's own work, the same as that of the agent in Podium's bench."""
        text = Path(view, self.given[0]).read_text(encoding="utf-8")
        Path(view, f"docs/{number}.md").write_text(f"# {number}\n\n{text[-200:]}", encoding="utf-8")

    def close(self, view: str, number: int) -> None:
        """Check that nothing but the output was touched and that it is a plain file with text;
        then move it into the project.
        """
        path, digest = self.given
        output = f"docs/{number}.md"
        assert self._look() == self.seen, "a protected file was touched"
        assert _files(view, "") == {path, output}, "a stray file"
        assert hashlib.sha256(_read(f"{view}/{path}")).hexdigest() == digest, (
            "the input was changed"
        )
        data = _read(f"{view}/{output}")
        assert data.decode().strip(), "there is nothing in it"
        hashlib.sha256(data).hexdigest()
        _write(f"{self.project}/.new-{number}", data)
        os.rename(f"{self.project}/.new-{number}", f"{self.project}/{output}")

    def end(self) -> None:
        shutil.rmtree(self.views)

    def _look(self) -> list[tuple[int, ...]]:
        found = [os.lstat(f"{self.project}/{each}") for each in PROTECTED]
        return [(each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for each in found]


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        facts = os.fstat(descriptor)
        assert stat.S_ISREG(facts.st_mode), f"{path} is no plain file"
        return os.read(descriptor, facts.st_size)
    finally:
        os.close(descriptor)


def _write(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(descriptor, data)
    os.close(descriptor)


def _files(folder: str, above: str) -> set[str]:
    found: set[str] = set()
    with os.scandir(folder) as entries:
        for each in entries:
            inner = f"{above}{each.name}"
            found |= (
                _files(each.path, f"{inner}/") if each.is_dir(follow_symlinks=False) else {inner}
            )
    return found
