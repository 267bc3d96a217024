"""Everybody can read the pages: axe finds nothing serious, and nothing is wider than a phone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from tests.views.conftest import Harness, Told
from tests.web.pages.conftest import NOW
from tests.web.pages.crowds import Crowd, summary, wide_run
from tests.web.pages.test_gate import OPEN, OTHER, asked
from tests.web.pages.test_step import material

from podium.web.pages import gate, message, report, run, runs, step
from podium.web.pages.frame import Frame

pytestmark = pytest.mark.browser
playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser: pip install playwright")
axe = pytest.importorskip("axe_playwright_python", reason="axe looks at the pages: pip install axe-playwright-python")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ADDRESS = "http://pages.example"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as started:
        made = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def pages(frame: Frame, told: Callable[..., Told], at_gate: list[dict[str, Any]], whole: list[dict[str, Any]]) -> dict[str, str]:
    over, waits = told(status="complete", step="done"), told(gates=(OPEN,))
    question, ask = asked("question", "Which?\n  a: left\n    + short\n    - steep\n  b: right\n  recommended: b", ["a", "b"])
    crowd = wide_run(8, rounds=1)
    subject = gate.Subject("plan.md", OTHER, "# Plan\n\n- [x](https://example.org)\n\n| a |\n|---|\n| 1 |", "# Plan\n\nold", 9)
    return {
        "runs": runs.page(frame, [runs.entry(each, at_gate, Harness.steps.values()) for each in (over, waits, told(status="blocked", reason="no"))], runs.Query(), NOW),
        "empty": runs.page(frame, [], runs.Query(), NOW),
        "run": run.page(frame, over, whole, Harness(), NOW),
        "waiting": run.page(frame, waits, at_gate, Harness(), NOW),
        "crowd": run.page(frame, summary(crowd, "swarm"), crowd, Crowd(), NOW),
        "step": step.page(frame, over, whole, "build/1", material(), NOW, ["steps/build/1/changes.patch"]),
        "gate": gate.page(frame, waits, at_gate, Harness(), "approve-build", [subject], NOW, "Changed meanwhile."),
        "question": gate.page(frame, told(gates=(ask,)), question, Harness(), "ask", [], NOW),
        "decided": gate.page(frame, over, whole, Harness(), "approve-build", [subject], NOW),
        "error": message.error(frame, 404, "There is no such run", "Look at the list."),
        "door": message.sign_in("textkit", remote=True, problem="No."),
        "report": report.html(whole, over, Harness(), {"agent": "scripted"}),
    }


def answer(texts: dict[str, str]) -> Callable[[Any], None]:
    """Serves the pages under the policy that the dashboard has."""

    def answered(route: Any) -> None:
        name = route.request.url.removeprefix(f"{ADDRESS}/")
        if name.startswith("static/"):
            kind = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}[name.rpartition(".")[2]]
            route.fulfill(body=files("podium.web").joinpath(name).read_text(), content_type=kind)
        elif name in texts:
            held = {} if name == "report" else {"content-security-policy": POLICY}
            route.fulfill(body=texts[name], content_type="text/html; charset=utf-8", headers=held)
        else:
            route.fulfill(status=404, body="")

    return answered


ALL = "{resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']}"
COLOURS = "{resultTypes: ['violations'], runOnly: {type: 'rule', values: ['color-contrast']}}"


def look(context: Any, name: str, texts: dict[str, str], wanted: str) -> tuple[list[str], list[str]]:
    """(serious findings of axe, what the policy refused)."""
    context.route("**/*", answer(texts))
    page = context.new_page()
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    page.goto(f"{ADDRESS}/{name}")
    script = files(axe).joinpath("axe.min.js").read_text(encoding="utf-8")
    # Through the driver, which no policy of a page binds.
    found = page.evaluate(f"async () => {{ {script}; return await axe.run(document, {wanted}) }}")
    page.close()
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found["violations"] if each["impact"] in {"serious", "critical"}], refused


@pytest.mark.timeout(400)
@pytest.mark.parametrize(("scheme", "wanted"), [("light", ALL), ("dark", COLOURS)], ids=["light", "dark"])
def test_axe_finds_nothing_serious_and_the_policy_refuses_nothing(scheme: str, wanted: str, browser: Any, pages: dict[str, str]) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=False)
    for name in pages:
        serious, refused = look(context, name, pages, wanted)
        assert (name, serious, refused) == (name, [], [])
    context.close()


def test_nothing_is_wider_than_a_phone(browser: Any, pages: dict[str, str]) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.route("**/*", answer(pages))
    page = context.new_page()
    for name in pages:
        page.goto(f"{ADDRESS}/{name}")
        assert (name, page.evaluate("document.documentElement.scrollWidth")) == (name, 390)
    context.close()
