"""The walk over everything that can be released of a few public values.

Read ``walk`` first; it answers small questions exactly, and is the twin that other searches are tested
against.
"""
