"""The command lines whose answers must stay: groups that share a folder, each in its order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

UTILITIES = (
    "--utility resolution",
    "--utility distortion",
    "--utility distortion --codeword centroid",
    "--utility distortion --codeword member",
)
LEAKAGES = ("l0", "istar", "joint")
SEARCHES = ("optimal", "greedy")
TARGETS = (
    "--distinct-l 2",
    "--max-leakage 1 --accept-exposure",
    "--largest-cluster 4 --accept-exposure",
    "--utility-weight 0.5 --accept-exposure",
)

VISITS = "-s illness -p age"


def _questions(*, searches: tuple[str, ...] = SEARCHES) -> Iterator[str]:
    for leakage, utility, search in product(LEAKAGES, UTILITIES, searches):
        yield f"--leakage {leakage} {utility} --search {search}"


def _audits() -> Iterator[str]:
    yield from ("audit toy.csv -s s -p x", "audit toy.csv -s s -p place", "audit toy.csv -s s")
    yield from (f"audit clinic.csv -s {secret}" for secret in ("age", "cholesterol"))
    yield from (f"audit small{number}.csv -s secret -p a -p word --side known" for number in range(3))
    for table in ("visits.csv", "visits.parquet", "visits.jsonl"):
        yield f"audit {table} {VISITS}"
        yield f"audit {table} -s illness -s ward -p town -p visited --missing drop"
    yield from (
        "audit visits.csv -s dose -p town --text dose",
        "audit visits.csv -s illness -p dose -p insured --side ward --disclosive",
        "audit visits.csv -s illness -p age --require distinct-l=2",
        "audit visits.csv -s illness -p ward --require distinct-l=2 --require row-k=3 --require istar=0",
        "audit visits.csv -s illness -p ward --require l0=0.5",
        "audit semicolon.csv -s Befund -p Ort --encoding latin-1 --delimiter ;",
        "audit one.csv -s secret",
        "audit same.csv -s secret -p a",
        "audit small0.csv -s secret -p a --stochastic",
        "audit visits.csv -s illness -p ward --stochastic",
        "audit toy.csv -s s -p x --stochastic --disclosive",
    )


def _frontiers(table: str, roles: str) -> Iterator[str]:
    yield from (f"frontier {table} {roles} {question}" for question in _questions())


def _frontiers_of_more() -> Iterator[str]:
    two = "frontier small0.csv -s secret -p a -p b"
    yield from (f"{two} --utility distortion --combine {how}" for how in ("max", "sum"))
    yield f"{two} --utility distortion --scale a=2 --scale b=10 --search greedy"
    yield f"{two} --utility resolution"
    for leakage, utility in product(LEAKAGES, UTILITIES[:3]):
        yield f"frontier small1.csv -s secret -p a --side known --leakage {leakage} {utility}"
        yield f"frontier small1.csv -s secret -p a --keep known --leakage {leakage} {utility}"
    yield from (
        "frontier small1.csv -s secret -p a --side known --search greedy",
        "frontier small1.csv -s secret -p a --keep word --utility distortion --search greedy",
        "frontier toy.csv -s s -p place --search greedy --trace",
        "frontier toy.csv -s s -p place --search greedy --utility-weight 0.3 --trace",
        "frontier toy.csv -s s -p place --utility-weight 0.3",
        "frontier visits.csv -s illness -p town",
        "frontier visits.csv -s illness -p visited",
        "frontier visits.csv -s illness -p dose",
        "frontier visits.csv -s illness -p dose --missing-at 1.1",
        "frontier visits.csv -s illness -p dose --missing drop --codeword member",
        "frontier visits.csv -s illness -s insured -p age --leakage istar",
        "frontier visits.csv -s illness -p age -p visited --combine sum",
        "frontier visits.parquet -s illness -p visited --seed 3",
        "frontier clinic.csv -s age -p cholesterol",
        "frontier clinic.csv -s age -p cholesterol --search greedy --leakage istar --utility resolution",
    )


def _releases() -> Iterator[str]:
    for number, question in enumerate(_questions()):
        target = TARGETS[number % len(TARGETS)]
        if "--utility-weight" in target and "optimal" in question:
            target = "--max-leakage 0.5 --accept-exposure"
        yield f"release small{number % 2}.csv r{number}.csv -s secret -p a {question} {target}"
        if number % 3 == 0:
            yield f"verify r{number}.csv --original small{number % 2}.csv --policy r{number}.policy.json"


def _releases_of_more() -> Iterator[str]:
    for label in ("midpoint", "centroid", "member", "interval", "set"):
        yield f"release visits.csv {label}.csv {VISITS} --labels {label} --distinct-l 2"
        yield f"verify {label}.csv --original visits.csv --policy {label}.policy.json"
        yield f"apply {label}.policy.json later.csv {label}-later.csv --unseen nearest"
    for name, rest in {
        "dates": "-p visited --distinct-l 3",
        "intervals": "-p visited --labels interval --max-leakage 1.2",
        "towns": "-p town --distinct-l 3",
        "doses": "-p dose --distinct-l 2",
        "doses-at": "-p dose --missing-at 1.1 --distinct-l 2",
        "dropped": "-p dose --missing drop --distinct-l 2 --keep-order",
        "kept": "-p age --keep ward --distinct-l 2",
        "harmless": "-p age --harmless insured --distinct-l 2",
        "side": "-p age --side insured --distinct-l 2",
        "both": "-p age --publish-sensitive --distinct-l 2",
        "two": "-p age -p dose --missing drop --combine sum --distinct-l 2",
        "mixed": "-p age -p town --distinct-l 2 --leakage istar",
        "far": "-p age --max-distortion 2",
        "unreachable": "-p age --distinct-l 40",
    }.items():
        yield f"release visits.csv {name}.csv -s illness {rest}"
        yield f"verify {name}.csv --original visits.csv --policy {name}.policy.json"
    yield from (
        "release visits.parquet out.parquet -s illness -p age --keep visited --distinct-l 2",
        "verify out.parquet --original visits.parquet --policy out.policy.json",
        "release visits.jsonl out.jsonl -s illness -s ward -p age --jointly --distinct-l 2 --policy p.json",
        "verify out.jsonl --original visits.jsonl --policy p.json",
    )


def _later_releases() -> Iterator[str]:
    first, policy = "--earlier first.policy.json", "--policy first.policy.json"
    yield from (
        f"release visits.csv first.csv {VISITS} --distinct-l 2",
        f"release visits.csv second.csv -s illness -p ward --distinct-l 2 {first}",
        f"verify second.csv --original visits.csv --policy second.policy.json {first}",
        f"release visits.csv third.csv {VISITS} --distinct-l 4 {first}",
        f"release visits.csv fourth.csv {VISITS} --max-leakage 0.7 --leakage istar {first} --accept-exposure",
        f"frontier visits.csv {VISITS} {first}",
        f"frontier visits.csv {VISITS} --leakage istar --utility resolution {first}",
        f"audit visits.csv {VISITS} {first}",
        f"audit visits.csv -s illness -p ward {first}",
        "apply first.policy.json visits.csv again.csv",
        "apply first.policy.json later.csv error.csv",
        "apply first.policy.json later.csv nearest.csv --unseen nearest",
        "apply first.policy.json later.csv suppress.csv --unseen suppress",
        "apply first.policy.json later.csv required.csv --unseen nearest --require distinct-l=9",
        "apply first.policy.json later.csv held.csv --unseen nearest --require distinct-l=1",
        "verify first.csv --original later.csv --policy first.policy.json",
        "verify again.csv --original visits.csv --policy first.policy.json",
        f"verify first.csv --original visits.csv {policy} --certificate second.certificate.json",
        "release toy.csv toy-out.csv -s s -p x --largest-cluster 3",
        "apply toy-out.policy.json toy.csv toy-again.csv",
        "apply toy-out.policy.json visits.csv toy-wrong.csv",
        "release small2.csv greedy.csv -s secret -p a -p b --search greedy --distinct-l 3",
        "verify greedy.csv --original small2.csv --policy greedy.policy.json",
    )


def _comparisons() -> Iterator[str]:
    yield from (
        "compare toy.csv -s s -p place",
        "compare toy.csv -s s -p x --max-leakage 1 --leakage istar",
        "compare small0.csv -s secret -p a --distinct-l 2",
        "compare small0.csv -s secret -p a --max-distortion 2 --codeword centroid",
        "compare small1.csv -s secret -p word --largest-cluster 2 --hierarchy word=words.csv",
        "compare small1.csv -s secret -p a -p b --distinct-l 2 --combine sum",
        "compare visits.csv -s illness -p age --missing drop",
        "compare visits.csv -s illness -p dose --missing-at 1.1",
        "compare small1.csv -s secret -p a --side known",
    )


def _reports() -> Iterator[str]:
    yield from (
        "report toy.csv -o toy.html -s s -p place",
        "report toy.csv -o toy-greedy.html -s s -p x --search greedy --leakage istar --disclosive",
        f"report visits.csv -o visits.html {VISITS} --distinct-l 2",
        "report visits.csv -o dates.html -s illness -p visited --disclosive",
        "report small1.csv -o kept.html -s secret -p a --keep known --side word",
    )


def _refusals() -> Iterator[str]:
    yield from (
        "audit absent.csv -s s",
        "audit notes.txt -s s",
        "audit ragged.csv -s secret",
        "audit none.csv -s secret",
        "audit toy.csv -s nothing",
        "audit toy.csv -s s -p s",
        "audit toy.csv -s s -p x --require distinct-l",
        "audit toy.csv -s s -p x --require k=3",
        "audit toy.csv -s s --encoding klingon",
        "audit toy.csv",
        "audit toy.csv -s s --number x",
        "frontier toy.csv -s s -p x --utility distortion",
        "frontier toy.csv -s s -p x --codeword centroid --utility resolution",
        "frontier toy.csv -s s -p place --leakage l1",
        "frontier toy.csv -s s -p place --time-limit -1",
        "frontier toy.csv -s s -p place --scale place=0",
        "release toy.csv r.csv -s s -p x",
        "release toy.csv r.csv -s s -p x --distinct-l 2 --max-leakage 1",
        "release toy.csv r.csv -s s -p x --distinct-l -2",
        "release toy.csv r.csv -s s -p x --distinct-l nan",
        "release toy.csv toy.csv -s s -p x --distinct-l 2",
        "release toy.csv r.unknown -s s -p x --distinct-l 2",
        "release toy.csv r.csv -s s -p x --keep x --distinct-l 2",
        "release toy.csv r.csv -s s -p place --max-distortion 0 --distinct-l 2",
        "release toy.csv r.csv -s s -p x --distinct-l 7",
        "apply toy.csv toy.csv r.csv",
        "apply absent.json toy.csv r.csv",
        "verify toy.csv --original toy.csv --policy absent.json",
        "verify toy.csv --original toy.csv --policy toy.csv",
        "compare toy.csv -s s -p x --distinct-l 2 --max-leakage 1",
        "compare toy.csv -s s -p x --leakage joint",
        "report toy.csv -s s -p x",
        "unknown toy.csv",
    )


GROUPS: dict[str, tuple[str, ...]] = {
    "audits": tuple(_audits()),
    "frontiers of toy": tuple(_frontiers("toy.csv", "-s s -p place")),
    "frontiers of small": tuple(_frontiers("small0.csv", "-s secret -p a")),
    "frontiers of more": tuple(_frontiers_of_more()),
    "releases": tuple(_releases()),
    "releases of more": tuple(_releases_of_more()),
    "later releases": tuple(_later_releases()),
    "comparisons": tuple(_comparisons()),
    "reports": tuple(_reports()),
    "refusals": tuple(_refusals()),
}
"""Each group runs in a folder of its own, call after call."""
