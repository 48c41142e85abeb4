"""The rows of a table beside codebooks, in the engine: what readers of a release see in each of them."""
