"""IAC-MDSF, the method of the paper's authors before this one: merges whole subsets of clusters at a time."""
