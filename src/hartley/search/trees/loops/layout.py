"""What the loops of a tree read and write: tuples, requirements, scratch paper, the tree itself."""

from __future__ import annotations

from typing import NamedTuple

from hartley.model.arrays import Flags, Floats, Int32s, Int64s

ORDERED, PLAIN, NESTED = 0, 1, 2
"""Kinds of columns: places on a line, categories without an order, leaves of a hierarchy."""
UP_TO, ONE_VALUE, EVERY_TUPLE = 0, 1, 2
"""Forms of cuts: cells up to one against those above, one cell against the rest, every tuple by itself."""
GAIN, MIDDLE = 0, 1
"""Rules of cuts: least expected loss; nearest the middle row of the widest column."""
STRICT, ONCE, RETRY = 0, 1, 2
"""Which cuts are tried: those that cannot fail; one that may; others after one failed."""
SHARE, GAINED, ENTROPY, TAIL, APART, MOVED = 0, 1, 2, 3, 4, 5
"""Rules on shares: the largest one; by how much one exceeds the table's; the entropy; the commonest code
beside the rarer ones; the distance from the table, where every move costs the same, or along a line."""
UNBOUND, SIDES, CELLS = 0, 1, 2
"""What failed cuts ask of the classes below (Theorem T2): nothing, room in sides, room in cells."""


SLOTS = 16
"""The commonest codes, of which it is learnt where they stand; all others together are one more."""
BINS = 32
"""Bins of a column."""
SHARES = 128
"""Shares of the rows of a node that a side can have, on the grid of ``factor``."""


class Tuples(NamedTuple):
    """The different tuples of public cells, and the sensitive values of their rows."""

    rank: Int32s
    """The rank of the cell of tuple ``i`` in column ``j`` among all cells of the column."""
    kind: Int64s
    plain: Int64s
    """The columns that are of the kind ``PLAIN``."""
    begin: Int64s
    """Where the cells of each column begin in ``place``, and its leaves in ``parent``."""
    bin: Int32s
    """The bin of each cell: some neighbours of about as many rows as every other bin of the column."""
    place: Floats
    """The place of each cell of an ordered column, in its own unit."""
    scale: Floats
    """What one unit costs: the weight of the column by its extent."""
    parent: Int64s
    """For each node of a hierarchy the one above it. Node ``begin[j] + r`` is the cell of rank ``r``."""
    last: Int64s
    """For each node the highest rank below it."""
    loss: Floats
    """What a label of this node costs."""
    rows: Int64s
    weights: Floats
    """The sum of the sampling weights of the rows of each tuple."""
    ptr: Int64s
    code: Int32s
    amounts: Int64s
    """Tuple ``i`` has ``amounts[e]`` rows with the sensitive value ``code[e]``, ``e`` from ``ptr[i]``."""


class Wants(NamedTuple):
    """What every class must hold, counted over :class:`~hartley.model.closeness.SensitiveCodes`."""

    code_of: Int32s
    """The code of each sensitive value under each requirement."""
    begin: Int64s
    """Where the codes of each requirement begin in ``next``, and in the counts of a node."""
    next: Int64s
    """For each code the first one of the same requirement that is apart from it."""
    plain: Flags
    """Whether every two codes of a requirement are apart."""
    wanted: Int64s
    row_k: int
    weight_k: float
    least: int
    """A part of fewer rows lacks something whatever it holds."""
    trials: int
    """Which cuts are tried: ``STRICT``, ``ONCE`` or ``RETRY``."""
    witness: int
    """The requirement by which failed cuts are repeated in other tables; -1 where there is none."""
    known: int
    """Sensitive values that the reader may know."""
    rule: int
    most_failures: int
    share_rule: Int64s
    """The rules on shares."""
    share_wanted: Floats
    share_second: Int64s
    share_code: Int32s
    """The code of each sensitive value under each rule."""
    share_begin: Int64s
    share_whole: Floats
    """The share of each code of each rule in the whole table."""


class Learnt(NamedTuple):
    """What finished classes, and a reference table, tell of where sensitive values stand."""

    slot: Int64s
    """The slot of each code of each requirement."""
    code_of_slot: Int64s
    """The code of each slot under the requirement by which is learnt; -1 for none."""
    seen: Floats
    """For each column, bin and slot: rows."""
    pilots: Int64s
    """The first cuts, down one path: column, rank, form. They part rows that are alike in other columns."""
    step: Int64s
    """How many of them were tried."""


class NodePaper(NamedTuple):
    """Scratch paper for one node. Counts are zero between nodes."""

    present: Int64s
    """The sensitive values of the node, ascending."""
    amount: Int64s
    """How many rows of the node have each sensitive value."""
    part_present: Int64s
    part_amount: Int64s
    by_code: Int64s
    """How many rows of the node have each code of each requirement."""
    codes: Int64s
    sorted: Int64s
    most_in: Int64s
    """For each value of the node: the most rows of a part that holds it and lacks something."""
    most_out: Int64s
    """The same of a part that leaves out one of its rows."""
    code_in: Int64s
    code_out: Int64s
    forward: Int64s
    backward: Int64s
    """Most rows under so many windows, up to and from each code: tables of windows x codes."""
    chosen: Int64s
    mark: Int64s
    """When each code was last seen; compared with ``ticks[0]``."""
    ticks: Int64s
    sizes: Int64s
    times: Int64s
    groups: Int64s
    """Different counts of codes and how many codes have each, for each requirement."""
    top: Int64s
    """For each requirement the most rows of a part that lacks it."""
    chance: Floats
    chance_at: Int64s
    shrink: Floats
    shrink_at: Int64s
    """Chances and factors by the number of rows of a part, and the tick at which they were computed."""
    factor: Floats
    """For each number of columns and share of the rows on the left: what both factors are multiplied by."""
    low: Int64s
    high: Int64s
    variety: Int64s
    seen: Int64s
    """The box of a set of tuples, and when each cell was last seen in it."""
    width: Floats
    """The width of the box, then that of each column; ``STALE`` where it has widened since."""
    left_width: Floats
    left_rows: Int64s
    left_bound: Int64s
    left_weight: Floats
    like: Int64s
    """Rows of the left side that are in the side of each failed cut of the node."""
    cell_rows: Int64s
    """Rows in every combination of sides of failed cuts: of the node, then of the left side."""
    usual_rows: Int64s
    """Rows of the node or part with each usual code, then with the others."""
    telling: Floats
    """For each column how much its cells told of values in the cuts above the node."""
    slot_rows: Floats
    slot_seen: Floats
    slot_part: Floats
    in_right: Floats
    """Rows by slots: of the node, seen in its range, of a part; expected on the right."""
    unlike: Floats
    """For each column: the share of the node's rows expected outside the commonest codes."""
    in_node: Floats
    """For each column and slot: the rows expected in the node."""
    fate: Floats
    """For each column, bin and slot: the share of rows that is expected to be of the slot."""
    told_at: Int64s
    """For each column: the tick (``ticks[5]``) at which these were computed, negative if nothing is known."""
    look: Floats
    look_at: Int64s
    """Chance of a cut and what its parts will keep of their widths, by the rows of the left part."""
    best: Int64s
    """The cut found: column, rank, form."""
    share_rows: Int64s
    share_part: Int64s
    share_order: Int64s
    share_weight: Floats
    """For each code of each rule: rows of the node, of a part; the order in which codes fill a part."""
    share_top: Int64s
    """For each rule the most rows of a part that may lack it."""


class Growth(NamedTuple):
    """The tree as it grows."""

    order: Int32s
    """The tuples in the order of each column; a node is the same segment of every order."""
    spare: Int32s
    label: Int32s
    """The class of each tuple."""
    part: Int32s
    bound: Int32s
    """Sides of failed cuts that each tuple is in, as bits."""
    tried: Int32s
    """The same of the failed cuts of the node alone."""
    first: Int64s
    last: Int64s
    node_of: Int64s
    mode: Int64s
    failed: Int64s
    usual: Int64s
    """The stack: a segment, its node, the mode it is bound by, by how many cuts, and which set of codes."""
    telling: Floats
    """For each node on the stack and column: how much its cells told of values above the node, 0 to 1."""
    usual_codes: Int64s
    """Sets of usual codes: the commonest of a node, fewer by one than are wanted, then up to two more."""
    child: Int32s
    column: Int32s
    rank: Int32s
    form: Int32s
    """The nodes: their first child (-1: a class), and the cut that made the children."""
    class_node: Int32s
    failure_node: Int32s
    failure_column: Int32s
    failure_rank: Int32s
    failure_form: Int32s
    """Cuts that failed, in the order in which they were tried."""
    totals: Int64s
    """How many nodes, classes, failures, sets of usual values."""


class Work(NamedTuple):
    """All that the loops of a tree read and write."""

    tuples: Tuples
    wants: Wants
    paper: NodePaper
    growth: Growth
    learnt: Learnt


class OpenNode(NamedTuple):
    """The node that is looked at: a segment of every order, and what failed cuts ask of it."""

    first: int
    last: int
    size: int
    """How many different sensitive values it has."""
    rows: int
    mode: int
    """``UNBOUND``, ``SIDES`` or ``CELLS``."""
    failed: int
    """How many failed cuts bind it, those above it among them."""
    fails: int
    """How many cuts failed at it."""
    usual: int
    """Which set of usual codes binds it."""
    bound: int
    """Its rows in sides of failed cuts."""
    room: int
    """The rows that can be given usual codes (sides), or the unusual rows (cells)."""


class Outlook(NamedTuple):
    """What the rule expects of the cuts of a node."""

    rows: int
    free: int
    """The rows beside those in sides of failed cuts."""
    bound: int
    even: int
    """The rows at which a part is likelier to hold than not."""
    active: int
    """How many columns it can still be cut in."""
    width: float
    weight: float
    """The sum of the sampling weights of its rows, where one is wanted."""
