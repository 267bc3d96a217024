"""Pieces of SQL that several modules share."""

from __future__ import annotations

SILENT = "(r.seen is null or r.seen < clock_timestamp() - make_interval(secs => %(lease)s))"
"""Nobody drives the run `r`."""
LIVES = "r.seen > clock_timestamp() - make_interval(secs => %(lease)s)"
WORK = """
    r.id = r.root and case
        when r.status in ('complete', 'cancelled') then r.seen > clock_timestamp() - interval '1 day'
        else r.status = 'active' or r.seen is not null or (r.status = 'sleeping' and r.until <= clock_timestamp())
             or exists (select from podium_message as m where m.run = r.id and (r.opened is null or m.posted >= r.opened)) end
"""  # noqa: E501
"""The run `r` could continue: it is active, its timer ran out, or it has a new message.

This includes a run that its last owner never gave back: that owner may have died before it read the
message it was opened for, or, after the run's last event, before its last documents were written
and shown. Runs that ended long ago are left out, because older versions of Podium left them like
that and their files may be gone.
"""
