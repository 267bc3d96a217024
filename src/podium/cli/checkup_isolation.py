"""What agents can be confined with on this machine: every level is attacked, and the results are
reported.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from podium.agents.confine.confinement import Confinement, choose
from podium.agents.confine.levels import NAMES, level
from podium.agents.confine.proving import Proof, promised, prove
from podium.agents.process import Supervisor
from podium.cli.finding import Finding
from podium.core.errors import InputError, UsageError
from podium.settings.sources import load
from podium.settings.values import Settings

_LONGEST = 60


def isolation(project: Path) -> Iterator[Finding]:
    search = os.environ.get("PATH", os.defpath)
    better = False
    for name in NAMES:
        found = level(name, search)
        if found.works:
            yield _proved(f"isolation by {name}", found.what, Confinement(found))
        else:
            yield Finding(
                f"isolation by {name}", "ok" if better else "warn", found.what, found.mend
            )
        better = better or found.works
    if sys.platform == "linux":
        yield _proved("isolation by audit", "changes are checked afterwards", None)
    try:
        yield _chosen(load(project, os.environ), search)
    except InputError:
        return  # reported by the check of the settings


def _proved(name: str, what: str, confinement: Confinement | None) -> Finding:
    try:
        with tempfile.TemporaryDirectory(prefix="podium-doctor-", dir=_near()) as place:
            tried = prove(confinement, Path(place).resolve(), lambda room: Supervisor(enclose=room))
    except (OSError, RuntimeError) as fault:
        return Finding(
            name, "fail", f"{what}; {fault}", 'set [isolation] confine to another level, or "off"'
        )
    must = promised(confinement)
    broken = [each for each in tried if each.attack in must and not each.held]
    facts = tuple((each.words, each.held) for each in tried)
    held = f"{what}. {_listed(tried)}"
    if broken:
        return Finding(
            name, "fail", held, "do not rely on this level here; please report it", facts
        )
    return Finding(name, "ok", held, tried=facts)


def _near() -> str | None:
    """Where to try it: its socket's whole path must fit into 108 bytes, whatever TMPDIR says."""
    return (
        "/tmp"  # noqa: S108
        if len(os.fsencode(tempfile.gettempdir())) > _LONGEST and os.access("/tmp", os.W_OK)  # noqa: S108
        else None
    )


def _listed(tried: Sequence[Proof]) -> str:
    """What was stopped and what was not, the shorter list in full; `--json` has both."""
    held = [each.words for each in tried if each.held]
    rest = [each.words for each in tried if not each.held]
    if not rest:
        return f"Held off all {len(tried)} attacks"
    if len(rest) < len(held):
        return f"Held off {len(held)} of {len(tried)} attacks; let through: {', '.join(rest)}"
    return f"Held off {len(held)} of {len(tried)} attacks: {', '.join(held) or 'none'}"


def _chosen(settings: Settings, search: str) -> Finding:
    """What the settings choose."""
    isolation = settings.isolation
    minimum = isolation.minimum if isolation.minimum in {"mediated", "confined"} else ""
    try:
        found = choose(isolation.confine, isolation.network, minimum, search)
    except UsageError as refused:
        first, *rest = str(refused).splitlines()
        return Finding("isolation", "fail", first, "; ".join(line.strip() for line in rest[:-1]))
    if found is None:
        off = isolation.confine == "off"
        mend = '[isolation] confine = "auto" in podium.toml' if off else "as said above"
        return Finding("isolation", "warn", "agents are audited, not confined", mend)
    return Finding(
        "isolation", "ok", f"agents that are programs are confined by {found.level.name}"
    )
