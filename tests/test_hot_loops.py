from __future__ import annotations

import signal
import subprocess
import sys
from importlib import import_module
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hartley
from hartley import hot_loops
from hartley.examples import CLINIC_COLUMNS, clinic
from hartley.hot_loops import HotLoop, compiling_while, hot_loop, hot_part, interrupt
from hartley.model.arrays import Ints
from hartley.model.words import CODEWORDS
from hartley.notes import heard_notes
from sample_sizes import sample


@hot_loop
def triple(x: int) -> int:
    return 3 * x


@hot_loop
def sum_of_triples(values: np.ndarray) -> int:
    total = 0
    for value in values:
        total += triple(value)
    return total


def test_the_same_function_runs_interpreted_and_compiled():
    values = np.arange(10)
    assert sum_of_triples(values) == sum_of_triples.compiled(values) == 135


def test_small_input_runs_interpreted_and_large_compiled():
    assert sum_of_triples.for_size(10) is sum_of_triples.plain
    assert sum_of_triples.for_size(10**6) is sum_of_triples.compiled


def test_a_loop_runs_as_written_while_there_is_no_time_to_compile_it():
    @hot_loop
    def never_compiled_before(x: int) -> int:
        return x + 1

    with compiling_while(lambda: False):
        assert never_compiled_before.for_size(10**6) is never_compiled_before.interpreted
        with compiling_while(lambda: True):
            assert never_compiled_before.for_size(10**6) is never_compiled_before.interpreted
    with compiling_while(lambda: True):
        assert never_compiled_before.for_size(10**6) is never_compiled_before.compiled
    with compiling_while(lambda: False):
        assert never_compiled_before.for_size(10**6) is never_compiled_before.compiled


def test_a_loop_that_is_compiled_anyway_is_used_on_smaller_input_too():
    @hot_loop
    def seldom(x: int) -> int:
        return x + 1

    assert seldom.for_size(50_000, compiled_from=200_000) is seldom.plain
    assert seldom.for_size(200_000, compiled_from=200_000) is seldom.compiled
    assert seldom.for_size(50_000, compiled_from=200_000) is seldom.compiled
    assert seldom.for_size(10, compiled_from=200_000) is seldom.plain


def test_a_compilation_is_told_of_once_and_kept_for_the_next_run(tmp_path):
    (tmp_path / "fresh.py").write_text(
        "from hartley.hot_loops import hot_loop, on_compilation\n"
        "heard = []\n"
        "@hot_loop\n"
        "def fresh(x):\n"
        "    return x + 1\n"
        "with on_compilation(heard.append):\n"
        "    assert fresh.compiled(1) == 2\n"
        "print(heard)\n"
    )

    def run() -> str:
        done = subprocess.run(
            [sys.executable, "fresh.py"], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    assert run() == "['fresh']"
    assert run() == "[]"


def test_a_change_in_a_called_loop_or_number_of_another_file_is_noticed(tmp_path):
    (tmp_path / "caller.py").write_text(
        "from hartley.hot_loops import hot_loop\n"
        "from callee import STEP, change\n"
        "@hot_loop\n"
        "def caller(x):\n"
        "    return change(x) + STEP\n"
        "print(caller.compiled(1))\n"
    )

    def run(change: str, step: int) -> str:
        (tmp_path / "callee.py").write_text(
            "from hartley.hot_loops import hot_loop\n"
            f"STEP = {step}\n"
            "@hot_loop\n"
            "def change(x):\n"
            f"    return {change}\n"
        )
        done = subprocess.run(
            [sys.executable, "-B", "caller.py"], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    assert run("x + 1", 10) == "12"
    assert run("x + 5", 10) == "16"
    assert run("x + 5", 20) == "26"


def test_a_called_loop_that_has_moved_to_another_file_is_noticed(tmp_path):
    marked = "from hartley.hot_loops import hot_loop\n@hot_loop\ndef"
    (tmp_path / "top.py").write_text(
        f"from middle import middle\n{marked} top(x):\n    return middle(x)\nprint(top.compiled(1))\n"
    )
    for name in ("before", "after"):
        (tmp_path / f"{name}.py").write_text(f"{marked} bottom(x):\n    return x + 1\n")
        (tmp_path / "middle.py").write_text(
            f"from {name} import bottom\n{marked} middle(x):\n    return bottom(x)\n"
        )
        command = [sys.executable, "-B", "top.py"]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        assert done.stdout.strip() == "2"
        (tmp_path / f"{name}.py").unlink()


def test_a_named_tuple_that_has_moved_to_another_file_is_noticed(tmp_path):
    for name in ("before", "after"):
        (tmp_path / f"{name}.py").write_text(
            "from typing import NamedTuple\nclass Pair(NamedTuple):\n    one: int\n    other: int\n"
        )
        (tmp_path / "top.py").write_text(
            f"from {name} import Pair\nfrom hartley.hot_loops import hot_loop\n"
            "@hot_loop\ndef top(pair):\n    return pair.one + pair.other\nprint(top.compiled(Pair(1, 2)))\n"
        )
        command = [sys.executable, "-B", "top.py"]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        assert done.stdout.strip() == "3"
        (tmp_path / f"{name}.py").unlink()


def test_importing_hartley_and_its_measures_imports_no_compiler():
    code = (
        "import sys, hartley, hartley.measures.overlap, hartley.workflow;"
        "assert 'numba' not in sys.modules, 'numba'; assert 'pandas' not in sys.modules, 'pandas'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_signal_that_comes_while_a_loop_is_compiled_is_heard_when_the_compiler_is_done(
    tmp_path, monkeypatch
):
    from numba.core import config, event

    # What an earlier run of this test compiled and kept would be taken from there.
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    @hot_loop
    def interrupted(x: int) -> int:
        return x + 1

    class Impatient(event.Listener):
        def on_start(self, _):
            signal.raise_signal(signal.SIGTERM)

        def on_end(self, _):
            pass

    dispatcher = interrupted._made()
    before = signal.signal(signal.SIGTERM, lambda number, _: interrupt(number))
    impatient = Impatient()
    event.register("numba:compile", impatient)
    try:
        with pytest.raises(KeyboardInterrupt):
            dispatcher(4)
    finally:
        event.unregister("numba:compile", impatient)
        signal.signal(signal.SIGTERM, before)
    assert len(dispatcher.signatures) == 1, "the compiler was not left half done"
    assert dispatcher(4) == 5


def test_a_signal_is_an_interrupt_at_once_where_nothing_is_compiled():
    with pytest.raises(KeyboardInterrupt):
        interrupt(signal.SIGTERM)


def test_an_interpreted_loop_takes_lists_and_comes_to_the_same():
    values = np.arange(5)
    assert sum_of_triples.interpreted(values.tolist()) == sum_of_triples(values)


def test_a_loop_that_was_never_compiled_runs_as_written_on_all_but_very_large_input(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(HotLoop, "_is_at_hand", lambda _: False)
    monkeypatch.setattr(HotLoop, "compiled", property(lambda _: "compiled"))

    @hot_loop
    def add_one(x: int) -> int:
        return x + 1

    some, many = hot_loops.COMPILED_FROM, hot_loops.FIRST_COMPILED_FROM
    assert add_one.for_size(some)(1) == 2
    assert add_one.for_size(many) == "compiled"
    assert add_one.for_size(many, in_pieces=True)(1) == 2
    with hot_loops.repeated(1000):
        assert add_one.for_size(some)(1) == 2
    assert add_one.for_size(some - 1)(1) == 2


def test_a_loop_that_is_called_over_and_over_counts_its_small_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    import_module("numba")
    monkeypatch.setattr(HotLoop, "_is_at_hand", lambda _: True)
    monkeypatch.setattr(HotLoop, "compiled", property(lambda _: "compiled"))
    monkeypatch.setattr(hot_loops, "OFTEN", 10 * hot_loops.COMPILED_FROM)

    @hot_loop
    def add_one(x: int) -> int:
        return x + 1

    steps = hot_loops.COMPILED_FROM // 2
    assert {add_one.for_size(steps) for _ in range(19)} == {add_one.plain}
    assert {add_one.for_size(steps, in_pieces=True) for _ in range(19)} == {add_one.plain}
    assert add_one.for_size(steps) == "compiled"


def test_a_loop_is_compiled_once_it_has_run_as_written_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENCE", "LOADED_AFTER"):
        monkeypatch.setattr(hot_loops, name, 1e-9)
    heard: list[str] = []

    @hot_loop
    def total(values: Ints) -> int:
        found = 0
        for value in values:
            found += value
        return found

    values = np.arange(20)[::2]
    with hot_loops.on_compilation(heard.append):
        written = total.for_size(10**6, in_pieces=True)
        assert written(values) == 90
        assert total.piece(written, 100) == 100 // hot_loops.PIECE_AS_WRITTEN
        with compiling_while(lambda: False):
            assert total.for_size(10**6, in_pieces=True) is total.interpreted
        chosen = total.for_size(10**6, in_pieces=True)
        assert total.is_compiled(chosen)
        assert total.piece(chosen, 100) == 100
        assert chosen(values) == 90
    assert heard == []


def test_before_a_long_piece_the_compiler_is_not_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HotLoop, "_is_at_hand", lambda _: False)
    monkeypatch.setattr(HotLoop, "compiled", property(lambda _: "compiled"))

    @hot_loop
    def add_one(x: int) -> int:
        return x + 1

    many = hot_loops.FIRST_COMPILED_FROM
    assert add_one.for_size(many, in_pieces=True, piece=many - 1)(1) == 2
    assert add_one.for_size(many, in_pieces=True, piece=many) == "compiled"


UTILITIES = ("resolution", *(hartley.UtilityChoice(codeword=codeword) for codeword in CODEWORDS))
FIRST_FRONTIERS: list[dict[str, Any]] = [
    {"public": public, "leakage": leakage, "utility": utility}
    for public in ("cholesterol", "pulse")
    for leakage in ("l0", "istar", "joint")
    for utility in UTILITIES
]
CENTROIDS = [
    one for one in FIRST_FRONTIERS if "codeword='centroid'" in repr(one) and one["leakage"] != "istar"
]
"""They take half a minute each; usually one of them is enough."""
FIRST_FRONTIERS = [one for one in FIRST_FRONTIERS if one not in CENTROIDS] + CENTROIDS[: sample(2, 8) // 2]
FIRST_FRONTIERS += [
    {"public": "cholesterol", "side": "sex"},
    {"public": "cholesterol", "shape": "intervals"},
    {"public": "cholesterol", "withhold": "2%"},
    {"public": "cholesterol", "withhold": "2%", "utility": "resolution"},
    {"public": "cholesterol", "tolerance": {"age": 4}},
    {"public": "pulse", "require": {"row_k": 5}},
    {"public": ("pulse", "sex"), "time_limit": 3},
    {"public": ("pulse", "sex"), "shape": "columns", "time_limit": 3},
]


@pytest.mark.parametrize("asked", FIRST_FRONTIERS, ids=lambda asked: "-".join(map(str, asked.values()))[:60])
def test_the_first_frontier_of_a_small_table_does_not_begin_with_the_compiler(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    waited: list[str] = []
    at_once = HotLoop.compiled.fget

    def wait(loop: HotLoop[..., object]) -> Any:
        waited.append(loop.plain.__name__)
        return at_once(loop)

    # It decides as where nothing is kept on disk. What it would run as written runs compiled all the same,
    # so that this test is quick.
    monkeypatch.setattr(HotLoop, "_is_at_hand", lambda _: False)
    monkeypatch.setattr(HotLoop, "compiled", property(wait))
    monkeypatch.setattr(HotLoop, "_timed", lambda loop, *arguments: at_once(loop)(*arguments))
    monkeypatch.setattr(hot_loops, "PATIENCE", inf)
    columns = zip(CLINIC_COLUMNS, zip(*clinic(), strict=True), strict=True)
    table = pa.table({name: list(cells) for name, cells in columns})
    found = hartley.frontier(table, sensitive="age", missing="drop", **asked)
    assert found.frontier.points
    assert waited == []


@hot_part
def one_less(x: int) -> int:
    return x - 1


@hot_loop
def two_less(x: int) -> int:
    return one_less(one_less(x))


def test_where_nothing_can_be_kept_a_loop_is_compiled_all_the_same_and_a_note_says_so(monkeypatch):
    caching = import_module("numba.core.caching")
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])

    @hot_loop
    def one_more(x: int) -> int:
        return x + 1

    said: list[str] = []
    with heard_notes(said.append):
        assert (one_more.compiled(4), two_less.compiled(4)) == (5, 2)
    assert said == [hot_loops.NOT_KEPT]


def test_what_is_compiled_of_a_part_is_called_by_loops_alone():
    assert one_less(4) == 3
    with pytest.raises(TypeError, match="one_less is a part"):
        one_less.for_size(10**9)(4)
