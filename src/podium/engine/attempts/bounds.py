"""What code a step may change, and what no step may, whatever its contract says."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from podium.core.contract import OWN, Contract
from podium.core.globs import matches
from podium.core.lookalikes import EVERYWHERE, folded, looks_like
from podium.engine.git.trees import ABSENT, LINK
from podium.engine.other_runs import others_of
from podium.engine.session import Session
from podium.engine.views.audit import Change
from podium.engine.views.code_view import CodeView
from podium.settings.own_table import SHARED, same_table
from podium.state.case import folds_case

LARGEST_SETTINGS = 10_000_000
"""A larger pyproject.toml means nothing to anybody."""


def protected(contract: Contract) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*contract.protected, *OWN]))


def hidden(session: Session, contract: Contract) -> tuple[str, ...]:
    """What is left out of the step's code: its contract's, and the checks that no agent sees."""
    return (*contract.hidden, *session.services.hidden)


def may_change(contract: Contract, path: str, *, folds: bool = False) -> bool:
    """`folds`: whether the project's file system treats two spellings of a name as the same."""
    if contract.code != "write" or is_one_of(path, contract.hidden, folds=folds):
        return False
    return not contract.writable or matches(path, contract.writable)


def is_one_of(path: str, patterns: Sequence[str], *, folds: bool) -> bool:
    return looks_like(path, patterns) if folds else matches(path, patterns)


def barred(
    session: Session, view: CodeView, contract: Contract, changes: Sequence[Change]
) -> frozenset[str]:
    """The changes that no agent may make."""
    if not changes:
        return frozenset()
    more = others_of(session).documents(session) if contract.code == "write" else ()
    patterns, folds = (
        (*protected(contract), *session.services.hidden, *_behind_links(session), *more),
        folds_case(session.root),
    )
    return frozenset(
        each.path
        for each in changes
        if is_one_of(each.path, patterns, folds=folds)
        or looks_like(each.path, EVERYWHERE)
        or _leads_there(each, patterns, folds=folds)
        or _settings_changed(session, view, each)
    )


def _behind_links(session: Session) -> list[str]:
    """The file with the settings, if a person keeps it elsewhere in the project and links to it."""
    root = os.path.realpath(session.root)
    links = [
        f"{root}/{name}" for name in ("podium.toml", SHARED) if os.path.islink(f"{root}/{name}")
    ]
    return [os.path.relpath(os.path.realpath(each), root) for each in links]


def _leads_there(change: Change, patterns: Sequence[str], *, folds: bool) -> bool:
    """Whether the path is now a file or link on the way to something protected: a link would
    lead to other files.
    """
    if change.new_mode == ABSENT:
        return False
    way = folded(change.path)
    if any(_fixed(each.removeprefix("**/")).startswith(f"{way}/") for each in EVERYWHERE):
        return True
    return any(_fixed(each).startswith(f"{way if folds else change.path}/") for each in patterns)


def _fixed(pattern: str) -> str:
    """The part of a pattern before its first wildcard."""
    return re.split(r"[*?]", pattern, maxsplit=1)[0]


def _settings_changed(session: Session, view: CodeView, change: Change) -> bool:
    """Whether a pyproject.toml now means something else to Podium; if it is a link, it could
    mean anything later.
    """
    if folded(change.path).rpartition("/")[2] != SHARED or not change.allowed:
        return False
    if LINK in {change.old_mode, change.new_mode}:
        return True
    outer = view.outward(change.path)
    now = None if change.new_mode == ABSENT else view.read(outer, LARGEST_SETTINGS)
    return not same_table(session.services.workspace().content(view.base, change.path), now)
