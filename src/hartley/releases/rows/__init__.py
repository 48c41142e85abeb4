"""The rows of a table beside codebooks, in the engine: what readers of a release see in each of them.

Read ``reader`` first: who reads a release. ``source_rows`` holds the rows, ``reader_view`` counts what is
seen.
"""
