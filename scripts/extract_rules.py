"""The rules of a prose orchestrator as data, without its prose: the source of docs/import/.

    python scripts/extract_rules.py NAME=FILE …      writes tests/fixtures/import/NAME.json

Other people's documents are not ours to keep. Line, kind, number, topic and first words of each
rule are enough to match it again, here and after every change of a catalogue.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from podium.core.rules import terms
from podium.formats import agent_head
from podium.importing import fixture
from podium.importing.finding import find
from podium.workflows.rule_catalog import every

FOLDER = Path(__file__).parents[1] / "tests" / "fixtures" / "import"


def extract(name: str, path: Path) -> Path:
    whole = path.read_text(encoding="utf-8-sig")
    parts = agent_head.split(whole)
    body = parts[1] if parts else whole
    found = find(body, terms(every()), whole.count("\n") - body.count("\n") + 1)
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in fixture.to_data(found))
    FOLDER.mkdir(parents=True, exist_ok=True)
    target = FOLDER / f"{name}.json"
    target.write_text(f'{{"rules": [\n{lines}\n]}}\n', encoding="utf-8")
    return target


def main(argv: Sequence[str]) -> int:
    for each in argv:
        name, _, path = each.partition("=")
        print(f"written {extract(name, Path(path))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
