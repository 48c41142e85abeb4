"""The files and the table of a database that a release will fill: where they go, and that they are free."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hartley.releases.formats import Format
from hartley.releases.signing import SigningKey
from hartley.releases.writer.database_table import database_for, require_no_table
from hartley.releases.writer.release_paths import release_places, require_earlier_stay
from hartley.releases.writer.released_folder import require_no_folder, stays_in_spark
from hartley.releases.writer.staging import require_free
from hartley.workflow.request.destination import Destination
from hartley.workflow.request.study_table import StudyTable


@dataclass(frozen=True, kw_only=True)
class ReleaseFiles:
    """Where a release goes."""

    places: dict[str, Path]
    """The file of each part of the release, by its role."""
    format_: Format
    signer: SigningKey | None
    database: str | None
    """The database in which a new table is filled as well."""
    in_spark: bool
    """Whether the rows stay in Spark, which writes a folder."""

    @classmethod
    def require_free(cls, study: StudyTable, destination: Destination) -> ReleaseFiles:
        """Return where a release goes; raise where something stands there, before anything is read."""
        places = release_places(
            study.source, destination.output, destination.policy, destination.certificate, destination.key
        )
        signer = None if destination.key is None else SigningKey.read(destination.key)
        require_earlier_stay(places, study.earlier)
        format_, into = Format.of(places["output"]), destination.into
        database = database_for(into, destination.into_database, study.source, places["output"])
        in_spark = stays_in_spark(study.source, format_, study.reading, into)
        if in_spark:
            require_no_folder(places["output"])
        require_free(places, overwrite=destination.overwrite)
        require_no_table(database, into)
        return cls(places=places, format_=format_, signer=signer, database=database, in_spark=in_spark)
