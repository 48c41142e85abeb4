"""``python -m hartley`` is the command line."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the folder we are in, which may hold a module of any name

from hartley.cli import main

main()
