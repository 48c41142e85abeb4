"""How we merge: each search in its own file, none knowing another."""
