"""Least leakage for a worst distortion on one line: windows, intervals, bounds; what only centroids need."""
