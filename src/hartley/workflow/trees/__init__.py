"""Releases as leaves of a tree of cuts.

Read ``search_tree`` first; ``document`` turns the tree into what stands in files.
"""
