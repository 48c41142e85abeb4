"""Searches in which a cluster costs its number of values, under any monotone requirement."""
