"""From a partition to files that can be published: codebook, released table, certificate, verifier."""
