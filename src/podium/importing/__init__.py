"""Rules in prose: found, named, and compared with the rules that the workflows enforce. Pure."""
