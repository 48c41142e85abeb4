"""IAC-MDSF and its overlap: the rival that merges by submodular functions."""
