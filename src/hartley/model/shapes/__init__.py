"""How clusters may look: bands, their borders, and the codebook of a column.

Read ``shape`` first: any clusters, runs of neighbours, a codebook for each column, or leaves of a tree.
"""
