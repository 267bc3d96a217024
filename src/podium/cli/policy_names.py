"""The keys of `[policy.governed]`, which no table of settings has: that workflow alone knows them."""

from __future__ import annotations

from podium.core.errors import Fault, InputError
from podium.settings.values import Settings


def unknown(settings: Settings) -> list[Fault]:
    """Keys that nothing reads, and values that do not fit: refused by every run, as those of the other tables are."""
    overlay = settings.policy.get("governed")
    if not overlay:
        return []
    from podium.workflows.governed.policy.policy import read_policy  # noqa: PLC0415 - a hundred keys, for few projects

    try:
        read_policy(None, overlay)
    except InputError as error:
        return list(error.faults)
    return []
