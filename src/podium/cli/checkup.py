"""The checks of `podium doctor`: each looks at one thing and says how to fix it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from podium.agents.profiles.absence import ways
from podium.agents.profiles.catalog import PROFILES, Found, discover, untried, version
from podium.agents.registry import resolve
from podium.cli import catalog, checkup_commands, role_names
from podium.cli.checkup_isolation import isolation
from podium.cli.checkup_views import views
from podium.cli.finding import Finding, Level
from podium.core.errors import Fault, InputError, PodiumError
from podium.engine.workspace import Workspace
from podium.roles import survey
from podium.settings.project import project_file
from podium.settings.sources import load
from podium.views.figures import plural
from podium.wiring_refusals import unusable
from podium.workflows.catalog import entry

OLDEST_GIT = (2, 25)


def everything(project: Path) -> Iterator[Finding]:
    yield from git(project)
    yield from folder(project)
    told = list(settings(project))
    yield from told
    if any(each.level == "fail" for each in told):
        yield Finding(
            "workflows",
            "fail",
            "not looked at, because the settings cannot be read",
            "fix those first",
        )
    else:
        loaded = load(project, os.environ)
        if project_file(project) is not None:
            yield from checkup_commands.commands(project, loaded)
        yield from workflows(project)
        yield from roles(project)
    yield from agents(project)
    yield from isolation(project)
    yield from views(project)
    yield from leftovers(project)


def git(project: Path) -> Iterator[Finding]:
    said = _asked(["git", "--version"])
    found = re.search(r"(\d+)\.(\d+)", said)
    if not found:
        yield Finding("git", "fail", "is not on PATH", "install git; runs that change code need it")
        return
    numbers = (int(found[1]), int(found[2]))
    if numbers < OLDEST_GIT:
        yield Finding("git", "fail", said, f"install git {'.'.join(map(str, OLDEST_GIT))} or newer")
    else:
        yield Finding("git", "ok", said)
    if not _asked(["git", "rev-parse", "--git-dir"], project):
        yield Finding(
            "repository",
            "warn",
            f"{project} is not in a git repository",
            "git init && git add -A && git commit -m start",
        )
    elif not _asked(["git", "rev-parse", "--verify", "HEAD"], project):
        yield Finding(
            "repository", "warn", "there is no commit yet", "git add -A && git commit -m start"
        )
    else:
        yield Finding(
            "repository", "ok", f"{_asked(['git', 'rev-parse', '--show-toplevel'], project)}"
        )
        yield from _drivers(project)


def _drivers(project: Path) -> Iterator[Finding]:
    """Programs of the project that git's configuration would run: Podium's own calls leave them
    out.
    """
    told = Workspace.find(project, project / ".podium").git.left_out()
    names = sorted(
        {
            each.partition("=")[0].rpartition(".")[0]
            if each.startswith("filter.")
            else each.partition("=")[0]
            for each in told
        }
    )
    if names:
        what = (
            f"{', '.join(names)} runs a program of this project, which an agent could change: "
            "Podium leaves it out"
        )
        yield Finding(
            "git drivers",
            "warn",
            what,
            "name a program outside of the project, or commit such files yourself",
        )


def folder(project: Path) -> Iterator[Finding]:
    place = project / ".podium" if (project / ".podium").is_dir() else project
    try:
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"x")
            os.fsync(probe.fileno())
    except OSError as error:
        yield Finding(
            "disk",
            "fail",
            f"{place} cannot be written: {error.strerror}",
            "make it writable, or free some space",
        )
        return
    free = shutil.disk_usage(place).free // 2**20
    level: Level = "ok" if free > 500 else "warn"
    yield Finding(
        "disk",
        level,
        f"{place} is writable, {f'{free // 1024} GB' if free >= 1024 else f'{free} MB'} free",
        "" if level == "ok" else "free some space",
    )


def settings(project: Path) -> Iterator[Finding]:
    try:
        loaded = load(project, os.environ)
    except InputError as error:
        for fault in error.faults:
            yield Finding("settings", "fail", f"{fault.where}: {fault.what}", fault.mend)
        return
    file = project_file(project)
    if file is None:
        yield Finding("settings", "warn", "no podium.toml", "podium init")
    else:
        yield Finding("settings", "ok", f"{file.name}, {plural(len(loaded.sources), 'value')} set")
    if loaded.store.views and (why := unusable(project / loaded.store.views)):
        yield Finding(
            "settings",
            "fail",
            f"[store] views: {why}",
            "name a folder that can be made and written",
        )
    both = project / "pyproject.toml"
    if (
        file
        and file.name == "podium.toml"
        and both.is_file()
        and b"[tool.podium" in both.read_bytes()
    ):
        yield Finding(
            "settings",
            "warn",
            "[tool.podium] in pyproject.toml is not read beside podium.toml",
            "keep one of them",
        )


def workflows(project: Path) -> Iterator[Finding]:
    for name in catalog.names():
        home = entry(name).home
        if home and not (project / home).exists():
            yield Finding(f"workflow {name}", "ok", "not set up here", f"podium init {name}")
            continue
        try:
            made = catalog.workflow(name, project)
        except PodiumError as error:
            yield Finding(
                f"workflow {name}",
                "fail",
                str(error),
                f"fix the file, or podium init {name} --force",
            )
            continue
        missing = [
            file for file in made.roles().values() if file and not (project / file).is_file()
        ]
        if missing:
            yield Finding(
                f"workflow {name}", "fail", f"missing: {', '.join(missing)}", f"podium init {name}"
            )
        else:
            yield Finding(
                f"workflow {name}", "ok", f"{len(made.steps)} steps, {len(made.roles())} roles"
            )


def roles(project: Path) -> Iterator[Finding]:
    """Definitions that cannot be used, and those that are used with a warning; each named once."""
    loaded = load(project, os.environ)
    own: set[str] = set()
    strange = role_names.unknown(loaded, project)
    yield from (
        Finding("role", "fail", f"{each.where}: {each.what}", each.mend) for each in strange
    )
    said: set[Fault] = set(strange)
    for name in catalog.names():
        try:
            made = catalog.workflow(name, project)
        except PodiumError:
            continue  # reported with the workflows
        found, bad = survey(made, name, project, loaded.roles, os.environ)
        doubts = [each for definition in found.values() for each in definition.warnings]
        for each in dict.fromkeys((*bad, *doubts)):
            if each not in said:
                yield Finding(
                    "role",
                    "fail" if each in bad else "warn",
                    f"{each.where}: {each.what}",
                    each.mend,
                )
            said.add(each)
        own |= {definition.source for definition in found.values()} - {"built-in", "none"}
    if not said:
        yield Finding("roles", "ok", f"{len(own)} definitions of your own, the others built in")


def agents(project: Path) -> Iterator[Finding]:
    found = discover()
    for each in found:
        yield _agent(each)
    if not found:
        yield Finding(
            "agents",
            "warn",
            "none on PATH",
            "what you can do:\n" + "\n".join(ways([], indent=" " * 11)),
        )
    try:
        loaded = load(project, os.environ)
    except InputError:
        return
    for name, table in loaded.agents.items():
        if table.command and not (
            shutil.which(table.command[0]) or (project / table.command[0]).is_file()
        ):
            yield Finding(
                f"agent {name}",
                "fail",
                f"{table.command[0]} is not found",
                f"[agents.{name}] command in podium.toml",
            )
    meant = [*loaded.agents, loaded.agent, *(each.agent for each in loaded.roles.values())]
    for spec in dict.fromkeys(filter(None, meant)):
        try:
            resolve(spec, loaded.agent_tables(), base=project, environ=os.environ)
        except PodiumError as error:
            yield Finding(
                f"agent {spec}",
                "fail",
                str(error),
                "correct it in the settings; `podium agents` lists all that Podium knows",
            )


def _agent(found: Found) -> Finding:
    """An installed agent. A version that nobody tested may work, but may print what nobody can
    read.
    """
    name, said = f"agent {found.name}", version(found.path, os.environ)
    if not said:
        return Finding(name, "warn", f"{found.path} does not tell its version")
    profile = PROFILES[found.name]
    if other := untried(profile, said):
        known = ", ".join(profile.versions)
        return Finding(
            name,
            "warn",
            f"{found.path} {said}",
            (
                f"{other} is not among the versions that were tried ({known}); if it fails, take "
                "one of those"
            ),
        )
    return Finding(name, "ok", f"{found.path} {said}")


def leftovers(project: Path) -> Iterator[Finding]:
    """A lock is never stale by itself (the kernel frees it); what is left of worktrees can be."""
    listed = _asked(["git", "worktree", "list", "--porcelain"], project).splitlines()
    gone = [line for line in listed if line.startswith("prunable")]
    if gone:
        yield Finding(
            "worktrees", "warn", f"{len(gone)} whose folder is gone", "git worktree prune"
        )
    half = [
        path.name
        for path in (project / ".podium" / "runs").glob("*/")
        if not (path / "journal.jsonl").is_file()
    ]
    if half:
        yield Finding(
            "runs",
            "warn",
            f"begun and never started: {', '.join(sorted(half))}",
            "delete these folders",
        )
    if not gone and not half:
        yield Finding("leftovers", "ok", "none")


def _asked(argv: list[str], folder: Path | None = None) -> str:
    """What a program prints, or nothing if it fails."""
    try:
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
