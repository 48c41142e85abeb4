"""The codes that a set of public values holds, as bits of words, and how much it lacks to be enough.

For searches that try many small sets. Every count of :class:`~hartley.search.enough.Enough` has words of its
own, so that the codes of a count that are all apart are counted by counting bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Flags, Int64s, Places
from hartley.search.enough import Enough

WORD_BITS = 62
"""Bits of a word that are used: signs stay out of it."""


class HeldDemand(NamedTuple):
    """What a set must hold, for loops over words."""

    words: Int64s
    """The codes of each public value: a row of words for each."""
    rows: Places
    """The rows of each public value."""
    first_word: Places
    """Where the words of each count begin; one number more says where the last ones end."""
    wanted: Places
    is_plain: Flags
    """Whether every two codes of a count are apart."""
    next_bit: Places
    """For each bit of all words the first bit of its count that is apart from it."""
    row_k: int


def held_demand(enough: Enough) -> HeldDemand:
    """Lay the codes of a demand out as bits; each count begins with a word of its own."""
    widths = np.diff(enough.offsets)
    first_word = np.concatenate(([0], np.cumsum(-(-widths // WORD_BITS)))).astype(np.int64)
    count_of = np.repeat(np.arange(len(widths)), widths)
    bit_of = np.arange(enough.width) - enough.offsets[count_of] + first_word[count_of] * WORD_BITS
    ends = first_word[1:] * WORD_BITS
    next_bit = np.zeros(int(first_word[-1]) * WORD_BITS, dtype=np.int64)
    following = np.append(bit_of, 0)[np.minimum(enough.next_code, enough.width)]
    is_last = enough.next_code >= enough.offsets[count_of + 1]
    next_bit[bit_of] = np.where(is_last, ends[count_of], following)
    words = np.zeros((enough.size, max(int(first_word[-1]), 1)), dtype=np.int64)
    value = np.repeat(np.arange(enough.size), np.diff(enough.value_ptr))
    bit = bit_of[enough.value_code]
    np.bitwise_or.at(words, (value, bit // WORD_BITS), np.int64(1) << (bit % WORD_BITS))
    return HeldDemand(
        words,
        np.ascontiguousarray(enough.rows, dtype=np.int64),
        first_word,
        np.ascontiguousarray(enough.wanted, dtype=np.int64),
        enough.is_plain,
        next_bit,
        enough.row_k,
    )


@hot_loop
def bits_set(word: int) -> int:
    """Count the bits of a word that are set."""
    word = word - ((word >> 1) & 0x1555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 0x7F


@hot_loop
def count_lack(count: int, one: Int64s, at_one: int, other: Int64s, at_other: int, demand: HeldDemand) -> int:
    """Return how many codes of one count are lacking to the union of two sets; negative: so many to spare.

    Words of the sets stand in rows of numbers from a place on. Where not all codes are apart nothing is
    counted beyond what is wanted.
    """
    begin, end = demand.first_word[count], demand.first_word[count + 1]
    wanted = demand.wanted[count]
    length = 0
    if demand.is_plain[count]:
        for word in range(begin, end):
            length += bits_set(one[at_one + word] | other[at_other + word])
        return int(wanted - length)
    reach = begin * WORD_BITS
    for word in range(begin, end):
        left = one[at_one + word] | other[at_other + word]
        while left and length < wanted:
            lowest = left & -left
            bit = word * WORD_BITS + bits_set(lowest - 1)
            if bit >= reach:
                length += 1
                reach = demand.next_bit[bit]
            left ^= lowest
    return int(wanted - length)


@hot_loop
def lack_of(one: Int64s, at_one: int, other: Int64s, at_other: int, rows: int, demand: HeldDemand) -> int:
    """Return how much the union of two sets lacks, all counts and the rows together; 0: it is enough."""
    lack = max(0, demand.row_k - rows)
    for count in range(len(demand.wanted)):
        lack += max(0, count_lack(count, one, at_one, other, at_other, demand))
    return int(lack)
