"""The workflow `feature`: eight steps, three clusters of agents."""
