"""Proofs that no partition is better, and their checks."""
