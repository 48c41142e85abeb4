"""Statements that prove a bound, and their checks."""
