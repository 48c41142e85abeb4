"""What we measure: pure functions of a joint range and a partition.

Read ``uncertainty`` first (how far a released value narrows the sensitive one down), then ``overlap`` (what
every reader learns for certain). ``audit`` puts all of them together, ``verdicts`` holds requirements against
them.
"""
