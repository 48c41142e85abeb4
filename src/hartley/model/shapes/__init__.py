"""How clusters may look: bands, their borders, and the codebook of a column."""
