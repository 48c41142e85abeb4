"""The policy: everything that is needed to release the same way again, or to check a release.

It holds the codebook and the key of the commitments, so it is confidential. It is JSON
that is read strictly: what is damaged, of another version, or not a function from values to labels
is refused in one line.
"""

from __future__ import annotations

import codecs
import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from sys import intern
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

import hartley
from hartley.documents import POLICY, DocumentKind
from hartley.errors import ColumnError, PolicyError, option
from hartley.releases.canonical import StrictStruct, VersionedDocument
from hartley.releases.cell_text import Cell, Kind, cell_text, is_label, parse_cells, value_texts
from hartley.releases.column_recoding import ColumnBounds, ColumnRecoding
from hartley.releases.tree_document import LevelDocument, TreeDocument

if TYPE_CHECKING:
    from hartley.model import Alphabet
    from hartley.releases.codebook import Codebook

FORMAT = "hartley policy"
VERSION = 2
Unseen = Literal["error", "nearest", "suppress"]
Coding = Literal["midpoint", "centroid", "member", "range", "interval", "set", "bands", "groups", "unchanged"]
"""How a public column is coded."""
TEXT_CODINGS = ("range", "interval", "set", "bands", "groups")
"""Codings whose labels are text, whatever the column's kind."""
_KEY = re.compile("[0-9a-f]{64}")
_COMMA = re.compile("[0-9],[0-9]")
_TARGETS = ("distinct_l", "max_leakage", "largest_cluster", "max_distortion", "utility_weight")
Text = str | None
"""A cell as text; missing is null."""


class MeasuredColumn(StrictStruct, frozen=True, kw_only=True):
    """A column that is measured and not published as it is: sensitive or side information."""

    name: str
    kind: Kind


class RecodedColumn(StrictStruct, frozen=True, kw_only=True):
    """A public column and how it is coded."""

    name: str
    kind: Kind
    coding: Coding

    @property
    def released_kind(self) -> Kind:
        """The kind of the released column: intervals, sets, bands and groups are text."""
        return "text" if self.coding in TEXT_CODINGS else self.kind


class Cluster(StrictStruct, frozen=True, kw_only=True):
    """Public values that share a label; one cell for each public column."""

    label: tuple[Text, ...]
    members: tuple[tuple[Text, ...], ...]

    def __post_init__(self) -> None:
        """Share equal texts: the members of a policy of several columns are millions, their cells few."""
        if len(self.label) > 1:
            shared = tuple(tuple(cell and intern(cell) for cell in member) for member in self.members)
            msgspec.structs.force_setattr(self, "members", shared)


class Reading(StrictStruct, frozen=True, kw_only=True):
    """How the original was read."""

    text: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    encoding: str = "utf-8"
    delimiter: str | None = None
    decimal: Literal[".", ","] = "."
    dates: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """The columns whose dates are not written as ISO has them, and how; not written where there are none."""
    missing_words: tuple[str, ...] = ()
    sheet: str | None = None
    query: str | None = None
    missing: Literal["value", "drop"] = "value"

    @property
    def date_formats(self) -> dict[str, str]:
        """The columns whose dates are not written as ISO has them, and how they are written."""
        return {} if isinstance(self.dates, msgspec.UnsetType) else self.dates


class TextForm(StrictStruct, frozen=True, kw_only=True):
    """How CSV files of a release are written, where that is not with commas, points and UTF-8."""

    delimiter: str = ","
    """Between the cells of a file whose name ends in .csv; files of other names have tabs."""
    decimal: Literal[".", ","] = "."
    """In columns of numbers, and in the labels of :attr:`Policy.comma_labels`."""
    encoding: str = "utf-8"


class StatedRequirement(StrictStruct, frozen=True, kw_only=True):
    """What was asked for, as it was asked for."""

    name: str
    """``distinct-l``, ``separated-l``, ``row-k`` (at least), ``l0``, ``istar`` and the caps (at most)."""
    column: str | None = None
    """The sensitive column that counts by itself; all of them together where there is none."""
    wanted: int | float
    second: int | msgspec.UnsetType = msgspec.UNSET
    """The l of ``recursive-cl``."""


CAPS = ("max-distortion", "largest-cluster")
"""Requirements about the loss and not about a reader."""


class Choices(StrictStruct, frozen=True, kw_only=True):
    """What the curator asked for."""

    target: dict[str, str | int | float]
    requirements: tuple[StatedRequirement, ...] = ()
    """What must hold; where nothing is listed, what the target says."""
    tolerance: dict[str, str] = msgspec.field(default_factory=dict)
    """How far apart two values of a sensitive column must be to count as two: more than that."""
    groups: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    """Which values of a sensitive column count as one: the group of each."""
    withhold: int = 0
    """The most rows whose public value could be withheld."""
    withheld_label: str | None = None
    """What stands in a withheld cell; ``None``: it is empty."""
    leakage: str
    utility: str
    codeword: str | None
    search: str
    shape: str = "any"
    """Which clusters were allowed."""
    labels: str
    missing_at: float | None = None
    keep_order: bool = False
    formulas: Literal["defused"] | msgspec.UnsetType = msgspec.UNSET
    """Whether cells that a spreadsheet would run get a quote before them; not written where they do not."""
    text_form: TextForm | msgspec.UnsetType = msgspec.UNSET
    """How CSV files are written; nothing where it is the usual way."""
    transparent: Literal["strict", "retry"] | msgspec.UnsetType = msgspec.UNSET
    """Which cuts of a tree were tried, where it must hold for a reader who knows the program."""
    transparent_knows: int | msgspec.UnsetType = msgspec.UNSET
    """How many sensitive values that reader may know."""
    known_besides: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Columns that are not published and that reader knows of everybody; not written without any."""
    reference: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the cuts of a tree were chosen by another table, too; not written where they were not."""

    @property
    def defuses_formulas(self) -> bool:
        """Whether text files get a quote before cells that a spreadsheet would run."""
        return self.formulas == "defused"

    @property
    def form(self) -> TextForm:
        """How CSV files are written."""
        return TextForm() if isinstance(self.text_form, msgspec.UnsetType) else self.text_form


class Policy(VersionedDocument, frozen=True, kw_only=True):
    """A codebook with its roles, options and key: what recodes a table, and proves a certificate.

    It holds the values of the public columns and the key of the certificate's commitments, and so stays with
    the curator.

    Examples
    --------
    >>> import hartley, pyarrow, tempfile
    >>> table = pyarrow.table({"age": [30, 41, 41, 52], "chol": [180, 181, 214, 215]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = hartley.release(
    ...         table, f"{folder}/out.csv", sensitive="age", public="chol", require={"distinct_l": 2}
    ...     )
    ...     policy = hartley.Policy.read(made.policy)
    >>> policy.apply(table)["chol"].to_pylist()
    [180.5, 180.5, 214.5, 214.5]
    >>> hartley.Policy.read_json(b'{"format": "hartley policy", "version": 9}', "p.json")
    Traceback (most recent call last):
    hartley.errors.PolicyError: p.json is a policy of version 9; this hartley reads version 2
    """

    file: ClassVar[DocumentKind] = POLICY
    version_here: ClassVar[int] = VERSION
    format: str = FORMAT
    """What kind of file this is."""
    version: int = VERSION
    """Which version of the format."""
    hartley: str
    """Which hartley wrote it."""
    key: str
    """Secret key of the commitments in the certificate, in hexadecimal."""
    columns: tuple[str, ...]
    """The columns of the original, in order."""
    sensitive: tuple[MeasuredColumn, ...]
    """The columns that are protected."""
    public: tuple[RecodedColumn, ...]
    """The columns that are recoded, and how."""
    side: tuple[MeasuredColumn, ...] = ()
    """The columns that the reader knows already."""
    keep: tuple[str, ...] = ()
    """Columns published unchanged, and counted in what is required."""
    harmless: tuple[str, ...] = ()
    """Columns published unchanged and left out of what is required, on the curator's word."""
    untouched_kinds: dict[str, Kind | None] = msgspec.field(default_factory=dict)
    """The kinds of the kept and harmless columns; null where a column has none, such as a list."""
    publish_sensitive: bool = False
    """Whether the sensitive columns are published as well."""
    withheld: int | None = None
    """The cluster whose values are withheld, and released as missing."""
    reading: Reading
    """How the original was read."""
    choices: Choices
    """What was asked for."""
    clusters: tuple[Cluster, ...]
    """The codebook: which values share which label."""
    codebooks: tuple[ColumnRecoding, ...] = ()
    """One codebook for each public column, where each has one; the clusters' labels follow from them."""
    withheld_combinations: tuple[tuple[Text, ...], ...] = ()
    """Combinations of the codebooks' labels that are withheld."""
    tree: TreeDocument | msgspec.UnsetType = msgspec.UNSET
    """The tree of cuts whose classes the clusters are; not written where there is none."""
    boxes: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether clusters list the ends of their classes and not all members, which the tree tells then; not
    written where they list all."""
    levels: LevelDocument | msgspec.UnsetType = msgspec.UNSET
    """The path of levels that led to the codebooks of columns; not written where there is none."""
    bounds: tuple[ColumnBounds, ...] | msgspec.UnsetType = msgspec.UNSET
    """The columns that files have as two, where a class begins and ends; not written where there are none."""
    checksum: str = ""
    """SHA-256 of everything else, so that damage is noticed."""

    def __repr__(self) -> str:
        # Neither the codebook nor the key: what is shown in a notebook is soon passed on.
        public, secret = " and ".join(self.public_names), " and ".join(self.sensitive_names)
        return f"Policy({secret} protected in {public}: {len(self.clusters)} released values)"

    @classmethod
    def of(cls, public: Alphabet, book: Codebook, **fields: Any) -> Policy:
        """Build the policy of a codebook; the key is drawn here."""
        members = value_texts(public)
        clusters = tuple(
            Cluster(label=tuple(map(cell_text, label)), members=tuple(map(members.__getitem__, places)))
            for label, places in zip(book.labels, book.partition.clusters(), strict=True)
        )
        policy = cls(
            hartley=hartley.__version__,
            key=secrets.token_hex(32),
            public=book.columns,
            clusters=(),
            **fields,
        )
        # Through its JSON once, so that what is hashed here is what will be read. The texts of clusters stay
        # as they are there, and here many members share one.
        policy = msgspec.json.decode(msgspec.json.encode(policy), type=cls)
        policy = msgspec.structs.replace(policy, clusters=clusters)
        return msgspec.structs.replace(policy, checksum=policy.content_hash())

    def _require_sound(self, name: str, written: bytes) -> None:
        if self.checksum != self.content_hash(written):
            raise PolicyError(f"{name} is damaged: its content does not match its checksum")
        self._require_sense(name)
        self._require_function(name)

    def content_hash(self, written: bytes | None = None) -> str:
        """Return the SHA-256 of everything but the checksum itself; ``written`` is the text, where known."""
        end, without = (b'"checksum": "%s"\n}\n' % one for one in (self.checksum.encode(), b""))
        text = self.to_json() if written is None else written
        if not text.endswith(end):
            return hashlib.sha256(msgspec.structs.replace(self, checksum="").to_json()).hexdigest()
        # The checksum is the last field, so that all before it stays as it is.
        found = hashlib.sha256(memoryview(text)[: -len(end)])
        found.update(without)
        return found.hexdigest()

    def commitment(self, what: str, content: bytes | Iterable[bytes]) -> str:
        """Return the keyed commitment to some bytes: without the key it says nothing about them.

        ``what`` names what they are, so that a commitment to one thing never passes for one to another.
        """
        code = hmac.new(bytes.fromhex(self.key), f"hartley {what}\n".encode(), digestmod="sha256")
        for piece in (content,) if isinstance(content, bytes) else content:
            code.update(piece)
        return code.hexdigest()

    @property
    def public_names(self) -> tuple[str, ...]:
        """The names of the recoded columns."""
        return tuple(column.name for column in self.public)

    @property
    def sensitive_names(self) -> tuple[str, ...]:
        """The names of the sensitive columns."""
        return tuple(column.name for column in self.sensitive)

    @property
    def side_names(self) -> tuple[str, ...]:
        """The names of the columns of side information."""
        return tuple(column.name for column in self.side)

    @property
    def lists_ends(self) -> bool:
        """Whether clusters list the ends of their classes and not all members."""
        return self.boxes is True

    def require_members(self) -> None:
        """Refuse to recode other rows by a policy that lists the ends of its classes alone."""
        if self.lists_ends:
            raise PolicyError(
                "the policy is of a table that was released where it is, and lists the ends of its classes; "
                "it recodes no other rows: release these anew"
            )

    def require_known_past(self) -> None:
        """Refuse to count a release whose policy does not say which label each value had."""
        if self.lists_ends:
            raise PolicyError(
                "the earlier release is of a table that was released where it is: its policy lists the ends "
                "of its classes, and does not say what a reader of both releases sees; make it anew with "
                f"more memory ({option('memory_limit')})"
            )

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the released table, in the order of the original."""
        named = {*self.public_names, *self.keep, *self.harmless}
        if self.publish_sensitive:
            named.update(self.sensitive_names)
        return tuple(name for name in self.columns if name in named)

    @property
    def bounds_of(self) -> dict[str, ColumnBounds]:
        """The recoded columns that files have as two."""
        return {} if isinstance(self.bounds, msgspec.UnsetType) else {one.column: one for one in self.bounds}

    @property
    def file_columns(self) -> tuple[str, ...]:
        """The columns of the released table as a file names them."""
        return tuple(file for name in self.published for file in self.in_file(name))

    def in_file(self, name: str) -> tuple[str, ...]:
        """Return the columns that a file has for a published one: where it has bounds, two."""
        bounds = self.bounds_of.get(name)
        return (name,) if bounds is None else bounds.names

    @property
    def published_numbers(self) -> tuple[str, ...]:
        """The columns of a file whose cells are numbers in the release as well."""
        kinds: dict[str, Kind | None] = {one.name: one.kind for one in self.sensitive}
        kinds |= self.untouched_kinds | {one.name: one.released_kind for one in self.public}
        for one in self.public:
            if one.name in self.bounds_of:
                kinds |= dict.fromkeys(self.bounds_of[one.name].names, one.kind)
        return tuple(name for name in self.file_columns if kinds.get(name) == "number")

    @property
    def comma_labels(self) -> tuple[str, ...]:
        """The columns of numbers whose labels are text and have decimal commas in a CSV file.

        The policy has points. Where somebody named a label with a comma, all stay as they are named.
        """
        return tuple(
            column.name
            for place, column in enumerate(self.public)
            if self.choices.form.decimal == ","
            and column.name not in self.bounds_of
            and (column.kind, column.released_kind) == ("number", "text")
            and not any(_COMMA.search(one.label[place] or "") for one in self.clusters)
        )

    def shown_beside(self, sensitive: Iterable[str]) -> tuple[str, ...]:
        """Return what this release tells the readers of a later one as it is, beside its labels.

        That is what it kept, and what was sensitive here, was published, and is not sensitive there.
        """
        protected = set(sensitive)
        published = self.sensitive_names if self.publish_sensitive else ()
        return (*self.keep, *(name for name in published if name not in protected))

    @property
    def never_missing(self) -> tuple[str, ...]:
        """The columns in which a missing cell leaves a row out; none where missing is a value."""
        if self.reading.missing != "drop":
            return ()
        return tuple(dict.fromkeys((*self.public_names, *self.sensitive_names, *self.side_names, *self.keep)))

    def read_beside(self, sensitive: Iterable[str]) -> tuple[str, ...]:
        """Return the columns that say what this release tells the readers of a later one."""
        return (*self.public_names, *self.shown_beside(sensitive), *self.harmless, *self.never_missing)

    def member_cells(self) -> list[list[Cell]]:
        """Return the cells of every public value, column by column, cluster after cluster."""
        return [
            parse_cells([member[place] for one in self.clusters for member in one.members], column.kind)
            for place, column in enumerate(self.public)
        ]

    def member_clusters(self) -> list[int]:
        """Return the number of the cluster of every public value, in the same order."""
        return [number for number, cluster in enumerate(self.clusters) for _ in cluster.members]

    def entries(self) -> list[tuple[tuple[Cell, ...], int]]:
        """Return every public value with the number of its cluster."""
        return list(zip(zip(*self.member_cells(), strict=True), self.member_clusters(), strict=True))

    @property
    def requirements(self) -> tuple[StatedRequirement, ...]:
        """What must hold for the reader of the recoded and kept columns, and of earlier releases."""
        return tuple(one for one in self._asked() if one.name not in CAPS)

    @property
    def caps(self) -> tuple[StatedRequirement, ...]:
        """What must hold of the loss."""
        return tuple(one for one in self._asked() if one.name in CAPS)

    def _asked(self) -> tuple[StatedRequirement, ...]:
        return self.choices.requirements or self._by_target()

    def _by_target(self) -> tuple[StatedRequirement, ...]:
        choices = self.choices
        number = choices.target.get("number")
        if not isinstance(number, int | float):
            return ()
        kinds = {"distinct_l": "distinct-l", "max_leakage": "istar" if choices.leakage == "istar" else "l0"}
        kinds |= {cap.replace("-", "_"): cap for cap in CAPS}
        kind = kinds.get(str(choices.target.get("kind")))
        asked = () if kind is None else (StatedRequirement(name=kind, wanted=number),)
        # Under the leakage called joint nothing at all may be certain.
        return (*asked, *((StatedRequirement(name="istar", wanted=0),) if choices.leakage == "joint" else ()))

    def treatment(self, name: str) -> str:
        """Say how a column of the original is treated."""
        if name in self.public_names:
            return "recoded"
        if name in self.keep:
            return "kept"
        if name in self.harmless:
            return "harmless"
        if name in self.sensitive_names:
            return "sensitive, published" if self.publish_sensitive else "sensitive, withheld"
        return "withheld"

    def apply(self, frame: Any, *, unseen: Unseen = "error") -> Any:
        """Release a data frame by this codebook; gives back the same kind of frame, rows in their order."""
        from hartley.releases.apply import apply_to_frame

        self.require_members()
        return apply_to_frame(self, frame, unseen)

    def require_columns(self, columns: Iterable[str], name: str) -> None:
        """Refuse a table that lacks a column this policy is about."""
        there = set(columns)
        needed = (*self.public_names, *self.keep, *self.harmless)
        if self.publish_sensitive:
            needed += self.sensitive_names
        lacking = [column for column in needed if column not in there]
        if lacking:
            raise ColumnError(f"the policy was made for other columns: {name} has no column {lacking[0]!r}")

    def _require_sense(self, name: str) -> None:
        """Refuse roles of columns that are not there or stand twice, a weak key, an unknown encoding."""
        roles = (self.columns, self.public_names, self.sensitive_names, self.side_names)
        named = (*roles, (*self.keep, *self.harmless))
        if any(len(set(names)) < len(names) or not set(names) <= set(self.columns) for names in named):
            raise PolicyError(f"{name} is damaged: a column stands in it twice, or is not in the table")
        label = self.choices.withheld_label
        if self.withheld is not None and not (
            0 <= self.withheld < len(self.clusters)
            and all(
                is_label(cell, label, column.kind)
                for cell, column in zip(self.clusters[self.withheld].label, self.public, strict=False)
            )
        ):
            raise PolicyError(f"{name} is damaged: what is withheld is released all the same")
        if (self.codebooks or self.choices.shape == "columns") and (
            tuple(one.column for one in self.codebooks) != self.public_names
            or not all(
                one.is_sound(column.kind) for one, column in zip(self.codebooks, self.public, strict=True)
            )
        ):
            raise PolicyError(f"{name} is damaged: the codebook of a column is missing, or is no function")
        target = self.choices.target
        is_trivial = (target.get("kind"), target.get("number")) == ("distinct_l", 1)
        if target.get("kind") not in _TARGETS or not (
            is_trivial or set(self._by_target()) <= set(self._asked())
        ):
            raise PolicyError(f"{name} is damaged: its target is not among what it requires")
        if _KEY.fullmatch(self.key) is None:
            raise PolicyError(f"{name} is damaged: its key is not one that a release makes")
        form = self.choices.form
        try:
            "".encode(form.encoding)
            codecs.lookup(self.reading.encoding)
        except (LookupError, ValueError):
            raise PolicyError(f"{name} is damaged: an encoding that it names is unknown") from None
        if len(form.delimiter) != 1 or not form.delimiter.isascii() or form.delimiter in '"\r\n\0':
            raise PolicyError(f"{name} is damaged: no CSV file has the delimiter that it names")

    def _require_function(self, name: str) -> None:
        width = len(self.public)
        labels = [cluster.label for cluster in self.clusters]
        are_told_apart = len(set(labels)) == len(labels) and all(one.members for one in self.clusters)
        if not are_told_apart or any(len(label) != width for label in labels):
            raise PolicyError(f"{name} is damaged: two clusters share a label, or one has none")
        members = [member for cluster in self.clusters for member in cluster.members]
        if not set(map(len, members)) <= {width} or len(set(members)) < len(members):
            raise PolicyError(f"{name} is damaged: a value stands in two clusters")
        try:
            for place, column in enumerate(self.public):
                parse_cells([label[place] for label in labels], column.released_kind)
            self.member_cells()
        except (ValueError, KeyError):
            raise PolicyError(f"{name} is damaged: a cell is not of its column's kind") from None
        if not self.clusters or not width:
            raise PolicyError(f"{name} is damaged: it has no clusters")
        self._require_bounds(name)

    def _require_bounds(self, name: str) -> None:
        """Refuse bounds of other columns, under names that are taken, or that do not tell labels apart."""
        pairs, files = self.bounds_of, [file.casefold() for file in self.file_columns]
        places = {column.name: place for place, column in enumerate(self.public)}
        listed = 0 if isinstance(self.bounds, msgspec.UnsetType) else len(self.bounds)
        is_sound = len(pairs) == listed and set(pairs) <= set(places)
        if not is_sound or (pairs and len(set(files)) < len(files)):
            raise PolicyError(f"{name} is damaged: a column of bounds stands in it twice, or is not recoded")
        for column, pair in pairs.items():
            coded, labels = self.public[places[column]], {one.label[places[column]] for one in self.clusters}
            if self.codebooks:
                labels |= {band.label for band in self.codebooks[places[column]].bands}
            if not pair.is_sound(coded.kind, labels, is_unchanged=coded.coding == "unchanged"):
                raise PolicyError(f"{name} is damaged: the bounds of a column do not tell its labels apart")
