"""Least leakage for a largest cluster: swaps, constructions, bounds."""
