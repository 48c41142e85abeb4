r"""Which sizes of the largest cluster can matter.

Lemma. Among the partitions of N values into clusters of at most m there is a least
leaking one with exactly :math:`q = \lceil N/m \rceil` clusters: while there are more, one of them
can be dealt out over the room that the others have left, and no cluster loses a
candidate. So only the smallest m for each q matters: :math:`O(\sqrt N)` of them.

This needs every merge to be harmless, as it is without side information.
"""

from __future__ import annotations


def least_clusters(size: int, largest: int) -> int:
    r"""Give the least number of clusters of at most ``largest`` values, :math:`\lceil N/m \rceil`."""
    return -(-size // largest)


def sizes_that_matter(size: int) -> list[int]:
    """Give, in ascending order, the smallest m for every number of clusters that some m allows.

    >>> sizes_that_matter(10)
    [1, 2, 3, 4, 5, 10]
    """
    sizes = []
    largest = 1
    while True:
        sizes.append(largest)
        clusters = least_clusters(size, largest)
        if clusters == 1:
            return sizes
        largest = least_clusters(size, clusters - 1)


def smallest_alike(size: int, largest: int) -> int:
    """Give the smallest m that allows as few clusters as ``largest`` does.

    >>> smallest_alike(10, 9)
    5
    """
    return least_clusters(size, least_clusters(size, min(largest, size)))
