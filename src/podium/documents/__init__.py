"""One declaration for a document: reading, checking, rendering, changing in place, example, prompt
and JSON Schema.

Text becomes plain data with the line of every path, the data is checked once, and what is sound
becomes a typed record. Only the first step depends on the form of the file.
"""

from podium.documents.document import Document, Reading
from podium.documents.groups import Either, Many, Maybe, Named
from podium.documents.issues import Issue
from podium.documents.own import Own
from podium.documents.record import (
    Entries,
    Part,
    Record,
    Table,
    Titled,
    Within,
    part,
    record,
    record_of,
)
from podium.documents.schema import Schema
from podium.documents.values import (
    Anything,
    Bands,
    Flag,
    Grade,
    Number,
    Prose,
    Text,
    Value,
    Word,
)

__all__ = [
    "Anything",
    "Bands",
    "Document",
    "Either",
    "Entries",
    "Flag",
    "Grade",
    "Issue",
    "Many",
    "Maybe",
    "Named",
    "Number",
    "Own",
    "Part",
    "Prose",
    "Reading",
    "Record",
    "Schema",
    "Table",
    "Text",
    "Titled",
    "Value",
    "Within",
    "Word",
    "part",
    "record",
    "record_of",
]
