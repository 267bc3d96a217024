"""The stories of the views, told once more for pages."""

from __future__ import annotations

import pytest
from tests.views.conftest import at_gate, at_second_build, attack, hostile, told, wave, whole

from podium.web.pages.frame import Frame

__all__ = ["at_gate", "at_second_build", "attack", "hostile", "told", "wave", "whole"]

NOW = 1_769_861_500.0
"""A while after the stories."""


@pytest.fixture
def frame() -> Frame:
    return Frame(csrf="c-token", who="ada", project="textkit")
