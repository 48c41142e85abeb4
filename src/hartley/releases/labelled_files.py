"""Released tables in the formats of Stata and SPSS, with the labels of what was not recoded.

A recoded column keeps its own label, and loses those of its values: a code that stands for a cluster
does not mean what its label says.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from hartley.errors import WriteError
from hartley.model.alphabet import EXACT
from hartley.tables.optional_packages import required
from hartley.tables.sources.stata_spss import FileLabels


def write_labelled(path: Path, cells: Any, labels: FileLabels | None, untouched: set[str]) -> None:
    """Write an Arrow table; labels are kept from the file that the table came from."""
    statistics = required("pyreadstat", f"writing {path.name}", "stats")
    required("pandas", f"writing {path.name}", "stats")
    frame = _writable(cells).to_pandas(date_as_object=True)
    kept = labels or FileLabels("stata")
    is_stata = path.suffix.lower() == ".dta"
    named = set(cells.column_names)
    options: dict[str, Any] = {
        "file_label": kept.of_file or "",
        "column_labels": {name: label for name, label in kept.of_columns.items() if name in named},
        "variable_value_labels": {
            name: dict(of_values) for name, of_values in kept.of_values.items() if name in named & untouched
        },
    }
    is_same_kind = kept.kind == ("stata" if is_stata else "spss")
    if is_same_kind:
        options["variable_format"] = {
            name: form for name, form in kept.formats.items() if name in named & untouched
        }
    if is_same_kind and not is_stata:
        options["missing_ranges"] = {
            name: spans for name, spans in kept.missing_ranges.items() if name in named & untouched
        }
        options["variable_measure"] = {
            name: measure for name, measure in kept.measures.items() if name in named & untouched
        }
    kind = "Stata" if is_stata else "SPSS"
    try:
        (statistics.write_dta if is_stata else statistics.write_sav)(frame, str(path), **options)
    except (
        statistics.ReadstatError,
        statistics.PyreadstatError,
        ArithmeticError,
        TypeError,
        ValueError,
    ) as error:
        if "Unable to write data" in str(error):
            raise WriteError("the released table cannot be written: there is no room for it") from None
        raise WriteError(f"the table does not fit into a {kind} file; write Parquet instead") from None
    found, _ = (statistics.read_dta if is_stata else statistics.read_sav)(
        str(path), user_missing=True, output_format="dict"
    )
    for name in cells.column_names:
        if not all(map(_is_same, cells[name].to_pylist(), found[name])):
            raise WriteError(
                f"column {name!r} holds cells that a {kind} file would change (such as empty text, spaces at "
                "the end, NaN, times with a zone or too fine, numbers of too many digits); write Parquet"
            )


def _is_same(cell: Any, found: Any) -> bool:
    """Tell whether a cell came back as it was; these formats have no other number than floats."""
    if cell is None or cell == "":
        return cell is None and (found is None or found == "" or found != found)
    if isinstance(cell, Decimal) and isinstance(found, float):
        return Decimal(repr(found)) == cell
    return bool(cell == found)


def _writable(cells: Any) -> Any:
    """Give the columns in types that the formats have; refuse what they would change."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(cells.schema):
        column, kind = cells.column(place), field.type
        if pa.types.is_boolean(kind):
            column = column.cast(pa.int8())
        elif pa.types.is_timestamp(kind) and kind.unit in ("s", "ms"):
            column = column.cast(pa.timestamp("us", kind.tz))
        elif pa.types.is_integer(kind):
            extremes = pc.min_max(column).as_py()
            if extremes["min"] is not None and max(-extremes["min"], extremes["max"]) > EXACT:
                raise WriteError(
                    f"column {field.name!r} holds whole numbers beyond 2^53, which such a file rounds; "
                    "write Parquet"
                )
        elif pa.types.is_decimal(kind):
            column = column.cast(pa.float64())
        elif pa.types.is_nested(kind) or pa.types.is_binary(kind):
            raise WriteError(f"column {field.name!r} cannot stand in such a file; write Parquet")
        cells = cells.set_column(place, field.name, column)
    return cells
