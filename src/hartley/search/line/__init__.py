"""Searches over one ordered column, under any requirement that stays true when a cluster grows."""
