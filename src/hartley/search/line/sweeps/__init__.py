"""Sweeps along a line that meet every partition: with two open clusters, and over fronts.

Read ``two_open_clusters`` first.
"""
