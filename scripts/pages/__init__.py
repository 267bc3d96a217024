"""What is generated in the documentation: a module for each kind, and `parts` for where it goes."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTE = "<!-- Written by scripts/docs.py from the source; edits are lost. -->\n"
