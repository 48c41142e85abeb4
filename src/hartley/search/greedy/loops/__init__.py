"""Hot loops of the greedy searches."""
