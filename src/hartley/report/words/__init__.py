"""The words of results.

Read ``audit`` first: what a table gives away, in sentences for the person who holds it.
"""
