"""How many rows may have their public value withheld."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from hartley.errors import OptionError, option


@dataclass(frozen=True)
class Budget:
    """A number of rows, or a share of them.

    >>> Budget.of("2%").rows_of(300), Budget.of(13).rows_of(300), str(Budget.of("0.5%"))
    (6, 13, '0.5%')
    >>> Budget.of("150%")
    Traceback (most recent call last):
    hartley.errors.OptionError: withhold needs a share from 0% to 100%, not '150%'
    """

    number: Decimal
    is_share: bool = False

    @classmethod
    def of(cls, given: Any) -> Budget:
        """Take a budget as it may be given: ``"2%"``, ``13``, ``"13"``, or nothing."""
        if isinstance(given, Budget):
            return given
        if given is None:
            return cls(Decimal(0))
        text = str(given).strip()
        is_share = text.endswith("%")
        try:
            number = Decimal(text.removesuffix("%").strip())
        except InvalidOperation:
            number = Decimal("NaN")
        if isinstance(given, bool) or not number.is_finite():
            raise OptionError(
                f"{option('withhold')} needs a number of rows or a share such as 2%, not {given!r}"
            )
        if is_share and not 0 <= number <= 100:
            raise OptionError(f"{option('withhold')} needs a share from 0% to 100%, not {given!r}")
        if not is_share and (number < 0 or number != int(number)):
            raise OptionError(f"{option('withhold')} needs a whole number of rows from 0 on, not {given!r}")
        return cls(number, is_share)

    @classmethod
    def several(cls, given: Any) -> tuple[Budget, ...]:
        """Take one budget or several; raise where one is given twice.

        >>> [str(budget) for budget in Budget.several(["0", "1%"])]
        ['0', '1%']
        """
        if given is None or isinstance(given, (str, Budget)) or not isinstance(given, Iterable):
            return (cls.of(given),)
        found = tuple(cls.of(one) for one in given)
        for place, budget in enumerate(found):
            if budget in found[:place]:
                raise OptionError(f"{option('withhold')} {budget} is given twice; say it once")
        return found or (cls.of(None),)

    def rows_of(self, rows: int) -> int:
        """Return how many rows of a table may be withheld."""
        return int(self.number * rows / 100) if self.is_share else min(int(self.number), rows)

    def __str__(self) -> str:
        return f"{self.number.normalize():f}{'%' if self.is_share else ''}"
