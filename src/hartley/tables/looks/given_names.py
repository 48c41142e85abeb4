"""Cells in which people stand by their names: with common first names, titles or initials."""

# ruff: noqa: SIM905 (words are read as words)

from __future__ import annotations

import re
from collections.abc import Sequence

from hartley.tables.looks.identifier_cells import MOST
from hartley.tables.looks.identifier_names import words_of

GIVEN = frozenset(
    """aaron abigail adam agnieszka ahmed aisha alain albert alberto aldo alejandro alessandro alessia
    alexander ali alice alvaro amanda amber amelie amit amy ana anastasia andrea andreas andres andrew
    angel angela angelika angelo anil anja anke ann anna anne annelies anthony antoine antonia antonio
    ashley aurelie ayse barbara bas beatriz benjamin bernard bernd betty beverly birgit bjorn bram brandon
    brenda brian brigitte brittany bruno camille carl carlos carmen carol carolyn caterina catherine
    celine chantal charles charlotte cheryl chiara chloe christa christian christina christine christophe
    christopher claudia consuelo cornelia cornelis cristina cynthia daan daniel danielle david davide
    deborah debra denise dennis diana diane didier diego dieter dirk dmitri dolores domenico donald donna
    doris dorothy douglas dylan eduardo edward elena elif elisa elisabeth elise elizabeth elke ellen emily
    emma enrique eric erika ernst ethan evelyn fabio fatima federica federico felix femke fernando fiona
    florian frances francesca francesco francisco franco francois francoise frank franziska frederic
    friedrich gabriele gary geert genevieve george gerald gerard gerhard gerrit gertrud giorgio giovanna
    giovanni gisela giulia giuseppe gloria gregory greta guillaume gunter gunther hannah hannelore hans
    harold harry hassan heather heike heinrich heinz helen helene helga helmut hendrik henry hermann
    hildegard holger horst hugo hussein ibrahim ilaria ineke ines inge ingrid isabel isabella isabelle
    ivan ivana jack jacob jacqueline jacques james jan janet janice jason javier jean jeffrey jennifer
    jeremy jeroen jerry jessica jesus joan joaquin johanna johannes john jonas jonathan joost jorg jorge
    joris jose josefa joseph joyce juan judith judy julia julie julien juliette jurgen justin jutta kai
    karen karin karl katarzyna katharina kathe katherine kathleen kathrin kathryn katja katrin kayla kees
    keith kelly kenneth kerstin kevin kimberly klaus koen krzysztof kurt kyle larry lars laura lauren
    laurent lawrence layla lea lena leonie liam linda lisa lorenzo lotte louis luc luca lucia luciano lucy
    luigi luis lukas maaike maarten madison manfred manon manuel marcel marco margaret margaux maria marie
    marieke marijke marilyn mario marisol markus marta martha martin martina mary mathieu matteo matthew
    matthias megan mehmet melissa mercedes michael michel michele michelle miguel mohamed mohammed monika
    monique moritz muhammad mustafa nancy natalia natalie nathalie nathan nicholas nicolas nicole noah
    nora olga oliver olivia olivier omar pablo pamela paola paolo pascal patricia patrick paula pedro
    peter petra philip philippe pierre pieter pietro pilar priya rachel rafael rainer raj ralf ramon raul
    raymond rebecca renate rene riccardo richard robert roberto rocio roger ronald rosa ruben ruth ruud
    ryan sabine salvatore samantha samuel sander sandra sandrine sanjay sanne santiago sara sarah saskia
    scott sean sebastian sem sergei sergio sharon shirley silke silvia simon simone sofia sophia stefan
    stefano stephane stephanie stephen steven stijn susan susanne sven svetlana sylvain sylvie tanja
    tatiana teresa terry theo theresa thierry thijs thomas timothy tobias tomas tomasz torsten tyler
    ulrich ulrike ursula ute uwe valentina valerie veronique vicente vikram vincenzo walter werner willem
    william wolfgang wouter xavier yusuf zachary zeynep""".split()
)
"""Common first names of six languages and of people who came to where they are spoken, without accents."""
FEWEST = 0.2
"""The share of cells with a common first name from which cells written as names are those of people."""
FEWEST_ALONE = 0.5
"""The same of cells of one word."""
_SAINT = frozenset("san santa santo sankt saint sainte st ste sint sao fort port mount mont lake".split())
_TITLE = r"(?:Dr|Mr|Mrs|Ms|Mme|Mlle|Prof|Herr|Frau|Hr|Fr|Dott|Dra|Sig|Sra?|Dhr|Mevr)\b\.?"
_CAPITAL = r"[A-ZÀ-Ý][\w'’-]+"
_INITIALS = r"(?:[A-ZÀ-Ý]\.[ -]?)+"
_ADDRESSED = re.compile(
    rf"(?:{_TITLE} ?)+.*{_CAPITAL}.*"
    rf"|{_INITIALS} ?{_CAPITAL}(?: {_CAPITAL})?"
    rf"|{_CAPITAL}(?: {_CAPITAL})?,? {_INITIALS}"
)
_WORDS = re.compile(r"[^\W\d_][\w'’.-]*(?:,? [^\W\d_][\w'’.-]*){1,4}")


def are_people(cells: Sequence[str]) -> bool:
    """Tell whether different cells are people: with titles, initials or common first names.

    >>> are_people(["Dr. Xhaka", "Dr. Ek", "Prof. Ito"]), are_people(["Moretti, X.", "J. R. Ewing"])
    (True, True)
    >>> are_people(["ANNA EK", "JUN ITO"]), are_people(["House Sparrow", "San Pedro"])
    (True, False)
    """
    stripped = [cell.strip() for cell in cells]
    if sum(_ADDRESSED.fullmatch(cell) is not None for cell in stripped) >= MOST * len(stripped):
        return True
    words = [words_of(cell) for cell in stripped]
    if all(len(one) == 1 for one in words):
        return sum(one[0] in GIVEN for one in words) >= FEWEST_ALONE * len(words)
    written = sum(_WORDS.fullmatch(cell) is not None for cell in stripped)
    named = sum(one[:1] != [] and one[0] not in _SAINT and not GIVEN.isdisjoint(one) for one in words)
    return written >= MOST * len(words) and named >= FEWEST * len(words)
