"""A table with its roles: who is protected, what is published, what the reader knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict

from hartley.argument_kinds import require_field_kinds
from hartley.errors import OptionError, nearest, option, quoted, require_not_removed
from hartley.model import Alphabet, JointRange, Label
from hartley.model.closeness import Closeness
from hartley.model.demand import Demand, Wanted
from hartley.model.requirement import Requirement, of_each_column
from hartley.tables import ReadOptions, Roles, Table, open_table
from hartley.tables.locations import shown_source
from hartley.tables.read_options import AS_IT_IS
from hartley.tables.roles import require_once
from hartley.tables.value_files import groups_of, read_groups

if TYPE_CHECKING:
    from hartley.releases.policy import Policy

Names = str | Sequence[str]
Missing = Literal["value", "drop"]


class StudyFields(TypedDict, total=False):
    """The fields of a study, as keywords of the one-call forms."""

    sensitive: Names
    jointly: bool
    public: Names
    side: Names
    keep: Names
    harmless: Names
    publish_sensitive: bool
    earlier: Sequence[str | Path | Policy]
    person: str | None
    missing: Missing
    missing_at: float | None
    tolerance: Mapping[str, Any] | float
    groups: Mapping[str, str | Path | Mapping[Label, str]]
    options: ReadOptions | None


@dataclass(frozen=True, eq=False, repr=False)
class StudyTable:
    """A table with its roles, opened when it is needed and closed for sure."""

    source: Any
    _: KW_ONLY
    sensitive: Names = ()
    """Left out where only rows are counted (k-anonymity)."""
    jointly: bool = False
    """Whether several sensitive columns count as one joint value; by default each is protected by itself."""
    public: Names = ()
    side: Names = ()
    keep: Names = ()
    """Published unchanged; what is required holds for a reader who sees them too."""
    harmless: Names = ()
    """Published unchanged and left out of what is required, on the curator's word."""
    publish_sensitive: bool = False
    earlier: Sequence[str | Path | Policy] = ()
    """Policies of earlier releases of the same data."""
    person: str | None = None
    """The column that says whose row it is, where a reader can link the rows of one person."""
    missing: Missing = "value"
    missing_at: float | None = None
    tolerance: Mapping[str, Any] | float = field(default_factory=dict)
    """How far apart two values of a sensitive column must be, more than that, to count as two; a number alone
    is that of a single sensitive column."""
    groups: Mapping[str, str | Path | Mapping[Label, str]] = field(default_factory=dict)
    """Sensitive columns whose values count by group: a file of values and groups, or the groups."""
    options: ReadOptions | None = None
    _held: list[Table] = field(default_factory=list, init=False)
    _is_entered: list[bool] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        require_field_kinds(self)
        for role in ("sensitive", "public", "side", "keep", "harmless"):
            object.__setattr__(self, role, names(getattr(self, role)))
        if self.joint is not None:
            self._take_roles(self.joint)
        if self.jointly and len(self.sensitive) < 2:
            raise OptionError(
                f"{option('jointly')} counts two sensitive columns or more as one value; leave it out"
            )
        if self.missing not in ("value", "drop"):
            raise OptionError.unknown("way with missing cells", self.missing, ("value", "drop"))
        object.__setattr__(self, "earlier", _several(self.earlier))
        object.__setattr__(self, "options", self.options or AS_IT_IS)
        object.__setattr__(self, "tolerance", self._tolerances())
        object.__setattr__(self, "groups", dict(self.groups or {}))
        if self.tolerance:
            Closeness.of(self._tolerances())

    def _tolerances(self) -> dict[str, Any]:
        """Return the tolerance of each column that has one."""
        given = self.tolerance
        if given is None or isinstance(given, Mapping):
            return dict(given or {})
        if len(self.sensitive) != 1:
            raise OptionError(
                f"{option('tolerance')} by itself is of one sensitive column; give a mapping of names"
            )
        return {self.sensitive[0]: given}

    @property
    def joint(self) -> JointRange | None:
        """The joint range that was given in place of a table; ``None`` where there is a table."""
        return self.source if isinstance(self.source, JointRange) else None

    def _take_roles(self, joint: JointRange) -> None:
        """Take the roles of a joint range, which has them already; refuse what asks for rows."""
        given = ("sensitive", "public", "side", "keep", "harmless", "earlier", "person", "missing_at")
        said = [name for name in given if getattr(self, name) not in ((), None)]
        if said or self.missing != "value" or self.publish_sensitive:
            name = (said or ["publish_sensitive" if self.publish_sensitive else "missing"])[0]
            raise OptionError(f"a joint range has its roles already and no rows; leave {option(name)} out")
        side = () if joint.side is None else joint.side.columns
        for role, columns in (
            ("sensitive", joint.sensitive.columns),
            ("public", joint.public.columns),
            ("side", side),
        ):
            object.__setattr__(self, role, columns)

    @property
    def shown_name(self) -> str:
        """The table as messages call it, without passwords: its place, or what kind of frame it is."""
        return (
            shown_source(self.source) if isinstance(self.source, (str, Path)) else type(self.source).__name__
        )

    def __repr__(self) -> str:
        said = [repr(self.shown_name), f"sensitive={self.sensitive!r}"]
        said += [
            f"{role}={getattr(self, role)!r}"
            for role in ("public", "side", "keep", "harmless")
            if getattr(self, role)
        ]
        return f"{type(self).__name__}({', '.join(said)})"

    @property
    def reading(self) -> ReadOptions:
        """How the table is read."""
        return self.options or AS_IT_IS

    @property
    def roles(self) -> Roles:
        """The columns of each role that is measured."""
        return Roles(sensitive=names(self.sensitive), public=names(self.public), side=names(self.side))

    @property
    def roles_given(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """The sensitive, public and side columns that were named; an audit may leave the public ones out."""
        return names(self.sensitive), names(self.public), names(self.side)

    @property
    def named_closeness(self) -> Closeness:
        """The columns that have a tolerance or groups, without looking at their values."""
        return Closeness.of(self._tolerances(), {name: {} for name in self.groups})

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policies of earlier releases."""
        from hartley.releases.policy import Policy

        past = tuple(one if isinstance(one, Policy) else Policy.read(one) for one in self.earlier)
        for policy in past:
            policy.require_known_past()
        return past

    def counting_rows(self, demand: Demand, transparent: Any = None) -> Self:
        """Return the study of rows alone: without a sensitive column, a reader is after the public values.

        Refuse what needs a sensitive column.
        """
        beyond = [one.name for one in demand.requirements if one.name != "row-k"]
        if beyond or not demand.requirements or demand.max_leakage is not None:
            if not beyond and demand.max_leakage is None:
                raise OptionError(
                    f"name a sensitive column with {option('sensitive')} and what must remain possible of it "
                    f"({option('distinct_l', 3)}), or ask for {option('row_k')} alone"
                )
            asked = beyond[0] if beyond else option("max_leakage")
            raise OptionError(
                f"{asked} is about a sensitive column; name one with {option('sensitive')}, or ask for "
                f"{option('row_k')} alone"
            )
        if self.publish_sensitive:
            raise OptionError(
                f"{option('publish_sensitive')} needs a column; name it with {option('sensitive')}"
            )
        if transparent:
            raise OptionError(
                f"{option('transparent')} is about sensitive columns, and rows alone are counted; name one "
                f"with {option('sensitive')}, or leave it out"
            )
        made = replace(self, sensitive=self.public, jointly=len(self.public) > 1)
        object.__setattr__(made, "_held", self._held)
        object.__setattr__(made, "_is_entered", self._is_entered)
        return made

    def by_column(self, requirements: tuple[Requirement, ...], *, each: bool) -> tuple[Requirement, ...]:
        """Return requirements of each sensitive column by itself, unless they count jointly."""
        if len(set(self.sensitive)) < len(self.sensitive):
            require_once("sensitive", self.sensitive)
        if each and self.jointly:
            raise OptionError(f"{option('each')} and {option('jointly')} contradict each other; give one")
        if not each and (self.jointly or len(self.sensitive) < 2):
            return requirements
        return of_each_column(requirements, tuple(self.sensitive), self.named_closeness)

    def demand(self, wanted: Wanted, *, each: bool) -> Demand:
        """Return a demand, of each sensitive column by itself unless they count jointly."""
        demand = Demand.of(wanted)
        return replace(demand, requirements=self.by_column(demand.requirements, each=each))

    @property
    def is_tolerant(self) -> bool:
        """Whether a tolerance or groups say which sensitive values count as one."""
        return bool(self.tolerance or self.groups)

    def closeness(self, sensitive: Alphabet) -> Closeness:
        """Return which sensitive values count as one; raise where the columns do not fit."""
        found = Closeness.of(
            self._tolerances(),
            {
                name: groups_of(
                    sensitive, name, read_groups(given) if isinstance(given, (str, Path)) else given
                )
                for name, given in self.groups.items()
            },
        )
        found.require_fits(sensitive)
        return found

    @contextmanager
    def opened(self) -> Iterator[Table]:
        """Open the table for a while; inside a ``with`` block of the study it is opened once."""
        if self.joint is not None:
            raise OptionError("a joint range has no rows; this needs the table that it is of")
        if self._held:
            yield self._held[0]
            return
        table = open_table(self.source, self.reading)
        if self._is_entered:
            self._held.append(table)
            yield table
            return
        try:
            yield table
        finally:
            table.close()

    def enter(self) -> None:
        """Begin a ``with`` block: once used, the table stays open until the block ends."""
        self._is_entered.append(True)

    def close(self) -> None:
        """End the block, and close the table."""
        self._is_entered.clear()
        self.let_go()

    def let_go(self) -> None:
        """Close the table for now; it is opened again when it is needed."""
        while self._held:
            self._held.pop().close()


def names(given: Names) -> tuple[str, ...]:
    """Take one name or several."""
    if given == ():
        return ()
    found = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in found):
        raise OptionError("columns are given by their names, as text")
    return found


def _several(given: Any) -> tuple[Any, ...]:
    found = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if not found:
        return found
    from hartley.releases.policy import Policy

    if not all(isinstance(one, (str, Path, Policy)) for one in found):
        raise OptionError(f"{option('earlier')} needs policies, or the paths of their files")
    return found


def keywords_of(kind: type) -> set[str]:
    """Return the keywords of a dataclass, or of a mapping of keywords."""
    return {one.name for one in fields(kind) if one.init} if is_dataclass(kind) else {*kind.__annotations__}


def sorted_into(given: Mapping[str, Any], *kinds: type) -> list[dict[str, Any]]:
    """Return the keywords of each kind of value; raise where one belongs to none.

    >>> from hartley.tables import ReadOptions, Roles
    >>> sorted_into({"side": ("a",), "encoding": "latin-1"}, Roles, ReadOptions)
    [{'side': ('a',)}, {'encoding': 'latin-1'}]
    >>> sorted_into({"sid": ("a",)}, Roles)
    Traceback (most recent call last):
    hartley.errors.OptionError: unknown keyword 'sid'; did you mean 'side'?
    """
    if not given:
        return [{} for _ in kinds]
    known = [keywords_of(kind) for kind in kinds]
    for name in given:
        if not any(name in names for names in known):
            require_not_removed(name)
            every = sorted(set().union(*known))
            near = nearest(name, every)
            hint = f"did you mean {near!r}?" if near else f"there are {quoted(every, last=' and ')}"
            raise OptionError(f"unknown keyword {name!r}; {hint}")
    return [{name: value for name, value in given.items() if name in names} for names in known]
