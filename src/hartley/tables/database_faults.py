"""What a database says when it fails, in our words: its own may hold a cell or a password."""

from __future__ import annotations

TAKEN = "the table exists already"
FAULTS = {
    "28": "the user or the password is wrong",
    "08": "the connection was lost",
    "25P02": "an earlier query failed; open the table again",
    "3D": "there is no such database",
    "3F": "there is no such schema",
    "40": "others have changed it meanwhile; try again",
    "42P01": "there is no such table",
    "42P07": TAKEN,
    "25006": "the session can only read",
    "42703": "the query names a column that is not there",
    "42601": "the query is no valid SQL",
    "42501": "the user may not do this",
    "53100": "its disk is full",
    "53300": "it has too many connections; try again later",
    "57014": "the query was cancelled",
    "57P": "the server has ended the connection",
}


def fault_in(text: str) -> str:
    """Say what a driver's message is about, without a word of it."""
    for words, fault in (
        ("no such table", FAULTS["42P01"]),
        ("already exists", FAULTS["42P07"]),
        ("no such column", FAULTS["42703"]),
        ("syntax error", FAULTS["42601"]),
        ("not a database", "the file is not a SQLite database"),
        ("malformed", "the file is damaged"),
        ("locked", "another program has locked it"),
        ("readonly", FAULTS["42501"]),
        ("permission denied", FAULTS["42501"]),
        ("ERROR:  schema", FAULTS["3F"]),
        ("unsupported type", "it has no type for one of the columns"),
        ("out of range", "it has no type for one of the columns"),
        ('"UTF8": 0x00', "a text holds the character NUL, which PostgreSQL cannot hold"),
        ("invalid byte sequence", "a text is not in UTF-8; mend it, or leave its column out"),
        ("terminating connection", FAULTS["57P"]),
        ("server closed", FAULTS["08"]),
        ("no connection", FAULTS["08"]),
    ):
        if words in text:
            return fault
    return "the database refuses the query"


def connection_fault(text: str) -> str:
    """Say why there is no connection, without a word of the driver."""
    for words, fault in (
        ("password authentication failed", FAULTS["28"]),
        ("no password supplied", "a password is needed; put it into the URL or into PGPASSWORD"),
        ("role", "there is no such user"),
        ("does not exist", FAULTS["3D"]),
        ("refused", "no server answers there"),
        ("translate host", "there is no such host"),
        ("No such file", "no server answers there"),
        ("timeout", "no server answers there"),
        ("pg_hba.conf", "the server does not let this user in from here"),
        ("too many", FAULTS["53300"]),
        ("SSL", "the server and sslmode do not agree"),
    ):
        if words in text:
            return fault
    return (
        "cannot connect to the database; write postgresql://user:password@host:port/database, "
        "and odd characters of the password by their codes, such as %2F for /"
    )
