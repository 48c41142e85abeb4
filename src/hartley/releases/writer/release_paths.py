"""Where the files of a release go, and whose policies lie there already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hartley.errors import OptionError
from hartley.releases.formats import ENDINGS
from hartley.releases.policy import FORMAT
from hartley.tables.locations import fits, named_files

CODEBOOK = {"codebook": "csv", "codebookpage": "html", "codebookddi": "json"}
"""The files of the public codebook, and their endings."""
MOST_FILES = 100
MOST_BYTES = 100_000_000
"""Policies beside a release that are looked at, and how large one of them may be."""


def release_places(
    output: str | Path,
    policy: str | Path | None,
    certificate: str | Path | None,
    key: str | Path | None = None,
) -> dict[str, Path]:
    """Name the files of a release; none of them may be the key that signs it."""
    out = Path(output)
    places = {"output": out, **default_names(out)}
    if policy is not None:
        places["policy"] = Path(policy)
    if certificate is not None:
        places["certificate"] = Path(certificate)
    if key is not None:
        places["signature"] = signature_beside(places["certificate"])
    for place in places.values():
        if key is not None and place.exists() and Path(key).exists() and place.samefile(key):
            raise OptionError(f"{str(place)!r} is the key; give the release another name")
    return places


def require_not_input(place: Path, source: Any) -> None:
    """Refuse to write where the input is, or where its pattern would find the release the next time."""
    if not isinstance(source, (str, Path)):
        return
    if place.exists() and any(path.exists() and place.samefile(path) for path in named_files(source)):
        raise OptionError(f"{str(place)!r} is the input itself; give the release another name")
    if fits(source, place):
        raise OptionError(
            f"{str(place)!r} fits the pattern of the input, which would hold it next time; "
            "give the release another name"
        )


def require_earlier_stay(places: Mapping[str, Path], earlier: Sequence[Any]) -> None:
    """Refuse to replace an earlier policy: without it nobody can verify the new release."""
    for one in earlier:
        for place in places.values():
            is_file = isinstance(one, (str, Path)) and Path(one).exists()
            if is_file and place.exists() and place.samefile(one):
                raise OptionError(f"{str(place)!r} is an earlier policy; give the new files other names")


def default_names(output: Path) -> dict[str, Path]:
    """Name the policy, the certificate, the record and the public codebook that go beside a release.

    >>> [path.name for path in default_names(Path("heart.csv.gz")).values()][:3]
    ['heart.policy.json', 'heart.certificate.json', 'heart.record.json']
    >>> [path.name for path in default_names(Path("heart.csv.gz")).values()][3:]
    ['heart.codebook.csv', 'heart.codebook.html', 'heart.codebook.json']
    """
    stem = output.name
    if not stem:
        raise OptionError(f"{str(output)!r} is no name of a file; give the path of the release")
    for suffix in reversed(output.suffixes[-2:]):
        if suffix.lower() in (".gz", *ENDINGS):
            stem = stem.removesuffix(suffix)
    documents = {
        role: output.with_name(f"{stem}.{role}.json") for role in ("policy", "certificate", "record")
    }
    return documents | {role: output.with_name(f"{stem}.codebook.{end}") for role, end in CODEBOOK.items()}


def signature_beside(certificate: Path) -> Path:
    """Name the file of a certificate's signature.

    >>> signature_beside(Path("heart.certificate.json")).name
    'heart.certificate.sig.json'
    """
    return certificate.with_name(f"{certificate.name.removesuffix('.json')}.sig.json")


def ending_like(source: Any) -> str:
    """Return the ending of a release that is written like its source; CSV where nothing is.

    >>> ending_like("heart.parquet"), ending_like("heart.tsv.gz"), ending_like("heart.xls")
    ('.parquet', '.tsv', '.csv')
    """
    if not isinstance(source, (str, Path)):
        return ".csv"
    endings = [ending.lower() for ending in Path(source).suffixes[-2:]]
    return next((ending for ending in reversed(endings) if ending in ENDINGS), ".csv")


class _Named(msgspec.Struct, frozen=True):
    name: str


class _PolicyHead(msgspec.Struct, frozen=True):
    """What a policy says of its table."""

    format: str
    columns: tuple[str, ...]
    sensitive: tuple[_Named, ...]


def policies_beside(
    folder: Path, columns: Sequence[str], sensitive: Iterable[str], known: Iterable[Any]
) -> tuple[Path, ...]:
    """Return the policies of tables with these columns in a folder, but those that are known; at most 100.

    Two releases of one table may combine: each keeps its promise by itself, and together they leave less. A
    policy may be of the same table where that had the same columns and one of the protected ones was
    protected then, too: its rows are in no policy. Nothing but the names of files is told of it.
    """
    named = {Path(one).resolve() for one in known if isinstance(one, (str, Path))}
    protected = set(sensitive)
    found = []
    for place in sorted(folder.glob("*.policy.json"))[:MOST_FILES]:
        head = None if place.resolve() in named else _head(place)
        if head is None or head.format != FORMAT or set(head.columns) != set(columns):
            continue
        if protected & {column.name for column in head.sensitive}:
            found.append(place)
    return tuple(found)


def _head(place: Path) -> _PolicyHead | None:
    """Read what a policy says of its table; nothing where the file is none, or cannot be read."""
    try:
        if not place.is_file() or place.stat().st_size > MOST_BYTES:
            return None
        return msgspec.json.decode(place.read_bytes(), type=_PolicyHead)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
