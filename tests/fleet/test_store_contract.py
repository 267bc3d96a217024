"""What any store promises, asked of a folder and of a server that speaks S3."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.fleet.s3_servers import KEYS, S3Server

from podium.core.digest import digest
from podium.core.errors import UsageError
from podium.fleet.patience import patiently
from podium.fleet.store.folder import FolderStore
from podium.fleet.store.store import (
    Away,
    Damaged,
    Missing,
    Store,
    StoreFault,
    fetch,
    keep,
    measured,
)
from podium.fleet.store.stores import opened

ROOT = Path(__file__).parents[2]
WORDS = b"what an agent made\n"


@dataclass
class Place:
    """A store, and the hands of somebody who can spoil it."""

    base: Path
    address: str
    endpoint: str
    server: S3Server | None
    _store: Store | None = None

    def store(self) -> Store:
        """One for the whole test: making a client takes longer than all that it is asked."""
        self._store = self._store or opened(self.address, self.endpoint)
        assert self._store is not None
        return self._store

    def spoil(self, key: str, data: bytes) -> None:
        value = key.partition(":")[2]
        if self.server is None:
            place = Path(self.address) / "sha256" / value[:2] / value
            place.chmod(0o644)
            place.write_bytes(data)
        else:
            store: Any = self.store()
            store._client.put_object(Bucket=store._bucket, Key=store._key(key), Body=data)

    def away(self) -> None:
        if self.server is None:
            Path(self.address).rename(self.base / "unmounted")
        else:
            self.server.away()

    def back(self) -> None:
        if self.server is None:
            (self.base / "unmounted").rename(self.address)
        else:
            self.server.back()

    def file(self, data: bytes, name: str = "made.bin") -> Path:
        place = self.base / name
        place.write_bytes(data)
        return place


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    found = S3Server(tmp_path_factory.mktemp("s3"))
    yield found
    found.close()


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.fleet)])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    if request.param == "folder":
        (tmp_path / "shared").mkdir()
        return Place(tmp_path, str(tmp_path / "shared"), "", None)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    server = request.getfixturevalue("s3")
    bucket = f"bucket-{time.monotonic_ns()}"
    server.make_bucket(bucket)
    return Place(tmp_path, f"s3://{bucket}/team/podium", server.endpoint, server)


def test_what_was_put_is_fetched_as_it_was(place: Place) -> None:
    store, data = place.store(), os.urandom(3_000_000)
    key, size = keep(store, place.file(data), place.base / "aside")
    assert (key, size) == (digest(data), len(data))
    assert store.has(key, size)
    fetch(place.store(), key, size, place.base / "there" / "made.bin")
    assert (place.base / "there" / "made.bin").read_bytes() == data
    assert list((place.base / "aside").iterdir()) == []
    assert [(each.digest, each.size) for each in store.inventory()] == [(key, size)]


def test_an_empty_file_is_an_object_like_any_other(place: Place) -> None:
    key, size = keep(place.store(), place.file(b""), place.base / "aside")
    fetch(place.store(), key, size, place.base / "there")
    assert (place.base / "there").read_bytes() == b""


def test_an_object_that_is_not_there_is_missed_by_name(place: Place) -> None:
    assert not place.store().has(digest(WORDS), len(WORDS))
    with pytest.raises(Missing, match=f"has no object .*{digest(WORDS)[7:]}.*submit the run again"):
        fetch(place.store(), digest(WORDS), len(WORDS), place.base / "there")
    assert not (place.base / "there").exists()


@pytest.mark.parametrize(
    ("bad", "what"),
    [(b"what an agent maDe\n", "its content is"), (WORDS[:5], "it has 5 bytes instead of 19")],
)
def test_a_damaged_object_is_refused_and_never_used(place: Place, bad: bytes, what: str) -> None:
    key, size = keep(place.store(), place.file(WORDS), place.base / "aside")
    place.spoil(key, bad)
    target = place.file(b"what was here before", "target")
    with pytest.raises(Damaged, match=f"is damaged, {what}.*not used"):
        fetch(place.store(), key, size, target)
    assert target.read_bytes() == b"what was here before"
    assert sorted(each.name for each in place.base.iterdir() if each.name.startswith(".")) == []


def test_a_truncated_object_is_put_again_by_whoever_has_the_file(place: Place) -> None:
    key, size = keep(place.store(), place.file(WORDS), place.base / "aside")
    place.spoil(key, WORDS[:5])
    keep(place.store(), place.file(WORDS), place.base / "aside")
    fetch(place.store(), key, size, place.base / "there")
    assert (place.base / "there").read_bytes() == WORDS


def test_of_two_writers_of_one_object_neither_fails(place: Place) -> None:
    data = os.urandom(2_000_000)
    source = place.file(data)
    faults: list[Exception] = []
    gate = threading.Barrier(4)

    def write() -> None:
        store = place.store()
        gate.wait()
        try:
            store.put(digest(data), source)
        except Exception as fault:  # noqa: BLE001
            faults.append(fault)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert faults == []
    fetch(place.store(), digest(data), len(data), place.base / "there")
    assert len(list(place.store().inventory())) == 1


def test_a_removed_object_is_gone_and_removing_it_again_is_no_fault(place: Place) -> None:
    key, size = keep(place.store(), place.file(WORDS), place.base / "aside")
    for _ in range(2):
        place.store().remove(key)
    assert not place.store().has(key, size)
    assert list(place.store().inventory()) == []


DYING = """
import os, signal, sys
from pathlib import Path
from podium.fleet.store.stores import opened
store = opened(sys.argv[1], sys.argv[2])
class Cut:
    def __init__(self, file): self.file, self.left = file, 400_000
    def read(self, size=-1):
        data = self.file.read(min(size, 100_000) if size and size > 0 else 100_000)
        self.left -= len(data)
        if self.left <= 0: os.kill(os.getpid(), signal.SIGKILL)
        return data
    def __getattr__(self, name): return getattr(self.file, name)
    def __enter__(self): return self
    def __exit__(self, *_): pass
import builtins
real = builtins.open
def cut(path, mode="r", *rest, **more):
    found = real(path, mode, *rest, **more)
    return Cut(found) if str(path) == sys.argv[4] and mode == "rb" else found
builtins.open = cut
store.put(sys.argv[3], Path(sys.argv[4]))
"""


def test_a_writer_killed_in_the_middle_leaves_no_object(place: Place) -> None:
    data = os.urandom(1_000_000)
    source = place.file(data)
    words = [sys.executable, "-c", DYING, place.address, place.endpoint, digest(data), str(source)]
    died = subprocess.run(
        words,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    assert not place.store().has(digest(data), len(data))
    with pytest.raises(Missing):
        fetch(place.store(), digest(data), len(data), place.base / "there")
    keep(place.store(), source, place.base / "aside")
    fetch(place.store(), digest(data), len(data), place.base / "there")


def test_a_store_that_is_away_is_waited_for_and_no_longer_than_told(place: Place) -> None:
    key, size = keep(place.store(), place.file(WORDS), place.base / "aside")
    store = place.store()
    place.away()
    with pytest.raises(Away):
        patiently(lambda: fetch(store, key, size, place.base / "there"), 0, Away)
    with pytest.raises(Away):
        patiently(lambda: keep(store, place.file(b"new"), place.base / "aside"), 0, Away)
    threading.Timer(1.5, place.back).start()
    patiently(lambda: fetch(store, key, size, place.base / "there"), 60, Away)
    assert (place.base / "there").read_bytes() == WORDS


@pytest.mark.parametrize(
    "name",
    ["sha256:../../etc/passwd", "sha256:" + "A" * 64, "md5:" + "a" * 64, "", "sha256:" + "a" * 63],
)
def test_what_is_no_digest_becomes_no_name(place: Place, name: str) -> None:
    for act in (
        lambda: place.store().has(name, 1),
        lambda: place.store().remove(name),
        lambda: place.store().put(name, place.file(WORDS)),
    ):
        with pytest.raises(StoreFault, match="is not a digest"):
            act()


def test_a_link_is_not_followed_into_the_store(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(OSError, match="symbolic links"):
        keep(FolderStore(tmp_path / "shared"), tmp_path / "link", tmp_path / "aside")


def test_a_folder_that_is_not_mounted_is_never_made(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "shared")
    with pytest.raises(Away, match="mount it, or make it once"):
        keep(store, Path(__file__), tmp_path / "aside")
    assert not (tmp_path / "shared").exists()


@pytest.mark.parametrize(
    ("address", "endpoint"),
    [("s3://key:secret@bucket/x", ""), ("s3://bucket", "https://key:secret@minio:9000")],
)
def test_keys_in_the_settings_are_refused_and_not_repeated(address: str, endpoint: str) -> None:
    pytest.importorskip("boto3")
    with pytest.raises(UsageError, match="AWS_SECRET_ACCESS_KEY") as refused:
        opened(address, endpoint)
    assert "secret@" not in str(refused.value)


@pytest.mark.parametrize("address", ["gs://bucket/x", "https://example.com/x"])
def test_another_kind_of_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="a folder that all machines see or s3://bucket/prefix"):
        opened(address)


@pytest.mark.fleet
def test_a_key_that_is_refused_or_absent_is_told_without_it(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    nobody = opened("s3://some-bucket", s3.endpoint)
    assert nobody is not None
    with pytest.raises(
        StoreFault, match="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where this runs"
    ):
        nobody.has(digest(WORDS), 1)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    stranger = opened("s3://no-such-bucket", s3.endpoint)
    assert stranger is not None
    (tmp_path / "made").write_bytes(WORDS)
    with pytest.raises(StoreFault, match="the server says NoSuchBucket") as refused:
        stranger.put(digest(WORDS), tmp_path / "made")
    assert not any(
        value in str(refused.value) for name, value in KEYS.items() if name != "AWS_DEFAULT_REGION"
    )


@pytest.mark.fleet
@pytest.mark.parametrize(
    ("code", "waits"),
    [("NotImplemented", False), ("ConditionalRequestConflict", True), ("SlowDown", True)],
)
def test_servers_that_cannot_or_will_not_take_a_condition(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, waits: bool
) -> None:
    faults = pytest.importorskip("botocore.exceptions")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    s3.make_bucket(f"plain-{code.lower()}")
    store: Any = opened(f"s3://plain-{code.lower()}", s3.endpoint)
    real = store._client.put_object

    def put(**words: Any) -> Any:
        if "IfNoneMatch" in words:
            words["Body"].read()
            raise faults.ClientError({"Error": {"Code": code}}, "PutObject")
        return real(**words)

    store._client.put_object = put
    (tmp_path / "made").write_bytes(WORDS)
    if waits:
        with pytest.raises(Away):
            store.put(digest(WORDS), tmp_path / "made")
        assert not store.has(digest(WORDS), len(WORDS))
    else:
        store.put(digest(WORDS), tmp_path / "made")
        fetch(store, digest(WORDS), len(WORDS), tmp_path / "there")


@pytest.mark.fleet
def test_a_very_large_file_goes_to_s3_in_parts(
    s3: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("podium.fleet.store.s3.IN_PARTS", 1_000_000)
    s3.make_bucket("parts")
    store = opened("s3://parts", s3.endpoint)
    assert store is not None
    data = os.urandom(12_000_000)
    (tmp_path / "made").write_bytes(data)
    key, size = keep(store, tmp_path / "made", tmp_path / "aside")
    fetch(store, key, size, tmp_path / "there")
    assert (tmp_path / "there").read_bytes() == data


def test_a_file_is_measured_by_content_and_length(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(WORDS)
    assert measured(tmp_path / "a") == (digest(WORDS), len(WORDS))
