"""A page as a reader takes it apart: whether it is well formed, and whether anything in it could
act.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "wbr", "col"})
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.raw = text
        self.faults: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.faults += [f"<{each}> is never closed" for each in self._open]
        self.faults += [
            f"a control character stands in the page: {found[0]!r}"
            for found in [_CONTROL.search(text)]
            if found
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> has an attribute twice")
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or (
            (self.get_starttag_text() or "").endswith("/>")
            and (not self._open or self._open[-1] != tag)
        ):
            return
        if not self._open or self._open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self._open[-1:]} at {self.getpos()}")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] not in {"script", "style"}:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str, **attributes: str) -> list[dict[str, str]]:
        return [
            each
            for name, each in self.tags
            if name == tag
            and all(each.get(key.rstrip("_")) == value for key, value in attributes.items())
        ]


def harmless(text: str, *, alone: bool = False) -> Page:
    """The page, after everything a strict policy would refuse was looked for; `alone`: it
    carries its own style and no script.
    """
    page = Page(text)
    assert page.faults == []
    scripts = [each for tag, each in page.tags if tag == "script"]
    assert scripts == ([] if alone else [{"src": "/static/app.js"}])
    assert sum(tag == "style" for tag, _ in page.tags) == (1 if alone else 0)
    for tag, each in page.tags:
        assert tag not in {"iframe", "object", "embed", "base", "img", "b"}, tag
        assert not [name for name in each if name.startswith("on") or name == "style"], each
        for name in ("href", "src", "action"):
            assert re.match(r"/(?!/)|https?://|mailto:|#", each.get(name, "/")), each
        for name in ("id", "class"):
            assert "owned" not in each.get(name, "")
    if alone:
        assert not [
            each
            for tag, each in page.tags
            if tag in {"link", "a"} and not each.get("href", "").startswith("#")
        ]
        assert "url(http" not in text
        assert "@import" not in text
    ids = [each["id"] for _, each in page.tags if each.get("id")]
    assert len(ids) == len(set(ids)), [each for each in ids if ids.count(each) > 1]
    return page
