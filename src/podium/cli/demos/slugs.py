"""A function that is easily written too hastily, for stories in which a test or a reviewer
notices.
"""

HASTY = '''\
def slug(title: str) -> str:
    """A title as part of an address."""
    return title.lower().replace(" ", "-")
'''
GOOD = '''\
import re


def slug(title: str) -> str:
    """A title as part of an address: letters and digits, one dash between words."""
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))
'''
