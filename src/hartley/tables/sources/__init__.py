"""Where rows come from: one module for each kind of source."""
