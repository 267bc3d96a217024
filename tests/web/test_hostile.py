"""What agents write is hostile: names, Markdown, patches, transcripts and sizes that want to be
more than text.
"""

from __future__ import annotations

import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.fakes.project import DESIGN, Project
from tests.web.conftest import GATE, Desk, desk_of

from podium.core.chain import FIRST, seal
from podium.web.pages import links

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(1)>'
MARKDOWN = f"""# Title {SCRIPT}

{IMAGE} [click](javascript:alert(1)) [more](JaVaScRiPt:alert(1)) ![](data:text/html;base64,AAAA) <iframe src="//evil.example"></iframe>

[ref]: javascript:alert(1)
<a href="javascript:alert(1)">x</a> [ref] <javascript:alert(1)> <div onclick="alert(1)">y</div>

```html
{SCRIPT}
```
"""  # noqa: E501


class Tags(HTMLParser):
    """Every tag of a page as a browser reads it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def harmless(page: str) -> None:
    """No tag of a stranger is in the page: the only script is our file, and nothing leads away
    by itself.
    """
    for tag, attrs in Tags(page).found:
        assert tag not in {"iframe", "object", "embed", "img", "base", "style"}, (tag, attrs)
        assert tag != "script" or attrs["src"].startswith("/static/"), attrs
        assert not [name for name in attrs if name.startswith("on") or name == "style"], (
            tag,
            attrs,
        )
        for name in ("href", "src", "action", "formaction", "srcdoc", "xlink:href"):
            value = attrs.get(name, "/")
            assert value.startswith(("/", "#", "?")), (tag, attrs)
            assert not value.startswith("//"), (tag, attrs)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A run whose every text was written by an enemy."""
    project = Project.at(tmp_path_factory.mktemp("hostile"))
    project.run()
    _poison_journal(project)
    project.write(DESIGN, MARKDOWN)
    folder = project.folder / "steps" / "specification"
    (folder / "prompt.md").write_text(MARKDOWN)
    (folder / "output.md").write_text(MARKDOWN)
    told = [
        {"kind": SCRIPT, "text": SCRIPT, "tool": IMAGE},
        {"kind": "text", "fields": {"text": SCRIPT + IMAGE}},
        {"kind": "tool", "fields": {"name": IMAGE, "input": SCRIPT}},
    ]
    (folder / "transcript.jsonl").write_text(
        "".join(json.dumps(each) + "\n" for each in told) + SCRIPT + "\n"
    )
    (folder / "changes.patch").write_text(
        f"diff --git a/{SCRIPT} b/{SCRIPT}\n--- a/{SCRIPT}\n+++ b/{IMAGE}\n@@ -1 +1 @@ "
        f"{SCRIPT}\n-{SCRIPT}\n+{IMAGE}\n"
    )
    (folder / f"artifact~{'<script>alert(1)<~script>'}.md").write_text(MARKDOWN)
    (folder / "evidence.<img src=x onerror=alert(1)>.log").write_text(SCRIPT)
    (folder / "verdict.json").write_text(json.dumps({"verdict": SCRIPT, SCRIPT: IMAGE}))
    return desk_of(project)


def _poison_journal(project: Project) -> None:
    """Names of agents, roles, reasons, notes: every text that people read, the chain sealed
    anew.
    """
    journal, prev, lines = project.folder / "journal.jsonl", FIRST, []
    for seq, raw in enumerate(journal.read_bytes().splitlines(), 1):
        event = {
            name: value
            for name, value in json.loads(raw).items()
            if name not in {"hash", "prev", "seq"}
        }
        for name in ("role", "reason", "prompt", "verdict", "classification", "note", "version"):
            if isinstance(event.get(name), str):
                event[name] = f"{SCRIPT}{IMAGE}"
        if event["type"] == "step.finished":
            event["outputs"] = {
                **event["outputs"],
                SCRIPT: "sha256:" + "0" * 64,
                f"a/{IMAGE}.md": "sha256:" + "1" * 64,
            }
            event["sets"] = {
                "qa": {"findings": [{"severity": SCRIPT, "where": IMAGE, "what": SCRIPT}]}
            }
            event["usage"] = {**event["usage"], "model": SCRIPT, "agent": IMAGE}
            event["evidence"] = [
                {
                    "name": SCRIPT,
                    "command": IMAGE,
                    "exit": 1,
                    "state": "failed",
                    "failing": [SCRIPT],
                    "new": [IMAGE],
                    "why": SCRIPT,
                }
            ]
        if event["type"] == "gate.opened":
            event["choices"] = [*event["choices"], SCRIPT]
            event["subject"] = {**event["subject"], IMAGE: "missing"}
        body, line = seal(event, seq, prev)
        prev = body["hash"]
        lines.append(line)
    journal.write_bytes(b"".join(lines))
    request = json.loads((project.folder / "request.json").read_text())
    (project.folder / "request.json").write_text(
        json.dumps({**request, "title": f"{SCRIPT}{IMAGE}"})
    )


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?q=<script>alert(1)</script>&status=<img>&page=<b>",
        "/runs/{run}",
        "/runs/{run}?view=<script>&steps=<b>&log=<b>",
        "/runs/{run}/steps/specification",
        f"/runs/{{run}}/gates/{GATE}",
        "/runs/{run}/report.html",
        "/runs/<script>alert(1)</script>",
        "/runs/{run}/steps/<script>alert(1)</script>",
    ],
)
def test_no_page_holds_a_tag_of_a_stranger(desk: Desk, path: str) -> None:
    answer = desk.client.get(path.format(run=desk.run))
    assert answer.status_code in {200, 404}
    if path.endswith("report.html"):
        assert SCRIPT not in answer.text
        assert "<img src=x" not in answer.text
    else:
        harmless(answer.text)
    if answer.status_code == 200 and not path.startswith("/?"):
        assert "alert(1)" in answer.text, "it is shown as the text it is"


def test_a_refused_decision_shows_what_was_typed_as_text(desk: Desk) -> None:
    answer = desk.decide("reject", note=f"{SCRIPT}</textarea>{SCRIPT}", to=IMAGE, seen="{}")
    assert answer.status_code in {400, 409}
    harmless(answer.text)


def test_the_name_of_a_file_to_keep_cannot_break_its_header(desk: Desk) -> None:
    page = desk.client.get(links.step(desk.run, "specification")).text
    found = re.findall(rf'href="(/runs/{desk.run}/files/[^"]*evidence[^"]*)"', page)
    assert found, "the page links to it"
    answer = desk.client.get(found[0])
    assert answer.text == SCRIPT
    assert "<" not in answer.headers["content-disposition"]


def test_an_artifact_of_100_mb_shows_its_beginning_and_says_so(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    project.run()
    desk = desk_of(project)
    with project.path(DESIGN).open("wb") as file:
        file.write(b"# Long\n" + b"The first line.\n")
        file.truncate(50)
        for _ in range(100):
            file.write(b"x" * 999_999 + b"\n")
    copy = project.step("specification", "evidence.log")
    copy.hardlink_to(project.path(DESIGN))
    began = time.process_time()
    gate = desk.client.get(links.gate(desk.run, GATE))
    step = desk.client.get(links.step(desk.run, "specification"))
    took = time.process_time() - began
    for answer in (gate, step):
        assert answer.status_code == 200
        assert len(answer.content) < 6_000_000
    assert "cut here" in step.text
    assert took < 20
    kept = desk.client.get(f"/runs/{desk.run}/files/steps/specification/evidence.log")
    assert len(kept.content) == project.path(DESIGN).stat().st_size


def test_a_binary_artifact_is_no_text(tmp_path: Path) -> None:
    project = Project.at(tmp_path)
    project.run()
    project.path(DESIGN).write_bytes(b"\0\x89PNG\xff" * 1000)
    answer = desk_of(project).client.get(links.gate(project.run_id, GATE))
    assert answer.status_code == 200
    assert "\0" not in answer.text
