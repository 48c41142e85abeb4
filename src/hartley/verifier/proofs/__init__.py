"""Proofs that no partition is better, and their checks.

Read ``problem`` first: the question in plain numbers. ``check`` checks a proof by it.
"""
