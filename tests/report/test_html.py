"""The report: true sentences, no cell in the board's version, nothing measured in the public's."""

from __future__ import annotations

import re
from functools import partial
from math import log2

import numpy as np
import pytest

import hartley
from hartley.cli.program import run
from hartley.model import Alphabet, JointRange
from hartley.model.demand import Target
from hartley.report.html import Report
from hartley.report.study_report import Choice

# Cells that cannot stand in a page by chance.
PUBLIC = [700001 + 1111 * place for place in range(24)]
SENSITIVE = [f"secret-{letter * 3}" for letter in "abcdefgh"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "patients.csv"
    rows = [f"{PUBLIC[i]},{SENSITIVE[i % 8]}" for i in range(24)]
    rows += [f"{PUBLIC[i]},{SENSITIVE[(3 * i + 1) % 8]}" for i in range(0, 24, 2)]
    path.write_text("weight,illness\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def write(table, tmp_path, *more: str) -> str:
    page = tmp_path / "report.html"
    code = run(["report", str(table), "-s", "illness", "-p", "weight", "-o", str(page), *more])
    assert code == 0
    return page.read_text(encoding="utf-8")


def cells_in(page: str) -> list[str]:
    # Numbers may be written with separators between the thousands.
    plain = page.replace(",", "")
    return [str(cell) for cell in [*PUBLIC, *SENSITIVE] if str(cell) in plain]


@pytest.mark.parametrize(
    "more",
    [(), ("--utility", "resolution"), ("--leakage", "istar"), ("--search", "greedy"), ("--distinct-l", "3")],
)
def test_the_version_for_the_board_holds_no_sensitive_cell(table, tmp_path, more):
    page = write(table, tmp_path, *more)
    assert not [cell for cell in SENSITIVE if str(cell) in page.replace(",", "")]


def test_page_one_is_for_those_who_decide(table, tmp_path):
    page = write(table, tmp_path, "--distinct-l", "3")
    first = page[page.index('<section class="board">') : page.index("</section>")]
    assert "<strong>PROTECTED.</strong>" in first
    assert "at least three different values of illness" in first
    made = hartley.release(table, tmp_path / "o.csv", sensitive="illness", public="weight", distinct_l=3)
    assert f"{made.after.distinct_l} of 8 values of illness" in first
    assert f"(k-anonymity)</th><td>{made.after.row_k}</td>" in first
    assert first.count("<tr>") == 4 + 1 + 5
    assert not re.search(r"\bbits?\b|I\*|L0|numpy", first)
    # The labels shown are those of the file.
    labels = set(made.output.read_text(encoding="utf-8").splitlines()[1:])
    released = re.findall(r"<td>(?:[^<]*<strong>)?([^<]+)(?:</strong>)?</td><td class=\"number\">", first)
    assert len(released) == 5
    assert "--" not in first
    assert set(released) <= labels
    listed = page[page.index("<h2>The released values</h2>") :]
    assert all(f"<li>{label} <small>" in listed for label in labels)
    places = [float(label) for label in re.findall(r"<li>([0-9.]+) <small>", listed)]
    assert places == sorted(places)


def test_page_one_tells_what_every_column_loses_where_rows_are_withheld(tmp_path):
    table = tmp_path / "people.csv"
    cells = [(20 + n % 7, "fm"[n % 7 % 2], "ns"[n % 7 % 3 == 0], n // 7) for n in range(42)]
    cells += [(90, "f", "s", 1), (8, "m", "n", 2)]
    table.write_text("age,sex,part,ill\n" + "".join(f"{a},{s},{p},w{i}\n" for a, s, p, i in cells))
    page = tmp_path / "page.html"
    roles = ["-s", "ill", "-p", "age", "-p", "sex", "-p", "part", "--distinct-l", "2", "--withhold", "2"]
    assert run(["report", str(table), *roles, "-o", str(page)]) == 0
    first = page.read_text(encoding="utf-8").split("</section>")[0]
    assert "2 of 44 rows have their age, sex and part withheld" in first
    assert all(f"<li>{name}: " in first for name in ("age", "sex", "part"))


def test_page_one_says_the_share_of_the_commoner_answer(tmp_path):
    table = tmp_path / "answers.csv"
    table.write_text("age,ill\n" + "".join(f"{20 + n % 9},{'yes' if n % 10 else 'no'}\n" for n in range(90)))
    page = tmp_path / "page.html"
    roles = ["-s", "ill", "-p", "age", "--distinct-l", "2"]
    assert run(["report", str(table), *roles, "-o", str(page)]) == 0
    first = page.read_text(encoding="utf-8").split("<h3>")[0]
    assert "PROTECTED" in first
    assert "90 % have the same ill" in first


def test_without_a_target_no_unprotected_table_is_recommended(table, tmp_path):
    assert "<strong>PROTECTED.</strong>" in write(table, tmp_path)


@pytest.mark.parametrize("more", [("--disclosive",), ("--for", "curator")])
def test_the_curators_version_shows_cells_and_says_so(table, tmp_path, more):
    page = write(table, tmp_path, *more)
    assert cells_in(page)
    assert "For the curator only" in page


def test_the_version_for_the_board_is_internal_on_every_page_and_says_why(table, tmp_path):
    page = write(table, tmp_path, "--for", "board")
    assert page.replace(" --for board", "") == write(table, tmp_path, "--overwrite").replace(
        " --overwrite", ""
    )
    assert '<p class="running">Internal, do not publish' in page
    assert re.search(r"\.running \{ position: fixed", page)
    assert "rule out more than the release allows" in page


TARGETS = [
    ("--distinct-l", "3"),
    ("--max-leakage", "1.5", "--search", "greedy"),
    ("--max-distortion", "30000", "--search", "greedy"),
    ("--largest-cluster", "9", "--utility", "resolution", "--search", "greedy"),
    ("--max-leakage", "0", "--leakage", "istar", "--search", "greedy"),
]


@pytest.mark.parametrize("target", TARGETS)
def test_the_public_page_is_the_same_for_every_table_of_these_columns_and_rows(table, tmp_path, target):
    page = write(table, tmp_path, "--for", "public", *target)
    other = tmp_path / table.name
    rows = [f"{PUBLIC[i] + 5 * i * i},{SENSITIVE[(5 * i) % 7]}" for i in range(24)]
    rows += [f"{PUBLIC[i] + 5 * i * i},{SENSITIVE[i % 4]}" for i in range(0, 24, 2)]
    other.write_text("weight,illness\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert write(other, tmp_path, "--overwrite", "--for", "public", *target) == page
    assert cells_in(page) == []
    assert "proven" not in page.lower()


def test_the_public_page_says_whether_the_choice_tells_something(table, tmp_path):
    asked = ("--for", "public", "--distinct-l", "3", "--overwrite")
    assert "what that choice itself tells is not counted" in write(table, tmp_path, *asked)
    page = write(table, tmp_path, *asked, "--transparent")
    assert "what that choice itself tells" not in page
    assert "and how hartley works; but only if what was asked for was chosen without looking" in page
    assert cells_in(page) == []
    counted = "from the choice of the recoding itself is not counted"
    assert counted in write(table, tmp_path, *asked[2:])
    assert counted not in write(table, tmp_path, *asked[2:], "--transparent")


def test_the_public_page_says_what_was_asked_for_and_needs_something_asked(table, tmp_path, capsys):
    assert "at least 3 candidates for illness" in write(
        table, tmp_path, "--for", "public", "--distinct-l", "3"
    )
    asked = ["report", str(table), "-s", "illness", "-p", "weight", "-o", str(tmp_path / "x.html")]
    assert run([*asked, "--for", "public"]) == 2
    assert "give --distinct-l" in capsys.readouterr().err
    assert run([*asked, "--for", "board", "--disclosive"]) == 2


def test_the_numbers_are_those_of_the_measures(table, tmp_path):
    page = write(table, tmp_path, "--distinct-l", "4")
    before = hartley.audit(table, sensitive="illness", public="weight").audit
    assert f"{before.l0_bits:.2f}".rstrip("0").rstrip(".") + " bits" in page
    point = hartley.frontier(table, sensitive="illness", public="weight").frontier.best_utility_with(4)
    assert point.leakage_bits == log2(8 / 5)
    assert "it has the best utility of all that leave at least 4 candidates." in page
    assert "Proven: no recoding of the same or a better utility gives away less than 0.68 bits" in page
    assert f"<dd>{point.max_distortion:g}</dd>" in page


def test_the_greedy_report_claims_no_proof(table, tmp_path):
    assert "None is claimed" in write(table, tmp_path, "--search", "greedy")


def test_the_page_loads_nothing_and_runs_nothing(table, tmp_path):
    page = write(table, tmp_path, "--disclosive")
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#)', page)
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert re.findall(r"url\((?!#)", page) == []


def test_the_command_in_the_page_makes_the_same_page(table, tmp_path, monkeypatch):
    import html
    import shlex

    page = write(table, tmp_path, "--max-leakage", "1.5")
    command = shlex.split(html.unescape(re.search(r"<pre>(.*?)</pre>", page)[1]))
    assert command[:2] == ["hartley", "report"]
    monkeypatch.chdir(table.parent)
    assert run(command[1:]) == 0
    assert (table.parent / "report.html").read_text(encoding="utf-8") == page


def test_names_are_escaped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"<img src=x onerror=alert(1)>",<b>s</b>\n1,<i>2\n3,4\n5,<i>2\n', encoding="utf-8")
    page = tmp_path / "r.html"
    name = "<img src=x onerror=alert(1)>"
    assert run(["report", str(path), "-s", "<b>s</b>", "-p", name, "-o", str(page), "--disclosive"]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<img" not in text
    assert "<b>s" not in text
    assert "<i>2" not in text


def test_a_large_table_gives_a_small_page():
    source = np.random.default_rng(1)
    joint = JointRange.from_codes(
        public_codes=np.concatenate([np.arange(6_000), source.integers(0, 6_000, 60_000)]),
        sensitive_codes=np.concatenate([np.arange(6_000) % 900, source.integers(0, 900, 60_000)]),
        public=Alphabet.of_values(list(range(6_000)), ("x",)),
    )
    from hartley.measures.utility import LineDistortion
    from hartley.model import Partition
    from hartley.search.points.measured import frontier_of, point_of_partition
    from hartley.search.problem import Problem

    question = Problem(joint=joint, leakage="l0", utility=LineDistortion.of(joint.public))
    partitions = [Partition(np.arange(6_000) // step) for step in (1, 3, 40)]
    points = [point_of_partition(question, partial(Partition, partition.labels)) for partition in partitions]
    frontier = frontier_of(question, points, complete=False)
    report = Report(
        table="large.csv",
        joint=joint,
        frontier=frontier,
        chosen=frontier.points[1],
        reason="of a test.",
        command="hartley",
    )
    assert len(report.html("curator").encode()) < 2_000_000


def test_an_existing_file_is_not_replaced_unasked(table, tmp_path, capsys):
    page = tmp_path / "report.html"
    page.write_text("mine")
    asked = ["report", str(table), "-s", "illness", "-p", "weight", "-o", str(page)]
    assert run(asked) == 2
    assert page.read_text() == "mine"
    assert "--overwrite" in capsys.readouterr().err
    assert run([*asked, "--overwrite"]) == 0


def test_an_unreachable_target_writes_nothing(table, tmp_path):
    page = tmp_path / "report.html"
    assert (
        run(["report", str(table), "-s", "illness", "-p", "weight", "-o", str(page), "--distinct-l", "99"])
        == 3
    )
    assert not page.exists()


def test_without_a_target_the_balanced_point_is_shown(table):
    frontier = hartley.frontier(table, sensitive="illness", public="weight").frontier
    assert Choice.of(frontier, None).point == frontier.balanced()
    assert Choice.of(frontier, Target("utility_weight", 0.5)).point == frontier.least_lagrangian(0.5)
