"""One codebook for each public column: what is asked of each, the search, and the labels of a release.

Read ``search_codebooks`` first.
"""
