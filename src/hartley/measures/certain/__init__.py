"""More about what is certain: the graph behind it, and how firmly it hangs together.

Read ``robust_overlap`` first: whether a component would fall apart without a single row.
"""
