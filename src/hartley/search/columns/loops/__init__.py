"""The compiled loops of the search over several columns."""
