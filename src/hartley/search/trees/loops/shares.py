"""Requirements on the shares of values in a part: whether it holds them, and whether it can lack them.

The rows of a node by codes are caps: a part takes at most so many of each. Of all parts of so many rows the
one that takes the commonest codes whole has the least entropy and the least tail (it majorises the others),
so for these rules and for limits on single shares what can fail is told exactly. How far a part can be from
the whole table is bounded from above. All bounds fall as parts grow, so one number tells the largest part
that can lack.

A value stays possible in a part if a part can be filled that lacks something and holds it, or leaves one of
its rows out. Such a part is built greedily: where none is found the value is not counted, which is safe.
"""

from __future__ import annotations

from math import sqrt

from hartley.hot_loops import hot_part
from hartley.model.arrays import Int64s
from hartley.search.trees.loops.layout import (
    APART,
    ENTROPY,
    GAINED,
    MOVED,
    SHARE,
    TAIL,
    NodePaper,
    Wants,
)
from hartley.search.trees.loops.numbers import natural_log, normal

SLACK = 1e-9
"""Limits typed by people are met up to this much."""
INSIDE, OUTSIDE = 1, 2
"""A part that holds a value, or that leaves out one of its rows."""


@hot_part
def share_limit(wants: Wants, rule: int, code: int) -> float:
    """Return the largest share that a code may have; ``code`` counts through all rules."""
    if wants.share_rule[rule] == SHARE:
        return float(wants.share_wanted[rule])
    return float((1.0 + wants.share_wanted[rule]) * wants.share_whole[code])


@hot_part
def count_shares(wants: Wants, rule: int, values: Int64s, size: int, amount: Int64s, into: Int64s) -> None:
    """Count rows by the codes of a rule."""
    begin = wants.share_begin[rule]
    for code in range(begin, wants.share_begin[rule + 1]):
        into[code] = 0
    for i in range(size):
        into[begin + wants.share_code[rule, values[i]]] += amount[values[i]]


@hot_part
def rows_lack(wants: Wants, rule: int, counts: Int64s, rows: int) -> bool:
    """Tell whether so many rows, counted by codes, lack a rule."""
    kind = wants.share_rule[rule]
    begin = wants.share_begin[rule]
    end = wants.share_begin[rule + 1]
    wanted = wants.share_wanted[rule]
    if kind in (SHARE, GAINED):
        for code in range(begin, end):
            if counts[code] > (share_limit(wants, rule, code) + SLACK) * rows:
                return True
        return False
    if kind == ENTROPY:
        spread = 0.0
        for code in range(begin, end):
            if counts[code] > 1:
                spread += counts[code] * natural_log(float(counts[code]))
        return bool(natural_log(float(rows)) - spread / rows < natural_log(wanted) - SLACK)
    if kind == TAIL:
        return tail_lacks(wants, rule, counts, rows)
    distance = 0.0
    if kind == APART:
        for code in range(begin, end):
            distance += max(0.0, counts[code] / rows - wants.share_whole[code])
        return bool(distance > wanted + SLACK)
    ahead = 0.0
    for code in range(begin, end):
        ahead += counts[code] / rows - wants.share_whole[code]
        distance += abs(ahead)
    return bool(distance > (wanted + SLACK) * max(end - begin - 1, 1))


@hot_part
def tail_lacks(wants: Wants, rule: int, counts: Int64s, rows: int) -> bool:
    """Tell whether the commonest code has at least ``wanted`` times the rows from the l-th on."""
    begin = wants.share_begin[rule]
    end = wants.share_begin[rule + 1]
    first = 0
    head = 0
    for code in range(begin, end):
        first = max(first, counts[code])
    # The l - 1 commonest codes, one after the other, by count and then by code.
    above = first + 1
    last = -1
    for _ in range(wants.share_second[rule] - 1):
        best = -1
        for code in range(begin, end):
            is_after = counts[code] < above or (counts[code] == above and code > last)
            if is_after and (best < 0 or counts[code] > counts[best]):
                best = code
        if best < 0:
            break
        above = counts[best]
        last = best
        head += above
    return bool(first >= wants.share_wanted[rule] * (rows - head))


@hot_part
def shares_hold(wants: Wants, paper: NodePaper, values: Int64s, size: int, amount: Int64s, rows: int) -> bool:
    """Tell whether a part holds every rule."""
    for rule in range(len(wants.share_rule)):
        count_shares(wants, rule, values, size, amount, paper.share_part)
        if rows_lack(wants, rule, paper.share_part, rows):
            return False
    return True


@hot_part
def set_can_hold(wants: Wants, paper: NodePaper, values: Int64s, size: int) -> bool:
    """Tell whether rows with some of these values, in any shares, can hold every rule."""
    for rule in range(len(wants.share_rule)):
        begin = wants.share_begin[rule]
        end = wants.share_begin[rule + 1]
        for code in range(begin, end):
            paper.share_part[code] = 0
        for i in range(size):
            paper.share_part[begin + wants.share_code[rule, values[i]]] = 1
        kind = wants.share_rule[rule]
        total = 0.0
        if kind == MOVED:
            for code in range(begin, end):
                if paper.share_part[code] == 0:
                    step = 1
                    while not (
                        (code - step >= begin and paper.share_part[code - step])
                        or (code + step < end and paper.share_part[code + step])
                    ):
                        step += 1
                        if step > end - begin:
                            return False
                    total += step * wants.share_whole[code]
            if total > (wants.share_wanted[rule] + SLACK) * max(end - begin - 1, 1):
                return False
            continue
        for code in range(begin, end):
            if paper.share_part[code]:
                if kind == APART:
                    total += wants.share_whole[code]
                elif kind in (SHARE, GAINED):
                    total += share_limit(wants, rule, code)
                else:
                    total += 1.0
        if kind == APART:
            total += wants.share_wanted[rule]
        least = 1.0
        if kind == ENTROPY:
            least = wants.share_wanted[rule]
        elif kind == TAIL:
            least = float(wants.share_second[rule])
        if total < least - SLACK:
            return False
    return True


@hot_part
def can_lack(wants: Wants, paper: NodePaper, rule: int, node: int, part: int) -> bool:
    """Tell whether some part of so many rows may lack a rule; ``share_rows`` has the node's."""
    kind = wants.share_rule[rule]
    begin = wants.share_begin[rule]
    end = wants.share_begin[rule + 1]
    if kind in (ENTROPY, TAIL):
        fill(wants, paper, rule, part, -1, 0)
        return rows_lack(wants, rule, paper.share_part, part)
    distance = 0.0
    if kind != MOVED:
        for code in range(begin, end):
            most = min(paper.share_rows[code], part)
            if kind != APART and most > (share_limit(wants, rule, code) + SLACK) * part:
                return True
            distance += max(0.0, most / part - wants.share_whole[code])
        return bool(kind == APART and distance > wants.share_wanted[rule] + SLACK)
    below = 0
    expected = 0.0
    for code in range(begin, end):
        below += paper.share_rows[code]
        expected += wants.share_whole[code]
        high = min(below, part) / part - expected
        low = expected - max(0, part - (node - below)) / part
        distance += max(high, low, 0.0)
    return bool(distance > (wants.share_wanted[rule] + SLACK) * max(end - begin - 1, 1))


@hot_part
def fill(wants: Wants, paper: NodePaper, rule: int, part: int, value: int, way: int) -> None:
    """Fill ``share_part`` with rows of the node, in ``share_order``: ``value`` is held, or left out by one.

    ``way``: 0 as they come; 1 one row of the value first; 2 without one row of it; 3 all its rows first.
    """
    begin = wants.share_begin[rule]
    end = wants.share_begin[rule + 1]
    left = part
    for code in range(begin, end):
        paper.share_part[code] = 0
    if value >= 0 and way != OUTSIDE:
        first = 1 if way == INSIDE else min(paper.share_rows[value], left)
        paper.share_part[value] = first
        left -= first
    for i in range(begin, end):
        code = paper.share_order[i]
        room = paper.share_rows[code] - paper.share_part[code]
        if code == value and way == OUTSIDE:
            room -= 1
        taken = max(0, min(room, left))
        paper.share_part[code] += taken
        left -= taken
        if left == 0:
            break


@hot_part
def has_witness(wants: Wants, paper: NodePaper, value: int, part: int, way: int) -> bool:
    """Tell whether a lacking part of so many rows is found that holds a value, or leaves a row of it out."""
    for rule in range(len(wants.share_rule)):
        if part > paper.share_top[rule]:
            continue
        begin = wants.share_begin[rule]
        end = wants.share_begin[rule + 1]
        code = begin + wants.share_code[rule, value]
        kind = wants.share_rule[rule]
        if kind in (SHARE, GAINED):
            for other in range(begin, end):
                most = paper.share_rows[other]
                if way == OUTSIDE and other == code:
                    most -= 1
                most = min(most, part - 1 if way == INSIDE and other != code else part)
                if most > (share_limit(wants, rule, other) + SLACK) * part:
                    return True
            continue
        for turn in range(2 if kind == MOVED else 1):
            if turn == 1:
                reverse_order(wants, paper, rule)
            fill(wants, paper, rule, part, code, way)
            is_found = rows_lack(wants, rule, paper.share_part, part)
            if not is_found and way == INSIDE:
                fill(wants, paper, rule, part, code, 3)
                is_found = rows_lack(wants, rule, paper.share_part, part)
            if turn == 1:
                reverse_order(wants, paper, rule)
            if is_found:
                return True
    return False


@hot_part
def reverse_order(wants: Wants, paper: NodePaper, rule: int) -> None:
    """Turn the order of codes around."""
    low = wants.share_begin[rule]
    high = wants.share_begin[rule + 1] - 1
    while low < high:
        paper.share_order[low], paper.share_order[high] = paper.share_order[high], paper.share_order[low]
        low += 1
        high -= 1


@hot_part
def judge_shares(wants: Wants, paper: NodePaper, size: int, rows: int) -> None:
    """Count the rows of the node for every rule, order its codes, and find the largest part that can lack."""
    for rule in range(len(wants.share_rule)):
        count_shares(wants, rule, paper.present, size, paper.amount, paper.share_rows)
        order_codes(wants, paper, rule)
        low = 0
        high = rows
        while low < high:
            middle = (low + high + 1) // 2
            if can_lack(wants, paper, rule, rows, middle):
                low = middle
            else:
                high = middle - 1
        paper.share_top[rule] = low


@hot_part
def order_codes(wants: Wants, paper: NodePaper, rule: int) -> None:
    """Write codes in the order in which they fill a part that shall lack: commonest first.

    For distances from the table: the most overrepresented first; along a line as they stand.
    """
    begin = wants.share_begin[rule]
    end = wants.share_begin[rule + 1]
    kind = wants.share_rule[rule]
    for i in range(begin, end):
        paper.share_order[i] = i
        weight = float(paper.share_rows[i])
        if kind == APART:
            weight /= max(wants.share_whole[i], 1e-300)
        paper.share_weight[i] = weight
    if kind == MOVED:
        return
    step = 1
    while step < (end - begin) // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(begin + step, end):
            code = paper.share_order[i]
            j = i
            while j >= begin + step:
                other = paper.share_order[j - step]
                mine = paper.share_weight[code]
                others = paper.share_weight[other]
                if others > mine or (
                    others == mine and (-paper.share_rows[other], other) < (-paper.share_rows[code], code)
                ):
                    break
                paper.share_order[j] = other
                j -= step
            paper.share_order[j] = code
        step //= 3


@hot_part
def share_chance(wants: Wants, paper: NodePaper, node: int, part: int) -> float:
    """Return about the chance that ``part`` rows drawn from the node hold every rule."""
    product = 1.0
    scale = (1.0 - part / node) / part if part < node else 0.0
    for rule in range(len(wants.share_rule)):
        if part > paper.share_top[rule]:
            continue
        kind = wants.share_rule[rule]
        begin = wants.share_begin[rule]
        end = wants.share_begin[rule + 1]
        mean = 0.0
        variance = 0.0
        squares = 0.0
        ahead = 0.0
        below = 0.0
        known = 0
        for i in range(begin, end):
            code = paper.share_order[i] if kind == TAIL else i
            share = paper.share_rows[code] / node
            if kind in (SHARE, GAINED):
                if share > 0.0:
                    away = share_limit(wants, rule, code) - share
                    product *= normal(away / (sqrt(share * (1.0 - share) * scale) + 1e-9))
            elif kind == ENTROPY:
                if share > 0.0:
                    weight = -natural_log(share)
                    mean += share * weight
                    squares += share * weight * weight
                    known += 1
            elif kind == TAIL:
                weight = 0.0
                if i == begin:
                    weight -= 1.0
                if i - begin >= wants.share_second[rule] - 1:
                    weight += wants.share_wanted[rule]
                mean += share * weight
                squares += share * weight * weight
            elif kind == APART:
                away = share - wants.share_whole[code]
                noise = share * (1.0 - share) * scale
                mean += 0.5 * sqrt(away * away + 0.6366 * noise)
                variance += 0.1 * noise
            else:
                below += share
                ahead += share - wants.share_whole[code]
                noise = max(below * (1.0 - below), 0.0) * scale
                mean += sqrt(ahead * ahead + 0.6366 * noise)
                variance += sqrt(noise)
        if kind == ENTROPY:
            variance = max(squares - mean * mean, 0.0) * scale
            mean -= 0.5 * (known - 1) * scale + natural_log(wants.share_wanted[rule])
            product *= normal(mean / (sqrt(variance) + 1e-9))
        elif kind == TAIL:
            product *= normal(mean / (sqrt(max(squares - mean * mean, 0.0) * scale) + 1e-9))
        elif kind == APART:
            product *= normal((wants.share_wanted[rule] - mean) / (sqrt(variance) + 1e-9))
        elif kind == MOVED:
            steps = max(end - begin - 1, 1)
            spread = 0.5 * variance / steps
            product *= normal((wants.share_wanted[rule] - mean / steps) / (spread + 1e-9))
    return product
