"""Which option stands in which group of the help."""

from __future__ import annotations

GROUPS: dict[str, tuple[str, ...]] = {
    "Columns": ("sensitive", "public", "side", "keep", "harmless", "publish_sensitive", "person", "earlier"),
    "Requirements": (
        "distinct_l",
        "separated_l",
        "row_k",
        "max_leakage",
        "require",
        "each",
        "tolerance",
        "groups",
        "accept_exposure",
        "accept_unmet",
    ),
    "Utility": (
        "utility",
        "max_distortion",
        "largest_cluster",
        "codeword",
        "combine",
        "scales",
        "weights",
        "weight",
        "objective",
        "lose_at_most",
        "utility_weight",
        "leakage",
        "stochastic",
        "search",
        "time_limit",
        "seed",
    ),
    "Shape": (
        "shape",
        "borders",
        "offset",
        "equal_width",
        "open_ends",
        "bands",
        "order",
        "orders",
        "hierarchy",
        "hierarchies",
        "neighbours",
        "dissimilarity",
        "prefix",
        "withhold",
        "withheld_label",
        "unseen",
    ),
    "Output": (
        "output",
        "original",
        "labels",
        "policy",
        "certificate",
        "no_certificate",
        "record",
        "key",
        "public_key",
        "to",
        "dialect",
        "into",
        "into_database",
        "keep_order",
        "overwrite",
        "defuse_formulas",
        "plot",
        "trace",
        "audience",
        "disclosive",
        "as_json",
    ),
    "Reading": (
        "delimiter",
        "decimal",
        "missing_words",
        "encoding",
        "text",
        "number",
        "missing",
        "missing_at",
        "sheet",
        "query",
        "memory_limit",
        "counts",
        "table",
        "data",
        "download",
    ),
}
"""The groups in the order of the help, and the options of each in theirs."""

OTHER = "Options"
"""The group of what stands in none, such as ``--help``."""


def group_of(name: str) -> str:
    """Return the group of an option.

    >>> group_of("sensitive"), group_of("help")
    ('Columns', 'Options')
    """
    return next((group for group, names in GROUPS.items() if name in names), OTHER)


def place_in_group(name: str) -> int:
    """Return the place of an option in its group."""
    names = GROUPS.get(group_of(name), ())
    return names.index(name) if name in names else len(names)
