"""Which utility a request means: resolution, or distortion on a line, over columns, or by a dissimilarity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from hartley.errors import InputError, OptionError, option
from hartley.measures.utility import LineDistortion, Resolution, Utility
from hartley.measures.utility.matrix import MatrixDistortion
from hartley.measures.utility.several_columns import COMBINATIONS, ColumnsDistortion, Combination
from hartley.model import Alphabet, Label
from hartley.model.words import CODEWORDS, Codeword, Labels

UtilityName: TypeAlias = Literal["resolution", "distortion"]
UTILITIES: tuple[UtilityName, ...] = ("resolution", "distortion")
UtilityWord: TypeAlias = Literal["resolution", "distortion", "size", "midpoint", "centroid", "member"]
"""What a utility may be called: see :meth:`UtilityChoice.named`."""


@dataclass(frozen=True, kw_only=True)
class UtilityChoice:
    """What the user said about utility; the rest is decided by the public columns.

    Parameters
    ----------
    name : {"resolution", "distortion"}, optional
        Without one: distortion, but for a single column of text, which is no line: resolution there.
    codeword : {"midpoint", "centroid", "member"}, optional
        What stands for a cluster; without one the midpoint, which never distorts more than another.
    combination : {"max", "sum"}
        How the distances of several columns become one.
    scales : mapping of str to float
        The unit of a column of numbers; otherwise its range.
    dissimilarities : mapping
        For a column of categories, how unlike two of them are, by pairs; otherwise 0 or 1.
    dissimilarity : callable or square table, optional
        A function of two public values, or a square table of them, in place of all that.

    Raises
    ------
    OptionError
        If there is no such utility, codeword or combination.

    Examples
    --------
    >>> import hartley
    >>> choice = hartley.UtilityChoice(name="distortion", codeword="centroid")
    >>> ages = hartley.Alphabet.of_values([20, 30, 50], columns=("age",))
    >>> choice.for_alphabet(ages).costs(hartley.Partition.whole(3))
    array([16.66666667])
    """

    name: UtilityName | None = None
    codeword: Codeword | None = None
    combination: Combination = "max"
    scales: Mapping[str, float] = field(default_factory=dict)
    dissimilarities: Mapping[str, Mapping[tuple[Label, Label], float]] = field(default_factory=dict)
    dissimilarity: Callable[[Label, Label], float] | Any | None = None

    def __post_init__(self) -> None:
        if self.name is not None and self.name not in UTILITIES:
            raise OptionError.unknown("utility", self.name, UTILITIES)
        if self.codeword is not None and self.codeword not in CODEWORDS:
            raise OptionError.unknown("codeword", self.codeword, CODEWORDS)
        if self.combination not in COMBINATIONS:
            raise OptionError.unknown("combination", self.combination, COMBINATIONS)

    @classmethod
    def named(cls, name: str | None) -> UtilityChoice:
        """Return a utility by its name, or by what it is called elsewhere: a codeword, or size.

        >>> UtilityChoice.named("centroid").codeword, UtilityChoice.named("size").name
        ('centroid', 'resolution')
        """
        known = (*UTILITIES, *CODEWORDS, "size")
        if name is not None and name not in known:
            raise OptionError.unknown("utility", name, known)
        codeword = next((one for one in CODEWORDS if one == name), None)
        if codeword is not None:
            return cls(name="distortion", codeword=codeword)
        return cls(name=cast("UtilityName | None", "resolution" if name == "size" else name))

    def for_alphabet(self, public: Alphabet, labels: Labels | None = None) -> Utility:
        """Build the utility for these public values; ``labels`` that are codewords decide what is counted."""
        name = self.name or self._default(public)
        if name == "resolution":
            self._refuse_distances()
            return Resolution(public.size)
        codeword = self._counted(labels)
        if self.dissimilarity is not None:
            if self.codeword not in (None, "member"):
                raise OptionError(
                    f"under a dissimilarity the codeword is a member; leave {option('codeword')} out"
                )
            if callable(self.dissimilarity):
                return MatrixDistortion.of(public, self.dissimilarity)
            table = MatrixDistortion(np.asarray(self.dissimilarity, dtype=float))
            if table.size != public.size:
                raise InputError(
                    f"the dissimilarities are of {table.size} values, the table has {public.size}"
                )
            return table
        on_a_line = len(public.coordinates) == 1 and not self.scales and not self.dissimilarities
        if on_a_line:
            return LineDistortion.of(public, codeword)
        return ColumnsDistortion.of(
            public,
            codeword,
            combination=self.combination,
            scales=self.scales,
            dissimilarities=self.dissimilarities,
        )

    def _counted(self, labels: Labels | None) -> Codeword:
        """Return the codeword by which clusters are counted: the label that stands in the file."""
        shown = next((one for one in CODEWORDS if one == labels), None)
        if shown is not None and self.codeword not in (None, shown):
            raise OptionError(
                f"{option('labels', shown)} would move values otherwise than {option('codeword')} counts; "
                f"leave {option('codeword')} out"
            )
        return self.codeword or shown or "midpoint"

    def _default(self, public: Alphabet) -> UtilityName:
        if self.dissimilarity is not None or self.dissimilarities or self.scales:
            return "distortion"
        if public.given_positions is not None:
            return "distortion"
        kinds = [coordinate.kind for coordinate in public.coordinates]
        return "distortion" if len(kinds) > 1 or kinds[0] in ("number", "date", "timestamp") else "resolution"

    def _refuse_distances(self) -> None:
        if self.codeword is not None or self.scales or self.dissimilarities or self.dissimilarity is not None:
            raise OptionError(
                "codewords, scales and dissimilarities belong to distortion; "
                f"use {option('utility', 'distortion')}, or leave them out"
            )


def codeword_of(utility: Utility) -> str | None:
    """Name the codeword of a utility; ``None`` under resolution, and under a cost of one's own."""
    if utility.name == "resolution":
        return None
    found: str | None = getattr(utility, "codeword", None)
    return found


def default_labels(public: Alphabet, shape: str, codeword: str | None) -> Labels:
    """Return how a released value is written where nobody said: bands, several columns and text in words."""
    if len(public.columns) > 1 or shape != "any" or public.coordinates[0].kind in ("text", "boolean"):
        return "range"
    return next((one for one in CODEWORDS if one == codeword), "midpoint")
