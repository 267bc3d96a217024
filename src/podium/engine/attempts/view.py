"""The folder an agent works in: exactly what its contract lets it read, and a place to write."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from podium.core.contract import Contract, Output
from podium.core.digest import MISSING
from podium.core.globs import matches
from podium.core.lookalikes import EVERYWHERE, looks_like
from podium.engine.attempts import bounds, view_files
from podium.engine.attempts.view_files import View, as_put, spell, work_folder
from podium.engine.attempts.view_homes import home_of, remove
from podium.engine.inputs import Inputs
from podium.engine.inputs import read as read_inputs
from podium.engine.landed import checkpoint
from podium.engine.session import Session
from podium.engine.views.audit import Change
from podium.engine.views.code_view import CodeView, Kind
from podium.state.case import folds_case
from podium.state.disk import ensure_folder, new_folder
from podium.state.regular import read_regular
from podium.verify.folder_audit import Stray, strays

__all__ = [
    "Audited",
    "View",
    "audit",
    "beside",
    "changed",
    "close_view",
    "keep_view",
    "kept_view",
    "open_view",
    "promised",
    "remove",
    "spell",
    "undo",
    "usable_again",
    "work_folder",
    "written",
]


def beside(folder: Path, what: str) -> Path:
    """Something that belongs to a view but is not part of it: a sibling, so that the folder has
    only the inputs.
    """
    return folder.with_name(f"{folder.name}~{what}")


def open_view(
    session: Session,
    key: str,
    contract: Contract,
    inputs: Inputs | None = None,
    *,
    kind: Kind | None = None,
) -> View:
    """A fresh view; whatever a crash left there is removed first.

    `kind`: how code is shown, if not in the best way that works here.
    """
    inputs = read_inputs(session, contract) if inputs is None else inputs
    folder, code, fresh = home_of(session, key), None, False
    _clear(folder, code=contract.code != "none")
    if contract.code == "none":
        fresh = new_folder(folder)
    else:
        workspace = session.services.workspace()
        ensure_folder(folder.parent)
        point = session.base or checkpoint(session, key)
        hidden = bounds.hidden(session, contract)
        code = workspace.open_view(
            folder, point, hidden=hidden, only=contract.code_paths, kind=kind
        )
    view = View(folder, beside(folder, "scratch"), {}, code, *_promised(contract))
    if fresh:
        view_files.fill(view, inputs.data, (*view.outputs, *view.patterns))
    else:
        _bring(session, view, contract, inputs)
    view.stood = _stood(session, view)
    if code is not None:  # for documents, the manifest says it all
        view.before = frozenset(path for path in promised(view) if view.entry(path))
    return view


def _bring(session: Session, view: View, contract: Contract, inputs: Inputs) -> None:
    """Put the inputs into a folder where something may be in their way: the project's code, or
    leftovers.
    """
    for path, data in inputs.data.items():
        view_files.put(view, path, data)
    if contract.changes and view.code is not None:
        _put_changes(session, view, contract)
    for path in (
        *view.outputs,
        *view.patterns,
    ):  # simple programs expect the folder of their outputs to exist
        view.files.make_folder(os.path.dirname(view.outward(path)))


def _stood(session: Session, view: View) -> dict[str, str]:
    """What the project has where the outputs will go."""
    found = list(view.outputs)
    for pattern in view.patterns:
        folder = os.path.dirname(pattern)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            names = (
                f"{folder}/{name}" if folder else name for name in os.listdir(session.place(folder))
            )
            found += [path for path in names if matches(path, (pattern,))]
    return {path: now for path in found if (now := session.digest(path)) != MISSING}


def _clear(home: Path, *, code: bool) -> None:
    """Remove what an earlier dispatch of the step left; a folder of code itself is opened again,
    or made anew.
    """
    for what in ("scratch", "tools", "view.json"):
        remove(beside(home, what))
    if not code:
        remove(home)


def _promised(contract: Contract) -> tuple[frozenset[str], tuple[str, ...]]:
    return (
        frozenset(each.path for each in contract.outputs if not each.many),
        tuple(each.path for each in contract.outputs if each.many),
    )


def written(view: View, output: Output) -> list[Output]:
    """The files of the view that belong to an output, each as an output of its own.

    An optional output counts only if the step changed it; of many at least one must be there.
    """
    if not output.many:
        return [] if output.optional and not changed(view, output.path) else [output]
    paths = _matching(view, output.path)
    if view.code is not None:  # the others are the project's own and do not concern this step
        paths = [path for path in paths if _made(view, path)]
    found = [replace(output, name=path, path=path, many=False) for path in paths]
    return found or ([] if output.optional else [output])


def changed(view: View, path: str) -> bool:
    """Whether the agent wrote this output."""
    if view.code is not None and path not in view.manifest:
        return _made(view, path) and (path in view.touched or view.entry(path) is not None)
    return view.entry(path) is not None and not (path in view.manifest and as_put(view, path))


def _made(view: View, path: str) -> bool:
    """Ignored files are in no list of changes: of them, what was not there before or was written
    over.
    """
    code = view.code
    written_over = code is not None and code.wrote(code.outward(path))
    return path in view.touched or path not in view.before or written_over


def promised(view: View) -> list[str]:
    """Every path of the view that is an output, whether by name or by pattern."""
    found = sorted(view.outputs)
    for pattern in view.patterns:
        found += _matching(view, pattern)
    return found


def _matching(view: View, pattern: str) -> list[str]:
    folder = os.path.dirname(pattern)
    outer = view.outward(folder) if folder else view.outward(".")
    names = view.files.names("" if outer == "." else outer)
    return [f"{folder}/{name}" for name in names if matches(f"{folder}/{name}", (pattern,))]


def keep_view(view: View, by: str = "") -> None:
    """Leave the folder for whoever continues in it after this engine: a person, or an agent with
    its session.
    """
    code = view.code
    kept = {
        "by": by,
        "manifest": view.manifest,
        "outputs": sorted(view.outputs),
        "patterns": list(view.patterns),
        "before": sorted(view.before),
        "places": view.places,
        "replaced": sorted(view.replaced),
        "stood": view.stood,
        "code": code.saved() if code else None,
    }
    beside(view.folder, "view.json").write_text(json.dumps(kept), encoding="utf-8")


def kept_view(session: Session, key: str, by: str = "") -> View | None:
    """The folder that was left for this agent, as it was left; None if there is none, or if it
    is another agent's.
    """
    folder = home_of(session, key)
    try:
        kept = json.loads(beside(folder, "view.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if kept.get("by", by) != by or not folder.is_dir():
        return None
    code = None
    if kept["code"]:
        code = CodeView.restored(folder, kept["code"])
        if code is None:
            return None
    outputs, patterns = frozenset(kept["outputs"]), tuple(kept.get("patterns", ()))
    before = frozenset(kept.get("before", ()))
    way = {"places": kept.get("places", {}), "replaced": set(kept.get("replaced", ()))}
    stood = kept.get("stood")
    return View(
        folder,
        beside(folder, "scratch"),
        kept["manifest"],
        code,
        outputs,
        patterns,
        before=before,
        stood=stood,
        **way,
    )


def usable_again(
    session: Session,
    key: str,
    contract: Contract,
    view: View,
    inputs: Inputs | None = None,
    *,
    parked: bool,
) -> bool:
    """Whether work can continue in a view that was left; inputs that changed meanwhile are updated
    in it.

    A dispatch that waited for a person may continue even if the code has changed: its work lands or
    drifts like any that took long.
    """
    inputs = read_inputs(session, contract) if inputs is None else inputs
    if (view.code is None) != (contract.code == "none") or _led_away(view):
        return False
    if view.code is not None and not parked:
        point = session.base or checkpoint(session, key)
        if point.tree != view.code.checkpoint.tree:
            return False
    return all(_renewed(view, inputs, each.path) for each in contract.inputs)


def _renewed(view: View, inputs: Inputs, path: str) -> bool:
    """Update the input; False if the agent put something else in its place, or a link in front
    of it.
    """
    now, was = inputs.digests[path], view.manifest.get(path, MISSING)
    if now == was:
        return True
    missing = view.entry(path) is None and not view.files.obstacle(view.outward(path))
    kept = missing if was == MISSING else as_put(view, path)
    if path not in inputs.data or path in view.outputs or not kept:
        return False
    view_files.put(view, path, inputs.data[path])
    return True


def _led_away(view: View) -> bool:
    """Whether an output's folder is behind a link, whoever made it: what is there is really
    somewhere else.
    """
    return any(
        view.files.target(view.files.obstacle(view.outward(path)))
        for path in (*view.outputs, *view.patterns)
    )


def _put(session: Session, view: View, path: str) -> None:
    data = read_regular(f"{session.root}/{path}")
    if data is not None:
        view_files.put(view, path, data)


def _put_changes(session: Session, view: View, contract: Contract) -> None:
    """The diff of all code since the run first changed any, as one more input."""
    assert view.code is not None
    first = session.history.first_base()
    point = view.code.checkpoint
    data = (
        session.services.workspace().difference(
            first, point, hidden=bounds.hidden(session, contract)
        )
        if first
        else b""
    )
    view_files.put(view, contract.changes, data)


@dataclass(frozen=True)
class Audited:
    """What the agent did to its view, sorted into allowed and not allowed."""

    changed: tuple[str, ...]
    """Code paths it may change and did."""
    strays: tuple[Stray, ...]


def audit(session: Session, view: View, contract: Contract) -> Audited:
    """Compare the view with what it was; nothing is believed, everything is looked at."""
    folds = folds_case(session.root)
    if view.code is None:
        found = strays(view.folder, view.manifest, view.outputs, view.patterns)
        return Audited((), tuple(_marked(each, contract, folds=folds) for each in found))
    allowed: list[str] = []
    found = []
    spilled: list[Change] = []
    behind = {place: path for path, place in view.places.items() if path not in view.outputs}
    changes = session.services.workspace().changes(view.code)
    barred = bounds.barred(session, view.code, contract, changes)
    for each in changes:
        if each.path in view.replaced:
            # not the agent's doing; what it does to the inputs behind it shows at each of them
            continue
        if each.path in view.outputs or _one_of_many(view, each.path):
            view.touched.add(each.path)
            continue
        if (path := behind.get(each.path, each.path)) in view.manifest:
            if not as_put(view, path):
                found.append(Stray(each.path, each.status, protected=True))
        elif (
            each.path not in barred
            and bounds.may_change(contract, each.path, folds=folds)
            and each.allowed
            and not _behind(each.path, view.replaced)
        ):
            allowed.append(each.path)
        elif (
            each.path not in barred
            and each.status == "added"
            and matches(each.path, contract.spill)
        ):
            spilled.append(each)
        else:
            found.append(Stray(each.path, each.status, protected=each.path in barred))
    if (
        contract.most_spilled is not None
        and sum(each.size for each in spilled) > contract.most_spilled
    ):
        found += [
            Stray(each.path, f"more than {contract.most_spilled:,} bytes of spilled output")
            for each in spilled
        ]
    view.spilled = tuple(each.path for each in spilled)
    found += [
        Stray(path, "added" if "/hooks/" in path else "changed", protected=True)
        for path in session.services.workspace().planted(view.code)
    ]
    seen = {each.path for each in found}
    found += [
        Stray(path, "deleted", protected=True)
        for path in view.manifest
        if path not in seen
        and path not in view.outputs
        and not _one_of_many(view, path)
        and not as_put(view, path)
    ]
    return Audited(tuple(allowed), tuple(sorted(found, key=lambda each: each.path)))


def _one_of_many(view: View, path: str) -> bool:
    """Files of a set may be written and rewritten, but not removed."""
    return matches(path, view.patterns) and view.entry(path) is not None


def _behind(path: str, folders: Collection[str]) -> bool:
    return any(path.startswith(f"{each}/") for each in folders)


def _marked(stray: Stray, contract: Contract, *, folds: bool) -> Stray:
    named = bounds.is_one_of(stray.path, bounds.protected(contract), folds=folds) or looks_like(
        stray.path, EVERYWHERE
    )
    return replace(stray, protected=stray.protected or named)


def undo(session: Session, view: View, found: Iterable[Stray]) -> None:
    """Keep strays in the quarantine, and undo them unless they are in layers: those of a refused
    attempt are not used again.
    """
    others, again = list(found), view.code is None or view.code.kind != "overlay"
    if view.code is not None and (
        paths := [
            each.path
            for each in others
            if each.path not in view.manifest and not _of_git(each.path)
        ]
    ):
        # First, since these include whatever the agent put in the way of the inputs.
        others = [each for each in others if each.path in view.manifest or _of_git(each.path)]
        workspace = session.services.workspace()
        view.quarantine.append(workspace.patch(view.code, paths))
        if again:
            workspace.undo(view.code, paths)
    for each in others:
        view.quarantine.append(view_files.described(view, each))
        if again:
            view_files.remove(view, each.path)
            if each.path in view.manifest:
                _put(session, view, each.path)


def _of_git(path: str) -> bool:
    return ".git" in path.split("/")[:-1]


def close_view(session: Session, view: View) -> None:
    if view.code is not None:
        session.services.workspace().close_view(view.code)
    elif not _emptied(view):
        remove(view.folder)
    for each in (
        view.folder,
        view.scratch,
        beside(view.folder, "view.json"),
        beside(view.folder, "tools"),
    ):
        if os.path.lexists(each):
            remove(each)


def _emptied(view: View) -> bool:
    """Remove what a view is known to contain; False if something else is left."""
    folder = os.fspath(view.folder)
    folders = {""}
    for path in (*view.manifest, *view.outputs):
        with contextlib.suppress(OSError):
            os.unlink(f"{folder}/{path}")
        while path := path.rpartition("/")[0]:
            folders.add(path)
    try:
        for each in sorted(folders, key=len, reverse=True):
            os.rmdir(f"{folder}/{each}")
    except OSError:
        return False
    return True
