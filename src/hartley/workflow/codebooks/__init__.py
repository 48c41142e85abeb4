"""One codebook for each public column: what is known of each, and the search.

Read ``search_codebooks`` first.
"""
