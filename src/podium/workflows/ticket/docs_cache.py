"""Whether the project's documentation can be trusted for planning: three files, their hashes,
and what the cache states.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.documents import Anything, Document, Named
from podium.workflows.ticket.request.naming import DOCS, DOCS_CACHE

_CACHE = Document(DOCS_CACHE, dict, root=Named(Anything()))
_HASH = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class DocsTrust:
    """How far the files on disk can be trusted."""

    exists: Mapping[str, bool]
    trust_status: str
    """`trusted`, `stale` or `unknown`."""
    refresh: tuple[str, ...]
    """Documents whose cached state is missing, stale or invalid."""
    reasons: tuple[str, ...] = ()

    @property
    def trusted(self) -> bool:
        return self.trust_status == "trusted"


def md5(content: bytes | str) -> str:
    """The hash names content and protects nothing: the format of the cache requires MD5."""
    raw = content.encode() if isinstance(content, str) else content
    return hashlib.md5(raw, usedforsecurity=False).hexdigest()


def fingerprint(hashes: Mapping[str, str]) -> str:
    """MD5 of the sorted lines `path:md5`, each with its newline."""
    return md5("".join(sorted(f"{path}:{value}\n" for path, value in hashes.items())))


def trust(documents: Mapping[str, bytes | str | None], cache: str | None) -> DocsTrust:
    """`documents` is content by path, None for a missing one. In doubt they are not trusted."""
    content = {path: documents.get(path) for path in DOCS}
    exists = {path: bool(text and text.strip()) for path, text in content.items()}
    hashes = {
        path: md5(text) for path, text in content.items() if text is not None and exists[path]
    }
    absent = [path for path in DOCS if not exists[path]]
    known = _cache(cache)
    if known is None:
        return DocsTrust(exists, "unknown", DOCS, ("there is no readable docs cache",))
    reasons = [f"{path} is missing or empty" for path in absent]
    stale = [path for path in DOCS if exists[path] and _hash(known, path) != hashes[path]]
    reasons += [f"{path} is not as the cache knows it" for path in stale]
    reasons += _claims(known, hashes)
    if not reasons:
        return DocsTrust(exists, "trusted", ())
    evidence = all(_hash(known, path) for path in DOCS) and _fingerprint(known)
    status = "stale" if evidence and _trust(known) in {"trusted", "stale"} else "unknown"
    return DocsTrust(
        exists, status, tuple(dict.fromkeys([*absent, *stale])) or DOCS, tuple(reasons)
    )


def _claims(cache: Mapping[str, Any], hashes: Mapping[str, str]) -> list[str]:
    reasons = []
    if _trust(cache) != "trusted":
        reasons.append(f"the cache says {_trust(cache) or 'nothing'} about its trust")
    known = _fingerprint(cache)
    if not known:
        reasons.append("the cache has no workspace_fingerprint")
    elif len(hashes) == len(DOCS) and known != fingerprint(hashes):
        reasons.append("workspace_fingerprint does not fit the documents")
    if cache.get("refresh_required", False) is not False:
        reasons.append("the cache asks for a refresh")
    return reasons


def _cache(text: str | None) -> Mapping[str, Any] | None:
    reading = _CACHE.read(text or "")
    return reading.data if isinstance(reading.data, Mapping) else None


def _word(value: Any) -> str:
    """The hash that a value is; empty if it is a placeholder."""
    return value if isinstance(value, str) and _HASH.fullmatch(value) else ""


def _fingerprint(cache: Mapping[str, Any]) -> str:
    return _word(cache.get("workspace_fingerprint"))


def _hash(cache: Mapping[str, Any], path: str) -> str:
    hashes = cache.get("hashes")
    return _word(hashes.get(path)) if isinstance(hashes, Mapping) else ""


def _trust(cache: Mapping[str, Any]) -> str:
    trust = cache.get("trust_status")
    return trust if isinstance(trust, str) else ""


def cache_text(documents: Mapping[str, bytes | str], at: str, text: str | None = None) -> str:
    """The cache for documents that were just refreshed; with `text`, people's additions to it
    stay.
    """
    hashes = {path: md5(documents[path]) for path in DOCS if path in documents}
    whole = len(hashes) == len(DOCS)
    wanted = {
        "trust_status": "trusted" if whole else "unknown",
        "refresh_required": not whole,
        "workspace_fingerprint": fingerprint(hashes) if whole else "",
        "hashes": hashes,
        "updated_at": at,
    }
    if _cache(text) is None:
        return _CACHE.render_data(wanted)
    return _CACHE.update(text or "", wanted)
