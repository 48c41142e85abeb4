"""The loops of the search for trees."""
