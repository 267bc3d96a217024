"""What a step may read, what it must write, and what may change: the closed list, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from podium.core.dataclass import dataclass

CodeAccess = Literal["none", "read", "write"]
Proof = Literal["none", "new", "standing"]
OWN = ("**/.podium", "**/podium.toml")
"""Podium's settings and roles, which no agent writes. The nearest folder that has some is a project: they count in every one."""
ITSELF = "@itself"
"""As a template: the file as it stood before, with which a new version of it is compared."""


@dataclass(frozen=True)
class Input:
    """One file the step may read."""

    name: str
    path: str
    """Relative to the project; the view holds it at the same place."""
    required: bool = True
    material: bool = False
    """Whether a change of it makes the finished step stale. Artifacts and the task are; standards are not."""
    essence: Callable[[str], str] | None = field(default=None, compare=False, repr=False)
    """What of the text counts for staleness; all of it where None."""


@dataclass(frozen=True)
class Output:
    """One file the step must write."""

    name: str
    path: str
    """Relative to the project; a glob where `many`."""
    template: str = ""
    """Path of the template whose headings are required."""
    optional: bool = False
    """Whether the step may leave it out; what it does write is checked all the same."""
    usual: bool = False
    """optional: whether a shortest good answer has it all the same."""
    many: bool = False
    """Whether any number of files that match `path` may be written, at least one."""
    blank: bool = False
    """Whether a file with nothing in it will do."""
    example: str = ""
    """many: the path of the one file a shortest answer writes."""
    check: Callable[[str, str], tuple[str, ...]] | None = field(default=None, compare=False, repr=False)
    """(text, template text) to the list of exact faults; no faults means it is well formed."""
    compose: Callable[..., str] | None = field(default=None, compare=False, repr=False)
    """(members, template text, facts) to a well-formed document; the engine binds the facts,
    the scripted agent writes with it."""
    spelled: Callable[[Mapping[str, Any]], str] | None = field(default=None, compare=False, repr=False)
    """The verdict's data to the document's text, where a step may send it as data instead of writing it; "" = it has none."""
    stated: Callable[[str], Mapping[str, Any]] | None = field(default=None, compare=False, repr=False)
    """The document's text to the verdict object that it stands for, where the document is the verdict."""
    structure: Callable[[str], tuple[str, ...]] | None = field(default=None, compare=False, repr=False)
    """Template text to the required structure in words, for the brief."""

    @property
    def source(self) -> str:
        """The project path whose text is the template; empty where there is none."""
        return self.path if self.template == ITSELF else self.template


@dataclass(frozen=True)
class Contract:
    """The whole of what one dispatch may touch."""

    role: str
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    code: CodeAccess = "none"
    code_paths: tuple[str, ...] = ()
    """Globs of the code the step may see; all of it where empty."""
    writable: tuple[str, ...] = ()
    """Globs of the code the step may change where code is `write`; all of it where empty."""
    protected: tuple[str, ...] = ()
    """Globs nobody but the engine and people may change, whatever else is allowed."""
    hidden: tuple[str, ...] = ()
    """Globs left out of a code view unless they are an input."""
    dialect: str = "none"
    """Whose verdict words count (core.verdict)."""
    evidence: tuple[str, ...] = ()
    """Names of the configured commands the engine runs itself afterwards: build, test, lint."""
    guessed: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, str]] = field(default=lambda _, __: {}, compare=False, repr=False)
    """The verdict's data, and what the work holds as a `survey` tells it, to command lines for such names that nobody configured."""
    survey: Callable[[Sequence[str]], Sequence[str]] | None = field(default=None, compare=False, repr=False)
    """The files of the work to those whose texts `guessed` needs; None where it needs none."""
    proof_of_change: Proof = "none"
    """Whether no changed file and no stated reason is not done; `standing`: a file that was written as it was counts,
    since work is also judged again because of somebody else's."""
    whole: Callable[[Mapping[str, str]], tuple[str, ...]] | None = field(default=None, compare=False, repr=False)
    """(path to text of all outputs) to the faults that only all of them together show."""
    belongs: Callable[[Mapping[str, Any]], tuple[str, ...]] | None = field(default=None, compare=False, repr=False)
    """The verdict's data to what in it answers another question than this dispatch's."""
    spill: tuple[str, ...] = ()
    """Globs of what the step may leave in its own copy of the code and what never arrives anywhere else."""
    most_spilled: int | None = None
    """Bytes that all of that may have together; None = no limit."""
    weighs_git: bool = False
    """Whether the judge weighs what the agent's git commands would do to the person's checkout, and is told where it stands."""
    changes: str = ""
    """Where the difference of all code since the run began is put for the step to read; "" = nowhere."""
    opening: tuple[str, ...] = ()
    """Lines with which the prompt begins: who is asked, and within what bounds."""
    told: tuple[str, ...] = ()
    """What this dispatch is told beside the run's task: its focus, its part."""
    context: tuple[tuple[str, str], ...] = ()
    """(title, text) of what earlier steps hand on to this one, and nothing else of them."""
    goes_on: str = ""
    """The key below the run of an earlier step whose refused work lies in the view at the start; "" = none."""
    retries: Mapping[str, int] = field(default_factory=dict)
    """Retry limits by class over the workflow's; `error` also covers an agent that says it failed, `transient` an
    empty answer and one that stays unusable, `total` counts retries and repairs of all classes together, those of a
    busy service left out."""


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
    """(name, path, digest) of every file in the view; no digest of what is made for this dispatch alone."""
    outputs: tuple[tuple[str, str, tuple[str, ...]], ...]
    """(name, path, required structure in words) of every file to write."""
    code: CodeAccess
    scope: tuple[str, ...]
    """What may be changed and what not, in sentences."""
    vocabulary: tuple[str, ...]
    """How to report, in sentences."""
    notes: tuple[str, ...] = ()
    """What a person said: send-back notes, answers, reasons given at resume."""
    history: tuple[str, ...] = ()
    """What earlier attempts got wrong, compressed, oldest first."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Header values the program fixes: Task, Run, Date …"""
    context: tuple[tuple[str, str], ...] = ()
    """(title, text) of what earlier steps handed on."""
    definition_digest: str = ""
    """Of the file that the definition comes from."""
    opening: tuple[str, ...] = ()
    """Lines with which the prompt begins."""
