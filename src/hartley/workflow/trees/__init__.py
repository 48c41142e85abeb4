"""Releases as leaves of a tree of cuts."""
