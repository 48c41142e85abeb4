"""The paper: its examples, its experiment, its data; only `hartley reproduce` needs this.

Read ``reproduce`` first; ``printed_values`` holds what the paper prints beside what its definitions give.
"""
