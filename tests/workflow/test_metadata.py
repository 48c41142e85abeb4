"""Records that catalogues read, checked by the packages that read them."""

from __future__ import annotations

import csv
from xml.etree import ElementTree

import pytest

from hartley.cli.program import run
from hartley.examples import CLINIC_COLUMNS, clinic

# Packages that read the records use what their own dependencies call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> . @prefix dqv: <http://www.w3.org/ns/dqv#> .
@prefix oa: <http://www.w3.org/ns/oa#> . @prefix spdx: <http://spdx.org/rdf/terms#> .
[] a sh:NodeShape ; sh:targetClass dcat:Dataset ;
  sh:property [ sh:path dct:title ; sh:minCount 1 ] , [ sh:path dct:description ; sh:minCount 1 ] ,
    [ sh:path dct:identifier ; sh:minCount 1 ] , [ sh:path dcat:distribution ; sh:minCount 1 ] ,
    [ sh:path dqv:hasQualityAnnotation ; sh:minCount 1 ; sh:node [ sh:property
      [ sh:path oa:hasBody ; sh:minCount 1 ] ,
      [ sh:path oa:motivatedBy ; sh:hasValue dqv:qualityAssessment ] ] ] .
[] a sh:NodeShape ; sh:targetClass dcat:Distribution ;
  sh:property [ sh:path dcat:mediaType ; sh:nodeKind sh:IRI ; sh:minCount 1 ] ,
    [ sh:path spdx:checksum ; sh:minCount 1 ] .
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("records")
    with (place / "clinic.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    kinds = [word for kind in ("croissant", "dcat", "ddi") for word in ("--metadata", kind)]
    call = [
        "release",
        str(place / "clinic.csv"),
        str(place / "out.csv"),
        "-s",
        "age",
        "-p",
        "sex",
        "-p",
        "pain",
    ]
    assert run([*call, "--distinct-l", "3", "--time-limit", "2", *kinds]) == 0
    return place


def test_mlcroissant_reads_the_record_and_the_rows(folder):
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=str(folder / "out.croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    rows = list(dataset.records("rows"))
    assert len(rows) == 300
    assert dataset.metadata.to_json()["name"] == "out"


def test_the_catalogue_record_keeps_to_its_shapes(folder):
    rdflib = pytest.importorskip("rdflib")
    pyshacl = pytest.importorskip("pyshacl")
    graph = rdflib.Graph().parse(folder / "out.dcat.jsonld", format="json-ld")
    holds, _, said = pyshacl.validate(graph, shacl_graph=SHAPES, shacl_graph_format="turtle")
    assert holds, said
    broken = rdflib.Graph().parse(folder / "out.dcat.jsonld", format="json-ld")
    broken.remove((None, rdflib.URIRef("http://www.w3.org/ns/dqv#hasQualityAnnotation"), None))
    assert not pyshacl.validate(broken, shacl_graph=SHAPES, shacl_graph_format="turtle")[0]


def test_the_codebook_names_columns_and_rows(folder):
    book = ElementTree.parse(folder / "out.ddi.xml").getroot()  # noqa: S314 (our own file)
    names = {"d": "ddi:codebook:2_5"}
    assert [one.get("name") for one in book.findall(".//d:var", names)] == ["sex", "pain"]
    assert book.findtext(".//d:caseQnty", None, names) == "300"
    assert "at least three" in book.findtext(".//d:confDec", None, names)


def test_no_record_names_what_is_not_published(folder):
    for name in ("out.croissant.json", "out.dcat.jsonld", "out.ddi.xml"):
        assert "cholesterol" not in (folder / name).read_text(encoding="utf-8")
