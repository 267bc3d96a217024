"""A person's repository, and a look at everything in it that is theirs."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.engine.git.checkout import Checkout
from podium.engine.git.git import Git

NASTY = (
    "with space",
    'quo"te',
    "new\nline",
    "ünï",
    os.fsdecode(b"bytes-\xff\xfe"),
    "tab\there",
    "-dash",
    "back\\slash",
    ":(top)x",
)
OURS = (".git", ".podium", "prompts")
"""Folders at the top that are not the person's."""


@dataclass(frozen=True)
class Everything:
    """What must not be lost, by kind."""

    files: Mapping[str, Any]
    """Path to kind, permissions and content, ignored ones included."""
    index: Mapping[str, Any]
    """Path to flags, mode, object and stage."""
    stashes: tuple[str, ...]
    """Commits in order: an id is its content."""
    refs: Mapping[str, str]
    head: str
    config: tuple[str, ...]
    hooks: tuple[str, ...]
    operation: tuple[str, ...]


@dataclass
class Person:
    root: Path
    environ: dict[str, str] = field(default_factory=dict)

    def raw(self, *words: str, check: bool = True, cwd: Path | None = None) -> bytes:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            **self.environ,
        }
        who = (
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@localhost",
            "-c",
            "protocol.file.allow=always",
            "-c",
            "commit.gpgsign=false",
        )
        done = subprocess.run(
            ["git", *who, *words], cwd=cwd or self.root, env=env, capture_output=True, check=False
        )
        assert done.returncode == 0 or not check, (words, done.stderr)
        return done.stdout

    def git(self, *words: str, **how: Any) -> str:
        return os.fsdecode(self.raw(*words, **how)).removesuffix("\n")

    def write(self, path: str, text: str | bytes, mode: int = 0) -> None:
        where = self.root / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(text.encode() if isinstance(text, str) else text)
        if mode:
            where.chmod(mode)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def commit(self, message: str, **files: str) -> str:
        for path, text in files.items():
            self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", message)
        return self.git("rev-parse", "HEAD")

    def status(self) -> list[str]:
        return sorted(
            os.fsdecode(part)
            for part in self.raw("status", "--porcelain", "-z", "--no-renames", "-uall").split(
                b"\0"
            )
            if part
        )

    def stashes(self) -> tuple[str, ...]:
        there = self.raw("rev-parse", "-q", "--verify", "refs/stash", check=False)
        return (
            tuple(self.git("rev-list", "--walk-reflogs", "refs/stash", "--").split())
            if there
            else ()
        )

    # -- everything

    def everything(self) -> Everything:
        return Everything(
            files=self.files(),
            index=self.index(),
            stashes=self.stashes(),
            refs=self.refs(),
            head=(self.git_dir / "HEAD").read_text(),
            config=self.config(),
            hooks=_names(self.common / "hooks"),
            operation=tuple(
                name
                for name in ("MERGE_HEAD", "rebase-merge", "CHERRY_PICK_HEAD", "BISECT_LOG")
                if (self.git_dir / name).exists()
            ),
        )

    @property
    def git_dir(self) -> Path:
        return Path(self.git("rev-parse", "--absolute-git-dir"))

    @property
    def common(self) -> Path:
        return (self.root / self.git("rev-parse", "--git-common-dir")).resolve()

    def files(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for folder, folders, names in os.walk(self.root):
            if Path(folder) == self.root:
                folders[:] = [name for name in folders if name not in OURS]
            for name in (
                *names,
                *(each for each in folders if os.path.islink(os.path.join(folder, each))),
            ):
                path = os.path.join(folder, name)
                mode = os.lstat(path).st_mode
                content = (
                    os.fsencode(os.readlink(path))
                    if stat.S_ISLNK(mode)
                    else Path(path).read_bytes()
                )
                found[os.path.relpath(path, self.root)] = (
                    stat.S_IFMT(mode),
                    0 if stat.S_ISLNK(mode) else stat.S_IMODE(mode),
                    content,
                )
        return {
            path: each for path, each in found.items() if path != ".git" and "/.git/" not in path
        }

    def index(self) -> dict[str, Any]:
        flags = {
            os.fsdecode(line[2:]): chr(line[0])
            for line in self.raw("ls-files", "-v", "-z").split(b"\0")
            if line
        }
        found: dict[str, Any] = {}
        for line in self.raw("ls-files", "--stage", "-z").split(b"\0"):
            if line:
                head, _, path = line.partition(b"\t")
                name = os.fsdecode(path)
                found.setdefault(name, []).append((flags[name], head.decode()))
        return found

    def refs(self) -> dict[str, str]:
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        found = dict(line.split() for line in lines)
        return {
            name: each
            for name, each in found.items()
            if name != "refs/stash" and "podium" not in name
        }

    def config(self) -> tuple[str, ...]:
        lines = self.raw("config", "--local", "--list", "-z").split(b"\0")
        return tuple(
            sorted(
                os.fsdecode(line) for line in lines if line and b".podiumrun\n" not in line.lower()
            )
        )


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(os.listdir(folder))) if folder.is_dir() else ()


def started(folder: Path, ids: str = "sha1") -> Person:
    """A repository with one commit on main, and an ignored file; `ids`: the kind of its object
    ids.
    """
    folder.mkdir(parents=True)
    person = Person(folder)
    person.git("init", "-q", "-b", "main", f"--object-format={ids}")
    person.git("config", "user.name", "Ada")
    person.git("config", "user.email", "ada@localhost")
    for path, text in {
        "src/app.py": "one = 1\ntwo = 2\nthree = 3\nfour = 4\nfive = 5\n",
        "src/old.py": "OLD = True\n",
        "README.md": "# Read\n",
        "docs/guide.md": "guide\n",
        ".gitignore": "*.log\nbuild/\n",
        "picture.bin": b"\0\1\2\xff" * 50,
        "run.sh": "echo\n",
    }.items():
        person.write(path, text)
    person.commit("first")
    person.write("trace.log", "ignored\n")
    person.write("build/out", "ignored, too\n")
    return person


def copied(template: Path, target: Path) -> Person:
    shutil.copytree(template, target, symlinks=True)
    person = Person(target)
    person.git("update-index", "-q", "--refresh")
    return person


def checkout(person: Person, run: str, target: str, **members: Any) -> Checkout:
    """The checkout as a run sees it; what is below prompts/ is the run's own."""
    git_dir = Path(person.git("rev-parse", "--absolute-git-dir"))
    top = Path(person.git("rev-parse", "--show-toplevel"))
    ours = members.pop("ours", lambda path: path.startswith("prompts/"))
    spare = person.root.parent / f"spare-{run}"
    return Checkout(
        git=Git(git_dir, top),
        run_id=run,
        target=target,
        date="2026-01-02T03:04:05+00:00",
        spare=spare,
        ours=ours,
        **members,
    )


def mess(person: Person) -> None:
    """A checkout with every kind of change at once."""
    person.write("src/app.py", "one = 1\ntwo = 22\nthree = 3\nfour = 4\nfive = 5\n")
    person.git("add", "src/app.py")
    person.write("src/app.py", "one = 1\ntwo = 22\nthree = 3\nfour = 4\nfive = 55\n")
    person.write("added.py", "staged\n")
    person.git("add", "added.py")
    person.git("mv", "src/old.py", "src/new.py")
    person.write("picture.bin", b"\xff\0" * 99)
    (person.root / "run.sh").chmod(0o755)
    (person.root / "docs/guide.md").unlink()
    person.git("rm", "-q", "--cached", "README.md")
    person.write("intended.py", "intended\n")
    person.git("add", "-N", "intended.py")
    for name in NASTY:
        person.write(f"loose/{name}", f"{name!r}\n")
    person.write("secret.env", "TOKEN\n", 0o600)
    person.write("crlf.txt", b"a\r\nb\nc\r\n")
    os.symlink("src/app.py", person.root / "link")
    os.symlink("nowhere", person.root / "dangling")
