"""What the page shows of results."""
