"""Points of a frontier: how they are measured, and which one a demand asks for.

Read ``measured`` first, then ``demanded_point``: how a release gets its point.
"""
