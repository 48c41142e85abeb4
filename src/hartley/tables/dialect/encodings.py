"""Which encoding a file that is not UTF-8 is likely to have."""

from __future__ import annotations

import re

WESTERN = "äöüßÄÖÜéèêëàâáãåæçîïíìñóòôõøœúùûÿÉÈÀÅÆÇÑÓØ€„“”‚‘’–—«»°²³µ§"
CENTRAL = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňóřšťúůýžÁČĎÉĚÍŇŘŠŤÚŮÝŽőűŐŰöüÖÜľĺŕôäăâîșțşţđ€„“”‚‘’–—°§"
NAMES = {
    "cp1252": "Windows-1252 (Western Europe)",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
}
_RUN = re.compile(rb"[\x80-\xff]+")


def likely_encoding(content: bytes) -> str:
    """Return the Windows encoding that a text is likely to be in, by its letters.

    >>> likely_encoding("Straße".encode("cp1252")), likely_encoding("Łódź".encode("cp1250"))
    ('cp1252', 'cp1250')
    >>> likely_encoding("Москва".encode("cp1251"))
    'cp1251'
    """
    runs = _RUN.findall(content)
    # Cyrillic words are runs of such letters; in Latin ones they mostly stand alone.
    if sum(len(run) for run in runs if len(run) >= 3) * 2 > sum(map(len, runs)):
        return "cp1251"
    letters = b"".join(runs)
    western = sum(letter in WESTERN for letter in letters.decode("cp1252", "replace"))
    central = sum(letter in CENTRAL for letter in letters.decode("cp1250", "replace"))
    return "cp1250" if central > western else "cp1252"
