"""Published tables of counts: what their suppressed cells can be, and who is disclosed."""
