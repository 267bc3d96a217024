"""Rules in prose: found, named, and held against the rules that the workflows enforce. Pure."""
