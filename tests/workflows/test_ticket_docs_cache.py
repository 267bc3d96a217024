from __future__ import annotations

import hashlib

import pytest

from podium.workflows.ticket.docs_cache import cache_text, fingerprint, md5, trust
from podium.workflows.ticket.request.naming import DOCS

TEXTS = {path: f"# {path}\n" for path in DOCS}
NOW = "2026-04-20T10:00:00Z"
CACHE = cache_text(TEXTS, NOW)


def test_hashes_are_md5_and_the_fingerprint_is_of_the_sorted_lines():
    hashes = {path: md5(text) for path, text in TEXTS.items()}
    lines = "".join(
        f"{path}:{hashlib.md5(TEXTS[path].encode()).hexdigest()}\n" for path in sorted(DOCS)
    )
    assert fingerprint(hashes) == hashlib.md5(lines.encode()).hexdigest()
    assert fingerprint(dict(reversed(hashes.items()))) == fingerprint(hashes)


def test_documents_just_as_the_cache_knows_them_are_trusted():
    found = trust(TEXTS, CACHE)
    assert (found.trusted, found.trust_status, found.refresh, found.reasons) == (
        True,
        "trusted",
        (),
        (),
    )
    assert trust({path: text.encode() for path, text in TEXTS.items()}, CACHE) == found


@pytest.mark.parametrize("cache", [None, "", "a: [", "- x", "words"])
def test_without_a_readable_cache_nothing_is_known(cache: str | None):
    found = trust(TEXTS, cache)
    assert (found.trusted, found.trust_status, found.refresh) == (False, "unknown", DOCS)


def test_a_changed_document_is_stale_and_only_it_is_refreshed():
    found = trust({**TEXTS, DOCS[1]: "changed"}, CACHE)
    assert (found.trust_status, found.refresh) == ("stale", (DOCS[1],))


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_a_missing_or_empty_document_is_not_trusted(text: str | None):
    found = trust({**TEXTS, DOCS[0]: text}, CACHE)
    assert (found.trusted, found.refresh, found.exists[DOCS[0]]) == (False, (DOCS[0],), False)


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ('trust_status: "trusted"', 'trust_status: "stale"', "stale"),
        ('trust_status: "trusted"', 'trust_status: "unknown"', "unknown"),
        ('trust_status: "trusted"', "trust: yes", "unknown"),
        ("refresh_required: false", "refresh_required: true", "stale"),
        ("refresh_required: false", "refresh_required: maybe", "stale"),
        (md5(TEXTS[DOCS[0]]), "<hash>", "unknown"),
        ("workspace_fingerprint:", "fingerprint:", "unknown"),
        ('workspace_fingerprint: "', 'workspace_fingerprint: "0000', "unknown"),
    ],
)
def test_a_cache_that_lacks_evidence_is_no_reason_to_trust(old: str, new: str, status: str):
    assert old in CACHE
    found = trust(TEXTS, CACHE.replace(old, new))
    assert not found.trusted
    assert found.trust_status == status
    assert found.reasons
    assert found.refresh


def test_a_new_cache_keeps_what_people_wrote_into_the_old():
    text = "# ours\n" + CACHE + "owner: Ada\n"
    after = cache_text({**TEXTS, DOCS[0]: "new"}, NOW, text)
    assert after.startswith("# ours\n")
    assert after.endswith("owner: Ada\n")
    assert trust({**TEXTS, DOCS[0]: "new"}, after).trusted


def test_a_cache_of_only_some_documents_claims_nothing():
    found = cache_text({DOCS[0]: "x"}, NOW, "a: [")
    assert 'trust_status: "unknown"' in found
    assert not trust(TEXTS, found).trusted
