"""The store in a bucket of S3, or of a compatible server.

Keys are never settings: they come from where every program finds them, the environment of this
process. Of the server's answers only the code is repeated, never the request.
"""

from __future__ import annotations

import base64
import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from podium.core.errors import UsageError
from podium.fleet.store.store import ALGORITHM, Away, Kept, Missing, StoreFault, plain

IN_PARTS = 64 << 20
"""Larger files are sent in parts; the object appears with the last one."""
_GONE = frozenset({"404", "NoSuchKey", "NotFound"})
_THERE = frozenset({"412", "PreconditionFailed"})
_PLAIN = frozenset({"501", "NotImplemented"})
_BUSY = frozenset(
    {
        "409",
        "ConditionalRequestConflict",
        "500",
        "502",
        "503",
        "504",
        "InternalError",
        "ServiceUnavailable",
        "SlowDown",
        "RequestTimeout",
        "Throttling",
    }
)


class S3Store:
    """`s3://bucket/prefix`; an object is `<prefix>/sha256/abcd…`."""

    def __init__(self, address: str, endpoint: str = "") -> None:
        found = urlsplit(address)
        self.name = address
        self._bucket, self._prefix = found.netloc, found.path.strip("/")
        if not self._bucket:
            raise UsageError(
                "[fleet] store: s3:// needs the name of a bucket, as s3://bucket/prefix"
            )
        boto3, self._faults = _driver()
        from botocore.config import Config  # noqa: PLC0415  # comes with it

        config = Config(
            connect_timeout=5,
            read_timeout=60,
            retries={"mode": "standard", "total_max_attempts": 3},
            s3={"addressing_style": "path" if endpoint else "auto"},
        )
        # A session of its own: the shared one remembers the keys of whoever asked first.
        self._client: Any = boto3.session.Session().client(
            "s3", endpoint_url=endpoint or None, config=config
        )

    def has(self, digest: str, size: int) -> bool:
        try:
            found = self._do("head_object", Key=self._key(digest))
        except Missing:
            return False
        return bool(found["ContentLength"] == size)

    def put(self, digest: str, source: Path) -> None:
        size = source.stat().st_size
        if size > IN_PARTS:
            self._call(
                lambda: self._client.upload_file(str(source), self._bucket, self._key(digest)),
                digest,
            )
            return
        # The server verifies what it received. The second writer changes nothing, unless what is
        # there has another
        # size.
        told = {"ChecksumSHA256": base64.b64encode(bytes.fromhex(plain(digest))).decode()}
        only_new = {} if self._other_size(digest, size) else {"IfNoneMatch": "*"}
        with open(source, "rb") as file, contextlib.suppress(_There):
            try:
                self._do("put_object", Key=self._key(digest), Body=file, **told, **only_new)
            except (
                _Plain
            ):  # a server without conditional writes; writing the same content twice does no harm
                file.seek(0)
                self._do("put_object", Key=self._key(digest), Body=file, **told)

    def read(self, digest: str, target: IO[bytes]) -> None:
        body = self._do("get_object", Key=self._key(digest))["Body"]
        try:
            self._call(lambda: shutil.copyfileobj(body, target, 1 << 20), digest)
        finally:
            body.close()

    def inventory(self) -> Iterator[Kept]:
        start = self._named("")
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=start
        )
        listed = iter(pages)
        while (page := self._call(lambda: next(listed, None), "")) is not None:
            for each in page.get("Contents", ()):
                yield Kept(
                    f"{ALGORITHM}:{each['Key'].removeprefix(start)}",
                    each["Size"],
                    each["LastModified"].timestamp(),
                )

    def remove(self, digest: str) -> None:
        self._do("delete_object", Key=self._key(digest))

    def _other_size(self, digest: str, size: int) -> bool:
        try:
            return bool(self._do("head_object", Key=self._key(digest))["ContentLength"] != size)
        except Missing:
            return False

    def _key(self, digest: str) -> str:
        return self._named(plain(digest))

    def _named(self, value: str) -> str:
        return "/".join(part for part in (self._prefix, ALGORITHM) if part) + f"/{value}"

    def _do(self, operation: str, **words: Any) -> Any:
        return self._call(
            lambda: getattr(self._client, operation)(Bucket=self._bucket, **words), words["Key"]
        )

    def _call(self, work: Any, what: str) -> Any:
        """Translate the client's errors into ours."""
        try:
            return work()
        except self._faults.ClientError as fault:
            code = str(fault.response.get("Error", {}).get("Code", "unknown"))
            raise self._meaning(code, what) from None
        except (self._faults.HTTPClientError, self._faults.ConnectionError, OSError) as fault:
            raise Away(f"{self.name} does not answer: {type(fault).__name__}") from None
        except self._faults.BotoCoreError as fault:
            raise self._unusable(fault) from None
        except Exception as fault:
            if type(fault).__module__.startswith("boto3."):
                raise Away(
                    f"{self.name}: {type(fault).__name__}, the upload was given up"
                ) from None
            raise

    def _meaning(self, code: str, what: str) -> StoreFault:
        if code in _GONE:
            return Missing(
                f"{self.name} has no object {what}; put it back from a backup, or submit the "
                "run again"
            )
        if code in _THERE:
            return _There(f"{self.name}: another put {what} there first")
        if code in _PLAIN:
            return _Plain(f"{self.name} cannot do what was asked of it: {code}")
        if code in _BUSY:
            return Away(f"{self.name} does not answer: {code}")
        return StoreFault(
            f"{self.name}: the server says {code}; [fleet] store names the bucket, "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of this process the key"
        )

    def _unusable(self, fault: Exception) -> StoreFault:
        kind = type(fault).__name__
        way = (
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where this runs"
            if "Credential" in kind
            else "see [fleet] store and store_endpoint"
        )
        return StoreFault(f"{self.name} cannot be used: {kind}; {way}")


class _There(StoreFault):
    """Another writer was first, with the same content."""


class _Plain(StoreFault):
    """The server supports less than Amazon's."""


def _driver() -> tuple[Any, Any]:
    try:
        import boto3  # noqa: PLC0415  # an extra that only such a store needs
        import botocore.exceptions as faults  # noqa: PLC0415
    except ImportError:
        raise UsageError("a store in S3 needs boto3: `pip install 'podium[s3]'`") from None
    return boto3, faults
