"""A tuple that is built when it is first looked at: witnesses that most callers of a measure never see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")
MOST_KEPT = 10_000
"""Pairs of a joint range that may stay in memory until somebody looks; of more, all is built at once."""


class LateTuple(Sequence[T]):
    """Items that are built once, when the first of them is asked for; equal to the tuple of them.

    >>> late = LateTuple(lambda: (1, 2))
    >>> len(late), late[0], list(late), late == (1, 2)
    (2, 1, [1, 2], True)
    """

    def __init__(self, build: Callable[[], tuple[T, ...]]) -> None:
        self._build: Callable[[], tuple[T, ...]] | None = build
        self._items: tuple[T, ...] = ()

    @classmethod
    def of(cls, build: Callable[[], tuple[T, ...]], pairs: int) -> Sequence[T]:
        """Return what is built late; of a large table, what is built now, so that the table can go."""
        return cls(build) if pairs <= MOST_KEPT else build()

    def _built(self) -> tuple[T, ...]:
        if self._build is not None:
            self._items, self._build = self._build(), None
        return self._items

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...

    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        return self._built()[place]

    def __len__(self) -> int:
        return len(self._built())

    def __iter__(self) -> Iterator[T]:
        return iter(self._built())

    def __eq__(self, other: object) -> bool:
        return self._built() == (other._built() if isinstance(other, LateTuple) else other)

    def __hash__(self) -> int:
        return hash(self._built())

    def __repr__(self) -> str:
        return repr(self._built())

    def __reduce__(self) -> tuple[Any, ...]:
        return (tuple, (self._built(),))
