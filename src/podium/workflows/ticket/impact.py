"""A quick guess at what a request may touch: files whose names or contents share its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from podium.workflows.ecosystems import SKIPPED
from podium.workflows.ticket.progress.document import ImpactScan
from podium.workflows.ticket.request.words import content_words

MAX_FILES = 20
MAX_AREAS = 8
# Each word is scanned once, from its beginning: an issue may hold a hundred thousand characters
# without a space.
_PATH = re.compile(
    r"(?<![\w.@+-])[\w.@+-]++(?:/[\w.@+-]++)++|(?<![\w@+-])[\w@+-]++\.[A-Za-z]\w{0,9}"
)
_NAME = re.compile(
    r"`([^`\s]+)`|\b([a-z0-9]+_[a-z0-9_]+|[A-Za-z]+[a-z0-9][A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b"
)
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_NO_TEXTS: Mapping[str, str] = MappingProxyType({})
_CODE_LIMIT = 100_000


def scan(request: str, files: Iterable[str], contents: Mapping[str, str] = _NO_TEXTS) -> ImpactScan:
    """Likely files, best first, and the folders they are in; the same input gives the same
    answer.
    """
    paths = {each.rstrip(".").casefold() for each in _PATH.findall(request)}
    names = {(quoted or bare).casefold() for quoted, bare in _NAME.findall(request)}
    words = {_stem(each) for each in content_words(request) if len(each) > 2}
    scores: Counter[str] = Counter()
    for path in sorted(set(files)):
        if SKIPPED.isdisjoint(path.split("/")[:-1]):
            score = _by_name(path, paths, words) + _by_content(contents.get(path, ""), names)
            if score:
                scores[path] = score
    likely = sorted(scores, key=lambda path: (-scores[path], path))[:MAX_FILES]
    areas: Counter[str] = Counter()
    for path in likely:
        areas[_area(path)] += scores[path]
    ranked = sorted(areas, key=lambda area: (-areas[area], area))[:MAX_AREAS]
    return ImpactScan(affected_areas=tuple(ranked), likely_files=tuple(likely))


def _by_name(path: str, paths: set[str], words: set[str]) -> int:
    folded = path.casefold()
    named = any(folded == each or folded.endswith(f"/{each}") for each in paths)
    below = any("/" in each and folded.startswith(f"{each}/") for each in paths)
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    in_name = len(words & _stems(stem))
    in_folder = len(words & _stems(folder))
    return 100 * named + 40 * below + 10 * in_name + 3 * in_folder


def _by_content(text: str, names: set[str]) -> int:
    """How often the file mentions a name from the request; a name tells more than a word."""
    folded = text[:_CODE_LIMIT].casefold()
    return sum(min(folded.count(each), 3) * 5 for each in names)


def _stems(text: str) -> set[str]:
    return {_stem(part.casefold()) for part in _PARTS.findall(text)}


def _stem(word: str) -> str:
    """Words of one family count as one: timeouts and timeout, parsing and parse."""
    for ending in ("ing", "ies", "es", "ed", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word.removesuffix(ending)
    return word


def _area(path: str) -> str:
    folders = path.split("/")[:-1]
    return "/".join(folders[:2]) or "."
