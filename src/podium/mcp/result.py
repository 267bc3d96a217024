"""What a tool returns: data for programs and a few words for a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    data: Mapping[str, Any]
    words: str

    def told(self) -> Mapping[str, Any]:
        """As the answer to `tools/call`."""
        return {
            "content": [{"type": "text", "text": self.words}],
            "structuredContent": dict(self.data),
            "isError": False,
        }
