"""Prepares one start of a known program: its private HOME, its whole environment, what its
installation needs.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from podium.agents.profiles.profile import Endpoint, Launch, Permissions, Profile, Start
from podium.agents.protocol import Job, Model
from podium.agents.reporting.injection import Injection
from podium.agents.verdict_file import NAME, VARIABLE

Home = Literal["private", "user"]
LOGIN_PLATFORM = sys.platform == "linux"
"""Whether a login can be lent without the rest of HOME; on other systems it may be in a
keychain.
"""


class NotReady(Exception):
    """It cannot be started, and retrying would not help. The text says why, and what to do."""


@dataclass(frozen=True)
class Options:
    """The settings in `[agents.NAME]` that concern a known program."""

    program: str = ""
    model: str = ""
    ambient: bool = False
    home: Home | Literal[""] = ""
    permissions: Permissions | Literal[""] = ""
    report: Literal["tool", "schema", "file"] = "tool"
    turns: int | None = None
    env: tuple[str, ...] = ()
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Where the user's own variables come from."""


@dataclass(frozen=True)
class Staged:
    """Ready to start: all files are in place."""

    program: str
    launch: Launch
    env: Mapping[str, str]
    """The whole environment."""
    needs: tuple[Path, ...]


def home_of(profile: Profile, options: Options, *, model: bool) -> Home:
    """Private if a key or a gateway leads to a model; otherwise the user's login must be lent."""
    if options.home:
        return options.home
    keyed = any(options.environ.get(each) for each in profile.secrets)
    return "private" if model or keyed or not profile.login else "user"


def own_folders(profile: Profile, options: Options, *, model: bool) -> tuple[Path, ...]:
    """The user's own folders that the program must read and write: its login, if that is lent."""
    if home_of(profile, options, model=model) == "private":
        return ()
    return tuple(_own(profile, options))


def stage(
    profile: Profile,
    options: Options,
    job: Job,
    make: Callable[[Start], Launch],
    *,
    program: str = "",
    tools: Injection | None = None,
    schema: tuple[Path, str] | None = None,
    session: str = "",
) -> Staged:
    """Everything for one start. Raises NotReady, or OSError if the scratch folder cannot be
    prepared.
    """
    path = found(program or options.program or profile.program, job, profile)
    endpoint = endpoint_of(job.model) if profile.shapes and options.home != "user" else None
    private = home_of(profile, options, model=endpoint is not None) == "private"
    if endpoint is not None and profile.needs_model and not options.model:
        raise NotReady(
            f"{profile.title} must be told which model to ask: `model` in [agents.{profile.name}]"
        )
    start = Start(
        folder=job.folder,
        home=job.home,
        endpoint=endpoint,
        keys={each: options.environ[each] for each in profile.keys if options.environ.get(each)},
        model=options.model,
        ambient=options.ambient,
        permissions=permissions_of(options, job),
        tools=tools,
        schema=schema[0] if schema else None,
        schema_text=schema[1] if schema else "",
        session=session,
        turns=options.turns,
        driven=_driven(program, options, profile, job),
    )
    launch = make(start)
    _lay_out(
        job,
        launch,
        {} if private else {each: _lent(profile, options, each) for each in profile.login},
    )
    env = {**_inherited(options, job), **launch.env, **_places(options, job, private=private)}
    return Staged(path, launch, env, _beside(path, start.driven))


def permissions_of(options: Options, job: Job) -> Permissions:
    """In a room, its own prompts add nothing, and nobody could answer them."""
    if options.permissions:
        return options.permissions
    return "all" if job.enclosed else "edits"


def endpoint_of(model: Model | None) -> Endpoint | None:
    return None if model is None else Endpoint(model.origin, model.token)


def found(program: str, job: Job, profile: Profile) -> str:
    """The file that will be started. Raises NotReady, which says how to install it."""
    place = os.path.join(job.folder, os.path.expanduser(program)) if os.sep in program else program
    path = shutil.which(place, path=job.environment.get("PATH", os.defpath))
    if path is None:
        raise NotReady(absent(program, profile))
    return path


def absent(program: str, profile: Profile) -> str:
    """The message that a program is not installed, and how to install it."""
    acp = profile.acp
    install = acp.install if acp is not None and program == acp.program else profile.install
    return f"{program} is not on the PATH; to install it: {install}"


def missing(program: str, profile: Profile, path: str) -> str:
    """The same, before anything is started; empty if the program is installed or is given by
    path.
    """
    return "" if os.sep in program or shutil.which(program, path=path) else absent(program, profile)


def _driven(program: str, options: Options, profile: Profile, job: Job) -> str:
    """For an adapter, the program that is installed anyway: one version of an agent is enough."""
    if not program or program == profile.program:
        return ""
    wanted = options.program or profile.program
    return shutil.which(wanted, path=job.environment.get("PATH", os.defpath)) or ""


def _inherited(options: Options, job: Job) -> dict[str, str]:
    env = dict(job.environment)
    env |= {each: options.environ[each] for each in options.env if each in options.environ}
    withheld = job.model.withheld if job.model is not None else ()
    return {name: value for name, value in env.items() if name not in withheld}


def _places(options: Options, job: Job, *, private: bool) -> dict[str, str]:
    lent = LOGIN_PLATFORM or private
    home = str(job.home) if lent else options.environ.get("HOME", str(job.home))
    return {
        "HOME": home,
        "TMPDIR": str(job.scratch / "tmp"),
        VARIABLE: str(job.scratch / NAME),
        "NO_COLOR": "1",
        "DO_NOT_TRACK": "1",
        "NO_UPDATE_NOTIFIER": "1",
    }


def _lay_out(job: Job, launch: Launch, lent: Mapping[str, Path]) -> None:
    """Write fresh files into a HOME that an earlier attempt may have left, following no link
    except to a login.
    """
    os.makedirs(job.scratch / "tmp", exist_ok=True)
    os.makedirs(job.home, mode=0o700, exist_ok=True)
    for path, target in lent.items():
        if LOGIN_PLATFORM and target.is_dir():
            _clear(job.home, path)
            os.symlink(target, job.home / path)
    for path, text in launch.files.items():
        if any(path == each or path.startswith(f"{each}/") for each in lent):
            continue  # the user's own settings are not ours to write
        _clear(job.home, path)
        fd = os.open(job.home / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(fd, "w", encoding="utf-8") as file:
            file.write(text)


def _clear(home: Path, path: str) -> None:
    """Remove whatever is at that path, and make real folders above it."""
    at = home
    *above, name = Path(path).parts
    for part in above:
        at /= part
        if at.is_symlink() or (at.exists() and not at.is_dir()):
            os.unlink(at)
        if not at.exists():
            os.mkdir(at, 0o700)
    if (at / name).is_symlink() or (at / name).is_file():
        os.unlink(at / name)
    elif (at / name).is_dir():
        shutil.rmtree(at / name)


def _own(profile: Profile, options: Options) -> Iterator[Path]:
    for each in profile.login:
        if (path := _lent(profile, options, each)).is_dir():
            yield path.resolve()


def _lent(profile: Profile, options: Options, path: str) -> Path:
    moved = options.environ.get(profile.moved.get(path, ""), "")
    return (
        Path(moved)
        if moved
        else Path(options.environ.get("HOME") or os.path.expanduser("~")) / path
    )


def _beside(program: str, driven: str) -> tuple[Path, ...]:
    """Paths of packages that contain more than their program: helpers in neighbouring folders."""
    needs = []
    for each in filter(None, (program, driven)):
        real = Path(os.path.realpath(each))
        package = real.parent.parent
        if real.parent.name == "bin" and any(
            (package / name).is_dir() for name in ("codex-resources", "codex-path")
        ):
            needs.append(package)
    return (*needs, *((Path(driven), Path(os.path.realpath(driven))) if driven else ()))
