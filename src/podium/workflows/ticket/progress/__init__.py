"""What people see of a run: progress.yaml and log.jsonl."""
