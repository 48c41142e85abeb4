"""Categories that have an order: found where their words are common, asked for where a name sounds so."""

# ruff: noqa: SIM905 (words are read as words)

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from hartley.tables.looks.identifier_names import words_of
from hartley.tables.looks.identifiers import ColumnLook

SOUNDS_ORDERED = tuple(
    """educ bildung abschluss schulabsch qualif degree diplom niveau nivel livello opleiding istruz etud
    stage stadium stadio grade size grosse taille tamano level stufe severit schwere gravit gravedad
    agree zufried satisf soddisf tevreden likert frequen frecuen haufig""".split()
)
"""Beginnings of words in names of columns whose categories are likely to have an order."""
UNORDERED = tuple(
    """race ethn hispan mari familienst civil region sex gender geschlecht genre genero genere religion nation
    country county state land occup beruf profes industr colour color""".split()
)
"""Beginnings of words in names of columns whose categories have none, though numbers may stand before."""
MOST_CATEGORIES = 15
LONGEST_CATEGORY = 1_000
"""Letters of a category; longer texts have no known order."""
Ordered = Literal["known", "asked"]
"""Whether the order of a column's categories is known, or the curator has to say it."""
_SCALES = (
    """january jan januar janvier enero gennaio januari|
    february feb februar fevrier febrero febbraio februari|
    march mar marz mars marzo maart|april apr avril abril aprile|may mai mayo maggio mei|
    june jun juni juin junio giugno|july jul juli juillet julio luglio|august aug aout agosto augustus|
    september sep sept septembre septiembre settembre|october oct oktober okt octobre octubre ottobre|
    november nov novembre noviembre|december dec dezember dez decembre diciembre dicembre""",
    """monday mon montag lundi lunes lunedi maandag|tuesday tue tues dienstag mardi martes martedi dinsdag|
    wednesday wed mittwoch mercredi miercoles mercoledi woensdag|
    thursday thu thur thurs donnerstag jeudi jueves giovedi donderdag|
    friday fri freitag vendredi viernes venerdi vrijdag|saturday sat samstag samedi sabado sabato zaterdag|
    sunday sun sonntag dimanche domingo domenica zondag""",
    "xxs|xs|s|m|l|xl|xxl|xxxl",
    """tiny|small klein petit pequeno piccolo|medium mittel moyen mediano medio middel|
    large big gross grand grande groot|huge""",
    """very_low sehr_niedrig|low niedrig faible bajo basso laag|
    medium moderate middle mittel moyen medio gemiddeld|high hoch eleve alto hoog|very_high sehr_hoch""",
    """none no keine aucun aucune ninguno ninguna nessuno nessuna geen|
    mild leicht leichtgradig faible leger legere leve lieve licht|
    moderate mittel massig mittelgradig mittelschwer modere moderee moderado moderada moderato moderata matig|
    severe schwer schwergradig grave ernstig|very_severe critical sehr_schwer tres_severe tres_grave""",
    "0|i|ia|ib|ic|ii|iia|iib|iic|iii|iiia|iiib|iiic|iv|iva|ivb|ivc|v",
    "stage_0|stage_i|stage_ii|stage_iii|stage_iv",
    """strongly_disagree disagree_strongly|disagree|somewhat_disagree|
    neutral neither undecided neither_agree_nor_disagree|somewhat_agree|agree|
    strongly_agree agree_strongly""",
    """stimme_gar_nicht_zu|stimme_nicht_zu stimme_eher_nicht_zu|teils_teils|stimme_eher_zu|stimme_zu|
    stimme_voll_zu""",
    """very_dissatisfied sehr_unzufrieden|dissatisfied unzufrieden|neutral neither|satisfied zufrieden|
    very_satisfied sehr_zufrieden""",
    """tres_insatisfait muy_insatisfecho molto_insoddisfatto zeer_ontevreden|
    insatisfait insatisfecho insoddisfatto ontevreden|neutre neutral neutro neutrale neutraal|
    satisfait satisfecho soddisfatto tevreden|
    tres_satisfait muy_satisfecho molto_soddisfatto zeer_tevreden""",
    """pas_du_tout_d_accord totalmente_en_desacuerdo per_niente_d_accordo helemaal_mee_oneens|
    pas_d_accord en_desacuerdo in_disaccordo mee_oneens|neutre neutral neutro neutrale neutraal|
    d_accord de_acuerdo d_accordo mee_eens|
    tout_a_fait_d_accord totalmente_de_acuerdo del_tutto_d_accordo helemaal_mee_eens""",
    "very_unlikely|unlikely|neutral neither|likely|very_likely",
    """never nie jamais nunca nooit|rarely seldom selten rarement raramente zelden|
    sometimes occasionally manchmal parfois a_veces a_volte soms|
    often usually oft souvent a_menudo spesso vaak|always immer toujours siempre sempre altijd""",
    """very_bad very_poor sehr_schlecht|bad poor schlecht mauvais malo|fair average befriedigend passable|
    good gut bon bueno|very_good sehr_gut tres_bon|excellent ausgezeichnet""",
    """less_than_high_school less_than_hs no_hs lt_high_school|high_school hs hs_grad high_school_graduate|
    some_college junior_college|bachelor bachelors bachelor_s college_grad college_graduate undergraduate|
    master masters master_s graduate advanced_degree postgraduate graduate_school|phd doctorate""",
    """none no_qualification no_education illiterate kein_abschluss ohne_abschluss sans_diplome sin_estudios
    geen_diploma|primary primary_school elementary grundschule primaire primaria hauptschule volksschule
    hauptschulabschluss basisonderwijs|brevet lower_secondary realschule mittlere_reife realschulabschluss|
    secondary secondary_school high_school a_levels abitur bac baccalaureat gymnasium secundaria
    bachillerato|vocational berufsausbildung lehre apprenticeship bac_2 bts|
    bachelor licence fachhochschule college university hochschule universitat universite tertiary degree
    hochschulabschluss universidad universita|master higher_degree|doctorate phd doktor promotion doctorat""",
)
"""Scales of common words: places from least to greatest, with words for each."""
_PLACES = tuple(
    {word: place for place, words in enumerate(scale.split("|")) for word in words.split()}
    for scale in _SCALES
)
_BELOW = r"under|less than|fewer than|below|up to|unter|bis|moins de|menos de|meno di|<=?"
_ABOVE = r"over|above|more than|at least|uber|über|ab|plus de|mas de|más de|>=?"
_BAND = re.compile(rf"\s*(?:({_BELOW})|({_ABOVE}))?\s*[£$€]?(\d[\d,.]*)(.*)", re.IGNORECASE | re.DOTALL)
_GOES_ON = re.compile(r"\s*(\+|-|–|\.? |to\b|and\b|or\b|bis\b|years?\b|yrs?\b|ou\b|a\b|y\b|e\b|hours?\b)")


def known_order(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Return categories from least to greatest where their words are common or they are bands of numbers.

    >>> known_order(["high", "low", "medium"]), known_order(["Realschule", "Abitur", "kein Abschluss"])
    (('low', 'medium', 'high'), ('kein Abschluss', 'Realschule', 'Abitur'))
    >>> known_order(["2,600 to 5,200", "Under 2,600", "Above 36,400"])
    ('Under 2,600', '2,600 to 5,200', 'Above 36,400')
    >>> known_order(["red", "green", "low"]) is None, known_order(["01067", "04109", "80331"]) is None
    (True, True)
    """
    if not 3 <= len(cells) <= MOST_CATEGORIES or max(map(len, cells)) > LONGEST_CATEGORY:
        return None
    words = {cell: "_".join(words_of(cell)) for cell in cells}
    for scale in _PLACES:
        if all(word in scale for word in words.values()):
            return _one_by_one({cell: (scale[word], 0.0) for cell, word in words.items()})
    bands = {cell: _band(cell) for cell in cells}
    if any(place is None for place in bands.values()):
        return None
    return _one_by_one({cell: place for cell, place in bands.items() if place is not None})


def is_ordered(name: str, cells: Sequence[str]) -> bool:
    """Tell whether the order of categories is known, and the column's name does not say that they have none.

    >>> [is_ordered(name, ["1. First", "2. Second", "3. Third"]) for name in ("stage", "maritl", "race")]
    [True, False, False]
    """
    return known_order(cells) is not None and not any(word.startswith(UNORDERED) for word in words_of(name))


def order_of(column: ColumnLook) -> Ordered | None:
    """Tell whether the order of a column of text is known, or has to be asked for.

    >>> order_of(ColumnLook("education", True, False, 90, 3, ["degree", "no degree", "other"]))
    'asked'
    """
    if not column.is_text or not 3 <= column.values <= MOST_CATEGORIES:
        return None
    if len(column.cells) == column.values and is_ordered(column.name, column.cells):
        return "known"
    return "asked" if any(word.startswith(SOUNDS_ORDERED) for word in words_of(column.name)) else None


def _band(cell: str) -> tuple[float, float] | None:
    """Return where a band of numbers begins; nothing where a cell is none, or a plain number or code."""
    found = _BAND.fullmatch(cell)
    if found is None:
        return None
    below, above, digits, rest = found.groups()
    if not (below or above or _GOES_ON.match(rest)):
        return None
    number = digits.rstrip(".,").replace(",", "")
    try:
        return float(number), -1.0 if below else 1.0 if above else 0.0
    except ValueError:
        return None


def _one_by_one(places: dict[str, tuple[float, float]]) -> tuple[str, ...] | None:
    """Return cells in the order of their places; nothing where two have the same."""
    if len(set(places.values())) < len(places):
        return None
    return tuple(sorted(places, key=lambda cell: places[cell]))
