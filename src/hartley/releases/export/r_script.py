"""A recoding as a script for R, without packages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hartley.releases.cell_text import Kind
from hartley.releases.export.recoding import ColumnRule, JointRule, TableRecoding, Treatment
from hartley.releases.policy import Text

HEAD = """# The recoding of a hartley policy for R. It holds the codebook: keep it as secret as the policy.
# hartley_recode(d) takes a data frame and returns what is published of it. From the command line:
#   Rscript THIS_FILE IN.csv OUT.csv
# An empty cell of a CSV file is missing; R cannot tell it from an empty text.

hartley_value <- function(x, kind) {
  if (kind == "number") { x <- suppressWarnings(as.numeric(as.character(x))); x[is.nan(x)] <- NA; return(x) }
  if (kind == "boolean") return(tolower(as.character(x)))
  if (kind == "date") return(ifelse(is.na(x), NA, format(as.Date(x))))
  if (kind == "timestamp") return(sub("T", " ", as.character(x), fixed = TRUE))
  enc2utf8(as.character(x))
}

hartley_line <- function(x, kind) {
  if (kind == "number") return(x)
  if (kind == "date") return(as.numeric(as.Date(x)))
  as.numeric(as.POSIXct(sub("+00:00", "", x, fixed = TRUE), tz = "UTC"))
}

hartley_refuse <- function(n) if (n > 0) {
  stop(n, " rows hold public values that the policy has never seen", call. = FALSE)
}
"""
FOOT = """
arguments <- commandArgs(trailingOnly = TRUE)
if (sys.nframe() == 0 && length(arguments) == 2) {
  d <- read.csv(arguments[1], colClasses = "character", na.strings = "", check.names = FALSE,
    encoding = "UTF-8", strip.white = FALSE)
  d <- hartley_recode(d)
  # A missing cell of a single column is written as "": a line without anything is no row to most readers.
  nothing <- if (ncol(d) == 1) '""' else ""
  write.csv(d, arguments[2], row.names = FALSE, na = nothing, fileEncoding = "UTF-8")
}
"""


def r_script(recoding: TableRecoding) -> str:
    """Return the script."""
    lines = [HEAD, "hartley_recode <- function(d) {"]
    for name, kind in recoding.present:
        lines.append(
            f"  d <- d[!is.na(hartley_value(d[[{text(name)}]], {text(kind or 'text')})), , drop = FALSE]"
        )
    lines.append("  out <- d")
    for rule in recoding.rules:
        lines += _joint(rule) if isinstance(rule, JointRule) else _column(rule)
    if recoding.combinations is not None:
        lines += _combinations(recoding.combinations)
    if not recoding.keeps_order:
        lines.append("  out <- out[sample(nrow(out)), , drop = FALSE]")
    lines.append(f"  out <- out[, {_vector(recoding.published)}, drop = FALSE]")
    lines += ["  rownames(out) <- NULL", "  out", "}", FOOT]
    return "\n".join(lines)


def _column(rule: ColumnRule) -> list[str]:
    column = rule.column
    name, kind = text(column.name), column.kind
    lines = [
        f"  x <- hartley_value(d[[{name}]], {text(kind)})",
        f"  at <- match(x, {_values([value for value, _ in rule.entries], kind)})",
        "  found <- !is.na(at) & !is.na(x)",
        f"  label <- {_vector([label for _, label in rule.entries])}[at]",
        f"  rest <- is.na(x); {_outcome(rule.missing, name, 'rest')}; found <- found | rest",
    ]
    for start, label in rule.beginnings:
        lines.append(f"  rest <- !found & startsWith(x, {text(start)}); label[rest] <- {text(label)}")
        lines.append("  found <- found | rest")
    if rule.ranges:
        starts = [one.start for one in rule.ranges if one.start is not None]
        first = 1 if rule.ranges[0].start is None else 0
        lines += [
            f"  cuts <- hartley_line({_values(starts, kind)}, {text(kind)})",
            f"  at <- hartley_line(x, {text(kind)})",
            f"  band <- findInterval(at, cuts) + {first}",
            "  rest <- !found & band > 0",
        ]
        if rule.ranges[-1].stop is not None:
            stop = _values([rule.ranges[-1].stop], kind)
            lines.append(f"  rest <- rest & at < hartley_line({stop}, {text(kind)})")
        lines.append(f"  label[rest] <- {_vector([one.label for one in rule.ranges])}[band[rest]]")
        lines.append("  found <- found | rest")
    lines.append(f"  rest <- !found; {_outcome(rule.otherwise, name, 'rest')}")
    lines.append(f"  out[[{name}]] <- label")
    return lines


def _outcome(outcome: Treatment, name: str, rows: str) -> str:
    if outcome.does == "refuse":
        return f"hartley_refuse(sum({rows}))"
    if outcome.does == "keep":
        return f"label[{rows}] <- as.character(d[[{name}]][{rows}])"
    return f"label[{rows}] <- {text(outcome.text)}"


def _joint(rule: JointRule) -> list[str]:
    """Look up the values of all columns together."""
    lines, place_of_row = _looked_up(rule, "d")
    lines.append(f"  at <- {place_of_row}")
    if rule.unseen == "nearest":
        lines += _nearest(rule)
    if rule.unseen != "suppress":
        lines.append("  hartley_refuse(sum(is.na(at)))")
    for place, column in enumerate(rule.columns):
        labels = _vector([label[place] for label in rule.labels])
        lines.append(f"  out[[{text(column.name)}]] <- {labels}[at]")
    return lines


def _combinations(rule: JointRule) -> list[str]:
    """Withhold combinations of labels that are not released."""
    lines, place_of_row = _looked_up(rule, "out")
    lines.append(f"  rest <- is.na({place_of_row})")
    return [*lines, *(f"  out[[{text(column.name)}]][rest] <- NA" for column in rule.columns)]


def _looked_up(rule: JointRule, frame: str) -> tuple[list[str], str]:
    """Return what reads the cells of a frame and the keys of a rule, and the place of a row among these."""
    lines = []
    for place, column in enumerate(rule.columns):
        keys = [key[place] for key in rule.keys]
        lines.append(f"  x{place} <- hartley_value({frame}[[{text(column.name)}]], {text(column.kind)})")
        lines.append(f"  k{place} <- {_values(keys, column.kind)}")
    rows, book = (
        ", ".join(f"match({mark}{place}, k{place})" for place in range(len(rule.columns))) for mark in "xk"
    )
    return lines, f"match(paste({rows}), paste({book}))"


def _nearest(rule: JointRule) -> list[str]:
    lines = [f"  number <- c({', '.join(map(str, rule.numbers))})", "  for (i in which(is.na(at))) {"]
    lines.append("    far <- rep(0, length(number))")
    for place, column in enumerate(rule.columns):
        x, k = f"x{place}[i]", f"k{place}"
        lines.append(f"    same <- if (is.na({x})) is.na({k}) else !is.na({k}) & {k} == {x}")
        gap = "Inf"
        if rule.reaches[place]:
            kind = text(column.kind)
            here, there = (f"hartley_line({one}, {kind})" for one in (x, k))
            reach = float(rule.reaches[place] / (1000000 if column.kind == "timestamp" else 1))
            lines.append(f"    gap <- abs({here} - {there}) / {reach!r}; gap[is.na(gap)] <- Inf")
            gap = "gap"
        lines.append(f"    far <- pmax(far, ifelse(same, 0, {gap}))")
    lines += [
        "    best <- order(round(far, 9), number)[1]",
        "    if (is.finite(far[best])) at[i] <- best",
        "  }",
    ]
    return lines


def _values(texts: Sequence[Text], kind: Kind) -> str:
    if kind == "number":
        return f"as.numeric({_vector(texts)})" if texts else "numeric(0)"
    return _vector(texts)


def _vector(texts: Iterable[Text]) -> str:
    listed = ",\n    ".join(map(text, texts))
    return f"as.character(c({listed}))"


def text(value: Text) -> str:
    r"""Return a literal of R.

    >>> text('say "a"\n'), text(None)
    ('"say \\"a\\"\\n"', 'NA')
    """
    if value is None:
        return "NA"
    named = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(named.get(one, one) for one in value) + '"'
