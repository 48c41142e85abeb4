"""Tables as the verifier reads them, by readers of its own.

Read ``reread`` first; it sends text to ``delimited`` and all else to ``other_cells``.
"""
