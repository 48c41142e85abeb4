"""The words of results."""
