"""Numbers as plain words for the person whose data it is.

First the verdict on a table, in one word, one colour and one sentence about people; then what is left, also
when values that lie close to each other count as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hartley.errors import Say, in_python, option, worded
from hartley.report.words.verdict import Headline, colour_of, worst_colour

if TYPE_CHECKING:
    from hartley.frontiers import Frontier, Point
    from hartley.measures.audit import Audit, Role
    from hartley.measures.by_column import ColumnLeft
    from hartley.measures.certain.robust_overlap import RobustOverlap
    from hartley.measures.verdicts import ToleranceMeasures
    from hartley.model import JointRange
    from hartley.model.closeness import Closeness
    from hartley.workflow.audit_table import AuditResult


_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

LONG_NAME = 12
"""Letters of a column's name that fit into a narrow table."""


def bits(value: float) -> str:
    """Return a number of bits.

    >>> bits(5.247927513443585), bits(0.0), bits(1.0)
    ('5.25 bits', '0 bits', '1 bit')
    """
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{shown} bit" if shown == "1" else f"{shown} bits"


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Return a number of things.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {things or thing + 's'}"


def named(role: Role) -> str:
    """Name the columns of a role.

    >>> from hartley.measures.audit import Role
    >>> named(Role(("age", "sex"), 3))
    'age and sex'
    """
    return listed(role.columns)


def listed(columns: Sequence[str]) -> str:
    """Name a few columns, count many.

    >>> listed(["age"]), listed(["age", "sex", "pain"])
    ('age', 'age, sex and pain')
    """
    *most, last = columns
    if len(most) > 4:
        return f"{len(columns)} columns together"
    return f"{', '.join(most)} and {last}" if most else last


def told_by(columns: Sequence[str]) -> str:
    """Say what columns tell, to read on from "beyond".

    >>> told_by(["age"]), told_by(["age", "sex"])
    ('what age tells', 'what age and sex tell')
    """
    return f"what {listed(columns)} {'tells' if len(columns) == 1 else 'tell'}"


def values_of(number: int, columns: Sequence[str]) -> str:
    """Return a number of values of some columns.

    >>> values_of(37, ["age"]), values_of(1, ["age"]), values_of(2, ["wage"]), values_of(1, ["age", "wage"])
    ('37 ages', '1 age', '2 values of wage', '1 combination of age and wage')
    """
    from hartley.model.words import NOUNS

    if len(columns) > 1:
        named_columns = f"{len(columns)} columns" if len(columns) > 5 else listed(columns)
        return f"{counted(number, 'combination')} of {named_columns}"
    if columns[0] in NOUNS:
        return f"{number:,} {columns[0] if number == 1 else NOUNS[columns[0]][0]}"
    return f"{counted(number, 'value')} of {columns[0]}"


def people(part: int, whole: int) -> str:
    """Return how many of all people, to begin a sentence with.

    >>> people(97, 300), people(300, 300), people(1, 300), people(1, 1)
    ('97 of 300 people', 'All 300 people', '1 of 300 people', 'The only person')
    """
    if part == whole:
        return "The only person" if whole == 1 else f"All {whole:,} people"
    return f"{part:,} of {whole:,} people"


def worst_case(audit: Audit) -> str:
    """Say whom the public columns expose most: how many people, then how many values.

    The side information, where there is some, is what the reader knew before, and the leakage is what
    the public columns add to it.
    """
    secret, public = named(audit.sensitive), named(audit.public)
    by_whom = "" if audit.side is None else f" by anyone who knows {named(audit.side)}"
    who = people(audit.narrowest_rows, audit.rows)
    if audit.sensitive.values == 1:
        return (
            f"There is only one value of {secret} in the table: anyone who knows that a person is in it "
            f"knows their {secret}."
        )
    if audit.independent:
        return _independent(audit)
    added = "" if audit.side is None else _added(audit)
    if audit.distinct_l == 1:
        return (
            f"{who} can have their exact {secret} read off from {public}{by_whom} "
            f"({_occurring(audit)}).{added}"
        )
    left = f"{audit.distinct_l:,} of the {values_of(audit.sensitive.values, audit.sensitive.columns)}"
    verb = "is" if audit.narrowest_rows == 1 or who == "The only person" else "are"
    return (
        f"No one's exact {secret} can be read off from {public}{by_whom}. {who} {verb} left with only {left} "
        f"({_occurring(audit)}).{added}"
    )


def _independent(audit: Audit) -> str:
    secret, public = named(audit.sensitive), named(audit.public)
    thing = "value" if len(audit.public.columns) == 1 else "combination"
    if audit.side is None:
        return f"No {thing} of {public} rules out any {secret}: without statistics, a reader learns nothing."
    known, leaves = named(audit.side), _verb("leave", audit.side)
    return (
        f"No {thing} of {public} rules out any {secret} that {known} {leaves} possible: without "
        f"statistics, a reader who knows {known} learns nothing new."
    )


def _verb(verb: str, role: Role) -> str:
    """Return a verb as it follows the columns of a role: one column leaves, two leave."""
    return f"{verb}s" if len(role.columns) == 1 else verb


def _occurring(audit: Audit) -> str:
    """Say how many public values are to blame, to stand in brackets."""
    some, every = audit.narrowest_count, audit.observations
    is_one_column = audit.side is None and len(audit.public.columns) == 1
    thing = "value" if is_one_column else "combination"
    exact = audit.distinct_l == 1
    # Where the sentence before ends with the sensitive column, "its" would be taken for that.
    of = f" of {named(audit.public)}" if is_one_column and not exact else ""
    things = f"{some:,} of {'its' if is_one_column and exact else 'the'} {counted(every, thing)}{of}"
    if some == every:
        things = f"{'the' if of else 'its'} only {thing}{of}" if every == 1 else f"every {thing}{of}"
    verb = "occurs" if some in (1, every) else "occur"
    one = f"one {values_of(1, audit.sensitive.columns).removeprefix('1 ')} only"
    return f"{things} {verb} with {one if exact else 'so few'}"


def _added(audit: Audit) -> str:
    """Say what the public columns add to what the reader knew."""
    known = "" if audit.side is None else named(audit.side)
    leave, share = _verb("leave", audit.public), _share(audit.l0_bits)
    return f" At worst, {named(audit.public)} {leave} {share} of the values that {known} left possible."


def worst_bits(audit: Audit) -> str:
    """Say what the bits of the worst case are of."""
    if audit.side is not None:
        return f"The most exposed person reveals so much beyond {told_by(audit.side.columns)}."
    values = values_of(audit.sensitive.values, audit.sensitive.columns)
    return f"It takes {bits(audit.h0_bits)} to single out one of {values}."


def for_certain(audit: Audit) -> str:
    """Say what is known for certain."""
    if audit.components == 1:
        return "No reader can sort everyone into groups with certainty" + (
            "; individuals may still be exposed." if not audit.independent else "."
        )
    return (
        f"Every reader can sort everyone with certainty into {audit.components:,} groups of "
        f"{named(audit.sensitive)} that are never confused."
    )


def robust_overlap(found: RobustOverlap) -> list[str]:
    """Say what is told apart when small overlaps do not count, and by how few rows groups hang together."""
    groups, shared = counted(found.components, "group"), counted(found.least_shared, "sensitive value")
    lines = [
        f"Counting only released values that share at least {shared}, there "
        f"{'is' if found.components == 1 else 'are'} {groups} ({bits(found.bits)})."
    ]
    weakest = found.weakest
    if weakest is None:
        return [*lines, "No removal of rows splits a group that is confused now."]
    least, most = weakest.least or 0, weakest.most or 0
    rows = counted(most, "row") if least == most else f"between {least:,} and {counted(most, 'row')}"
    lines.append(
        f"Without {rows} of {counted(weakest.rows, 'row')}, a group that nobody can sort today falls into "
        "two that every reader tells apart with certainty."
    )
    return lines


def at_least(audit: Audit) -> str:
    """Say what even the least telling value reveals."""
    secret, public = named(audit.sensitive), named(audit.public)
    if audit.side is not None:
        known = named(audit.side)
        if audit.i0_bits == 0:
            rules, leaves = _verb("rule", audit.public), _verb("leave", audit.side)
            return f"For some people, {public} {rules} out no {secret} that {known} {leaves} possible."
        leaves, share = _verb("leave", audit.public), _share(audit.i0_bits)
        return f"For everyone, {public} {leaves} no more than {share} of what {known} left possible."
    is_one_column = len(audit.public.columns) == 1
    if audit.i0_bits == 0:
        things = f"{public} values" if is_one_column else f"combinations of {public}"
        return f"Some {things} rule out no {secret} at all."
    gone = audit.sensitive.values - round(2**audit.h0_given_public_bits)
    every = values_of(audit.sensitive.values, audit.sensitive.columns)
    thing = f"{public} value" if is_one_column else f"combination of {public}"
    return f"Every {thing} rules out at least {gone:,} of the {every}."


def _share(bits: float) -> str:
    """Say as a share what so many bits of leakage leave of the candidates.

    >>> _share(1.0), _share(5.25)
    ('50 %', '2.6 %')
    """
    return f"{100 * 2.0**-bits:.2g} %"


def candidates_left(audit: Audit, who: str = "row") -> str:
    """Say how many values the most telling observation leaves, and how many share the rarest."""
    left = values_of(audit.distinct_l, audit.sensitive.columns)
    verb = "remains" if audit.distinct_l == 1 else "remain"
    thing = "value" if len(audit.public.columns) == 1 and audit.side is None else "combination"
    only = "only " if audit.row_k == 1 else ""
    shares = "appears in" if who == "row" else "is that of"
    return (
        f"For the most exposed, {left} {verb} possible (distinct l-diversity: l = {audit.distinct_l:,}). "
        f"The rarest {thing} {shares} {only}{counted(audit.row_k, who)} "
        f"(k-anonymity: k = {audit.row_k:,})."
    )


LONGEST_CELL = 200
"""Characters of a cell that are shown; nobody reads more of them in a table."""


def cell(value: Any) -> str:
    """Show a cell; a missing one as a word, the beginning of a very long one.

    >>> cell("a" * 1000)[-23:]
    'aaa… (1,000 characters)'
    """
    text = "(missing)" if value is None else str(value)
    if len(text) > LONGEST_CELL:
        text = f"{text[:LONGEST_CELL]}… ({len(text):,} characters)"
    return visible(text)


def visible(text: str) -> str:
    r"""Show what would otherwise steer the terminal, break the line or turn the writing round.

    Names and cells come from strangers.

    >>> print(visible("a\x1b[31m\nb"))
    a\x1b[31m\nb
    """
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def digits(value: float, most: int = 6) -> str:
    """Write a number with so many digits, and all of those before its point.

    >>> digits(2509.6, 3), digits(10_907.5, 4), digits(1_250_000), digits(18.5), digits(0.04723, 3)
    ('2,510', '10,908', '1,250,000', '18.5', '0.0472')
    """
    if not min(10**most, 1_000) - 0.5 <= abs(value) < 1e15:
        return f"{value:.{most}g}"
    written = f"{value:,.{max(0, most - len(str(int(abs(value)))))}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def number(value: Any) -> str:
    """Show a number of any kind; what is infinite as a word.

    >>> number(0.08503401), number(3), number(None), number(True), number(12345.6)
    ('0.085', '3', 'infinite', 'yes', '12,346')
    """
    if value is None:
        return "infinite"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return digits(value, 3) if isinstance(value, float) else str(value)


def frontier_title(joint: JointRange, table: str | None = None) -> str:
    """Return the title of a frontier: its table and its columns.

    >>> from hartley.examples import toy
    >>> frontier_title(toy(), "toy.csv")
    'toy.csv: what protecting sensitive costs in public'
    """
    what = f"what protecting {listed(joint.sensitive.columns)} costs in {listed(joint.public.columns)}"
    return f"{what[0].upper()}{what[1:]}" if table is None else f"{table}: {what}"


def proof(point: Point) -> str:
    """Say whether a point is proven to be best, or how far a bound lies below it."""
    if point.proven_optimal:
        return "proven"
    if point.lower_bound_bits is None:
        return "-"
    return f"gap {point.leakage_bits - point.lower_bound_bits:.2f}"


def point_meaning(point: Point, frontier: Frontier, columns: Sequence[str]) -> str:
    """Say in a few words what a point means for the people in the table."""
    if frontier.leakage == "istar":
        if point.groups == 1:
            return "no one is sorted for certain"
        return f"everyone sorted into {point.groups:,}"
    if point.distinct_l == 1:
        return "someone is fully exposed"
    if len(columns) > 1 or len(columns[0]) > LONG_NAME:
        return f"{point.distinct_l:,} or more values for all"
    return f"{values_of(point.distinct_l, columns)} or more for all"


def headline(
    audit: Audit, *, holds: bool = True, left: Sequence[ColumnLeft] = (), jointly: bool = False
) -> Headline:
    """Return the verdict on a table or a release: who is exposed, and how much.

    ``holds`` tells whether everything that was asked for holds; ``left`` is of each sensitive column by
    itself, and ``jointly`` whether combinations of several count all the same.

    >>> from hartley.examples import toy
    >>> from hartley.measures.audit import measure
    >>> headline(measure(toy())).word
    'EXPOSED'
    """
    if len(left) < 2 or jointly:
        colour = colour_of(audit.distinct_l, audit.sensitive.values, holds=holds)
        return Headline(colour, worst_case(audit)).beside(alone_exposed(left, named(audit.public)))
    return Headline(
        worst_colour(left, holds=holds), f"{_exposed(left, named(audit.public))} {each_left(left)}"
    )


def _exposed(left: Sequence[ColumnLeft], public: str) -> str:
    exposed = [one for one in left if one.distinct_l == 1]
    if not exposed:
        return f"No one's exact {_either([one.column for one in left])} can be read off from {public}."
    return " ".join(
        f"{people(one.narrowest_rows, one.people)} can have their exact {one.column} read off from {public}."
        for one in exposed
    )


def alone_exposed(left: Sequence[ColumnLeft], public: str) -> str:
    """Say whose value of one column can be read off though no combination can; nothing where nobody's."""
    if len(left) < 2 or all(one.distinct_l > 1 for one in left):
        return ""
    return f"Combinations are counted, not each column: {_exposed(left, public)}"


def _either(columns: Sequence[str]) -> str:
    return f"{', '.join(columns[:-1])} or {columns[-1]}"


def each_left(left: Sequence[ColumnLeft]) -> str:
    """Say how many values of each sensitive column the most exposed person is left with."""
    counts = [f"{one.distinct_l:,} of {values_of(one.values, [one.column])}" for one in left]
    return f"Left for the most exposed, each by itself: {', '.join(counts)}."


def likeliest_guess(left: Sequence[ColumnLeft], say: Say = in_python, who: str = "row") -> str:
    """Say how sure the best guess is in the worst class, and how close the candidates of many rows lie.

    ``say`` words the options that ask for more, ``who`` is what is counted.
    """
    said = []
    for one in left:
        share, of = f"{100 * one.guess_share:.3g} %", counted(one.guess_rows, who)
        said.append(f"In the worst class {share} have the same {one.column} ({of}).")
        if one.close_rows and one.close_width and one.distinct_l > 1:
            near = _few_or(100 * one.close_rows / one.rows)
            width = float(f"{one.close_width:.3g}")  # three digits, and no exponent up to a million
            said.append(
                f"For {near} of the {who}s all candidates for {one.column} lie within 5 % of its range; ask "
                f"a release for values that are apart ({option('tolerance', f'{one.column}={width:g}')} "
                f"{option('separated_l', 3)})."
            )
    return worded(" ".join(said), say)


def _few_or(percent: float) -> str:
    return "less than 1 %" if percent < 1 else f"{percent:.3g} %"


def identifier_warning(result: AuditResult) -> str | None:
    """Name the columns that look like names or identifiers; nothing where there is none."""
    if not result.identifiers:
        return None
    names = listed(list(result.identifiers))
    if len(result.identifiers) == 1:
        return f"{names} looks like {result.identifiers[names]}. Do not publish it."
    return f"{names} look like names or numbers of persons. Do not publish them."


def candidates_apart(
    measured: ToleranceMeasures, sensitive: Sequence[str], public: Sequence[str], closeness: Closeness
) -> str:
    """Say how many values that are apart everyone is left with, of how many.

    >>> from hartley.measures.verdicts import ToleranceMeasures
    >>> from hartley.model import JointRange, Alphabet
    >>> joint = JointRange.from_codes(
    ...     public_codes=[0, 0, 1, 1, 1],
    ...     sensitive_codes=[0, 2, 0, 1, 2],
    ...     public=Alphabet.of_values([180, 190], ("chol",)),
    ...     sensitive=Alphabet.of_values([41, 43, 52], ("age",)),
    ... )
    >>> from hartley.model.closeness import Closeness
    >>> close = Closeness.of({"age": 4})
    >>> candidates_apart(ToleranceMeasures.of(joint, close), ["age"], ["chol"], close)
    'Whatever the chol, at least two ages more than 4 years apart remain possible (the table has 2).'
    """
    named = listed(public)
    from hartley.model.requirement import Requirement

    apart = Requirement("separated-l", max(measured.separated_l, 2)).sentence(sensitive, closeness)
    if measured.separated_l < 2:
        none = apart.removeprefix("at least two ")
        return (
            f"For some {named} no two {none} remain possible (the table has {measured.separated_values:,})."
        )
    return f"Whatever the {named}, {apart} remain possible (the table has {measured.separated_values:,})."
