"""What only centroid codewords need."""
