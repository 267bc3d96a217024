"""What of the documentation is generated: a module for each kind of it, and `parts` for where it stands."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTE = "<!-- Written by scripts/docs.py from the source; edits are lost. -->\n"
