"""A newer Podium beside this one: a copy of the source with the changes that a release would
bring, run by PYTHONPATH.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.fleet.fleets import ROOT

VERSION = "0.99.0"
KIND = "step.weighed"
"""An event that only the newer one knows, and that it writes whenever it opens a run."""


class Install:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # With what was compiled: times are copied, too, so that only what is changed is compiled
        # again.
        shutil.copytree(ROOT / "src", folder)

    @property
    def environment(self) -> dict[str, str]:
        return {"PYTHONPATH": str(self.folder)}

    def change(self, path: str, old: str, new: str) -> None:
        file = self.folder / "podium" / path
        text = file.read_text()
        assert text.count(old) == 1, f"{path} has {text.count(old)} times {old!r}"
        file.write_text(text.replace(old, new))

    def numbered(self) -> Install:
        """A higher number, which each of its events says."""
        file = self.folder / "podium" / "__init__.py"
        lines = file.read_text().splitlines()
        at = next(number for number, line in enumerate(lines) if line.startswith("__version__"))
        lines[at] = f'__version__ = "{VERSION}"'
        file.write_text("\n".join(lines) + "\n")
        return self

    def with_new_event(self) -> Install:
        self.change(
            "core/vocabulary.py",
            "TYPES = frozenset(\n    {\n",
            f'TYPES = frozenset(\n    {{\n        "{KIND}",\n',
        )
        told = f'truth.append(held, held.seq, [{{"type": "{KIND}", "key": "build/1", "grams": 7}}])'
        self.change("fleet/driver.py", "    heart.start()\n", f"    heart.start()\n    {told}\n")
        return self

    def with_new_table(self, *, additive: bool) -> Install:
        self.change(
            "fleet/journal/schema.py",
            "VERSION = len(STEPS)\n",
            (
                'STEPS = (*STEPS, "create table podium_scale (run text primary key)")\nVERSION = '
                "len(STEPS)\n"
            ),
        )
        if additive:
            self.change(
                "fleet/journal/schema.py",
                "\n\n\ndef floor(",
                "\nADDITIVE = ADDITIVE | {VERSION}\n\n\ndef floor(",
            )
        return self
