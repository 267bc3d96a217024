"""What stands around every page: who looks, at which project, and what protects the forms."""

from __future__ import annotations

from podium.core.dataclass import dataclass


@dataclass(frozen=True)
class Frame:
    csrf: str
    """Goes into every form."""
    who: str
    """The person, as the journal will name them."""
    project: str
    nonce: str = ""
    remote: bool = False
    """Whether the page left the machine: people are told."""
    notice: str = ""
    """One sentence on what was just done."""
    read_only: bool = False
    """Whether nothing can be decided here; no form is drawn then."""
    fleet: bool = False
    """Whether there is a page of the fleet."""
    far: bool = False
    """Whether the run of this page is on the fleet: its workers go on with it."""
    stale: str = ""
    """What to say where the fleet does not answer."""
