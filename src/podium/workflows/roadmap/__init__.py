"""The workflow `roadmap`: one item of `roadmap.json` per iteration, until all pass or one is
blocked.
"""
