"""Records that others can read, made of the public certificate alone: Croissant, DCAT and DDI.

What they say of protection is what the certificate claims, in sentences; no cell and nothing of the policy
stands in them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hartley.errors import OptionError, option
from hartley.model.requirement import Requirement
from hartley.releases.writer.release_paths import release_places
from hartley.releases.writer.staging import require_free, write_files
from hartley.workflow.request.destination import Destination

MEDIA_TYPES = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".parquet": "application/vnd.apache.parquet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
DDI = "ddi:codebook:2_5"


def require_places_beside(
    source: Any, destination: Destination, kinds: Sequence[str], plot: str | None
) -> None:
    """Refuse records and a figure where they cannot be written beside a release, before anything is read."""
    one = destination
    places = release_places(one.output, one.policy, one.certificate, one.key)
    places |= {f"record {number}": place for number, place in enumerate(record_places(one.output, kinds))}
    require_free(places, overwrite=one.overwrite, source=source)
    if plot is not None and Path(plot).resolve() in {place.resolve() for place in places.values()}:
        raise OptionError(f"{plot!r} is a file of the release; give {option('plot')} another name")


def record_places(output: str | Path, kinds: Sequence[str]) -> dict[Path, Callable[[PublicClaims], str]]:
    """Return where each record goes, and what writes it."""
    found = {}
    for kind in kinds:
        if kind not in KINDS:
            raise OptionError.unknown("kind of metadata", kind, KINDS)
        ending, write = KINDS[kind]
        found[Path(output).with_name(f"{Path(output).stem}{ending}")] = write
    return found


def write_metadata(output: Path, certificate: Path, kinds: Sequence[str], *, overwrite: bool) -> list[Path]:
    """Write the records beside a release, all of them or none; return their paths."""
    if not kinds:
        return []
    claims = PublicClaims.read(output, certificate)
    contents = {place: write(claims).encode() for place, write in record_places(output, kinds).items()}
    write_files(contents, overwrite=overwrite, is_private=False)
    return list(contents)


class PublicClaims:
    """What the certificate says, ready to be written in other words."""

    def __init__(self, name: str, digest: str, size: int, claims: dict[str, Any], certificate: str) -> None:
        self.name, self.digest, self.size, self.certificate = name, digest, size, certificate
        self.rows = int(claims["rows"])
        self.version = claims["software"]["version"]
        self.columns = [
            (str(column["name"]), ", as ".join(filter(None, (column["treatment"], column["coding"]))))
            for column in claims["columns"]
            if "withheld" not in column["treatment"]
        ]
        self.withheld = sum("withheld" in column["treatment"] for column in claims["columns"])
        secret = [column["name"] for column in claims["columns"] if "sensitive" in column["treatment"]]
        self.promises = []
        for reader in claims["readers"]:
            seen = ", ".join(reader["sees"])
            for asked in reader["requirements"]:
                requirement = Requirement(asked["name"], asked["wanted"], asked["column"])
                said = requirement.sentence(secret or reader["sees"])
                self.promises.append(f"To a reader of {seen}: {requirement.led_in.lower()} {said}.")

    @classmethod
    def read(cls, output: Path, certificate: Path) -> PublicClaims:
        """Read the certificate of a release."""
        statement = json.loads(certificate.read_text(encoding="utf-8"))
        subject = statement["subject"][0]
        size = output.stat().st_size if output.is_file() else 0
        digest = subject["digest"]["sha256"]
        return cls(subject["name"], digest, size, statement["predicate"], certificate.name)

    @property
    def media_type(self) -> str:
        """The media type of the released file."""
        return MEDIA_TYPES.get(Path(self.name).suffix.lower(), "application/octet-stream")

    @property
    def treatment(self) -> str:
        """How the columns were treated, in one sentence."""
        shown = "; ".join(f"{name}: {how}" for name, how in self.columns)
        left = (
            "1 column of the source is"
            if self.withheld == 1
            else f"{self.withheld} columns of the source are"
        )
        return f"Recoded by hartley {self.version}. {shown}. {left} not published."

    @property
    def protection(self) -> str:
        """What is promised, and where that can be checked."""
        return " ".join([*self.promises, f"Certificate: {self.certificate}, which hartley verify checks."])


def croissant(claims: PublicClaims) -> str:
    """Write a Croissant record with the fields of responsible AI."""
    record = {
        "@context": {
            "@language": "en",
            "@vocab": "https://schema.org/",
            "citeAs": "cr:citeAs",
            "column": "cr:column",
            "conformsTo": "dct:conformsTo",
            "cr": "http://mlcommons.org/croissant/",
            "rai": "http://mlcommons.org/croissant/RAI/",
            "dct": "http://purl.org/dc/terms/",
            "sc": "https://schema.org/",
            "data": {"@id": "cr:data", "@type": "@json"},
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            "examples": {"@id": "cr:examples", "@type": "@json"},
            "extract": "cr:extract",
            "field": "cr:field",
            "fileProperty": "cr:fileProperty",
            "fileObject": "cr:fileObject",
            "fileSet": "cr:fileSet",
            "format": "cr:format",
            "includes": "cr:includes",
            "isLiveDataset": "cr:isLiveDataset",
            "jsonPath": "cr:jsonPath",
            "key": "cr:key",
            "md5": "cr:md5",
            "parentField": "cr:parentField",
            "path": "cr:path",
            "recordSet": "cr:recordSet",
            "references": "cr:references",
            "regex": "cr:regex",
            "repeated": "cr:repeated",
            "replace": "cr:replace",
            "separator": "cr:separator",
            "source": "cr:source",
            "subField": "cr:subField",
            "transform": "cr:transform",
        },
        "@type": "sc:Dataset",
        "name": Path(claims.name).stem,
        "description": f"{claims.rows} rows. {claims.protection}",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "rai:personalSensitiveInformation": claims.protection,
        "rai:dataManipulationProtocol": claims.treatment,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": claims.name,
                "name": claims.name,
                "contentUrl": claims.name,
                "contentSize": f"{claims.size} B",
                "encodingFormat": claims.media_type,
                "sha256": claims.digest,
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "rows",
                "name": "rows",
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"rows/{number}",
                        "name": name,
                        "description": how,
                        "dataType": "sc:Text",
                        "source": {"fileObject": {"@id": claims.name}, "extract": {"column": name}},
                    }
                    for number, (name, how) in enumerate(claims.columns)
                ],
            }
        ],
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def dcat(claims: PublicClaims) -> str:
    """Write a DCAT record (JSON-LD) with a quality annotation, as HealthDCAT-AP asks for."""
    record = {
        "@context": {
            "dcat": "http://www.w3.org/ns/dcat#",
            "dct": "http://purl.org/dc/terms/",
            "dqv": "http://www.w3.org/ns/dqv#",
            "oa": "http://www.w3.org/ns/oa#",
            "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
            "spdx": "http://spdx.org/rdf/terms#",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        },
        "@id": f"urn:sha256:{claims.digest}",
        "@type": "dcat:Dataset",
        "dct:title": Path(claims.name).stem,
        "dct:description": f"{claims.rows} rows. {claims.treatment}",
        "dct:identifier": f"sha256:{claims.digest}",
        "dcat:distribution": {
            "@type": "dcat:Distribution",
            "dct:title": claims.name,
            "dcat:mediaType": {"@id": f"https://www.iana.org/assignments/media-types/{claims.media_type}"},
            "dcat:byteSize": {"@value": str(claims.size), "@type": "xsd:nonNegativeInteger"},
            "spdx:checksum": {
                "@type": "spdx:Checksum",
                "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
                "spdx:checksumValue": {"@value": claims.digest, "@type": "xsd:hexBinary"},
            },
        },
        "dqv:hasQualityAnnotation": {
            "@type": "dqv:QualityCertificate",
            "oa:hasTarget": {"@id": f"urn:sha256:{claims.digest}"},
            "oa:hasBody": {"@type": "oa:TextualBody", "rdf:value": claims.protection},
            "oa:motivatedBy": {"@id": "dqv:qualityAssessment"},
        },
    }
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def ddi(claims: PublicClaims) -> str:
    """Write a DDI codebook."""
    book = ElementTree.Element("codeBook", {"xmlns": DDI, "version": "2.5"})
    study = ElementTree.SubElement(book, "stdyDscr")
    title = ElementTree.SubElement(ElementTree.SubElement(study, "citation"), "titlStmt")
    _text(title, "titl", Path(claims.name).stem)
    _text(ElementTree.SubElement(study, "stdyInfo"), "abstract", claims.treatment)
    access = ElementTree.SubElement(study, "dataAccs")
    _text(ElementTree.SubElement(access, "useStmt"), "confDec", claims.protection)
    file = ElementTree.SubElement(ElementTree.SubElement(book, "fileDscr", {"ID": "F1"}), "fileTxt")
    _text(file, "fileName", claims.name)
    size = ElementTree.SubElement(file, "dimensns")
    _text(size, "caseQnty", str(claims.rows))
    _text(size, "varQnty", str(len(claims.columns)))
    _text(file, "fileType", claims.media_type)
    data = ElementTree.SubElement(book, "dataDscr")
    for number, (name, how) in enumerate(claims.columns, start=1):
        column = ElementTree.SubElement(data, "var", {"ID": f"V{number}", "name": name, "files": "F1"})
        _text(column, "labl", name)
        _text(column, "txt", how)
    ElementTree.indent(book)
    return ElementTree.tostring(book, encoding="unicode", xml_declaration=True) + "\n"


def _text(parent: ElementTree.Element, tag: str, text: str) -> None:
    ElementTree.SubElement(parent, tag).text = text


KINDS: dict[str, tuple[str, Callable[[PublicClaims], str]]] = {
    "croissant": (".croissant.json", croissant),
    "dcat": (".dcat.jsonld", dcat),
    "ddi": (".ddi.xml", ddi),
}
"""The endings of the records, and what writes them."""
