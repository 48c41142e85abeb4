"""The command line: parses, calls the workflow, prints.

Read ``program`` first: it finds the command, runs it, and turns what happened into an exit code. Each command
is the module of its name. Its options come from ``workflow/request/options.toml`` by ``options``, its help is
laid out by ``manual``, and ``study_file`` reads and saves what would be typed.
"""

from __future__ import annotations

OBJECTS_BETWEEN = 50_000
"""How many objects Python makes before it looks for rings of them that nobody holds; by itself 700."""


def main() -> None:
    """Run the command line and leave with its exit code.

    Asked to end, or its terminal gone, it ends as after Ctrl-C: what it had begun is undone.
    """
    import gc
    import signal
    from types import FrameType

    from hartley.cli.program import INTERRUPTED, run
    from hartley.hot_loops import interrupt
    from hartley.operating_system import ending_signals

    # Labels and codebooks are millions of small objects without such rings: each look goes through them all.
    gc.set_threshold(OBJECTS_BETWEEN)
    asked: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        del frame
        asked.append(number)
        interrupt(number)

    for number in (*ending_signals(), signal.SIGINT):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # nohup has them ignored
            signal.signal(number, end)
    code = run()
    raise SystemExit(128 + asked[0] if asked and code == INTERRUPTED else code)
