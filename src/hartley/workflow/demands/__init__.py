"""What combines: budgets of withheld rows side by side, and what can be reached of each requirement."""
