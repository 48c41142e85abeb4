"""The multiset of a node, and how large a part that lacks something can be.

Theorem T1 asks, for every value t of a node, whether an arrangement of its multiset puts t into a part while
some part lacks a requirement. That depends on the rows of the parts alone, and falls with them: the loops
compute for each t the most rows of a lacking part that holds it (``most_in``) and of one that leaves one of
its rows out (``most_out``). A cut is then judged by comparing the rows of its parts with these two numbers.
"""

from __future__ import annotations

from hartley.hot_loops import hot_part
from hartley.model.arrays import Int64s
from hartley.search.trees.loops.layout import STRICT, NodePaper, Tuples, Wants
from hartley.search.trees.loops.shares import INSIDE, OUTSIDE, has_witness, set_can_hold


@hot_part
def sort_numbers(numbers: Int64s, size: int) -> None:
    """Sort the first numbers of an array in place, ascending (Shell's method)."""
    step = 1
    while step < size // 3:
        step = 3 * step + 1
    while step > 0:
        for i in range(step, size):
            number = numbers[i]
            j = i
            while j >= step and numbers[j - step] > number:
                numbers[j] = numbers[j - step]
                j -= step
            numbers[j] = number
        step //= 3


@hot_part
def add_tuple(tuples: Tuples, one: int, present: Int64s, size: int, amount: Int64s) -> int:
    """Add the rows of a tuple to a multiset; return how many different values it has now."""
    for e in range(tuples.ptr[one], tuples.ptr[one + 1]):
        value = tuples.code[e]
        if amount[value] == 0:
            present[size] = value
            size += 1
        amount[value] += tuples.amounts[e]
    return size


@hot_part
def collect_codes(wants: Wants, paper: NodePaper, requirement: int, values: Int64s, size: int) -> int:
    """Write the different codes of some sensitive values to ``paper.codes``; return how many there are."""
    paper.ticks[0] += 1
    tick = paper.ticks[0]
    begin = wants.begin[requirement]
    found = 0
    for i in range(size):
        code = wants.code_of[requirement, values[i]]
        if paper.mark[begin + code] != tick:
            paper.mark[begin + code] = tick
            paper.codes[found] = code
            found += 1
    return found


@hot_part
def set_holds(wants: Wants, paper: NodePaper, values: Int64s, size: int) -> bool:
    """Tell whether a set of sensitive values holds every requirement on values."""
    for requirement in range(len(wants.wanted)):
        wanted = wants.wanted[requirement]
        if size < wanted:
            return False
        found = collect_codes(wants, paper, requirement, values, size)
        if wants.plain[requirement] or found < wanted:
            if found < wanted:
                return False
            continue
        sort_numbers(paper.codes, found)
        begin = wants.begin[requirement]
        chain = 0
        above = -1
        for i in range(found):
            if paper.codes[i] >= above:
                chain += 1
                above = wants.next[begin + paper.codes[i]]
        if chain < wanted:
            return False
    return True


@hot_part
def count_codes(wants: Wants, paper: NodePaper, requirement: int, size: int) -> int:
    """Count the rows of the node by the codes of a requirement, which ``paper.codes`` holds ascending."""
    begin = wants.begin[requirement]
    found = collect_codes(wants, paper, requirement, paper.present, size)
    sort_numbers(paper.codes, found)
    for i in range(found):
        paper.by_code[begin + paper.codes[i]] = 0
    for i in range(size):
        value = paper.present[i]
        paper.by_code[begin + wants.code_of[requirement, value]] += paper.amount[value]
    return found


@hot_part
def lacking_distinct(wants: Wants, paper: NodePaper, requirement: int, found: int) -> None:
    """Fill ``code_in``, ``code_out`` and ``top`` for codes that are all apart.

    A part lacks l codes iff it holds at most l - 1 of them; the most rows has one of the l - 1 commonest.
    """
    begin = wants.begin[requirement]
    wanted = wants.wanted[requirement]
    for i in range(found):
        paper.sorted[i] = paper.by_code[begin + paper.codes[i]]
    sort_numbers(paper.sorted, found)
    top = 0
    for i in range(max(0, found - wanted + 1), found):
        top += paper.sorted[i]
    edge = paper.sorted[found - wanted + 1] if 2 <= wanted <= found + 1 else 0
    is_tied = 2 <= wanted <= found and paper.sorted[found - wanted] == edge
    paper.top[requirement] = top
    for i in range(found):
        code = begin + paper.codes[i]
        rows = paper.by_code[code]
        if wanted < 2:
            paper.code_in[code] = 0
            paper.code_out[code] = 0
            continue
        paper.code_in[code] = top if rows >= edge else top - edge + rows
        is_always_there = rows > edge or (rows == edge and not is_tied)
        paper.code_out[code] = top - 1 if is_always_there else top


@hot_part
def lacking_separated(wants: Wants, paper: NodePaper, requirement: int, found: int) -> None:
    """Fill the same for codes of which neighbours may count as one.

    A part lacks l codes that are apart iff l - 1 windows cover what it holds. ``forward[k, i]`` is the most
    rows of the first i codes under k windows, ``backward[k, i]`` of those from i on.
    """
    begin = wants.begin[requirement]
    windows = wants.wanted[requirement] - 1
    wide = found + 1
    total = paper.sorted
    total[0] = 0
    for i in range(found):
        total[i + 1] = total[i] + paper.by_code[begin + paper.codes[i]]
        paper.code_in[begin + paper.codes[i]] = 0
    for i in range(wide):
        paper.forward[i] = 0
        paper.backward[i] = 0
    for k in range(1, windows + 1):
        end = found
        paper.backward[k * wide + found] = 0
        for i in range(found - 1, -1, -1):
            above = wants.next[begin + paper.codes[i]]
            while end > i + 1 and paper.codes[end - 1] >= above:
                end -= 1
            most = total[end] - total[i] + paper.backward[(k - 1) * wide + end]
            paper.backward[k * wide + i] = max(paper.backward[k * wide + i + 1], most)
        start = 0
        paper.forward[k * wide] = 0
        for i in range(1, found + 1):
            while wants.next[begin + paper.codes[start]] <= paper.codes[i - 1]:
                start += 1
            most = total[i] - total[start] + paper.forward[(k - 1) * wide + start]
            paper.forward[k * wide + i] = max(paper.forward[k * wide + i - 1], most)
    top = paper.backward[windows * wide] if windows > 0 else 0
    paper.top[requirement] = top
    for i in range(found):
        if windows > 0:
            above = wants.next[begin + paper.codes[i]]
            end = i + 1
            while end < found and paper.codes[end] < above:
                end += 1
            most = 0
            for k in range(windows):
                outside = paper.forward[k * wide + i] + paper.backward[(windows - 1 - k) * wide + end]
                most = max(most, outside)
            most += total[end] - total[i]
            for j in range(i, end):
                code = begin + paper.codes[j]
                paper.code_in[code] = max(paper.code_in[code], most)
        without = 0
        for k in range(windows + 1):
            without = max(without, paper.forward[k * wide + i] + paper.backward[(windows - k) * wide + i + 1])
        paper.code_out[begin + paper.codes[i]] = max(top - 1, without) if windows > 0 else 0


@hot_part
def judge_values(wants: Wants, paper: NodePaper, size: int) -> None:
    """Fill ``most_in`` and ``most_out`` for the values of the node: the greatest over the requirements."""
    for i in range(size):
        paper.most_in[i] = 0
        paper.most_out[i] = 0
    for requirement in range(len(wants.wanted)):
        found = count_codes(wants, paper, requirement, size)
        if wants.plain[requirement]:
            lacking_distinct(wants, paper, requirement, found)
        else:
            lacking_separated(wants, paper, requirement, found)
        group_counts(wants, paper, requirement, found)
        begin = wants.begin[requirement]
        for i in range(size):
            code = begin + wants.code_of[requirement, paper.present[i]]
            paper.most_in[i] = max(paper.most_in[i], paper.code_in[code])
            paper.most_out[i] = max(paper.most_out[i], paper.code_out[code])


@hot_part
def group_counts(wants: Wants, paper: NodePaper, requirement: int, found: int) -> None:
    """Write the different counts of codes and how often each occurs, the greatest first.

    Codes that are not all apart are counted in windows from the lowest on, as if windows were codes.
    """
    begin = wants.begin[requirement]
    size = 0
    above = -1
    for i in range(found):
        code = paper.codes[i]
        if wants.plain[requirement] or code >= above:
            above = wants.next[begin + code]
            paper.sorted[size] = 0
            size += 1
        paper.sorted[size - 1] += paper.by_code[begin + code]
    sort_numbers(paper.sorted, size)
    groups = 0
    for i in range(size - 1, -1, -1):
        if groups > 0 and paper.sizes[requirement, groups - 1] == paper.sorted[i]:
            paper.times[requirement, groups - 1] += 1
        elif groups < paper.sizes.shape[1]:
            paper.sizes[requirement, groups] = paper.sorted[i]
            paper.times[requirement, groups] = 1
            groups += 1
    paper.groups[requirement] = groups


@hot_part
def part_candidates_hold(wants: Wants, paper: NodePaper, size: int, mine: int, others: int) -> bool:
    """Tell whether enough values are possible in a part of ``mine`` rows when the cut has failed.

    ``others`` is the least number of rows of another part.
    """
    chosen = 0
    for i in range(size):
        if mine <= paper.most_in[i] or others <= paper.most_out[i]:
            paper.chosen[chosen] = paper.present[i]
            chosen += 1
    if candidates_hold(wants, paper, chosen, size):
        return True
    if len(wants.share_rule) == 0:
        return False
    chosen = 0
    for i in range(size):
        value = paper.present[i]
        if (
            mine <= paper.most_in[i]
            or others <= paper.most_out[i]
            or has_witness(wants, paper, value, mine, INSIDE)
            or has_witness(wants, paper, value, others, OUTSIDE)
        ):
            paper.chosen[chosen] = value
            chosen += 1
    return candidates_hold(wants, paper, chosen, size)


@hot_part
def candidates_hold(wants: Wants, paper: NodePaper, chosen: int, size: int) -> bool:
    """Tell whether the values in ``paper.chosen`` are enough; of ``size`` values of a node all are."""
    if chosen == size:
        return True
    if not set_holds(wants, paper, paper.chosen, chosen):
        return False
    return set_can_hold(wants, paper, paper.chosen, chosen)


@hot_part
def cannot_fail(wants: Wants, paper: NodePaper, part: int) -> bool:
    """Tell whether parts of so many rows or more hold every requirement, however the node is arranged."""
    most = 0
    for requirement in range(len(wants.wanted)):
        most = max(most, paper.top[requirement])
    for rule in range(len(wants.share_rule)):
        most = max(most, paper.share_top[rule])
    return bool(most < part)


@hot_part
def is_allowed(wants: Wants, paper: NodePaper, size: int, left: int, right: int) -> bool:
    """Tell whether a cut into so many rows may be tried: it cannot fail, or its failure leaves enough."""
    less = min(left, right)
    if less < wants.least:
        return False
    if cannot_fail(wants, paper, less):
        return True
    if wants.trials == STRICT:
        return False
    if wants.known > 0:
        return frequent_rows(paper, wants.wanted[0] - 2 - wants.known // 2) >= (
            max(left, right) + wants.known + 1
        )
    if not part_candidates_hold(wants, paper, size, left, right):
        return False
    return left == right or part_candidates_hold(wants, paper, size, right, left)


@hot_part
def frequent_rows(paper: NodePaper, codes: int) -> int:
    """Return the rows of so many of the commonest codes of the first requirement."""
    rows = 0
    for group in range(paper.groups[0]):
        if codes <= 0:
            break
        rows += min(codes, paper.times[0, group]) * paper.sizes[0, group]
        codes -= paper.times[0, group]
    return rows
