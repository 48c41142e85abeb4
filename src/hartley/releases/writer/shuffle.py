"""A random order of rows of which only the different ones and their numbers are known.

Rows that are published alike are alike in any order, so a shuffled table is a random order of codes, each
as often as its row occurs. The order that the rows had never enters, and cannot be seen in what comes out.

The codes come in blocks, so that any number of rows needs the memory of one block. Each row is given a
block, independently and each block with the same chance: of rows that are alike, how many go into a
block is binomial. A block is then shuffled by itself. Blocks one after the other are a uniform order of the
whole, because that is what sorting by random numbers gives, of which the first digit is the block
(Rao 1961, Sandelius 1962). A large block is shuffled in the same way once more, with boxes that
fit into the cache of a processor.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from hartley.hot_loops import hot_loop
from hartley.model.arrays import Int64s, Ints, code_type

BLOCK = 1 << 23
"""Rows of a block, about."""
WIDE_BLOCK = 1 << 24
"""The same where codes are many: to draw how many rows of each go into a block costs as much as the rows."""
NARROW = 1 << 16
BOXES = 1 << 8
BOXED_FROM = 1 << 20
"""Rows from which a block is dealt into boxes: fewer are in the cache as they are."""
_SPARE = 64
"""Random words in reserve: about one in 2^16 is refused."""


def shuffled(counts: Int64s, generator: np.random.Generator, *, block: int | None = None) -> Iterator[Ints]:
    """Return the codes 0, 1, ..., each as often as counted, in a uniform random order, block by block.

    >>> blocks = shuffled(np.array([2, 0, 3]), np.random.default_rng(1))
    >>> np.bincount(np.concatenate(list(blocks)), minlength=3).tolist()
    [2, 0, 3]
    """
    left = np.asarray(counts, dtype=np.int64)
    is_narrow = len(left) <= NARROW
    # As narrow as they can be: most of the time goes into moving them.
    codes = np.arange(len(left), dtype=np.uint16 if is_narrow else code_type(len(left)))
    block = block or (BLOCK if is_narrow else WIDE_BLOCK)
    for still in range(-(-int(left.sum()) // block), 0, -1):
        taken = left if still == 1 else generator.binomial(left, 1 / still)
        left = left - taken
        yield _mixed(np.repeat(codes, taken), generator)


def _mixed(codes: Ints, generator: np.random.Generator) -> Ints:
    if len(codes) < BOXED_FROM:
        generator.shuffle(codes)
        return codes
    return mixed_in_boxes(codes, generator)


def mixed_in_boxes(codes: Ints, generator: np.random.Generator) -> Ints:
    """Return codes in a uniform random order: dealt into boxes, and shuffled inside each box."""
    boxes = _words(generator, -(-len(codes) // 4)).view(np.uint8)[: len(codes)]
    sizes = np.zeros(BOXES, dtype=np.int64)
    measure_boxes.for_size(len(codes))(boxes, sizes)
    ends = np.cumsum(sizes)
    dealt = np.empty_like(codes)
    deal.for_size(len(codes))(codes, boxes, ends - sizes, dealt)
    for start, end in zip((ends - sizes).tolist(), ends.tolist(), strict=True):
        unsettled = end - start - 1
        while unsettled > 0:
            words = _words(generator, unsettled + _SPARE)
            unsettled = settle.for_size(len(codes))(dealt[start:end], unsettled, words)
    return dealt


def _words(generator: np.random.Generator, count: int) -> npt.NDArray[np.uint32]:
    whole: npt.NDArray[np.uint64] = generator.integers(1 << 64, size=count // 2 + 1, dtype=np.uint64)
    return whole.view(np.uint32)


@hot_loop
def measure_boxes(boxes, sizes):  # type: ignore[no-untyped-def]
    """Count how many codes go into each box."""
    for place in range(len(boxes)):
        sizes[boxes[place]] += 1


@hot_loop
def deal(codes, boxes, free, dealt):  # type: ignore[no-untyped-def]
    """Put each code into the first free place of its box."""
    for place in range(len(codes)):
        box = boxes[place]
        dealt[free[box]] = codes[place]
        free[box] += 1


@hot_loop
def settle(codes, unsettled, words):  # type: ignore[no-untyped-def]
    """Settle one place after the other, from the last: any code before it, or its own, may come there.

    Gives the last place that is not settled; it is above 0 where there were too few random words. A
    word becomes a place by multiplication, and is refused where that would favour some places
    (Lemire 2019).
    """
    used = 0
    while unsettled > 0 and used < len(words):
        choices = unsettled + 1
        product = int(words[used]) * choices
        used += 1
        rest = product & 0xFFFFFFFF
        if rest < choices and rest < 4294967296 % choices:
            continue
        chosen = product >> 32
        held = codes[chosen]
        codes[chosen] = codes[unsettled]
        codes[unsettled] = held
        unsettled -= 1
    return unsettled
