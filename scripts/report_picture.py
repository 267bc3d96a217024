"""The picture of a report in docs/images: what `podium report --html` writes, photographed by a
headless Chromium.

`python scripts/report_picture.py`; nothing compares the result, since times and fonts differ
between machines.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "report.png"


def written(folder: Path) -> Path:
    """The report of a run of the demo."""
    project, file = folder / "textkit", folder / "report.html"
    for words in (
        ["demo", "feature", "--keep", str(project), "--quiet"],
        ["report", "@", "--project", str(project), "--html", str(file)],
    ):
        subprocess.run(
            [sys.executable, "-m", "podium", *words], check=True, stdout=subprocess.DEVNULL
        )
    return file


def main() -> int:
    chromium = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    )
    with tempfile.TemporaryDirectory() as folder:
        file = written(Path(folder))
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 1300}, color_scheme="light")
            page.goto(file.as_uri())
            page.screenshot(path=PICTURE)
            browser.close()
    print(f"{PICTURE.name}: {PICTURE.stat().st_size // 1024} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
