"""Searches in which a cluster costs its number of values, under any monotone requirement.

Read ``search`` first: it finds clusters of at most m values by constructions and swaps, or excludes them by
bounds.
"""
