"""What we measure: pure functions of a joint range and a partition."""
