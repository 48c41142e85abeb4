"""Reads a release again and believes nothing it did not check; no code of search, measures or writer."""
