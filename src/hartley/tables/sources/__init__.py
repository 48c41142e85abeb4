"""Where rows come from: one module for each kind of source.

Read ``source`` first: what each of them offers; then ``parquet``, a short one.
"""
