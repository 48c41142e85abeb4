"""Persons with several rows: what a reader learns who can link them, and releases that hold for persons.

Read ``linked_rows`` first, then ``hold_for_persons``.
"""
