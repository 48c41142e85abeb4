"""One codebook for each public column, with one guarantee for all of them together.

Read ``problem`` first (what is asked), then ``find_codebooks``: which searches are tried, and which answer
stands.
"""

from hartley.search.codebooks.column import ColumnSettings, PublicColumn
from hartley.search.codebooks.find_codebooks import (
    CodebookOptions,
    codebooks_by_demand,
    codebooks_of,
)
from hartley.search.codebooks.problem import CodebookProblem
from hartley.search.codebooks.publication import Codebooks

__all__ = [
    "CodebookOptions",
    "CodebookProblem",
    "Codebooks",
    "ColumnSettings",
    "PublicColumn",
    "codebooks_by_demand",
    "codebooks_of",
]
