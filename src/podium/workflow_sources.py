"""Where a workflow comes from: a Python file that a person trusts, `.podium/workflows`, an
installed package, or Podium itself.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract
from pathlib import Path
from types import ModuleType

from podium.core.errors import Fault, InputError, UsageError
from podium.core.nearest import nearest
from podium.core.workflow import Workflow
from podium.settings.project import state_folder
from podium.settings.text_file import text_of
from podium.state.disk import Disk
from podium.workflows.catalog import NAMES, entry
from podium.workflows.entry import Entry

GROUP = "podium.workflows"
"""The entry points of installed packages."""
FOLDER = ".podium/workflows"
"""A project's own workflows, committed with it."""


@dataclass(frozen=True)
class Source:
    """One workflow that can be named."""

    name: str
    where: str
    """`built-in`, a path, or a package."""
    about: str
    shadows: str = ""
    """What else has this name."""


def is_path(name: str) -> bool:
    """Whether the word names a file rather than a workflow."""
    return split(name)[0].endswith(".py")


def split(name: str) -> tuple[str, str]:
    """`FILE.py:Class` as path and class."""
    path, colon, wanted = name.rpartition(":")
    return (path, wanted) if colon and path.endswith(".py") else (name, "")


def find(name: str, project: Path, environ: Mapping[str, str], cwd: Path | None = None) -> Entry:
    """The workflow that a person names; UsageError if there is none, InputError if its file is not
    trusted or cannot be used.
    """
    path, wanted = split(name)
    if is_path(name):
        return _of_file((cwd or Path.cwd()) / path, path, wanted, environ)
    own = project / FOLDER / f"{name}.py"
    if own.is_file():
        return _of_file(own, f"{FOLDER}/{name}.py", "", environ)
    packaged = _packaged(name)
    if packaged is not None:
        return _of_package(packaged)
    if name in NAMES:
        return entry(name)
    names = [source.name for source in listed(project)]
    near = nearest(name, names)
    raise UsageError(
        f"there is no workflow {name!r}"
        + (f"; did you mean {near}?" if near else f"; choose one of: {', '.join(names)}")
    )


def kept(name: str, definition: Mapping[str, object], environ: Mapping[str, str]) -> Entry:
    """The workflow of a run under way, as it was when the run began."""
    if not definition.get("text"):
        packaged = _packaged(name)
        if definition.get("source") and packaged is not None:
            return _of_package(packaged)
        if name not in NAMES:
            what = f"the workflow {name} is not installed any more"
            raise InputError(Fault(str(definition.get("source") or name), what))
        return entry(name)
    from podium.api.entry import Definition, entry_of  # noqa: PLC0415 - most runs are of built-ins

    known = Definition(*(str(definition[key]) for key in ("source", "text", "name")))
    _require_trust(known.text, known.source, environ)
    return entry_of(_own_class(known.text, known.source, known.name), known, _loaded)


def listed(project: Path) -> Iterator[Source]:
    """Every workflow that can be named here, except those that need a path."""
    own = {path.stem: path for path in sorted((project / FOLDER).glob("*.py"))}
    packages = {point.name: point for point in entry_points(group=GROUP)}
    for name, path in own.items():
        where = f"{FOLDER}/{path.name}"
        shadows = "package" if name in packages else "built-in" if name in NAMES else ""
        yield Source(name, where, _first_line(path), shadows)
    for name, point in packages.items():
        if name not in own:
            package = point.dist.name if point.dist else point.value
            yield Source(name, package, "", "built-in" if name in NAMES else "")
    for name in NAMES:
        if name not in {*own, *packages}:
            yield Source(name, "built-in", entry(name).summary)


def _first_line(path: Path) -> str:
    """What a file says of itself; it is not run for this."""
    import ast  # noqa: PLC0415

    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return "cannot be read"
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    text = (ast.get_docstring(classes[-1]) if classes else "") or ast.get_docstring(tree) or ""
    return text.partition("\n")[0]


# -- trust


def trust(path: Path, spoken: str, environ: Mapping[str, str]) -> str:
    """Remember that this person lets the file, as it is, run as code; returns its digest."""
    digest = sha256(text_of(path, spoken).encode()).hexdigest()
    place = _trusted(environ)
    known = _read_trusted(place)
    known[digest] = os.fspath(path.resolve())
    place.parent.mkdir(parents=True, exist_ok=True)
    Disk().write_file(place, json.dumps(known, indent=1).encode())
    return digest


def _trusted(environ: Mapping[str, str]) -> Path:
    return state_folder(environ) / "trusted.json"


def _read_trusted(place: Path) -> dict[str, str]:
    try:
        known = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return dict(known) if isinstance(known, dict) else {}


def _require_trust(text: str, where: str, environ: Mapping[str, str]) -> None:
    if sha256(text.encode()).hexdigest() not in _read_trusted(_trusted(environ)):
        raise InputError(
            Fault(
                where,
                "is code, and you have not trusted it as it is now",
                f"read it, then `podium trust {where}`",
            )
        )


# -- loading


def _of_file(path: Path, spoken: str, wanted: str, environ: Mapping[str, str]) -> Entry:
    from podium.api.entry import Definition, entry_of  # noqa: PLC0415

    if not path.is_file():
        raise InputError(Fault(spoken, "there is no such file"))
    text = text_of(path, spoken)
    _require_trust(text, spoken, environ)
    kind = _own_class(text, spoken, wanted)
    return entry_of(kind, Definition(spoken, text, kind.__name__), _loaded)


def _packaged(name: str) -> EntryPoint | None:
    return next(iter(entry_points(group=GROUP, name=name)), None)


def _of_package(point: EntryPoint) -> Entry:
    from podium.api.entry import Definition, entry_of  # noqa: PLC0415
    from podium.api.workflow import Workflow as Own  # noqa: PLC0415

    where = point.dist.name if point.dist else point.value
    try:
        kind = point.load()
    except Exception as fault:  # noqa: BLE001 - whatever a package raises is its own
        what = f"its workflow {point.name} cannot be loaded: {type(fault).__name__}: {fault}"
        raise InputError(Fault(where, what)) from None
    if not (isinstance(kind, type) and issubclass(kind, Own)):
        raise InputError(Fault(where, f"{point.value} is no podium.Workflow"))
    kind.name = point.name
    return entry_of(kind, Definition(where), _loaded)


def _loaded(definition: object) -> type:
    from podium.api.entry import Definition  # noqa: PLC0415

    assert isinstance(definition, Definition)
    return _own_class(definition.text, definition.source, definition.name)


def _own_class(text: str, where: str, wanted: str) -> type:
    from podium.api.workflow import Workflow as Own  # noqa: PLC0415

    kind = class_in(text, where, wanted)
    if not issubclass(kind, Own):
        raise InputError(Fault(where, f"{kind.__name__} is no podium.Workflow", "subclass that"))
    named_after(kind, where)
    if kind.name in NAMES:
        what = f"{kind.__name__} has the name of a built-in workflow, {kind.name}"
        raise InputError(Fault(where, what, 'set another: name = "…"'))
    try:
        made = kind()
    except (TypeError, InputError) as fault:
        raise InputError(Fault(where, str(fault))) from None
    if not made.steps:
        raise InputError(Fault(where, f"{kind.__name__} has no steps", "decorate its methods"))
    return kind


def named_after(kind: type, where: str) -> str:
    """The name of a workflow: its own, or that of its file."""
    from podium.api.workflow import Workflow as Own  # noqa: PLC0415

    assert issubclass(kind, Own)
    if not kind.named:
        kind.name = Path(where).stem
    return kind.name


def class_in(text: str, where: str, wanted: str = "") -> type[Workflow]:
    """The workflow class of a file's text: the one that is wanted, or the only one."""
    module = _module(text, where)
    known = {
        name: item
        for name, item in vars(module).items()
        if isinstance(item, type)
        and issubclass(item, Workflow)
        and item.__module__ == module.__name__
        and not isabstract(item)
    }
    if wanted:
        if wanted not in known:
            near = nearest(wanted, known)
            way = (
                f"did you mean {near}?" if near else f"it has: {', '.join(sorted(known)) or 'none'}"
            )
            raise InputError(Fault(where, f"has no workflow class {wanted!r}", way))
        return known[wanted]
    # A base that another class in the file extends is not the workflow that is meant.
    whole = {
        name: item
        for name, item in known.items()
        if not any(item is not other and issubclass(other, item) for other in known.values())
    }
    if not whole:
        raise InputError(Fault(where, "has no class that is a podium.Workflow"))
    if len(whole) > 1:
        way = f"name one: {where}:{next(iter(whole))}"
        raise InputError(Fault(where, f"has several workflows: {', '.join(whole)}", way))
    return next(iter(whole.values()))


def _module(text: str, where: str) -> ModuleType:
    """The text as a module. It is registered first, because steps look up the names in their
    signatures there.
    """
    name = f"podium_own_{Path(where).stem}_{sha256(text.encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_loader(name, None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(text, where, "exec"), vars(module))  # noqa: S102 - a file that was trusted
    # whatever a person's file raises is reported as theirs
    except Exception as fault:  # noqa: BLE001
        frames = traceback.extract_tb(fault.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == where]
        line = fault.lineno if isinstance(fault, SyntaxError) else lines[-1] if lines else None
        at = f"{where}:{line}" if line else where
        raise InputError(Fault(at, f"cannot be loaded: {type(fault).__name__}: {fault}")) from None
    return module
