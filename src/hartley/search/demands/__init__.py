"""The cheapest partition that keeps requirements, of every kind of utility."""
