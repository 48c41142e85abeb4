"""Several public columns: the least worst cost, proven where a bound meets it, then the least loss.

:func:`search_columns` finds a partition, :func:`midpoint_costs` measures any.

Read ``search`` first.
"""
