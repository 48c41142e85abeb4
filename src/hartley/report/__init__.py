"""Figures and the HTML report: draws results, computes nothing."""
