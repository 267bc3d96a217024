"""Whether anything sets a value in a table, without parsing: most commands need no settings at
all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from podium.settings.project import project_file, user_file


def mentions(project: Path, environment: Mapping[str, str], table: str) -> bool:
    """False: no layer sets anything in it. True: one may, or only mentions the word."""
    if any(name.startswith(f"PODIUM_{table.upper()}_") for name in environment):
        return True
    files = (user_file(environment), project_file(project))
    return any(_holds(each, table.encode()) for each in files if each is not None)


def _holds(file: Path, word: bytes) -> bool:
    try:
        return word in file.read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return True  # loading the settings will say what is wrong with it
