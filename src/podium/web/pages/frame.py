"""What surrounds every page: who looks, at which project, and what protects the forms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    csrf: str
    """Goes into every form."""
    who: str
    """The person, as the journal will name them."""
    project: str
    nonce: str = ""
    remote: bool = False
    """Whether the page leaves the machine; people are told."""
    notice: str = ""
    """One sentence about what was just done."""
    read_only: bool = False
    """Whether nothing can be decided here; then no forms are shown."""
    fleet: bool = False
    """Whether there is a page of the fleet."""
    far: bool = False
    """Whether this page's run is on the fleet, whose workers continue it."""
    stale: str = ""
    """What to say if the fleet does not answer."""
