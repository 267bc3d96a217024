"""Names that follow from a ticket: its slug, its branch and the paths of its files."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from podium.workflows.ticket.request.request import find_ids
from podium.workflows.ticket.request.words import content_words

WorkType = Literal["feature", "fix", "chore"]
WORK_TYPES: tuple[WorkType, ...] = get_args(WorkType)
SLUG = r"[a-z0-9]+_[a-z0-9]+_[a-z0-9]+"
DOCS_CACHE = "docs/docs_cache_state.yaml"
DOCS = ("docs/ARCHITECTURE.md", "docs/CODE_STYLE.md", "docs/FINDINGS.md")
_LONGEST = 20


def document_name(path: str) -> str:
    """What an agent calls one of the three documents: `architecture`, `code_style`, `findings`."""
    return path.rpartition("/")[2].removesuffix(".md").lower()


def document_path(name: str) -> str:
    return next(path for path in DOCS if document_name(path) == name)


def slug_of(text: str, jira: str, lead: str = "") -> str:
    """Three words in snake_case; if the request has fewer, the lead and the parts of the id fill
    up.
    """
    for each in find_ids(text):
        text = text.replace(each, " ")  # the branch already names the ticket
    found = [_plain(each) for each in content_words(text)]
    words = [each for each in found if each and each != _plain(jira.replace("-", ""))][:3]
    if len(words) < 3 and _plain(lead) and _plain(lead) not in words:
        words.insert(0, _plain(lead))
    fill = [_plain(each) for each in jira.split("-")] + ["work"]
    return "_".join([*words, *fill][:3])


def _plain(word: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", word).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", ascii_only)[:_LONGEST]


def branch_of(work_type: str, jira: str, slug: str) -> str:
    return f"{work_type}/{jira}_{slug}"


@dataclass(frozen=True)
class Paths:
    """Every file of one ticket's run."""

    jira: str

    @property
    def folder(self) -> str:
        return f"prompts/{self.jira}"

    @property
    def prompt(self) -> str:
        return f"{self.folder}/prompt.yaml"

    @property
    def progress(self) -> str:
        return f"{self.folder}/progress.yaml"

    @property
    def log(self) -> str:
        return f"{self.folder}/log.jsonl"

    @property
    def scratch(self) -> str:
        return f"{self.folder}/tmp"  # noqa: S108 - a folder of the project

    def iteration(self, number: int) -> str:
        """Counted from 0 on disk."""
        return f"{self.folder}/iteration_{number}"

    def plan(self, number: int) -> str:
        return f"{self.iteration(number)}/plan.md"

    def tasks(self, number: int) -> str:
        return f"{self.iteration(number)}/tasks.yaml"

    def review(self, number: int) -> str:
        return f"{self.iteration(number)}/review_report.yaml"

    def planning_input(self, number: int) -> str:
        """What the Planner starts from: the prompt, or the last review."""
        return self.prompt if number == 0 else self.review(number - 1)


def ignored(text: str | None, wanted: Sequence[str] = ("prompts/", DOCS_CACHE)) -> str:
    """A .gitignore that names what the workflow keeps to itself; the same text if it already
    does.
    """
    if text is None:
        return "".join(f"{each}\n" for each in wanted)
    said = {line.strip().removeprefix("/") for line in text.splitlines()}
    missing = [each for each in wanted if not {each, each.rstrip("/"), f"{each}**"} & said]
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = newline if missing and text and not text.endswith("\n") else ""
    return text + gap + "".join(f"{each}{newline}" for each in missing)
