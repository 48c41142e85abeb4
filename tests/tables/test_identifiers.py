"""Columns that name or number people are found, and measurements are not."""

from __future__ import annotations

import random
import re
from typing import Any

import pyarrow as pa
import pytest

from hartley.report.words.columns import repeating_column
from hartley.tables.looks.identifier_cells import form_of, held_in
from hartley.workflow.describe_table import describe

ROWS = 120
DRAWN = random.Random(31)
FIRST = ["Anna", "Max", "Élise", "Jürgen", "Sofía", "Luca", "Pieter", "Nora", "Karl", "Ines", "Tom", "Ada"]
LAST = ["Schmidt", "Huber", "Dubois", "García", "Rossi", "de Vries", "Novak", "Weber", "Smith", "Ek"]


def iban() -> str:
    account = f"{DRAWN.randrange(10**18):018d}"
    check = 98 - int(account + "131400") % 97
    return f"DE{check:02d}{account}"


def card() -> str:
    digits = [DRAWN.randrange(10) for _ in range(15)]
    doubled = sum(d * 2 - 9 * (d > 4) for d in digits[::2]) + sum(digits[1::2])
    return "".join(map(str, digits)) + str(-doubled % 10)


def person() -> str:
    return f"{DRAWN.choice(FIRST)} {DRAWN.choice(LAST)}"


def drawn(make: Any) -> list[Any]:
    return [make() for _ in range(ROWS)]


def numbers(digits: int) -> list[int]:
    return DRAWN.sample(range(10 ** (digits - 1), 10**digits), ROWS)


def scattered() -> list[int]:
    return DRAWN.sample(range(1, 5000), ROWS)


def last_name() -> str:
    return DRAWN.choice(LAST)


def repeated(make: Any, rows_each: int) -> list[Any]:
    pool = [make() for _ in range(ROWS // rows_each)]
    return [pool[row // rows_each] for row in range(ROWS)]


def one_of(values: list[Any]) -> list[Any]:
    return [DRAWN.choice(values) for _ in range(ROWS)]


SEVERAL_EACH = [number for number in DRAWN.sample(range(100, 9999), ROWS // 3) for _ in range(3)]
NUMBERED = """FallNr,KVNR,VersNr,PatNr,MitarbeiterNr,Ausweisnummer,Arztnummer,Probennummer,TeilnehmerNr,IEP,
NHC,numero_sejour,nosografico,N. historia,tarjeta sanitaria,tessera sanitaria,Cartella clinica,polisnummer,
deelnemer,hosp_no,policy_no,employee,driver_license,case,studyno,respondent,ptid,person,customer"""
NAMED = """surname,given name,maiden name,mother's name,patient_name,Geburtsname,Rufname,Mädchenname,PatName,
Name des Patienten,Patientin,Hausarzt,physician,nom de naissance,nombre,nome,nominativo,naam,meisjesnaam"""
VISITS = [100 + row // 2 for row in range(ROWS)]
CODES = [f"P-{row // 3:04d}" for row in range(ROWS)]
COLUMNS: dict[str, list[Any]] = {
    **{
        name: scattered()
        for name in (
            "id",
            "ID",
            "Patient ID",
            "patient_id",
            "PatientID",
            "userId",
            "custid",
            "Staff no",
            "staffNo",
            "Case No.",
            "Nr",
            "Nr.",
            "lfd. Nr",
            "Patientennummer",
            "Fallnummer",
            "Versicherten-Nr",
            "Personalnummer",
            "Kundennr",
            "Numéro de dossier",
            "N° patient",
            "num_dossier",
            "matricule",
            "Número de historia",
            "numero_paciente",
            "expediente",
            "dossiernummer",
            "klantnummer",
            "Codice paziente",
            "numero tessera",
            "matricola",
            "MRN",
            "account number",
            "record_number",
            "BSN",
        )
    },
    **{
        name: drawn(person)
        for name in (
            "Name",
            "full_name",
            "Nachname",
            "Vorname",
            "nom",
            "Prénom",
            "Apellidos",
            "naam",
            "cognome",
        )
    },
    **dict.fromkeys(re.split(r",\s*", NUMBERED), SEVERAL_EACH),
    **{name: drawn(last_name) for name in re.split(r",\s*", NAMED)},
    "Subject": [row % 12 + 1 for row in range(ROWS)],
    "e-mail": [f"p{row}@clinic.org" for row in range(ROWS)],
    "contact": [f"{DRAWN.choice(FIRST).lower()}.{row}@mail.example.com" for row in range(ROWS)],
    "Telefon": drawn(lambda: f"+49 89 {DRAWN.randrange(10**6, 10**7)}"),
    "call me at": drawn(lambda: f"(0{DRAWN.randrange(100, 999)}) {DRAWN.randrange(10**4, 10**6)}"),
    "mobile": drawn(lambda: f"0{DRAWN.randrange(10**9, 10**10)}"),
    "Address": [f"{row} High Street" for row in range(ROWS)],
    "Anschrift": [f"Hauptstraße {row}" for row in range(ROWS)],
    "IBAN": drawn(iban),
    "paid to": drawn(iban),
    "card": drawn(card),
    "ssn": drawn(
        lambda: f"{DRAWN.randrange(100, 999)}-{DRAWN.randrange(10, 99)}-{DRAWN.randrange(1000, 9999)}"
    ),
    "v7": drawn(
        lambda: f"{DRAWN.randrange(100, 999)}-{DRAWN.randrange(10, 99)}-{DRAWN.randrange(1000, 9999)}"
    ),
    "who": drawn(lambda: f"{DRAWN.randrange(16**32):032x}"),
    "seen by code": CODES,
    "patient": VISITS,
    "subject id": VISITS,
    "host": [f"10.0.{row // 50}.{row % 50}" for row in range(ROWS)],
    "row": list(range(1, ROWS + 1)),
    "v1": numbers(9),
    "free text": [f"seen on ward {row}, came back later" for row in range(ROWS)],
    "DNI": drawn(lambda: f"{DRAWN.randrange(10**7, 10**8)}{DRAWN.choice('TRWAGMYFPDXBNJZSQVHLCKE')}"),
}
MEASURED: dict[str, list[Any]] = {
    "income": [DRAWN.randrange(9_000, 250_000) for _ in range(ROWS)],
    "weight": [40 + DRAWN.random() * 80 for _ in range(ROWS)],
    "weight_g": DRAWN.sample(range(900, 5200), ROWS),
    "population": DRAWN.sample(range(1_000, 9_000_000), ROWS),
    "year": list(range(1900, 1900 + ROWS)),
    "number of visits": [DRAWN.randrange(40) for _ in range(ROWS)],
    "num_convex_points": DRAWN.sample(range(400), ROWS),
    "no_patients": DRAWN.sample(range(900), ROWS),
    "doctor": [DRAWN.randrange(40) for _ in range(ROWS)],
    "persons": [DRAWN.randrange(1, 9) for _ in range(ROWS)],
    "case_type": [DRAWN.choice(["Acute", "Chronic", "Other"]) for _ in range(ROWS)],
    "no_children": [DRAWN.randrange(6) for _ in range(ROWS)],
    "age": [DRAWN.randrange(18, 95) for _ in range(ROWS)],
    "chol": DRAWN.sample(range(100, 400), ROWS),
    "town": [DRAWN.choice(["Ulm", "Bonn", "Rom"]) for _ in range(ROWS)],
    "phone": [DRAWN.choice(["yes", "no"]) for _ in range(ROWS)],
    "postcode": [f"8{DRAWN.randrange(20):04d}" for _ in range(ROWS)],
    "born": [f"{1 + row % 28:02d}.{1 + row % 12:02d}.{1930 + row % 70}" for row in range(ROWS)],
    "date": [f"2020-{1 + row % 12:02d}-{1 + row % 28:02d}" for row in range(ROWS)],
    "blood pressure": [f"{DRAWN.randrange(90, 180)}/{DRAWN.randrange(50, 110)}" for _ in range(ROWS)],
    "country": [DRAWN.choice(["United States", "New Zealand", "Costa Rica"]) for _ in range(ROWS)],
    "salary": [round(DRAWN.lognormvariate(10, 0.5)) for _ in range(ROWS)],
}


def test_no_made_up_identifier_is_missed():
    assert len(COLUMNS) >= 60
    found = describe(pa.table(COLUMNS))
    assert [column.name for column in found.columns if not column.is_identifier] == []


def test_people_are_found_by_what_cells_hold_whatever_the_column_is_called():
    columns = {
        **{name: repeated(person, 3) for name in ("v1", "v2", "v3", "v4")},
        "v5": repeated(lambda: f"{DRAWN.choice(LAST)}, {DRAWN.choice('ABCDEK')}.", 3),
        "v6": repeated(lambda: f"Dr. {DRAWN.choice(LAST)}", 8),
        "v7": repeated(lambda: f"{DRAWN.choice(LAST)}straße {DRAWN.randrange(1, 99)}", 2),
        "v8": repeated(lambda: f"{DRAWN.randrange(1, 99)} rue {DRAWN.choice(LAST)}", 2),
        "v9": repeated(lambda: f"{48 + DRAWN.random():.5f}, {11 + DRAWN.random():.5f}", 2),
    }
    columns["v2"] = [one.upper() for one in columns["v2"]]
    columns["v3"] = [one.lower() for one in columns["v3"]]
    columns["v4"] = [", ".join(one.split(maxsplit=1)[::-1]) for one in columns["v4"]]
    found = describe(pa.table(columns)).columns
    assert [column.name for column in found if not column.is_identifier] == []


def test_remarks_about_people_are_not_published_and_number_nobody():
    some = ["kein Befund", "", "Pat. klagt über Schmerzen", "entlassen", "unauffällig"]
    words = re.split(" ", "was seen again by her doctor and sent home with nothing but rest for a week")
    columns = {
        "v1": one_of([*some, *(f"Mutter: 0171-55501{n}" for n in range(10, 40))]),
        "v2": one_of([*some, *(f"Mail an person{n}@example.org gesandt" for n in range(30))]),
        "v3": one_of([" ".join(DRAWN.sample(words, 7)) for _ in range(40)]),
    }
    found = describe(pa.table(columns)).columns
    assert [column.name for column in found if not column.is_identifier] == []
    assert [column.name for column in found if column.rows_each is not None] == []


def test_words_for_people_in_six_languages_are_known():
    numbered = """asegurado,socio,n_tessera,numero pratica,Bewohnerin,bewoner,titolare,contract no,facture no,
    file no,Versicherte,N° contrat"""
    named = """Betreuer,rekeninghouder,Kontoinhaber,intestatario,médecin traitant,medico curante,huisarts,
    referring physician,behandelnder Arzt"""
    plates = [f"{a}{b}-{DRAWN.randrange(100, 999)}" for a in "ABCDEFGHIJ" for b in "KLMNOPQRSTUV"]
    columns = {
        **dict.fromkeys(re.split(r",\s*", numbered), SEVERAL_EACH),
        **{name: drawn(last_name) for name in re.split(r",\s*", named)},
        **dict.fromkeys(
            ["Initialen", "iniziali"],
            repeated(lambda: f"{DRAWN.choice(LAST)[0]}.{DRAWN.choice('ABCDEFGHIJKLM')}.", 3),
        ),
        **dict.fromkeys(["targa", "kenteken", "Kfz-Kennzeichen", "immatriculation"], plates),
    }
    found = describe(pa.table(columns)).columns
    assert [column.name for column in found if not column.is_identifier] == []


def test_things_and_classes_of_them_are_no_people():
    letters = "ABCDEFGHIJKLMN"
    diseases = [f"{DRAWN.choice(letters)}{DRAWN.randrange(100):02d}.{DRAWN.randrange(10)}" for _ in range(40)]
    drugs = [f"{DRAWN.choice(letters)}{n:02d}{DRAWN.choice(letters)}X{n:02d}" for n in range(10, 45)]
    birds = """House Sparrow,Great Tit,Barn Owl,Grey Heron,Common Swift,Mute Swan,Song Thrush,Sand Martin,
    Stock Dove,Red Kite,Corn Bunting,Wood Lark,San Pedro,San Juan,Saint Peter"""
    columns = {
        **dict.fromkeys(["diagnosis", "Hauptdiagnose", "ICD", "icd10_code", "v1"], one_of(diseases)),
        **dict.fromkeys(["ATC", "ATC code", "v2"], one_of(drugs)),
        **dict.fromkeys(["NUTS3", "flight", "model"], one_of([f"DE{n}" for n in range(100, 140)])),
        **dict.fromkeys(["species", "drug name", "Medikament", "v3"], one_of(re.split(r",\s*", birds))),
        **dict.fromkeys(["room number", "Zimmernummer", "bed no"], one_of([*range(101, 140)])),
        **dict.fromkeys(["nombre de visites", "nombre d'actes"], one_of([*range(30)])),
        **dict.fromkeys(
            ["price index", "BMI index", "sequence length", "number needed"], one_of([*range(60)])
        ),
        "no vaccinated": DRAWN.sample(range(900), ROWS),
        "plz": [f"{n:05d}" for n in DRAWN.sample(range(1000, 99999), ROWS)],
        "seen": [f"{1 + n % 28:02d}-{1 + n % 12:02d}-20{n % 24:02d}" for n in range(ROWS)],
        "range": [f"{n}-{n + 10 + n % 7}" for n in range(10, 10 + ROWS)],
    }
    found = describe(pa.table(columns)).columns
    assert {column.name: column.identifier for column in found if column.is_identifier} == {}


def test_measurements_are_not_taken_for_identifiers():
    found = describe(pa.table(MEASURED))
    assert {column.name: column.identifier for column in found.columns if column.is_identifier} == {}


def test_the_numbers_and_first_names_of_a_panel_are_identifiers():
    people = DRAWN.sample(range(13, 12_600), 60)
    rising = sorted(DRAWN.sample(range(200, 25_000), 480))
    columns = {
        "nr": [one for one in people for _ in range(8)],
        "seqn": rising,
        "v3": rising,
        "Vorname": [FIRST[row % 4] for row in range(480)],
        "Staff first name": [FIRST[row % 4] for row in range(480)],
    }
    found = describe(pa.table(columns)).columns
    assert [column.name for column in found if not column.is_identifier] == []
    assert next(column for column in found if column.name == "nr").rows_each == 8


@pytest.mark.parametrize(
    ("names", "person"),
    [
        (("Nom de jeune fille", "N° dossier"), None),
        (("Surname", "Forename"), None),
        (("Hausarzt",), None),
        (("Name",), "Name"),
        (("Hausarzt", "Name", "mother_id"), "mother_id"),
    ],
)
def test_names_that_many_share_and_those_of_doctors_tell_no_persons_apart(names, person):
    columns = {name: repeated(last_name, 4) for name in names}
    if "N° dossier" in names:
        columns["N° dossier"] = [f"D{86000 + row}" for row in range(ROWS)]
    found = describe(pa.table(columns))
    assert all(column.is_identifier for column in found.columns)
    one = repeating_column(found)
    assert (one and one.name) == person


@pytest.mark.parametrize("rows", [1, 2])
def test_nothing_is_said_of_a_table_of_a_row_or_two(rows):
    found = describe(pa.table({"note": ["a", "b"][:rows], "x": [1, 2][:rows]}))
    assert not any(column.is_identifier for column in found.columns)


@pytest.mark.parametrize("letters", ["a", "@a", "(0 ", "0-", "+0 1"])
def test_cells_of_a_million_letters_are_looked_at_in_a_moment(letters: str) -> None:
    """With patterns that look again from every letter this would take hours."""
    cells = [letters * (10**6 // len(letters)) + str(number) for number in range(3)]
    assert held_in(cells) is None
    assert form_of(cells) is None


def test_what_leads_to_a_person_is_found_among_other_words() -> None:
    assert (
        held_in(["see file", *(f"write to {name}@clinic.org, please" for name in "abc")])
        == "e-mail addresses"
    )
    assert held_in(["see file", *(f"call 0171-55501{name}, mornings" for name in "123")]) == "phone numbers"
    assert held_in([f"{number} @ 3.50 each" for number in range(9)]) is None
