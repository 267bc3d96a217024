"""A workflow from a file named on the command line: a Python file with a Workflow class, or a
stage list.
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Mapping
from inspect import isabstract
from pathlib import Path
from types import ModuleType
from typing import Any

from podium.core.errors import Fault, InputError
from podium.core.nearest import nearest
from podium.core.workflow import Workflow
from podium.settings.text_file import text_of


def is_file(name: str) -> bool:
    """Whether the word names a file rather than a workflow."""
    return _parts(name)[0].endswith((".py", ".toml"))


def _parts(name: str) -> tuple[str, str]:
    path, colon, wanted = name.rpartition(":")
    return (path, wanted) if colon and path.endswith(".py") else (name, "")


def load(name: str, policy: Mapping[str, Any]) -> Workflow:
    """`FILE.py`, `FILE.py:Class`, or a `stages.toml`. InputError says what is wrong with it."""
    path, wanted = _parts(name)
    where = Path(path)
    if not where.is_file():
        raise InputError(Fault(path, "there is no such file"))
    if where.suffix == ".toml":
        from podium.workflows.harness.stages import parse_stages  # noqa: PLC0415
        from podium.workflows.harness.workflow import Harness  # noqa: PLC0415

        return Harness(parse_stages(text_of(where, path), path), policy["max_remediations"])
    return _made(_chosen(_module(where, path), wanted, path), path)


def _module(where: Path, path: str) -> ModuleType:
    """The file's module. It is registered first, because steps look up the names in their
    signatures there.
    """
    name = f"podium_own_{where.stem}"
    spec = importlib.util.spec_from_file_location(name, where)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    kept, sys.dont_write_bytecode = (
        sys.dont_write_bytecode,
        True,
    )  # leave nothing next to a person's file
    try:
        spec.loader.exec_module(module)
    # whatever a person's file raises is reported as theirs
    except Exception as fault:  # noqa: BLE001
        lines = [
            each.lineno
            for each in traceback.extract_tb(fault.__traceback__)
            if Path(each.filename).resolve() == where.resolve()
        ]
        line = fault.lineno if isinstance(fault, SyntaxError) else lines[-1] if lines else None
        at = f"{path}:{line}" if line else path
        raise InputError(Fault(at, f"cannot be loaded: {type(fault).__name__}: {fault}")) from None
    finally:
        sys.dont_write_bytecode = kept
    return module


def _chosen(module: ModuleType, wanted: str, path: str) -> type[Workflow]:
    known = {
        name: each
        for name, each in vars(module).items()
        if isinstance(each, type)
        and issubclass(each, Workflow)
        and each.__module__ == module.__name__
        and not isabstract(each)
    }
    if wanted:
        if wanted not in known:
            near = nearest(wanted, known)
            mend = (
                f"did you mean {near}?" if near else f"it has: {', '.join(sorted(known)) or 'none'}"
            )
            raise InputError(Fault(path, f"has no workflow class {wanted!r}", mend))
        return known[wanted]
    # A base that another class in the file extends is not the workflow that is meant.
    whole = {
        name: each
        for name, each in known.items()
        if not any(each is not other and issubclass(other, each) for other in known.values())
    }
    if not whole:
        raise InputError(Fault(path, "has no class that is a podium.core.workflow.Workflow"))
    if len(whole) > 1:
        raise InputError(
            Fault(
                path,
                f"has several workflows: {', '.join(whole)}",
                f"name one: {path}:{next(iter(whole))}",
            )
        )
    return next(iter(whole.values()))


def _made(kind: type[Workflow], path: str) -> Workflow:
    try:
        found = kind()
    except TypeError as fault:
        raise InputError(
            Fault(
                path,
                f"{kind.__name__} cannot be made without arguments: {fault}",
                "give them defaults",
            )
        ) from None
    if not found.steps:
        raise InputError(Fault(path, f"{kind.__name__} has no steps", "write methods with @step"))
    if getattr(found, "start", "") not in found.steps:
        said = getattr(found, "start", "")
        raise InputError(
            Fault(
                path,
                f"{kind.__name__} starts at {said!r}, which is none of its steps",
                f"one of {', '.join(found.steps)}",
            )
        )
    return found
