"""What is learnt for certain on a line: fewest components for each cost, alone and beside candidates.

Read ``fewest`` first.
"""
