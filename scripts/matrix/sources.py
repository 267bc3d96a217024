"""Brings the sources of a project from its package index, as released."""

from __future__ import annotations

import glob
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from scripts.matrix.projects import Project

LIMIT_S = 900


class Failed(Exception):
    """A command that was needed; the text has the end of what it printed."""


def run(command: str, folder: Path) -> str:
    """Run a shell command to its end; what it printed."""
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    printed = (ended.stdout + ended.stderr).decode(errors="replace")
    if ended.returncode:
        raise Failed(f"{command}: exit {ended.returncode}: {printed[-600:]}")
    return printed


def bring(project: Project, target: Path) -> None:
    """Put the sources of a project into a folder that is not there yet."""
    work = target.with_name(f".{target.name}-sources")
    shutil.rmtree(work, ignore_errors=True)
    unpacked = work / "unpacked"
    unpacked.mkdir(parents=True)
    name = shlex.quote(project.get)
    match project.source:
        case "pip":
            package = project.get.partition("==")[0]
            options = f"-q --no-deps --no-binary {package}"
            run(f"python3 -m pip download {options} {name} -d archive", work)
        case "npm":
            run(f"mkdir archive && cd archive && npm pack --silent {name}", work)
        case "source":
            apt = _apt(target.parent)
            run(
                f"mkdir archive && cd archive && apt-get {apt} source --tar-only {name}"
                f" || ls {name}_*.orig.tar.*",
                work,
            )
        case "deb":
            apt = _apt(target.parent)
            run(f"apt-get {apt} download {name} && dpkg-deb -x *.deb unpacked", work)
    if project.source != "deb":
        archive = next(path for path in sorted((work / "archive").iterdir()) if _is_archive(path))
        run(f"tar --no-same-owner -xf {shlex.quote(str(archive))} -C unpacked", work)
    shutil.move(_top(unpacked / project.folder, project), target)
    shutil.rmtree(work)


def _is_archive(path: Path) -> bool:
    return bool(re.search(r"(\.orig\.tar\.\w+|\.tar\.gz|\.tgz|\.zip)$", path.name))


def _top(unpacked: Path, project: Project) -> Path:
    """The one folder in an archive."""
    inside = [path for path in unpacked.iterdir() if path.is_dir()]
    return inside[0] if len(inside) == 1 and project.source != "deb" else unpacked


def _apt(cache: Path) -> str:
    """Options with which apt-get reads sources of packages, from lists of its own: those of the
    machine stay as they are.
    """
    home = cache / ".apt"
    for folder in ("lists/partial", "archives/partial", "parts"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    options = (
        f"-q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts={home}/parts "
        f"-o Dir::State::lists={home}/lists -o Dir::Cache={home} -o APT::Sandbox::User=root"
    )
    listed = home / "parts" / "all.sources"
    if not listed.exists():
        entries = [
            re.sub(r"(?m)^Types:.*$", "Types: deb deb-src", entry)
            for path in sorted(glob.glob("/etc/apt/sources.list.d/*.sources"))
            for entry in re.split(r"\n\s*\n", Path(path).read_text(encoding="utf-8"))
            if "debian-archive-keyring" in entry
        ]
        if not entries:
            raise Failed("apt-get has no list of Debian's own packages here")
        listed.write_text("\n\n".join(entries) + "\n", encoding="utf-8")
        run(f"apt-get {options} update", home)
    return options
