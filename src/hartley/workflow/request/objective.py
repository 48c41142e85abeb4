"""What is weighed against what: a leakage, a utility, a shape of clusters, and who searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias, TypedDict, get_args

from hartley.errors import OptionError, option
from hartley.measures.utility import Utility
from hartley.measures.utility.own import require_size
from hartley.measures.utility.several_columns import ColumnsDistortion
from hartley.model import Alphabet
from hartley.model.shapes.shape import ANY_SHAPE, Shape, ShapeName
from hartley.model.words import (
    LEAKAGES,
    SEARCHES,
    TIES,
    Labels,
    Leakage,
    ObjectiveName,
    SearchName,
    Ties,
    leakage_named,
)
from hartley.workflow.request.column_choices import (
    ColumnChoices,
    Dissimilarities,
    Edges,
    Listed,
    Tree,
    with_distances,
)
from hartley.workflow.request.utility_choice import UtilityChoice, UtilityWord

TransparentName: TypeAlias = Literal["strict", "retry"]
TRANSPARENT: tuple[TransparentName, ...] = get_args(TransparentName)


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


class ObjectiveFields(TypedDict, total=False):
    """The fields of an objective, as keywords of the one-call forms."""

    leakage: Leakage
    utility: UtilityChoice | Utility | UtilityWord | None
    search: SearchName
    ties: Ties
    shape: Shape | ShapeName
    borders: Edges | Mapping[str, Edges] | None
    withhold: Budget | str | int | Sequence[Budget | str | int] | None
    withheld_label: str | None
    objective: ObjectiveName
    weight: Mapping[str, float]
    order: Mapping[str, Listed]
    hierarchy: Mapping[str, Tree]
    prefix: str | Sequence[str]
    dissimilarity: Mapping[str, Dissimilarities]
    transparent: TransparentName | None
    transparent_knows: int
    reference: Any
    keep_together: str | Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Objective:
    """What is weighed against what, and who searches."""

    leakage: Leakage = "l0"
    utility: UtilityChoice | Utility | UtilityWord | None = None
    """What counts as utility: its name, a choice with details, or a utility of one's own."""
    search: SearchName = "optimal"
    ties: Ties = "order"
    """Of equally good merges a greedy search takes that of the earliest values, or what the seed decides."""
    shape: Shape | ShapeName = ANY_SHAPE
    borders: Edges | Mapping[str, Edges] | None = None
    """Where borders may lie; see :class:`Shape`. Of several columns: by column."""
    withhold: Budget | str | int | Sequence[Budget | str | int] | None = None
    """The most rows whose public value may be withheld: a number, or a share such as ``"2%"``; of a frontier
    also several, one after the other."""
    withheld_label: str | None = None
    """What stands in a withheld cell; ``None``: the cell is empty."""
    objective: ObjectiveName = "mean"
    """Over several columns: what is to be small, the mean width of a row's class (of the shape ``columns``:
    of its bands), or the greatest; among equal greatest ones the mean decides."""
    weight: Mapping[str, float] = field(default_factory=dict)
    """How much the detail, or the distances, of a column count beside the others'."""
    order: Mapping[str, Listed] = field(default_factory=dict)
    """For text: its values from least to greatest, or a file of them."""
    hierarchy: Mapping[str, Tree] = field(default_factory=dict)
    """For text: rows of a value, its group, the group of that, or a file of them."""
    prefix: str | Sequence[str] = ()
    """Columns of text that may be cut after its first characters."""
    dissimilarity: Mapping[str, Dissimilarities] = field(default_factory=dict)
    """For text: how unlike two values are, by pairs, or a file of them."""
    transparent: TransparentName | None = None
    """Whether what is required holds for a reader who knows the program as well, and which cuts of the tree
    are tried then: only those that cannot fail, or others too, and more after one has failed."""
    transparent_knows: int = 0
    """How many sensitive values that reader may know besides."""
    reference: Any = None
    """Another table of the same columns, such as last year's, by which the cuts of a tree are chosen."""
    keep_together: str | Sequence[str] = ()
    """Rows of which everybody knows that they mostly share a sensitive value, such as ``age<15``: cuts of a
    tree keep them together with others."""

    @classmethod
    def of_keywords(cls, said: Mapping[str, Any], public: Sequence[str]) -> Objective:
        """Take what is said by keywords; borders ask for bands, of one public column or of each."""
        if said.get("borders") is not None and said.get("shape", "any") == "any":
            said = {**said, "shape": "intervals" if len(public) == 1 else "columns"}
        return cls(**said)

    def __post_init__(self) -> None:
        choices, utility = self.columns, self.choice
        self._require_transparent()
        if isinstance(self.leakage, str):
            object.__setattr__(self, "leakage", leakage_named(self.leakage))
        if self.leakage not in LEAKAGES:
            raise OptionError.unknown("leakage", self.leakage, LEAKAGES)
        if self.search not in SEARCHES:
            raise OptionError.unknown("search", self.search, SEARCHES)
        if self.ties not in TIES:
            raise OptionError.unknown("way to break ties", self.ties, TIES)
        if self.ties != "order" and self.search != "greedy":
            raise OptionError(
                f"{option('ties')} is of {option('search', 'greedy')}; an optimal search has none"
            )
        by_column = isinstance(self.borders, Mapping)
        borders: Any = None if by_column else self.borders
        if by_column and self.shape != "columns" and len(choices.borders) == 1:
            (borders,) = choices.borders.values()
        if not isinstance(self.shape, Shape):
            object.__setattr__(self, "shape", Shape(name=self.shape, borders=borders))
        elif borders is not None:
            # Named beside a whole shape, they have to be of it.
            object.__setattr__(self, "shape", replace(self.shape, borders=borders))
        object.__setattr__(self, "withhold", Budget.several(self.withhold))
        if self.withheld_label is not None and self.clusters.name == "columns":
            raise OptionError(
                f"{option('shape', 'columns')} leaves withheld cells empty; leave "
                f"{option('withheld_label')} out"
            )
        if self.search == "greedy" and not (self.clusters.is_any and self.withholds_nothing):
            raise OptionError(
                f"{option('search', 'greedy')} knows no shapes and withholds no rows; leave it out, or those"
            )
        if self.clusters.name != "tree" and self.is_told:
            name = "reference" if self.reference is not None else "keep_together"
            raise OptionError(
                f"{option(name)} is told to a tree of cuts; say {option('shape', 'tree')} or "
                f"{option('transparent')}"
            )
        if self.clusters.name == "columns":
            self._require_columns(utility)
        elif self.clusters.name == "tree":
            self._require_tree(choices, utility)
        else:
            self._require_one_codebook(choices)

    def _require_transparent(self) -> None:
        """Refuse what would let a reader who knows the program work backwards; the shape is a tree."""
        here = option("transparent")
        knows = self.transparent_knows
        if isinstance(knows, bool) or not isinstance(knows, int) or knows < 0:
            raise OptionError(f"{option('transparent_knows')} needs a whole number from 0 on, not {knows!r}")
        if self.transparent is None:
            if knows:
                raise OptionError(f"{option('transparent_knows')} needs {here}; say that, too")
            return
        if self.transparent not in TRANSPARENT:
            raise OptionError.unknown("way to be transparent", self.transparent, TRANSPARENT)
        if self.shape == "any" or self.shape == ANY_SHAPE:
            object.__setattr__(self, "shape", "tree")
        name = self.shape.name if isinstance(self.shape, Shape) else self.shape
        if name == "intervals":
            raise OptionError(
                f"{here} is proved for {option('shape', 'tree')}, its default, and for "
                f"{option('shape', 'columns')}, also of one column; choose one of them"
            )
        if name == "columns" and any(one.number for one in Budget.several(self.withhold)):
            raise OptionError(
                f"{here} withholds no rows: which rows are left out would tell something; leave "
                f"{option('withhold')} out"
            )
        if name == "columns" and self.objective != "mean":
            raise OptionError(f"{here} goes without {option('objective')}: levels have a rule of their own")

    def _require_tree(self, choices: ColumnChoices, utility: UtilityChoice) -> None:
        """Refuse what a tree does not look at."""
        here = option("shape", "tree")
        others = [one for one in choices.said if one not in ("weight", "order", "hierarchy", "prefix")]
        if others:
            raise OptionError(f"{option(others[0])} has no meaning under {here}; leave it out")
        if self.leakage != "l0":
            raise OptionError(
                f"{here} limits what every class leaves open, not what is certain of the whole release; "
                f"leave {option('leakage')} at l0"
            )
        if not self.withholds_nothing:
            raise OptionError(
                f"{here} withholds no rows: which rows are left out would tell something; leave "
                f"{option('withhold')} out"
            )
        if utility != UtilityChoice(name=utility.name) or utility.name == "resolution":
            raise OptionError(
                f"{here} has a loss of its own, the mean relative width of classes; leave "
                f"{option('utility')}, {option('codeword')} and scales out"
            )

    def _require_one_codebook(self, choices: ColumnChoices) -> None:
        """Refuse what is said about columns and has no meaning where they have one codebook together."""
        if self.clusters.is_any:
            allowed: tuple[str, ...] = ("objective", "weight", "order", "hierarchy", "dissimilarity")
        else:
            allowed = ("order", "hierarchy", *(("borders",) if len(choices.borders) == 1 else ()))
        others = [name for name in choices.said if name not in allowed]
        if others:
            right = "any" if others[0] == "dissimilarity" else "columns"
            raise OptionError(f"{option(others[0])} is of {option('shape', right)}; choose that shape")

    def _require_columns(self, utility: UtilityChoice) -> None:
        """Refuse what has no meaning where each column has a codebook of its own."""
        if self.dissimilarity:
            raise OptionError(f"{option('dissimilarity')} is of {option('shape', 'any')}")
        if self.leakage != "l0":
            raise OptionError(f"{option('shape', 'columns')} is searched for {option('leakage', 'l0')} only")
        if utility != UtilityChoice(name=utility.name) or utility.name == "resolution":
            raise OptionError(
                f"{option('shape', 'columns')} has a loss of its own, the mean relative width of bands; "
                f"leave {option('utility')}, {option('codeword')} and scales out"
            )

    @property
    def is_told(self) -> bool:
        """Whether a tree is told something besides the table before its first cut."""
        return self.reference is not None or bool(self.facts)

    @property
    def facts(self) -> tuple[str, ...]:
        """What everybody knows of rows, as it was given."""
        given = self.keep_together
        return (given,) if isinstance(given, str) else tuple(given or ())

    @property
    def columns(self) -> ColumnChoices:
        """What was said about single columns."""
        return ColumnChoices(
            objective=self.objective,
            weight=dict(self.weight),
            order=dict(self.order),
            hierarchy=dict(self.hierarchy),
            prefix=self.prefix,
            dissimilarity=dict(self.dissimilarity),
            borders=dict(self.borders) if isinstance(self.borders, Mapping) else {},
        )

    @property
    def choice(self) -> UtilityChoice:
        """What was said about utility."""
        given = self.utility
        if isinstance(given, UtilityChoice):
            return given
        return UtilityChoice.named(given) if given is None or isinstance(given, str) else UtilityChoice()

    @property
    def own_utility(self) -> Utility | None:
        """The utility that was given; ``None`` where it was named."""
        given = self.utility
        # Whether something has all methods of a protocol takes far longer to find out than what it is.
        return None if isinstance(given, (UtilityChoice, str)) or not isinstance(given, Utility) else given

    @property
    def clusters(self) -> Shape:
        """Which clusters may be."""
        return self.shape if isinstance(self.shape, Shape) else Shape(name=self.shape)

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """The most rows whose public value may be withheld, one after the other."""
        return Budget.several(self.withhold)

    @property
    def budget(self) -> Budget:
        """The most rows whose public value may be withheld, where there is one answer to it."""
        if len(self.budgets) > 1:
            raise OptionError(f"only a frontier takes several {option('withhold')}; give one")
        return self.budgets[0]

    @property
    def withholds_nothing(self) -> bool:
        """Whether every row keeps a public value."""
        return not any(budget.number for budget in self.budgets)

    def utility_for(self, public: Alphabet, labels: Labels | None = None) -> Utility:
        """Return the utility for these public values, which are released with such ``labels``."""
        if (own := self.own_utility) is not None:
            require_size(own.size, public.size)
            if self.clusters.name in ("columns", "tree"):
                raise OptionError(
                    f"{option('shape', self.clusters.name)} has a loss of its own; leave utility out"
                )
            return own
        if self.clusters.name in ("columns", "tree"):
            if len(public.coordinates) == 1 and public.positions is None:
                return UtilityChoice(name="resolution").for_alphabet(public)
            return ColumnsDistortion.of(public, "midpoint")
        if self.clusters.name == "intervals":
            return self.choice.for_alphabet(public, labels)
        return with_distances(self.choice, self.columns, public).for_alphabet(public, labels)
