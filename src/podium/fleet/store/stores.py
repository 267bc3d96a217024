"""Which store a fleet has, according to its settings."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from podium.core.errors import UsageError
from podium.fleet.store.folder import FolderStore
from podium.fleet.store.store import Store
from podium.settings.values import Fleet


def store_of(fleet: Fleet) -> Store | None:
    """The store that the settings name; None if they name none."""
    return opened(fleet.store, fleet.store_endpoint)


def above_of(fleet: Fleet) -> int:
    """Bytes above which a file goes to the store."""
    return int(fleet.store_above_mb * 1_000_000)


def opened(address: str, endpoint: str = "") -> Store | None:
    if not address:
        return None
    if address.startswith("s3://"):
        # an extra that only such a store needs
        from podium.fleet.store.s3 import S3Store  # noqa: PLC0415

        for each in (address, endpoint):
            if "@" in urlsplit(each).netloc:
                raise UsageError(
                    "[fleet] store and store_endpoint must not contain keys: give them to the "
                    "worker as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                )
        return S3Store(address, endpoint)
    if "://" in address:
        raise UsageError(
            "[fleet] store is a folder that all machines see or s3://bucket/prefix, not "
            f"{address.partition('://')[0]}://…"
        )
    return FolderStore(Path(os.path.abspath(os.path.expanduser(address))))
