"""One ordered public column: windows, intervals, bounds."""
