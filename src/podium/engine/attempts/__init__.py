"""One dispatch: brief, view, agent, verdict, audit, evidence, record."""
