"""High-risk actions as the program sees them: in a phase's changes, in the commands that ran, in a
plan.

An agent's word that something is harmless does not count, and in doubt a person is asked: one
question too many costs a minute.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from podium.core.globs import matches
from podium.workflows.governed.plan.plan import Phase
from podium.workflows.governed.policy.policy import Policy

CONTRACTS = (
    *(
        "**/*.schema.json",
        "schemas/**",
        "**/openapi*.y*ml",
        "**/openapi*.json",
        "**/*.proto",
        "**/*.graphql",
    ),
    *("governance/**", "**/*.agent.md", "**/*.avsc", "**/*.wsdl", "**/*.xsd"),
)
"""Files that are promises to others."""
BULK = 3
"""Changing or deleting this many contracts at once is a bulk rewrite."""
INFRASTRUCTURE: Mapping[str, frozenset[str]] = {
    "kubectl": frozenset({"apply", "create", "delete", "patch", "replace", "rollout", "scale"}),
    "helm": frozenset({"install", "upgrade", "uninstall", "rollback"}),
    "terraform": frozenset({"apply", "destroy"}),
    "pulumi": frozenset({"up", "destroy"}),
    "docker": frozenset({"push"}),
    "podman": frozenset({"push"}),
    "aws": frozenset({"deploy", "delete", "update", "put", "cp", "sync", "rm"}),
    "gcloud": frozenset({"deploy", "delete", "update"}),
    "az": frozenset({"deploy", "delete", "update"}),
    "npm": frozenset({"publish"}),
    "twine": frozenset({"upload"}),
}
"""Programs that reach shared systems, and the words with which they change them."""


@dataclass(frozen=True)
class Change:
    """One path of a phase's diff."""

    path: str
    deleted: bool = False
    created: bool = False
    """Whether this very run created the file, so that deleting it destroys nobody's work."""
    added: tuple[str, ...] = ()
    """Lines that were added, as far as they are text."""
    unread: bool = False
    """Whether the addition is not text or was left out: nobody knows what it does."""


HARMLESS = (
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".webp",
    ".ico",
    ".bmp",
    ".avif",
    ".svgz",
    ".pdf",
    ".woff",
    ".woff2",
    ".ttf",
    ".otf",
    ".eot",
    ".mp3",
    ".mp4",
    ".wav",
    ".ogg",
    ".webm",
    ".mov",
)
"""Endings of images, fonts, sounds and the like, which no program runs and which are never text."""


@dataclass(frozen=True)
class Repository:
    """What git says about branches."""

    branch: str = ""
    protected: frozenset[str] = frozenset({"main", "master", "trunk", "release"})
    published: bool = False
    """Whether the last commit is already on a remote."""


@dataclass(frozen=True)
class Hazard:
    """One high-risk action and its evidence."""

    action: str
    evidence: str


def seen_hazards(
    changes: Sequence[Change],
    commands: Iterable[str],
    policy: Policy,
    repository: Repository | None = None,
) -> tuple[Hazard, ...]:
    """What a phase did that needs a person's approval, according to the policy's list."""
    where = repository or Repository()
    found = [*_in_changes(changes)]
    for command in commands:
        found += _in_command(command, where)
        where = _stood(command, where)
    return _wanted(found, policy)


def planned_hazards(phase: Phase, policy: Policy) -> tuple[Hazard, ...]:
    """What a phase says it will do; its words are searched for commands and for plain
    statements.
    """
    found: list[Hazard] = []
    for text in (phase.title, phase.objective, *phase.steps):
        found += _in_words(text)
    if len({path for path in phase.writes if matches(path, CONTRACTS)}) >= BULK:
        found.append(Hazard("bulk_contract_rewrite", ", ".join(phase.writes)[:200]))
    return _wanted(found, policy)


@lru_cache(maxsize=1024)
def _in_words(text: str) -> tuple[Hazard, ...]:
    """Cached, because the same plan is examined at every turn of its run and in every state of
    an exploration.
    """
    said = (Hazard(action, text[:200]) for action, pattern in _SAID.items() if pattern.search(text))
    return (*_in_command(text, Repository()), *said)


def destructive(phase: Phase, policy: Policy) -> bool:
    """Whether the phase needs an approval of its own."""
    return bool(planned_hazards(phase, policy))


def _wanted(found: Iterable[Hazard], policy: Policy) -> tuple[Hazard, ...]:
    guarded = policy.texts("approval_required_actions")
    return tuple(dict.fromkeys(each for each in found if each.action in guarded))


def _in_changes(changes: Sequence[Change]) -> Iterator[Hazard]:
    for each in changes:
        if each.deleted and not each.created:
            yield Hazard("destructive_file_delete", f"{each.path} was deleted")
        for line in _dropping(each.added):
            yield Hazard("drop_table", f"{each.path}: {line.strip()[:160]}")
        if each.unread and not each.path.lower().endswith(HARMLESS):
            yield Hazard(
                "drop_table", f"{each.path[:160]}: no text, so nobody can see what it does"
            )
    promised = [each.path for each in changes if matches(each.path, CONTRACTS) and not each.created]
    if len(promised) >= BULK:
        yield Hazard("bulk_contract_rewrite", ", ".join(sorted(promised))[:200])


_SQL = re.compile(
    r"\b(?:drop|truncate)\s+(?:(?:temporary|temp|foreign|external|materialized)\s+)?(?:table|"
    r"database|schema|view)\b"
    r"|\btruncate\s+\w+\s*;",
    re.IGNORECASE,
)
_GAP = r"(?:\s|/\*(?:[^*]|\*(?!/)){0,2000}\*/|(?:--|#)[^\n]{0,2000}\n)+"
_SPREAD = re.compile(
    rf"\b(?:drop|truncate){_GAP}(?:(?:temporary|temp|foreign|external|materialized){_GAP})?(?:table|database|schema|view)\b"
    rf"|\b(?:drop|truncate)\s*/\*(?:[^*]|\*(?!/)){{2000}}",
    re.IGNORECASE,
)
"""Allows comments between the words; a comment longer than any honest one is a hazard by itself."""
_SQL_MARKS = re.compile(r"/\*!?\d*|\*/")
_SAID_MORE = re.compile(r"\*/|[\r\f\v\x1c-\x1e\x85\u2028\u2029]")
"""What ends a comment in the middle of a line for some program."""


def _dropping(added: Sequence[str]) -> Iterator[str]:
    """Lines that drop a table, or the statement if it is spread over lines and comments."""
    lines = [
        line
        for line in added
        if not line.lstrip().startswith(("#", "//", "*")) or _SAID_MORE.search(line.strip())
    ]
    if found := [line for line in lines if _SQL.search(line)]:
        yield from found
        return
    text = "\n".join(lines)
    # Some databases execute what is in a comment, others ignore it.
    if spread := _SPREAD.search(text) or _SQL.search(_SQL_MARKS.sub(" ", text)):
        yield " ".join(spread[0].split())


_RMTREE = re.compile(r"\bshutil\.rmtree\b|\bfs\.(?:rm|rmdir)(?:Sync)?\b")
_STOP = re.compile(r"(\w)[.,;:!?]+$")
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_SPLIT = re.compile(r"&&|\|\||[;|\n]|\$\(|`")
_GROUPED = re.compile(r"^[\s({]+(?=\S)|(?<=\S)\s*\)+\s*$")
"""The marks of a subshell around a command."""
DEEPEST = 8
"""How many levels of commands that run other commands are examined."""
_SWITCHED = re.compile(
    r"\bgit\b[^;&|\n]{0,200}?\s(?:checkout|switch)\s+(?:-[-\w]+\s+)*(?P<branch>[\w./-]+)"
)
_SAID: Mapping[str, re.Pattern[str]] = {
    "destructive_file_delete": re.compile(
        (
            r"\b(?:delet|remov|eras|wip|purg)(?:e|es|ing)?\b.{0,40}\b(?:files?|folders?|"
            r"director(?:y|ies)|data|tables?|modules?)\b"
        ),
        re.IGNORECASE,
    ),
    "git_force_push": re.compile(r"\bforce[- ]push", re.IGNORECASE),
    "git_reset_hard": re.compile(r"\b(?:hard reset|reset hard)\b", re.IGNORECASE),
    "push_to_shared_infrastructure": re.compile(
        (
            r"\b(?:deploy|roll ?out|release|publish|appl(?:y|ies))\b.{0,40}\b(?:production|"
            r"staging|shared|cluster|registry)\b"
        ),
        re.IGNORECASE,
    ),
    "merge_to_protected_branch": re.compile(
        r"\bmerge\b.{0,30}\b(?:main|master|trunk|release)\b", re.IGNORECASE
    ),
}


def _in_command(command: str, where: Repository, depth: int = 0) -> Iterator[Hazard]:
    if _SQL.search(command):
        yield Hazard("drop_table", command.strip()[:200])
    if _RMTREE.search(command):
        yield Hazard("rm_rf", command.strip()[:200])
    for part in _SPLIT.split(command[:20_000]):
        words = _words(part)
        if not words:
            continue
        shown = part.strip()[:200]
        if (told := _handed_on(words)) and depth < DEEPEST:
            yield from _in_command(told, where, depth + 1)
        elif told:
            yield Hazard(
                "rm_rf", f"{shown[:160]}: handed on so often that nobody can see what it does"
            )
        yield from (Hazard(action, shown) for action in _actions(words, where))
        where = _stood(part, where)


def _handed_on(words: Sequence[str]) -> str:
    """The command that another one runs: `bash -lc '…'`, `eval '…'`; empty if there is none."""
    if words[0] == "eval":
        return " ".join(words[1:])
    if words[0] not in _SHELLS:
        return ""
    given = (at for at, word in enumerate(words[:-1]) if re.fullmatch(r"-[A-Za-z]*c", word))
    return words[at + 1] if (at := next(given, 0)) else ""


def _stood(command: str, where: Repository) -> Repository:
    """The branch for the next command: after a switch to a protected branch, what follows may
    change it.
    """
    gone = [
        found["branch"]
        for found in _SWITCHED.finditer(command[:20_000])
        if found["branch"] in where.protected
    ]
    return replace(where, branch=gone[-1]) if gone else where


def _words(part: str) -> list[str]:
    part = _GROUPED.sub("", part)
    try:
        words = shlex.split(part, comments=True)
    except ValueError:
        words = part.split()
    while words and (
        words[0] in {"sudo", "env", "command", "exec", "time", "nohup", "xargs"} or "=" in words[0]
    ):
        words = words[1:]
    words = [_STOP.sub(r"\1", word) for word in words]
    # Prose may mention a command: what follows its name is what counts.
    names = {
        "rm",
        "git",
        "gh",
        "glab",
        "find",
        "eval",
        "dropdb",
        "ansible-playbook",
        *_SHELLS,
        *INFRASTRUCTURE,
    }
    at = next((number for number, word in enumerate(words) if word.rpartition("/")[2] in names), 0)
    return [words[at].rpartition("/")[2], *words[at + 1 :]] if words else []


def _actions(words: Sequence[str], where: Repository) -> Iterator[str]:
    name, rest = words[0], list(words[1:])
    flags = {sign for word in rest if re.fullmatch(r"-[A-Za-z]+", word) for sign in word[1:]}
    long = {word.partition("=")[0] for word in rest if word.startswith("--")}
    match name:
        case "rm":
            if (flags & set("rR") or "--recursive" in long) and ("f" in flags or "--force" in long):
                yield "rm_rf"
            elif rest:
                yield "destructive_file_delete"
        case "git":
            yield from _git(_without_options(rest), flags, long, where)
        case "find":
            yield from ["destructive_file_delete"] if "-delete" in rest else []
            if "-exec" in rest[:-1]:
                yield from _actions(rest[rest.index("-exec") + 1 :], where)
        case "ansible-playbook":
            yield "push_to_shared_infrastructure"
        case "gh" | "glab" if "merge" in rest[:4]:
            # Only the service knows which branch it goes to.
            yield "merge_to_protected_branch"
        case "dropdb":
            yield "drop_table"
        case _ if set(rest) & INFRASTRUCTURE.get(name, frozenset()):
            yield "push_to_shared_infrastructure"
        case _:
            return


def _without_options(rest: list[str]) -> list[str]:
    """The words of a git command from its verb on; `-C folder` and `-c key=value` may precede
    it.
    """
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in {"-C", "-c", "--git-dir", "--work-tree"} else rest[1:]
    return rest


def _git(
    rest: Sequence[str], flags: Collection[str], long: Collection[str], where: Repository
) -> Iterator[str]:
    verb, words = (rest[0], rest[1:]) if rest else ("", ())
    plain = [word for word in words if not word.startswith("-")]
    match verb:
        case "push":
            forced = "f" in flags or bool(
                {"--force", "--force-with-lease", "--mirror", "--delete"} & set(long)
            )
            if forced or any(word.startswith(("+", ":")) for word in plain):
                yield "git_force_push"
            targets = {
                word.rpartition(":")[2].removeprefix("refs/heads/").lstrip("+")
                for word in plain[1:]
            } or {where.branch}
            if targets & where.protected:
                yield "merge_to_protected_branch"
        case "reset" if "--hard" in long:
            yield "git_reset_hard"
        case "clean" if "f" in flags or "--force" in long:
            yield "destructive_file_delete"
        case "rm":
            yield "destructive_file_delete"
        case "commit" if "--amend" in long and where.published:
            yield "amend_published_commit"
        case "rebase" | "filter-branch" | "filter-repo" if where.published:
            yield "amend_published_commit"
        case "merge" if where.branch in where.protected:
            yield "merge_to_protected_branch"
        case _:
            return
