"""Rows that are withheld where values have no order: of a partition that is there, and of tuples."""
