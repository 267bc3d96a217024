"""Numbers of phases in words."""

from __future__ import annotations


def counted(number: int) -> str:
    return f"{number} phase" if number == 1 else f"{number} phases"
