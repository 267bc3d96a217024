"""Templates to HTML: every value is made visible and escaped, whether the template's author
thought of it or not.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from podium.proof.delivery import delivery_of
from podium.views import figures, safe
from podium.web.pages import links, words


def render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**{"place": "", **values})


def clean(text: object, limit: int = 100_000) -> str:
    """Make control characters and direction changes visible; lines stay lines."""
    raw = str(text)
    head = raw[:limit].replace("\r\n", "\n")
    shown = (
        head
        if head.isascii() and head.isprintable()
        else "\n".join(_clean_line(each) for each in head.split("\n"))
    )
    return shown + (safe.CUT if len(raw) > limit else "")


def _clean_line(text: str) -> str:
    return "\t".join(safe.visible(each) for each in text.split("\t"))


def _final(value: Any) -> Any:
    """The last step before a value is escaped."""
    if isinstance(value, Markup):
        return value
    return "" if value is None else clean(value)


def _broken(text: object, limit: int = 160) -> Markup:
    """A key or a path that may be broken only after its slashes."""
    return Markup("/<wbr>").join(safe.line(text, limit).split("/"))


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("podium.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "broken": _broken,
        "line": lambda value, limit=200: safe.line(value, limit),
        "short": figures.digest,
        "day": figures.day,
        "clock": figures.clock,
        "seconds": figures.seconds,
        "count": figures.count,
        "money": figures.money,
        "plural": figures.plural,
        "spoken": lambda value: str(value).replace("_", " "),
    }
    made.globals |= {
        "delivery_of": delivery_of,
        "run_url": links.run,
        "step_url": links.step,
        "gate_url": links.gate,
        "file_url": links.file,
        "list_url": links.listing,
        "status_word": words.status_word,
        "status_tone": words.status_tone,
        "state_word": words.state_word,
        "state_tone": words.state_tone,
        "severity_tone": words.severity_tone,
        "UNKNOWN": words.UNKNOWN,
    }
    return made
