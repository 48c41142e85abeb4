"""What is asked: a table with its roles, what is weighed against what, and how long it may take.

Read ``options.toml`` first, where every option is said once, then ``study_table`` and ``objective``.
"""
