"""The items of roadmap.json: read, checked, chosen, written back."""
