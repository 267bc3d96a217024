"""The addresses of pages."""

from __future__ import annotations

from urllib.parse import quote, urlencode


def run(ident: str) -> str:
    return f"/runs/{quote(ident, safe='')}"


def step(ident: str, key: str) -> str:
    return f"{run(ident)}/steps/{_path(key)}"


def gate(ident: str, key: str) -> str:
    return f"{run(ident)}/gates/{_path(key)}"


def file(ident: str, path: str) -> str:
    """`path`: relative to the run's folder."""
    return f"{run(ident)}/files/{_path(path)}"


def listing(text: str = "", status: str = "", workflow: str = "", page: int = 1) -> str:
    said = {
        "q": text,
        "status": status,
        "workflow": workflow,
        "page": str(page) if page > 1 else "",
    }
    told = urlencode({name: value for name, value in said.items() if value})
    return f"/?{told}" if told else "/"


def _path(text: str) -> str:
    return "/".join(quote(part, safe="") for part in text.split("/"))
