"""The walk over everything that can be released of a few public values."""
