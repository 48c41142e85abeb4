"""Cells that name a person by their form: e-mail addresses, phone numbers, IBANs, checked numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

LOOKED_AT = 20_000
"""Letters of a cell that are looked at."""
MOST = 0.9
"""The share of cells of a form from which a column is of that form."""


def is_iban(cell: str) -> bool:
    """Tell whether a text is an IBAN whose check digits are right.

    >>> is_iban("DE89 3704 0044 0532 0130 00"), is_iban("DE88 3704 0044 0532 0130 00")
    (True, False)
    """
    text = re.sub(r"\s", "", cell).upper()
    if not re.fullmatch(r"[A-Z]{2}\d\d[A-Z0-9]{10,30}", text):
        return False
    digits = "".join(str(int(letter, 36)) for letter in text[4:] + text[:4])
    return int(digits) % 97 == 1


def has_luhn_digit(cell: str) -> bool:
    """Tell whether a long number ends with a digit that checks the others, as cards and devices have it.

    >>> has_luhn_digit("4539 1488 0343 6467"), has_luhn_digit("4539 1488 0343 6468")
    (True, False)
    """
    digits = re.sub(r"[ -]", "", cell)
    if not re.fullmatch(r"\d{12,19}", digits):
        return False
    doubled = [int(digit) * 2 for digit in digits[-2::-2]]
    return (sum(map(int, digits[-1::-2])) + sum(d - 9 if d > 9 else d for d in doubled)) % 10 == 0


def is_phone(cell: str) -> bool:
    """Tell whether a text is written as a phone number.

    >>> is_phone("+49 89 1234567"), is_phone("(555) 010-9999"), is_phone("089/123456"), is_phone("1234567")
    (True, True, True, False)
    """
    text = cell.strip()
    if re.fullmatch(r"\d{4}-\d\d?-\d\d?|\d+[.,]\d+|\d\d?/\d\d?/\d{2,4}", text):
        return False
    digits = sum(letter.isdigit() for letter in text)
    is_written = re.fullmatch(r"(\+|00)?\(?\d[\d ()/.-]{5,}\d", text) is not None or (
        re.fullmatch(r"\(\d{2,5}\)[\d ()/.-]+", text) is not None
    )
    return is_written and 7 <= digits <= 15 and (text[0] in "+0(" or text.count("-") == 2)


def _form(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda cell: compiled.fullmatch(cell.strip()) is not None


_ROAD = (
    r"(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|plein|gracht|street|st\.?|road|rd\.?"
    r"|avenue|ave\.?|lane|drive|rue|boulevard|chemin|calle|avenida|plaza|via|viale|corso|piazza)"
)
_ADDRESS = re.compile(
    rf"[^\d]*{_ROAD} \d+ ?[a-z]?\b.*|{_ROAD} [^\d]+,? ?\d+ ?[a-z]?\b.*|\d+ ?[a-z]?,? [^\d]*\b{_ROAD}\b.*",
    re.IGNORECASE,
)


def is_address(cell: str) -> bool:
    """Tell whether a text is a street with the number of a house.

    >>> [is_address(one) for one in ("Lange Straße 12", "7 rue Monge", "Via Roma 3", "12 High St", "Bonn 3")]
    [True, True, True, True, False]
    """
    return _ADDRESS.fullmatch(cell.strip()) is not None


FORMS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("e-mail addresses", _form(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")),
    ("IBANs", is_iban),
    ("social security numbers", _form(r"\d{3}-\d{2}-\d{4}")),
    ("tax numbers", _form(r"[A-Z]{6}\d\d[A-Z]\d\d[A-Z]\d{3}[A-Z]|[XYZ]?\d{7,8}-?[A-Z]|[A-Z]{2}\d{6}[A-D]")),
    ("universal identifiers", _form(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")),
    ("fingerprints (hashes)", _form(r"(?=.*[a-fA-F])(?=.*\d)[0-9a-fA-F]{16,128}")),
    ("network addresses", _form(r"(\d{1,3}\.){3}\d{1,3}|([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}")),
    ("card or device numbers", has_luhn_digit),
    ("phone numbers", is_phone),
    ("addresses", is_address),
    ("positions on a map", _form(r"-?\d{1,3}\.\d{3,}°?[NSns]?[,; ] ?-?\d{1,3}\.\d{3,}°?[EWOewo]?")),
    (
        "national insurance numbers",
        _form(r"[12]\d{2}(0[1-9]|1[0-2])\d{8}(\d{2})?|\d{2}(0[1-9]|1[0-2])\d{6}[A-Z]\d{3}"),
    ),
)
FEWEST_HOLDING, LEAST_HOLDING = 3, 0.02
"""Different cells, and their share, that hold an address or a phone number among other words."""
_MAIL = re.compile(r"(?<=[^@\s<>])@[^@\s<>]+\.[A-Za-z]{2,}")
_PHONES = re.compile(r"(?<![\w.,/-])(?:\+|\(?0)\d[\d ()/-]{5,30}\d(?![\w.,/-]{0,30}\d)")
HELD: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("e-mail addresses", lambda cell: _MAIL.search(cell) is not None),
    ("phone numbers", lambda cell: any(map(is_phone, _PHONES.findall(cell)))),
)
SENTENCE = 5
"""Words per cell on average from which cells are sentences."""
NAME_OF_A_PERSON = re.compile(
    r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau)\.? )?[A-ZÀ-Ý][\w'’.-]*"
    r"(?:,? (?:(?:van|von|de|der|den|la|di|del|da|le) )*[A-ZÀ-Ý][\w'’.-]*){1,3}"
)


def form_of(cells: Sequence[str]) -> str | None:
    """Name the form that nearly all of some different cells have; nothing where they have none.

    >>> form_of(["a@b.org", "c.d@e.com", "f@g.net"])
    'e-mail addresses'
    """
    if len(cells) < 3:
        return None
    beginnings = [cell[:LOOKED_AT] for cell in cells]
    for name, fits in FORMS:
        if sum(map(fits, beginnings)) >= MOST * len(cells):
            return name
    return None


def held_in(cells: Sequence[str]) -> str | None:
    """Name what stands among the words of some cells and leads to a person; nothing where nothing does.

    >>> held_in(["none", "call 0171-5550199", "mother: 0171-5550123", "see file", "Tel. 0171-5550177"])
    'phone numbers'
    """
    beginnings = [cell[:LOOKED_AT] for cell in cells]
    for name, holds in HELD:
        if sum(map(holds, beginnings)) >= max(FEWEST_HOLDING, LEAST_HOLDING * len(cells)):
            return name
    return None


def are_sentences(cells: Sequence[str]) -> bool:
    """Tell whether cells are free text, with so many words on average as nobody gives to a category.

    >>> are_sentences(["sent home with her daughter", "no pain since Monday"]), are_sentences(["very good"])
    (False, False)
    >>> are_sentences(["was sent home with her daughter", "has had no pain since Monday"])
    True
    """
    return sum(len(cell.split()) for cell in cells) >= SENTENCE * len(cells) > 0


def are_names(cells: Sequence[str]) -> bool:
    """Tell whether nearly all cells are written as the names of people are.

    >>> are_names(["Anna Schmidt", "Huber, Max", "Vincent van Gogh"]), are_names(["red", "dark blue"])
    (True, False)
    """
    return sum(NAME_OF_A_PERSON.fullmatch(cell.strip()) is not None for cell in cells) >= MOST * len(cells)


def are_codes(cells: Sequence[str]) -> bool:
    """Tell whether nearly all cells are one kind of short code with digits and few prefixes, such as P-0001.

    >>> are_codes(["P-001", "P-002", "P-017"]), are_codes(["mild", "strong"]), are_codes(["C50.9", "J45.0"])
    (True, False, False)
    """
    shapes = {re.sub(r"\d", "9", re.sub("[A-Za-z]", "a", cell.strip())) for cell in cells}
    if len(shapes) > 2 or not all(re.search(r"9{2,}", shape) and "a" in shape for shape in shapes):
        return False
    # Classes of diseases, drugs and places differ in their letters; numbers of people have a few prefixes.
    prefixes = {re.sub(r"\d", "", cell.strip()) for cell in cells}
    return len(prefixes) ** 2 <= len(cells) or all(re.search(r"9{4,}", shape) for shape in shapes)
