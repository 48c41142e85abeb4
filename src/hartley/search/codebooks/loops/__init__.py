"""Compiled loops of the search for codebooks, and the arrays they work on."""
