"""Functions of numbers by the four operations and the square root alone.

IEEE 754 fixes these to the last bit: the same tree grows on every machine, interpreted or compiled.
"""

from __future__ import annotations

from math import sqrt

from hartley.hot_loops import hot_part

LOG_TWO = 0.6931471805599453


@hot_part
def natural_log(number: float) -> float:
    """Return the natural logarithm of a number above 0."""
    doublings = 0
    while number > 1.4142135623730951:
        number *= 0.5
        doublings += 1
    while number < 0.7071067811865476:
        number *= 2.0
        doublings -= 1
    ratio = (number - 1.0) / (number + 1.0)
    square = ratio * ratio
    total = 0.0
    for k in range(21, 0, -2):
        total = total * square + 1.0 / k
    return doublings * LOG_TWO + 2.0 * ratio * total


@hot_part
def power(base: float, exponent: int) -> float:
    """Return a power by squaring."""
    result = 1.0
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@hot_part
def root(number: float, degree: int) -> float:
    """Return the root of a number from 0 to 1, by square roots and by Newton's method from above."""
    while degree > 1 and degree % 2 == 0:
        number = sqrt(number)
        degree //= 2
    if number <= 0.0 or number >= 1.0 or degree < 2:
        return number
    found = 1.0
    for _ in range(400):
        better = ((degree - 1) * found + number / power(found, degree - 1)) / degree
        if better >= found:
            break
        found = better
    return found


@hot_part
def normal(deviations: float) -> float:
    """Return the chance that a normal variable is at most so many deviations above its mean, to 0.0003."""
    x = abs(deviations) * 0.7071067811865476
    t = 1.0 + x * (0.278393 + x * (0.230389 + x * (0.000972 + x * 0.078108)))
    t = t * t
    tail = 0.5 / (t * t)
    return 1.0 - tail if deviations >= 0 else tail
