"""One codebook for each public column."""
