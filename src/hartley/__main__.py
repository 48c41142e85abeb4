"""``python -m hartley`` is the command line."""

from hartley.cli import main

main()
