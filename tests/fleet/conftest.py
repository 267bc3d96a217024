"""One PostgreSQL for all tests of the fleet, one database for each of them."""

import itertools
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tests.state.journals import ticking  # noqa: E402

from podium.fleet.journal.postgres_journal import PostgresJournal  # noqa: E402
from podium.fleet.servers.postgres_server import PostgresServer, free_port, programs  # noqa: E402

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    pytest.importorskip(
        "psycopg", reason="psycopg is not installed (pip install 'podium[postgres]')"
    )
    if programs() is None:
        pytest.skip("there is no PostgreSQL here (initdb and pg_ctl, or pip install pgserver)")
    # Not below tmp_path: as root the server runs as somebody else, who may not enter there.
    folder = Path(
        tempfile.mkdtemp(prefix="podium-pg-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    )
    folder.chmod(0o755)
    found = PostgresServer(folder / "cluster", free_port(), durable=False)
    found.start()
    try:
        yield found
    finally:
        found.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def database(server: PostgresServer) -> Iterator[str]:
    psycopg = pytest.importorskip("psycopg")

    name = f"t{next(_NUMBERS)}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    yield server.url.removesuffix("/postgres") + f"/{name}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"drop database {name} with (force)")


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder for what syncs often and need not outlive a power cut."""
    with tempfile.TemporaryDirectory(
        prefix="podium-fleet-",
        dir="/dev/shm" if os.path.isdir("/dev/shm") else None,
        ignore_cleanup_errors=True,
    ) as folder:
        yield Path(folder) / "site"


@pytest.fixture
def postgres(database: str) -> Iterator[Callable[..., PostgresJournal]]:
    """Makes one owner after another on one database."""
    made: list[PostgresJournal] = []

    def make(**how: float) -> PostgresJournal:
        made.append(PostgresJournal(database, ticking(), **how))
        return made[-1]

    yield make
    for each in made:
        each.link.close()
