"""What combines: budgets of withheld rows side by side, and borders that a curator draws.

Read ``budgets`` first.
"""
