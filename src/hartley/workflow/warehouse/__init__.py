"""What runs where the data lives: exported codebooks, and statements that count for an audit.

Read ``export_codebook`` first.
"""
