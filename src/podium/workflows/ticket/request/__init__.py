"""From a person's words to prompt.yaml."""
