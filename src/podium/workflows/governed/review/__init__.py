"""Reviews of plans, of code and of the whole: who looks, what counts, what follows."""
