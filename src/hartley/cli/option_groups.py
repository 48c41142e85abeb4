"""The groups of options in the help, and the options that most people need."""

from __future__ import annotations

GROUPS: dict[str, tuple[str, ...]] = {
    "Columns": ("sensitive", "public", "side", "keep", "harmless", "publish_sensitive", "person", "earlier"),
    "Requirements": (
        "distinct_l",
        "separated_l",
        "row_k",
        "max_leakage",
        "require",
        "jointly",
        "each",
        "tolerance",
        "groups",
        "accept_exposure",
        "accept_identifier",
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
        "transparent",
        "transparent_knows",
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
        "require_signature",
        "require_record",
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

USUAL: dict[str, tuple[str, ...]] = {
    "audit": (
        "sensitive",
        "public",
        "side",
        "person",
        "require",
        "tolerance",
        "each_column",
        "disclosive",
        "as_json",
        "delimiter",
        "decimal",
        "sheet",
    ),
    "frontier": (
        "sensitive",
        "public",
        "keep",
        "leakage",
        "require",
        "tolerance",
        "shape",
        "borders",
        "withhold",
        "time_limit",
        "plot",
        "as_json",
    ),
    "release": (
        "sensitive",
        "public",
        "keep",
        "publish_sensitive",
        "person",
        "distinct_l",
        "row_k",
        "tolerance",
        "shape",
        "transparent",
        "borders",
        "withhold",
        "key",
        "overwrite",
    ),
    "compare": (
        "sensitive",
        "public",
        "keep",
        "distinct_l",
        "row_k",
        "require",
        "tolerance",
        "withhold",
        "shape",
        "plot",
        "as_json",
    ),
    "report": (
        "sensitive",
        "public",
        "keep",
        "distinct_l",
        "row_k",
        "shape",
        "borders",
        "withhold",
        "output",
        "audience",
        "disclosive",
        "overwrite",
    ),
}
"""The options that most people need of the commands that have many; ``--help`` shows these."""

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
