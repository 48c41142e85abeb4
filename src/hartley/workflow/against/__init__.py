"""Files that are held against their original, ours or anybody's.

Read ``audit_against`` first; ``held_files`` reads the two files, row beside row.
"""
