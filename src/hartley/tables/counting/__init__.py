"""How a table is counted: values to codes, pairs to a joint range or its summary.

Read ``value_codes`` first: how values become numbers. An audit counts in ``held_rows`` where cells are few,
on a ``grid`` where that fits, and else in SQL (``sql_summary``); ``fetch_range`` brings the pairs that a
search needs.
"""
