"""Real projects × lies × workflows: whether "complete" can be had without its proof."""

from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
