"""The generated parts of the documentation: everything the program already knows is written here,
never by hand.

    python scripts/docs.py            writes what is out of date
    python scripts/docs.py --check    writes nothing; exit 1 and one line for each file out of date
    python scripts/docs.py FILE …     only these files

`scripts/pages` makes the parts, and its `parts` module says where each one goes. Pictures are drawn
from a real run of the demo's project.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

# scripts are no package on the path
from scripts.pages.parts import parts, with_blocks  # noqa: E402


def stale(root: Path, only: Collection[str] = ()) -> dict[str, str]:
    """Every file that is out of date, with the text it should have."""
    found: dict[str, str] = {}
    for part in parts(root):
        if (only and part.path not in only) or (made := part.made()) == part.there:
            continue
        page = (
            found.get(part.path) or (root / part.path).read_text(encoding="utf-8")
            if part.block
            else ""
        )
        found[part.path] = with_blocks(page, {part.block: made}) if part.block else made
    return found


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if anything is out of date"
    )
    parser.add_argument(
        "only",
        metavar="FILE",
        nargs="*",
        help="paths of pages and pictures from the root; else all",
    )
    args = parser.parse_args(argv)
    gc.disable()  # hundreds of thousands of states and runs in a short process
    if unknown := sorted({*args.only} - {part.path for part in parts(ROOT)}):
        parser.error(f"nothing is generated in {', '.join(unknown)}")
    found = stale(ROOT, args.only)
    for path, text in found.items():
        print(f"{path} is out of date: python scripts/docs.py" if args.check else f"written {path}")
        if not args.check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")
    print(f"docs: {len(found)} out of date" if args.check and found else "docs: good")
    return int(bool(found and args.check))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
