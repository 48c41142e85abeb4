"""Labels that other tools write for a value: bands, sets, stars and prefixes, read back."""
