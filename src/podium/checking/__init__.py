"""Questions that can be asked about any workflow, a user's own too: does it end, who approves, who makes what is read."""
