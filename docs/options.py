"""Write docs/options.md, the table of every option, from how the options are declared.

python docs/options.py
"""

from __future__ import annotations

from pathlib import Path

from hartley.workflow.request.declared_options import groups

PAGE = Path(__file__).parent / "options.md"


def page() -> str:
    """Return the page: a table for each group of the help."""
    parts = [
        "# Every option\n\nIn the groups of `--help-all`. In a [study file](release.md) an option is named "
        "without its dashes, in the section of its group; in Python it is the keyword. Said otherwise there: "
        '`--accept-exposure` is `exposure="accept"`, `--combine` is `combination=`, `--json` is `to_dict()` '
        "of the result, and `--plot` its `plot()`. A release writes no `--metadata` and measures no "
        "`--useful` or `--regress` in Python: those are the command's alone.\n"
    ]
    for group, options in groups().items():
        parts.append(f"## {group}\n\n| Typed | In Python | Of | |\n|---|---|---|---|")
        for option in options.values():
            flags = option.flags or f"--{option.name.replace('_', '-')}"
            value = "" if option.is_ == "flag" else f" {option.metavar or '|'.join(option.values) or 'TEXT'}"
            typed = f"`{flags.replace(' ', '`, `')}{value}`".replace("|", "\\|")
            usual = "" if option.default is None else f" Default: `{option.default}`."
            said = option.help.replace("|", "\\|")
            parts.append(f"| {typed} | `{option.name}` | {', '.join(option.of.split())} | {said}{usual} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
