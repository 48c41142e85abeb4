"""Messages of the workflow in the words of the page: no option of the command line, no name of ours."""

from __future__ import annotations

HOW_READ = "“How the file is read”"
PAGE_WORDS = (
    ("read it with --encoding utf-16", f"choose UTF-16 under {HOW_READ} and open it again"),
    (
        "name the file's encoding, for example --encoding latin-1",
        f"choose its encoding, Windows or Latin-1 perhaps, under {HOW_READ} and open it again",
    ),
    (
        "if that separates the cells, say so with --delimiter",
        f"if that separates the cells, choose it under {HOW_READ} and open it again",
    ),
    ("name its encoding with --encoding", f"choose another under {HOW_READ} and open it again"),
    (" (--encoding)", f"; choose another encoding under {HOW_READ} and open it again"),
    ("; --sheet is for workbooks", ""),
    (" (--text)", ""),
    ("--missing-at NUMBER gives it one", "“A missing number lies at”, under “More choices”, gives it one"),
    ("--missing drop leaves its rows out", "“Rows with a missing cell” can be left out there"),
    ("--utility resolution needs no positions", "“number of values kept apart” as utility needs none"),
    ("use --utility distortion, or leave them out", "choose “distance from the true value” as utility"),
    ("use --utility resolution, or give a dissimilarity", "choose “number of values kept apart” as utility"),
    ("use --labels midpoint", "write a released value as a middle value"),
    ("use --labels interval or set", "write a released value as an interval, or as all its values"),
    ("--time-limit needs", "“Stop after” needs"),
    ("--missing-at is the place", "“A missing number lies at” is the place"),
)


def in_the_page(message: str, stored: str | None = None, name: str = "") -> str:
    """Say a message so that it can be followed in the page; a file goes by the name the user knows.

    >>> in_the_page("u1.csv: not UTF-8; name its encoding with --encoding", "u1.csv", "heart.csv")
    'heart.csv: not UTF-8; choose another under “How the file is read” and open it again'
    """
    for option, page in PAGE_WORDS:
        message = message.replace(option, page)
    return message if stored is None else message.replace(stored, name)
