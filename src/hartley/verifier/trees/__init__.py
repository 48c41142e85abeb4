"""The tree of cuts behind a release, made again.

Read ``tree_walk`` first, then ``public_check``, which needs no secret file.
"""
