"""The rules by name, and the reports of importing prose orchestrators."""

from __future__ import annotations

import json

from scripts.pages import NOTE, ROOT
from scripts.pages.tables import code, rows

from podium.core.rules import Rule
from podium.importing.fixture import from_data
from podium.importing.report import markdown, report
from podium.workflows.rule_catalog import CATALOGUES, rules

RULES_PAGE = """\
Every rule that Podium enforces has a name, so that `podium import` can match prose to the code that enforces it
([Import](../import.md)). Each rule names the test that fails if it is broken. A number with a policy key can be changed;
this page shows its default.
"""  # noqa: E501
IMPORTED = """\
Made from a prose orchestrator of the family that the workflow `{name}` reproduces. The document itself is not kept here;
line numbers and first words point to the places in it. [How to read this](../import.md).
"""  # noqa: E501


def rules_page() -> str:
    parts = [NOTE, "# Rules\n", RULES_PAGE]
    for title, known in (("engine", rules("")), *((name, rules(name)) for name in CATALOGUES)):
        own = [each for each in known if each.id.startswith(f"{title}.")]
        body = [
            (
                code(each.id),
                each.says,
                _number(each),
                code(each.test.partition("::")[2].removeprefix("test_")),
            )
            for each in own
        ]
        parts += [f"## {title}\n", rows(("Rule", "Says", "Number", "Shown by the test"), body)]
    return "\n".join(parts)


def _number(rule: Rule) -> str:
    shown_number = f"{rule.number:g}" if rule.number is not None else ""
    return ", ".join(part for part in (shown_number, code(rule.policy)) if part)


def import_page(name: str) -> str:
    found = from_data(
        json.loads(
            (ROOT / "tests" / "fixtures" / "import" / f"{name}.json").read_text(encoding="utf-8")
        )["rules"]
    )
    made = report(name, found, [(name, rules(name))], (IMPORTED.format(name=name).strip(),))
    return NOTE + "\n" + markdown(made, f"Import report: {name}")
