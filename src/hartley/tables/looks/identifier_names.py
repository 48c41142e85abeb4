"""Column names that say "this names a person", in English, German, French, Spanish, Dutch and Italian."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from hartley.tables.looks.words import word_list

Strength = Literal["sure", "number", "none"]

_SURE = frozenset(word_list("sure"))
"""Words that number or name people by themselves."""
_NUMBER = word_list("number")
_COUNTING = frozenset(word_list("counting"))
"""Words that count where what follows is in the plural: num_visits."""
_PLACES_IN_A_LIST = frozenset(word_list("places_in_a_list"))
"""Words that number rows by themselves, and in front of other words or behind them measure: price index."""
_PAPERS_OF_ONE = frozenset(word_list("papers_of_one"))
"""Words in the singular before which Romance languages write n for number."""
_NUMBER_SIGN = re.compile(r"\s*n[o.]?[°º.]|\s*no de\b", re.IGNORECASE)
"""How names begin that number; no and number alone before a word count: no vaccinated."""
_OF_THINGS = word_list("of_things")
"""Beginnings of words for things and classes of them: their names and numbers are of no person."""
_ONLY_A_NUMBER = frozenset(word_list("only_a_number"))
_NAME = frozenset(word_list("name"))
_OF_A_PERSON = frozenset(word_list("of_a_person"))
"""Words for the names of nobody but persons, however few different ones a table has."""
_WHO = word_list("who")
"""Beginnings of words for a person: by themselves, or with a word for a name or number."""
_HELPER = word_list("helper")
"""Beginnings of words for whom many people go to."""
_KIN = word_list("kin")
_ROLE = [*_HELPER, *_KIN]
"""Beginnings of words for what a person is to another: of texts, or with a word for a name or number."""
_PAPER = word_list("paper")
"""Beginnings of words for what is kept of a person: only with a word for a number."""
_GLUED = re.compile(r"(.+?)(id|no|nr|num|key|nummer|number|kennung|kennziffer|code)")
_ENDINGS = (
    *("nummer", "nr", "name", "naam", "email", "mailadresse", "adresse", "address", "telefon", "phone"),
    *("kennung", "kennzeichen", "number", "passport"),
)
"""Ends of words that are written as one: Versichertennummer, klantnaam, mailadresse."""
_ENDINGS_OF_PEOPLE = ("inhaber", "inhaberin", "houder", "patient", "patientin", "betreuer", "mitglied")
"""Ends of words for people: Kontoinhaber, rekeninghouder."""
_WHICH = word_list("which")
"""Beginnings of words that say which of several people one is: the treating physician."""
_BIRTH = frozenset(word_list("birth"))
_NOT_PEOPLE = frozenset(word_list("not_people"))
_NAME_OR_NUMBER = frozenset([*_NAME, *_NUMBER])


def words_of(name: str) -> list[str]:
    """Split a column's name into plain small words.

    >>> words_of("Patient-ID"), words_of("staffNo"), words_of("N° de sécurité sociale")
    (['patient', 'id'], ['staff', 'no'], ['no', 'de', 'securite', 'sociale'])
    >>> words_of("Medical Record #")
    ['medical', 'record', 'no']
    """
    text = re.sub("[°º]", "o ", name).replace("#", " no ")
    text = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    text = re.sub(r"\be-mail", "email", text.lower())
    return re.findall(r"[a-z]+|[0-9]+", text)


def is_name_of_a_person(name: str) -> bool:
    """Tell whether a column's name says that its cells are names of persons, and of nothing else.

    >>> [is_name_of_a_person(one) for one in ("Vorname", "first name", "Name des Patienten", "name", "town")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    pairs = map("".join, pairwise(words))
    if _OF_A_PERSON.intersection([*words, *pairs]):
        return True
    is_of_someone = bool(_BIRTH.intersection(words)) or any(_begins(word, (*_WHO, *_ROLE)) for word in words)
    glued = any(word.endswith(("name", "naam")) and _begins(word[:-4], (*_WHO, "pat")) for word in words)
    return glued or (is_of_someone and bool(_NAME.intersection(words)))


def is_a_helper(name: str) -> bool:
    """Tell whether a column names or numbers somebody whom many people go to.

    >>> [is_a_helper(one) for one in ("Hausarzt", "doctor_id", "patient_id", "mother_id")]
    [True, True, False, False]
    """
    return any(_begins(word, _HELPER) for word in words_of(name))


def is_a_name(name: str) -> bool:
    """Tell whether a column is called as one of names is, which several persons may share.

    >>> [is_a_name(one) for one in ("Nom de jeune fille", "surname", "Name", "patient_id")]
    [True, True, True, False]
    """
    return is_name_of_a_person(name) or not _NAME.isdisjoint(words_of(name))


def is_only_a_number(name: str) -> bool:
    """Tell whether a column is called "number" and nothing else, as panels call their persons.

    >>> is_only_a_number("nr"), is_only_a_number("Nr."), is_only_a_number("number of visits")
    (True, True, False)
    """
    return set(words_of(name)) <= _ONLY_A_NUMBER and bool(words_of(name))


def is_a_person(name: str, *, is_text: bool = False) -> bool:
    """Tell whether a column is called as one person is, or as the number of one; texts also by their roles.

    >>> [is_a_person(one) for one in ("Subject", "patient_id", "id", "persons", "doctor")]
    [True, True, True, False, False]
    >>> is_a_person("doctor", is_text=True)
    True
    """
    words = [word for word in words_of(name) if not word.isdigit()]
    if not is_text:
        return bool(words) and all(word == "id" or _begins(word, _WHO) for word in words)
    words = [word for word in words if not _begins(word, _WHICH) and word not in ("de", "di")]
    who = (*_WHO, *_ROLE)
    return bool(words) and all(
        word == "id" or _begins(word, who) or word.endswith(_ENDINGS_OF_PEOPLE) for word in words
    )


def is_of_a_thing(name: str) -> bool:
    """Tell whether a column is called as the name, number or code of a thing or of a class of things is.

    >>> [is_of_a_thing(one) for one in ("drug name", "Zimmernummer", "icd10_code", "NUTS 3", "patient name")]
    [True, True, True, True, False]
    """
    words = [word for word in words_of(name) if not word.isdigit() and word not in _NAME_OR_NUMBER]
    parts = [found[1] if (found := _GLUED.fullmatch(word)) else word.removesuffix("name") for word in words]
    return (
        bool(parts)
        and any(
            part.startswith(_OF_THINGS) or any(len(one) > 5 and one in part for one in _OF_THINGS)
            for part in parts
        )
        and not any(_begins(part, (*_WHO, *_ROLE)) for part in parts)
    )


def name_strength(name: str) -> Strength:
    """Say whether a name tells of a person's identifier for sure, or of a number that may be one.

    >>> [name_strength(one) for one in ("SSN", "FallNr", "order no", "number of visits", "weight")]
    ['sure', 'sure', 'number', 'none', 'none']
    """
    words = words_of(name)
    if not words or _NOT_PEOPLE.intersection(words):
        return "none"
    if words[0] in _COUNTING and words[-1].endswith(("s", "en")):
        return "none"
    if words[0] == "n":
        return "sure" if _PAPERS_OF_ONE.intersection(words) else "none"
    if any(word in _NUMBER for word in words) and any(
        _begins(word, (*_WHO, *_ROLE, *_PAPER)) for word in words
    ):
        return "sure"
    if is_of_a_thing(name) and not _SURE.difference(_NAME).intersection(words):
        return "none"
    if any(word in _SURE or word.startswith("identif") for word in words) and not _BIRTH.intersection(words):
        return "sure"
    if any(_is_glued(word) for word in words) or is_name_of_a_person(name) or is_a_person(name):
        return "sure"
    numbering = set(_NUMBER) if len(words) == 1 else set(_NUMBER).difference(_PLACES_IN_A_LIST)
    counts = words[0] == "number" or (words[0] == "no" and not _NUMBER_SIGN.match(name))
    if words[-1] in numbering or (words[0] in numbering and not counts):
        return "number"
    if any(word.endswith(_ENDINGS) and len(word) > 4 and word not in _NUMBER for word in words):
        return "sure" if not words[-1].endswith(("nummer", "nr", "number")) else "number"
    return "none"


def _begins(word: str, beginnings: Sequence[str]) -> bool:
    """Tell whether a word is one of some, in the singular; long ones may end in another way."""
    return word in beginnings or any(
        len(one) > 4 and word.startswith(one) and len(word) <= len(one) + 3 and not word.endswith("s")
        for one in beginnings
    )


def _is_glued(word: str) -> bool:
    """Tell whether a word such as ``patnr`` or ``custid`` is of a person and a number."""
    found = _GLUED.fullmatch(word)
    return found is not None and _begins(found[1], (*_WHO, *_ROLE, *_PAPER))
