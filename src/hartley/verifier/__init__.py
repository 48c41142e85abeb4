"""Reads a release again and believes nothing it did not check; no code of search, measures or writer.

Read ``verification`` first: which checks there are, in which order. ``tables`` has readers of its own,
``tally`` counts rows, ``row_checks`` and ``claim_checks`` hold them against the original and against what is
claimed. Of the releases it knows what the files are (policy, certificate, record, formats); only the workflow
calls it.
"""
