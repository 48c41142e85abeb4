from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

from hartley.hot_loops import compiling_while, hot_loop, interrupt


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
        assert never_compiled_before.for_size(10**6) is never_compiled_before.plain
        with compiling_while(lambda: True):
            assert never_compiled_before.for_size(10**6) is never_compiled_before.plain
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
