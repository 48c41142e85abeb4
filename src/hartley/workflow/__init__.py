"""Table in, results out: one file per command, which the shells call. Read study.py first."""
