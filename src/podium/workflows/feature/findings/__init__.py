"""Problems that members of a cluster found: read, weighed, merged."""
