"""What a step may read, what it must write, and what may change: the closed list, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

CodeAccess = Literal["none", "read", "write"]
Tests = Literal["add", "edit", "protect"]
Proof = Literal["none", "new", "standing"]
OWN = ("**/.podium", "**/podium.toml")
"""Podium's settings and roles, which no agent may write. Any folder may be a project of its own,
so this holds at every depth.
"""
ITSELF = "@itself"
"""A template of this name: the file's own earlier version, with which the new one is compared."""


@dataclass(frozen=True)
class Input:
    """One file the step may read."""

    name: str
    path: str
    """Relative to the project; the view holds it at the same place."""
    required: bool = True
    material: bool = False
    """Whether a change of this file makes the finished step stale: yes for artifacts and the
    task, no for standards.
    """
    essence: Callable[[str], str] | None = field(default=None, compare=False, repr=False)
    """The part of the text that counts for staleness; None: all of it."""
    quoted: int | None = 0
    """How many of its first lines the brief itself contains; None: all of them."""


@dataclass(frozen=True)
class Output:
    """One file the step must write."""

    name: str
    path: str
    """Relative to the project; a glob if `many`."""
    template: str = ""
    """Path of the template whose headings are required."""
    optional: bool = False
    """Whether the step may leave it out. If it is written, it is checked like any other."""
    usual: bool = False
    """optional: whether the shortest good answer includes it anyway."""
    many: bool = False
    """Whether the step may write any number of files that match `path`, but at least one."""
    blank: bool = False
    """Whether an empty file is accepted."""
    example: str = ""
    """many: the path of the one file that the shortest good answer writes."""
    check: Callable[[str, str], tuple[str, ...]] | None = field(
        default=None, compare=False, repr=False
    )
    """(text, template text) to the exact faults; no faults means well formed."""
    compose: Callable[..., str] | None = field(default=None, compare=False, repr=False)
    """(members, template text, facts) to a well-formed document. The engine binds the facts;
    the scripted agent writes with it."""
    spelled: Callable[[Mapping[str, Any]], str] | None = field(
        default=None, compare=False, repr=False
    )
    """Verdict data to document text, if a step may send the document as data instead of writing
    it; "" = the data has none.
    """
    stated: Callable[[str], Mapping[str, Any]] | None = field(
        default=None, compare=False, repr=False
    )
    """Document text to the verdict object it stands for, if the document is the verdict."""
    structure: Callable[[str], tuple[str, ...]] | None = field(
        default=None, compare=False, repr=False
    )
    """Template text to the required structure in words, for the brief."""

    @property
    def source(self) -> str:
        """The project path whose text is the template; empty if there is none."""
        return self.path if self.template == ITSELF else self.template


@dataclass(frozen=True)
class Contract:
    """Everything that one dispatch may touch."""

    role: str
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    code: CodeAccess = "none"
    code_paths: tuple[str, ...] = ()
    """Globs of the code the step may see; empty: all of it."""
    writable: tuple[str, ...] = ()
    """Globs of the code the step may change if `code` is `write`; empty: all of it."""
    protected: tuple[str, ...] = ()
    """Globs that only the engine and people may change, whatever else is allowed."""
    hidden: tuple[str, ...] = ()
    """Globs left out of a code view unless they are an input."""
    tests: Tests | Literal[""] = ""
    """What the step may do to tests without a person being asked: add new ones; also edit those
    that are there; or nothing. Empty = as the settings have it.
    """
    dialect: str = "none"
    """Whose verdict words apply (core.verdict)."""
    evidence: tuple[str, ...] = ()
    """Names of the configured commands the engine runs itself afterwards: build, test, lint."""
    guessed: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, str]] = field(
        default=lambda _, __: {}, compare=False, repr=False
    )
    """(verdict data, what `survey` found in the work) to command lines for those of these names
    that nobody configured.
    """
    survey: Callable[[Sequence[str]], Sequence[str]] | None = field(
        default=None, compare=False, repr=False
    )
    """The work's files to those whose text `guessed` needs; None if it needs none."""
    proof_of_change: Proof = "none"
    """`new`: the step is not done unless a file changed or the agent gives a reason. `standing`: a
    file that was written with the content it had also counts, since work may be judged again
    because of somebody else's.
    """
    whole: Callable[[Mapping[str, str]], tuple[str, ...]] | None = field(
        default=None, compare=False, repr=False
    )
    """(path to text of all outputs) to the faults that only all of them together reveal."""
    belongs: Callable[[Mapping[str, Any]], tuple[str, ...]] | None = field(
        default=None, compare=False, repr=False
    )
    """Verdict data to the parts of it that answer a different question than this dispatch's."""
    spill: tuple[str, ...] = ()
    """Globs of files that the step may leave in its own copy of the code and that never leave
    it.
    """
    most_spilled: int | None = None
    """The most bytes that all such files may have together; None = no limit."""
    weighs_git: bool = False
    """Whether the judge considers what the agent's git commands would do to the person's
    checkout, and so is told its state.
    """
    changes: str = ""
    """Where the step can read the diff of all code since the run began; "" = nowhere."""
    opening: tuple[str, ...] = ()
    """Lines with which the prompt begins: who is asked, and within what bounds."""
    told: tuple[str, ...] = ()
    """What this dispatch is told in addition to the run's task: its focus, its part."""
    context: tuple[tuple[str, str], ...] = ()
    """(title, text) of what earlier steps pass on to this one; it learns nothing else of them."""
    goes_on: str = ""
    """The key, below the run, of an earlier step whose refused work is in the view at the start;
    "" = none.
    """
    retries: Mapping[str, int] = field(default_factory=dict)
    """Retry limits by class, which override the workflow's. `error` also covers an agent that says
    it failed, `transient` an empty answer and one that stays unusable. `total` counts retries and
    repairs of all classes together, except those of a busy service.
    """


@dataclass(frozen=True)
class Brief:
    """Everything a dispatch is told, before it is rendered to a prompt."""

    key: str
    role: str
    definition: str
    """The role's definition, as text."""
    definition_source: str
    task: str
    """What this is about, in a few lines."""
    inputs: tuple[tuple[str, str, str], ...]
    """(name, path, digest) of every file in the view; no digest for a file made for this
    dispatch alone.
    """
    outputs: tuple[tuple[str, str, tuple[str, ...]], ...]
    """(name, path, required structure in words) of every file to write."""
    code: CodeAccess
    scope: tuple[str, ...]
    """What may and may not be changed, in sentences."""
    vocabulary: tuple[str, ...]
    """How to report, in sentences."""
    notes: tuple[str, ...] = ()
    """What a person said: send-back notes, answers, reasons given at resume."""
    history: tuple[str, ...] = ()
    """What earlier attempts got wrong, compressed, oldest first."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Header values that the program sets: Task, Run, Date …"""
    context: tuple[tuple[str, str], ...] = ()
    """(title, text) of what earlier steps passed on."""
    definition_digest: str = ""
    """Digest of the file that the definition comes from."""
    opening: tuple[str, ...] = ()
    """Lines with which the prompt begins."""
