"""Two calls of each command that a newcomer can copy, and what each of them does."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "audit": (
        ("hartley audit clinic.csv", "List the columns, and say which look like names."),
        (
            "hartley audit clinic.csv -s age -p cholesterol --require distinct-l=5",
            "Count whose age can be read off; exit code 3 if fewer than 5 ages remain.",
        ),
    ),
    "frontier": (
        (
            "hartley frontier clinic.csv -s age -p cholesterol",
            "Show what each step of protection costs.",
        ),
        (
            "hartley frontier clinic.csv -s age -p cholesterol --shape intervals \\\n"
            "      --borders 10 --plot frontier.svg",
            "The same for bands that begin at multiples of 10, as a picture.",
        ),
    ),
    "release": (
        (
            "hartley release clinic.csv released.csv -s age -p cholesterol --distinct-l 5",
            "Keep at least 5 ages possible for everyone, and lose as little as possible.",
        ),
        (
            "hartley release clinic.csv released.csv -s age -p cholesterol \\\n"
            "      --row-k 10 --withhold 2% --key curator.key",
            "Groups of 10 people; withhold up to 2 % of the rows; sign the certificate.",
        ),
    ),
    "apply": (
        (
            "hartley apply released.policy.json clinic-2025.csv released-2025.csv",
            "Recode next year's table by the same codebook, and measure it again.",
        ),
        (
            "hartley apply released.policy.json clinic-2025.csv released-2025.csv \\\n"
            "      --unseen nearest --require distinct-l=5",
            "Recode new values like the nearest known one; write nothing unless 5 remain.",
        ),
    ),
    "key": (
        ("hartley key curator.key", "Make curator.key (secret) and curator.key.pub (for everyone)."),
        ("hartley key curator.key --json", "The same, with the fingerprint as JSON."),
    ),
    "verify": (
        (
            "hartley verify released.csv --public-key curator.key.pub",
            "Check that this is the file that was certified, and by whom.",
        ),
        (
            "hartley verify released.csv --original clinic.csv \\\n      --policy released.policy.json",
            "Count everything again from the files, with the secrets of the curator.",
        ),
    ),
    "compare": (
        (
            "hartley compare clinic.csv -s age -p cholesterol --distinct-l 5",
            "Which method loses least when 5 ages must remain possible?",
        ),
        (
            "hartley compare clinic.csv -s age -p cholesterol --plot compare.svg",
            "The same at a balanced point, as a picture.",
        ),
    ),
    "report": (
        (
            "hartley report clinic.csv -s age -p cholesterol -o report.html",
            "One page to show to a board; it contains no data from the table.",
        ),
        (
            "hartley report clinic.csv -s age -p cholesterol --distinct-l 5 \\\n"
            "      -o curator.html --disclosive",
            "The same for the curator, with cells and codebook.",
        ),
    ),
    "serve": (
        ("hartley serve clinic.csv", "Open the app with this table."),
        ("hartley serve --port 8080 --no-open", "Start the app without a table or a browser."),
    ),
    "reproduce": (
        ("hartley reproduce", "Run the paper's worked examples again."),
        (
            "hartley reproduce --data processed.hungarian.data -o figures",
            "Run its experiment as well, and draw the figures.",
        ),
    ),
    "sql": (
        (
            "hartley sql audit -s age -p cholesterol --table patients > audit.sql",
            "A statement that counts in the database; run it there.",
        ),
        (
            "hartley sql audit -s age -p cholesterol --dialect postgres",
            "The same for PostgreSQL. `hartley audit --counts FILE` takes the result.",
        ),
    ),
    "export": (
        (
            "hartley export released.policy.json --to sql -o recode.sql",
            "The same recoding as a statement for a database.",
        ),
        (
            "hartley export released.policy.json --to r -o recode.R",
            "The same recoding as a script for R.",
        ),
    ),
}


def examples_of(command: str) -> tuple[tuple[str, str], ...]:
    """Return the examples of a command: what to type, and what it does."""
    return EXAMPLES.get(command, ())
