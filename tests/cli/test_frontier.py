from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from itertools import pairwise
from math import log2

import pytest

from hartley.cli.program import run
from hartley.examples import CLINIC_COLUMNS, clinic

POINT_KEYS = [
    "leakage_bits",
    "utility",
    "distinct_l",
    "components",
    "largest_cluster",
    "max_distortion",
    "clusters",
    "lower_bound_bits",
    "proven_optimal",
    "step",
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "clinic.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([CLINIC_COLUMNS, *clinic()])
    return path


def document(capsys, *arguments):
    assert run(["frontier", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


ASKED = ("-s", "age", "-p", "cholesterol")


@pytest.mark.parametrize("search", ["optimal", "greedy"])
@pytest.mark.parametrize("utility", ["resolution", "distortion"])
@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
def test_every_question_gets_the_contracts_document(table, capsys, search, utility, leakage):
    found = document(
        capsys,
        table,
        *ASKED,
        "--search",
        search,
        "--utility",
        utility,
        "--leakage",
        leakage,
        "--missing-at",
        "-9",
    )
    assert found["leakage"] == leakage
    assert found["utility"] == utility
    assert found["search"] == search
    assert found["complete"] is True
    assert found["codeword"] == ("midpoint" if utility == "distortion" else None)
    points = found["points"]
    assert all(list(point)[: len(POINT_KEYS)] == POINT_KEYS for point in points)
    assert points[0]["clusters"] == 162
    for better, worse in pairwise(points):
        assert better["utility"] > worse["utility"]
        assert better["leakage_bits"] > worse["leakage_bits"]
    if search == "optimal":
        assert all(point["lower_bound_bits"] <= point["leakage_bits"] + 1e-9 for point in points)
        assert all(point["step"] is None for point in points)
    else:
        assert all(point["lower_bound_bits"] is None and not point["proven_optimal"] for point in points)
    if leakage == "joint":
        assert all(point["components"] == 1 for point in points)


def test_optimal_is_nowhere_worse_than_greedy(table, capsys):
    for utility in ("resolution", "distortion"):
        optimal = document(capsys, table, *ASKED, "--utility", utility)["points"]
        greedy = document(capsys, table, *ASKED, "--utility", utility, "--search", "greedy")["points"]
        for point in greedy:
            at_least_as_good = [p for p in optimal if p["utility"] >= point["utility"] - 1e-12]
            assert min(p["leakage_bits"] for p in at_least_as_good) <= point["leakage_bits"] + 1e-12


def test_a_greedy_run_can_be_traced_and_stopped(table, capsys):
    found = document(
        capsys,
        table,
        *ASKED,
        "--search",
        "greedy",
        "--utility",
        "resolution",
        "--trace",
        "--utility-weight",
        "0.3",
    )
    trace, stop = found["trace"], found["stop"]
    assert [step["step"] for step in trace] == list(range(len(trace)))
    assert sorted(trace[0]["clusters"], key=str) == sorted(
        ([row] for row in {row[4] for row in clinic()}), key=str
    )
    falling = [step["lagrangian"] for step in trace[: stop + 1]]
    assert falling == sorted(falling, reverse=True)
    assert len(set(falling)) == len(falling)
    assert trace[0]["leakage_bits"] == log2(37)


@pytest.mark.parametrize("leakage", ["l0", "istar", "joint"])
@pytest.mark.parametrize("weight", ["nan", "inf", "-1"])
def test_a_utility_weight_that_is_no_weight_gets_one_line_and_2(table, capsys, leakage, weight):
    asked = [*ASKED, "--search", "greedy", "--leakage", leakage, "--trace", "--json"]
    assert run(["frontier", str(table), *asked, "--utility-weight", weight]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("hartley: --utility-weight needs a finite number from 0 on, not ")


def test_a_utility_weight_names_the_point_it_chooses_from_an_optimal_frontier(table, capsys):
    asked = (table, *ASKED, "--utility", "resolution")
    points = document(capsys, *asked)["points"]
    chosen = min(points, key=lambda point: point["leakage_bits"] - 0.5 * point["utility"])
    assert run(["frontier", *map(str, asked), "--utility-weight", "0.5"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"A utility weight of 0.5 chooses the line with largest class {chosen['largest_cluster']}:" in said


def test_a_seed_below_zero_gets_one_line_and_2(table, capsys):
    assert run(["frontier", str(table), *ASKED, "--side", "sex", "--seed", "-1"]) == 2
    assert capsys.readouterr().err == "hartley: --seed needs a whole number from 0 on, not -1\n"


def test_the_lagrangian_of_a_joint_run_is_that_of_the_weight_it_was_made_with(table, capsys):
    asked = [table, *ASKED, "--utility", "resolution", "--search", "greedy", "--leakage", "joint", "--trace"]
    found, same = document(capsys, *asked), document(capsys, *asked, "--utility-weight", "1")
    assert found["trace"] == same["trace"]
    assert all(
        step["lagrangian"] == pytest.approx(step["leakage_bits"] - step["utility"]) for step in found["trace"]
    )


def test_steps_of_an_optimal_search_cannot_be_traced(table, capsys):
    # Refused before anything is read or searched.
    assert run(["frontier", str(table) + "x", *ASKED, "--trace"]) == 2
    assert "--search greedy" in capsys.readouterr().err


def test_the_table_says_what_each_point_means(table, capsys):
    assert run(["frontier", str(table), *ASKED]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "someone is fully exposed" in out
    assert "proven" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-s", "age", "-p", "pain", "--utility", "distortion"], "--utility resolution"),
        (["-s", "age"], "no public column is named"),
        (["-s", "age", "-p", "cholesterol", "--utility", "resolution", "--codeword", "member"], "distortion"),
        (["-s", "age", "-p", "cholesterol", "--time-limit", "0"], "--time-limit"),
        (["-s", "age", "-p", "cholesterol", "-p", "pulse", "--scale", "pulse"], "age=10"),
        (["-s", "age", "-p", "cholesterol", "--plot", "picture.bmp"], ".svg"),
    ],
)
def test_a_call_without_meaning_gets_one_line_and_2(table, capsys, arguments, says):
    assert run(["frontier", str(table), *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert says in err


def test_several_columns_and_side_information(table, capsys):
    both = document(
        capsys, table, "-s", "age", "-p", "pain", "-p", "sex", "--side", "pressure", "--time-limit", "5"
    )
    assert both["utility"] == "distortion"
    found = document(
        capsys,
        table,
        "-s",
        "age",
        "-p",
        "pressure",
        "-p",
        "pulse",
        "--combine",
        "sum",
        "--search",
        "greedy",
        "--missing",
        "drop",
    )
    assert found["utility"] == "distortion"
    assert found["points"][0]["max_distortion"] == 0


def test_missing_values_that_stand_in_the_way_are_named(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("s,x\n1,1\n2,2\n3,\n")
    assert run(["frontier", str(path), "-s", "s", "-p", "x", "--leakage", "joint"]) == 3
    assert "--missing-at" in capsys.readouterr().err


INTERRUPTED_WHILE_IT_SEARCHES = (
    "import os, signal, sys\n"
    "from hartley.cli import main, progress\n"
    "real = progress.effort_within\n"
    "times = 0\n"
    "def interrupted(*given, should_stop, **more):\n"
    "    def asked():\n"
    "        global times\n"
    "        times += 1\n"
    "        if times == 100:\n"
    "            os.kill(os.getpid(), signal.SIGINT)\n"
    "        return should_stop()\n"
    "    return real(*given, should_stop=asked, **more)\n"
    "progress.effort_within = interrupted\n"
    "main()\n"
)


def test_an_interrupted_search_keeps_the_best_so_far(tmp_path):
    rows = ["s,x"] + [f"{(i * 7919) % 97},{i % 4001}" for i in range(12000)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(rows) + "\n")
    asked = ["frontier", str(path), "-s", "s", "-p", "x", "--json", "--utility", "resolution"]
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_IT_SEARCHES, *asked],
        capture_output=True,
        text=True,
        timeout=600,  # on a machine where nothing is compiled yet
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["points"]
    assert not json.loads(ended.stdout)["complete"]


def test_a_second_interrupt_ends_at_once_without_a_traceback(tmp_path):
    code = (
        "import os, signal, sys\n"
        "from hartley.cli import main, progress\n"
        "real = progress.effort_within\n"
        "def interrupted_twice(*given, should_stop, **more):\n"
        "    def asked():\n"
        "        stop = should_stop()\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        return stop and False\n"
        "    return real(*given, should_stop=asked, **more)\n"
        "progress.effort_within = interrupted_twice\n"
        "sys.argv[1:] = ['frontier', 't.csv', '-s', 's', '-p', 'x', '--json']\n"
        "main()\n"
    )
    rows = ["s,x"] + [f"{(i * 7) % 11},{i}" for i in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert ended.returncode in (130, -signal.SIGINT)
    assert ended.stdout == ""
    assert "keeping the best so far" in ended.stderr
    assert "interrupted; nothing was written" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("--leakage l1", "'joint' (did you mean 'l0'?);"),
        ("--codeword centrod", "'member' (did you mean 'centroid'?);"),
        ("--shape interval", "'tree' (did you mean 'intervals'?);"),
        ("--search best", "is not one of 'optimal', 'greedy';"),
    ],
)
def test_an_unknown_word_is_refused_with_the_nearest(table, capsys, typed, hint):
    assert run(["frontier", str(table), *ASKED, *typed.split()]) == 2
    assert hint in capsys.readouterr().err
