"""The codebook of a policy as a statement, a model or a script for the place where the data lives."""
