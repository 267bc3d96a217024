"""A function that is right from the start, and its tests, for stories that stumble elsewhere."""

GOOD = '''\
def count_words(text: str) -> int:
    """How many words a text holds; a word is an unbroken run of what is not whitespace."""
    return len(text.split())
'''
TEST = """\
import unittest

from textkit.words import count_words


class CountWords(unittest.TestCase):
    def test_words_are_counted(self) -> None:
        self.assertEqual(3, count_words(" one two\\tthree "))

    def test_nothing_has_no_words(self) -> None:
        self.assertEqual(0, count_words(""))
"""
