"""Table in, results out: one file for each command, which the shells call.

Read ``study`` first: a table with its roles, and what can be asked of it. ``audit_table``, ``find_frontier``
and ``make_release`` are the commands behind it; ``request`` holds what can be asked, with every option said
once.
"""
