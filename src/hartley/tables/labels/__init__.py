"""Labels that other tools write for a value: bands, sets, stars and prefixes, read back.

Read ``forms`` first: one label. ``fits`` says which values of the original each label may stand for.
"""
