"""The keys of `[policy.governed]`, which no settings table has: only that workflow knows them."""

from __future__ import annotations

from podium.core.errors import Fault, InputError
from podium.settings.values import Settings


def unknown(settings: Settings) -> list[Fault]:
    """Keys that nothing reads, and values that do not fit; every run refuses them, like those of
    the other tables.
    """
    overlay = settings.policy.get("governed")
    if not overlay:
        return []
    # a hundred keys that few projects need
    from podium.workflows.governed.policy.policy import read_policy  # noqa: PLC0415

    try:
        read_policy(None, overlay)
    except InputError as error:
        return list(error.faults)
    return []
