"""How much a released file is still like its original, as statistical offices measure it.

Read ``binned_columns`` first: it lays two files side by side, which the others compare.
"""
