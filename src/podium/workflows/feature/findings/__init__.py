"""Problems that members of a cluster found: reading, weighing and merging them."""
