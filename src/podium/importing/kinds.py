"""Which kind of rule a statement is, and whether a program could enforce it."""

from __future__ import annotations

import re
from typing import Literal

from podium.importing.statements import Statement

Kind = Literal["limit", "gate", "forbidden", "stop", "output", "order", "verdict", "duty", "advice"]

_I = re.IGNORECASE
_NEVER = re.compile(
    r"\b(?:must|may|shall|do|does|is|are) not\b(?! (?:yet|exist|been|found|support|contain|"
    r"required|needed|available|met|trusted|dispatched|in scope))"
    r"|\bdon't\b|\bnever\b|\bforbidden\b|\bprohibited\b|\bnot "
    r"allowed\b|\bnon-compliant\b|\bdisallowed\b|^[*_\s]*no (?!longer|prior|file)\w+",
    _I,
)
_CONDITION = re.compile(r"^[*_\s]*(?:if|when|where|while|unless|after|before)\b[^,:;→]*?[,:;→]", _I)
_COUNT = r"(?:\d+|one|two|three|four|five|ten|once|twice)"
_LIMIT = re.compile(
    r"\b(?:max(?:imum)?|at most|up to|no more than|limit(?:ed)?|cap|budget|at "
    rf"least|minimum|exactly|within|first)\b[^.;|]{{0,60}}?\b{_COUNT}\b"
    r"|[<>≤≥]=?\s*\d|\b(?:retry|retries|attempts?|repair|loops?|again)\b[^.;|]{0,40}?\b(?:"
    rf"once|twice|{_COUNT} times?)\b"
    r"|\b\d+\s*(?:times|retries|attempts|iterations|loops|concurrent|parallel)\b|\bretry[ "
    rf"-]limit|\b{_COUNT} (?:each|per)\b"
    r"|[×x]\s*\d|\b\d+\s*[-–]\s*\d+\b(?=[^.]*(?:decompose|phases?))",
    _I,
)
_GATE = re.compile(
    r"\bapprov(?:al|e[ds]?)\b|\bconfirmation\b|\bhuman review|\bask(?:s|ed|ing)? the "
    r"user|\buser (?:decision|choice|selection|acknowledg\w+|clarification|approval)"
    r"|\baskquestions\b|\bclarif(?:y|ication)|\bwaiting_approval\b|\buser-choice\b|\bask "
    r"user\b|\b(?:escalate|report|present)\b[^.;|]{0,40} to (?:the )?user\b",
    _I,
)
_STOP = re.compile(
    (
        r"(?<![\w-])(?:stop(?:s|ping|ped)?|halt(?:s|ed)?|abort|(?<!` )(?<!calls )(?<!code "
        r")block(?:s|ed|ing)?|escalat\w+|pause[ds]?)\b"
    ),
    _I,
)
_WORDS = re.compile(
    r"\b[A-Z][A-Z_]{3,}\b|`[a-z_]+`\s*(?:\||,|or|/)\s*`[a-z_]+`|\([a-z]+, [a-z]+, [a-z, ]+\)"
)
_SAID = re.compile(
    r"\b(?:status|verdict|returns?|returned|result|outcome|decision|classif\w+|readiness|enums?)\b",
    _I,
)
_MAKES = re.compile(
    (
        r"\b(?:creat|writ|produc|initiali[sz]|append|updat|record|persist|emit|generat|output|"
        r"sets?\b|log\b|logg|stor|add\b|save|report|keep|mark)\w*"
    ),
    _I,
)
_FILE = re.compile(
    (
        r"\b[\w-]+/[\w./<>{}*-]+|\b[\w-]+\.(?:md|ya?ml|jsonl?|ndjson|txt)|\b(?:run[ "
        r"-]report|run-state|artifacts?|memory|log|todo(?: "
        r"item)?|roadmap|summary|entry)s?\b|`[^`]+`"
    ),
    _I,
)
_ORDER = re.compile(
    r"\b(?:before|after|until|sequential(?:ly)?|in parallel|parallel|next "
    r"(?:stage|step|wave|phase|dispatch|iteration)|only when|prior|once all|wait(?:s|ing)? "
    r"for"
    r"|ascending|followed by|sequence|skip|proceed|transition|advance|resume)\b|→|->",
    _I,
)
_STRONG = re.compile(
    (
        r"\b(?:must|shall|always|only|exactly|require[ds]?|mandatory|authoritative|forbidden|"
        r"never|every)\b"
    ),
    _I,
)
_FIRM = re.compile(
    (
        r"^[*_\s]*no\b|\b(?:must|only|never|not|no more|max\w*|at most|up "
        rf"to|require\w*)\b|\b{_COUNT}\b|→"
    ),
    _I,
)
_WEAK = re.compile(
    r"\b(?:should|prefer(?:red|ably)?|avoid|may|might|can|try|consider|recommend\w*|ideally|"
    r"where possible|optional(?:ly)?|usually|typically|a good|purpose is"
    r"|responsible for|allowed to|experimental)\b",
    _I,
)
_SOFT = re.compile(r"\b(?:should|prefer\w*|avoid|recommend\w*|consider)\b", _I)
_OPENING = re.compile(
    (
        r"^[*_`\s\"“(\[⚠]*(?:\*\*[^*]{1,60}\*\*[:\s—-]*|[A-Z][\w -]{2,30}:\s+)?(?:then |also "
        r"|immediately |automatically )?(?P<verb>[A-Za-z][a-z]+(?:-[a-z]+)?)\b"
    ),
    _I,
)
_DEMANDS = """
    add aggregate append apply ask attempt avoid batch block build call capture carry check checkout classify clean clear collect commit compare compress compute confirm
    consider continue create default delegate delete derive detect determine dispatch display drop emit ensure explain escalate evaluate execute exit extract find follow forward
    generate group halt handle identify include increment infer initialize instruct invalidate invoke keep limit load log maintain map mark merge name normalize note
    obey open parse partition pass pause perform persist prefer present preserve proceed produce propagate prune read recompute record refresh remove repair report require
    reserve resolve respect restore resume retry return re-dispatch re-open re-read re-run re-verify refine review route run save scan select set show skip sort split start
    stop store summarize switch take tell track transition treat trigger trust update use validate verify wait write
"""  # noqa: E501
_VERBS = frozenset(_DEMANDS.split())


def kind_of(said: Statement) -> tuple[Kind, bool] | None:
    """(kind, whether it can be enforced); None if it asks for nothing.

    Words like must and never, and numbers, are meant seriously, and so is a plain demand about
    something that can be
    checked: a file, a state, an order. Any other demand, and everything that should or may be, is
    advice.
    """
    lead = "" if said.row else said.lead
    whole = f"{lead} {said.text}".strip()
    body = _CONDITION.sub("", said.text).strip() or said.text
    if said.text.rstrip(" *_").endswith(":") and not said.row:
        return None  # the words before a list: its items say it
    demanded = _demands(body) or bool(lead and _STRONG.search(lead))
    found = _kind(said, whole, body, lead)
    if found is None:
        if not (demanded or _STRONG.search(body)):
            return ("advice", False) if _SOFT.search(said.text) else None
        return ("duty", True) if _STRONG.search(whole) and not said.quoted else ("advice", False)
    if _WEAK.search(whole) and not _FIRM.search(_WEAK.sub("", whole)):
        return "advice", False
    meant = demanded or said.row or bool(_STRONG.search(whole)) or "→" in whole or "->" in whole
    if found in {"output", "order", "verdict"} and (said.quoted or not meant):
        return None
    return found, True


def _kind(said: Statement, whole: str, body: str, lead: str) -> Kind | None:
    if _LIMIT.search(said.text):
        return "limit"
    if _NEVER.search(body) or (lead and _NEVER.search(lead)):
        return "forbidden"
    if _GATE.search(whole) and (
        _STOP.search(whole)
        or _STRONG.search(whole)
        or _demands(body)
        or "→" in whole
        or "->" in whole
    ):
        return "gate"
    if _STOP.search(body) or (lead and _STOP.search(lead)):
        return "stop"
    if _words(said.text) and (_SAID.search(whole) or said.row):
        return "verdict"
    if _MAKES.search(body) and _FILE.search(body):
        return "output"
    if _ORDER.search(whole):
        return "order"
    return "duty" if _demands(body) and _FILE.search(body) else None


def _words(text: str) -> bool:
    return len(set(_WORDS.findall(text))) > 1 or ("`" in text and bool(_WORDS.search(text)))


def _demands(text: str) -> bool:
    """Whether it begins with an imperative."""
    found = _OPENING.match(text)
    return found is not None and found["verb"].lower() in _VERBS
