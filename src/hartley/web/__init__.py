"""The local app: a page in the browser over the workflow, for this machine and its user alone.

Read ``routes`` first, then ``session``: what is on the curator's desk. ``guard`` says who may talk to the
app, and ``worker`` is the process that does the work.
"""
