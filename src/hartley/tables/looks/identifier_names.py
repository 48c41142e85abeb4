"""Column names that say "this names a person", in English, German, French, Spanish, Dutch and Italian."""

# ruff: noqa: SIM905 (words are read as words)

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Literal

Strength = Literal["sure", "number", "none"]

_SURE = """
    id ids uid uuid guid pid hhid idno mrn ehr ssn nhs nino sin dni nie nif nir bsn insee
    svnr ahv avs egk cpr npi
    name names fullname firstname lastname surname forename nickname username login maiden
    vorname nachname familienname nom prenom nombre nombres apellido apellidos naam voornaam achternaam
    nome cognome nominativo
    email mail emails courriel correo posta
    phone telephone mobile cellphone cell tel telefon handy mobil fax telefono movil telefoon cellulare
    portable
    address addresses street adresse anschrift strasse wohnadresse rue direccion domicilio calle adres straat
    indirizzo residenza
    iban bic konto account compte cuenta rekening conto passport reisepass passeport pasaporte paspoort
    passaporto
    plate kennzeichen matricule matricula matricola aktenzeichen dossier expediente
    patient patientid subjectid subject participant proband probandin
    ip ipaddress imei mac cookie device url rownames rowname unnamed
""".split()
_NUMBER = """
    nr no num number nummer numero nbr kennung kennziffer codice codigo code key index seq seqn seqno sequence
""".split()
_OF_A_PERSON = frozenset(
    """firstname lastname surname forename fullname vorname nachname familienname prenom apellido apellidos
    voornaam achternaam cognome""".split()
)
"""Words for the names of nobody but persons, however few different ones a table has."""
_ONLY_A_NUMBER = frozenset("nr no nummer numero nbr".split())
_ENDINGS = (
    "nummer",
    "nr",
    "name",
    "naam",
    "email",
    "mailadresse",
    "adresse",
    "address",
    "telefon",
    "phone",
    "kennung",
    "kennzeichen",
    "number",
    "passport",
)
"""Ends of words that are written as one: Versichertennummer, klantnaam, mailadresse."""
_GLUED = re.compile(
    r"(patient|pat|person|pers|subject|subj|user|cust|customer|client|member|emp|employee|staff|student|case|"
    r"record|household|hh|visit|account|acct|kunden|fall|klant|dossier|paziente|paciente|cliente|cas)"
    r"(id|no|nr|num|key)"
)
_BIRTH = frozenset("birth geburts naissance nacimiento geboorte nascita".split())
_NOT_PEOPLE = frozenset("of per max min mean total sum avg average count file variable column".split())


def words_of(name: str) -> list[str]:
    """Split a column's name into plain small words.

    >>> words_of("Patient-ID"), words_of("staffNo"), words_of("N° de sécurité sociale")
    (['patient', 'id'], ['staff', 'no'], ['no', 'de', 'securite', 'sociale'])
    """
    text = re.sub("[°º]", "o ", name)
    text = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    text = re.sub(r"\be-mail", "email", text.lower())
    return re.findall(r"[a-z]+|[0-9]+", text)


def is_name_of_a_person(name: str) -> bool:
    """Tell whether a column's name says that its cells are names of persons, and of nothing else.

    >>> [is_name_of_a_person(one) for one in ("Vorname", "first name", "name", "town")]
    [True, True, False, False]
    """
    words = words_of(name)
    pairs = map("".join, pairwise(words))
    return bool(_OF_A_PERSON.intersection([*words, *pairs]))


def is_only_a_number(name: str) -> bool:
    """Tell whether a column is called "number" and nothing else, as panels call their persons.

    >>> is_only_a_number("nr"), is_only_a_number("Nr."), is_only_a_number("number of visits")
    (True, True, False)
    """
    return set(words_of(name)) <= _ONLY_A_NUMBER and bool(words_of(name))


def name_strength(name: str) -> Strength:
    """Say whether a name tells of a person's identifier for sure, or of a number that may be one.

    >>> [name_strength(one) for one in ("SSN", "Personalnummer", "staff no", "number of visits", "weight")]
    ['sure', 'number', 'number', 'none', 'none']
    """
    words = words_of(name)
    if not words or _NOT_PEOPLE.intersection(words) or words[:1] == ["n"]:
        return "none"
    if any(word in _SURE for word in words) and not _BIRTH.intersection(words):
        return "sure"
    if any(_GLUED.fullmatch(word) for word in words):
        return "sure"
    if words[-1] in _NUMBER or words[0] in _NUMBER:
        return "number"
    if any(word.endswith(_ENDINGS) and len(word) > 4 for word in words):
        return "sure" if not words[-1].endswith(("nummer", "nr", "number")) else "number"
    return "none"
