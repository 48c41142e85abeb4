"""How we merge: each search in its own file, none knowing another.

Read ``problem`` first (what is asked), then ``solve``: the table of which search answers which question.
``frontier`` asks along an axis, ``points`` measures what was found, and ``effort`` says when to stop.
"""
