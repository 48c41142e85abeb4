"""``hartley verify``: whether what is claimed about a release is true."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hartley.cli.manual import ManualCommand
from hartley.cli.options import declared
from hartley.cli.output import console, grid, heading, paragraph, print_json, verdict
from hartley.cli.progress import announce_and_work
from hartley.errors import OptionError, TableError
from hartley.releases.writer.release_paths import default_names
from hartley.workflow.verify_release import verify, verify_published, verify_with_public_values

if TYPE_CHECKING:
    from hartley.verifier.verification import Verification


@click.command("verify", cls=ManualCommand)
@click.argument("released")
@declared("verify")
def command(released: str, *, as_json: bool, **given: Any) -> int:
    """Check RELEASED: with --public-key, that it is the file that was certified, and by whom.

    With --original and --policy everything is counted again from the files: rows, requirements, every number
    of the record, and the proofs that no release would be better.
    """
    whole, public_values = (given["original"], given["policy"]), given["public_values"]
    certificate = _certificate(released, given.pop("certificate"), given.pop("no_certificate"))
    record, given["record"] = given["record"], None
    if given["require_record"] and None in whole:
        raise OptionError("--require-record needs --original and --policy, without which no record counts")
    if public_values is not None:
        if certificate is None or whole != (None, None):
            raise OptionError(
                "--public-values goes with the certificate alone: leave --original, --policy and "
                "--no-certificate out"
            )
        result = verify_with_public_values(
            released,
            public_values=public_values,
            certificate=certificate,
            public_key=given["public_key"],
            require_signature=given["require_signature"],
        )
    elif whole == (None, None):
        if given["public_key"] is None or certificate is None:
            raise OptionError(
                "give --original and --policy to check everything, or --public-key to check the signature"
            )
        result = verify_published(released, certificate=certificate, public_key=given["public_key"])
    elif None in whole:
        raise OptionError("--original and --policy go together: what was released, and by which codebook")
    else:
        beside = default_names(Path(released))["record"]
        given["record"] = str(beside) if record is None and beside.exists() else record
        del given["public_values"]
        with announce_and_work(given["original"], released) as progress:
            result = verify(released, **given, certificate=certificate, progress=progress)
    if as_json:
        print_json({**result.to_dict(), "certificate": certificate, "record": given["record"]})
    else:
        is_whole = given["original"] is not None
        is_signed = not is_whole and public_values is None
        show(console(), released, result, certificate=certificate, is_public=is_signed, is_whole=is_whole)
    return 0 if result.holds else 3


def _certificate(released: str, certificate: str | None, no_certificate: bool) -> str | None:
    """Find the certificate; its absence is never passed over in silence."""
    if no_certificate:
        if certificate is not None:
            raise OptionError("--certificate and --no-certificate contradict each other; give one")
        return None
    if certificate is not None:
        return certificate
    beside = default_names(Path(released))["certificate"]
    if not Path(released).exists():
        raise TableError(f"no file {released!r}; give the released table")
    if not beside.exists():
        raise OptionError(
            f"no certificate {str(beside)!r}; give it with --certificate, or go on with --no-certificate"
        )
    return str(beside)


def show(
    out: Console,
    name: str,
    result: Verification,
    *,
    certificate: str | None,
    is_public: bool,
    is_whole: bool = True,
) -> None:
    """Print what was checked; ``is_whole``: with the original."""
    is_part = result.holds and bool(result.unchecked_requirements)
    subject = (
        "only classes and their sizes were checked, and" if is_part else _subject(certificate, is_public)
    )
    said = "what was checked holds" if is_part else "holds" if result.holds else "DOES NOT HOLD"
    heading(out, f"{name}: {subject} {said}")
    failed = [check for check in result.checks if not check.holds]
    held = [check.name.replace("_", " ") for check in result.checks if check.holds]
    if failed:
        verdict(
            out,
            "red",
            "NOT CONFIRMED",
            f"{len(failed):,} of {len(result.checks):,} checks failed. Do not rely on this file.",
        )
        out.print(grid(["failed", "why"], [[check.name.replace("_", " "), check.reason] for check in failed]))
    else:
        sentences = [f"Not checked: {result.unchecked_requirements}."] * is_part
        sentences += [f"{'The' if is_part else 'All'} {len(result.checks):,} checks hold."]
        sentences += ["No signature was checked."] * (not result.signature_checked)
        sentences += ["No record was checked."] * (is_whole and not result.record_checked)
        colour, word = ("amber", "CONFIRMED IN PART") if is_part else ("green", "CONFIRMED")
        verdict(out, colour, word, " ".join(sentences))
    if held:
        paragraph(out, f"Checked: {', '.join(held)}.")
    if is_public and result.holds:
        paragraph(
            out,
            "This proves that the holder of the key certified exactly this file, and that the certificate "
            "has not been changed since.",
        )
    if is_whole:
        for said in result.optimality.proven:
            paragraph(out, f"Proven: {said}.")
        for said in result.optimality.unproven:
            paragraph(out, f"Not proven: {said}.")
    for said in result.not_checked:
        if said != result.unchecked_requirements:
            paragraph(out, f"Not checked: {said}.")


def _subject(certificate: str | None, is_public: bool) -> str:
    if is_public:
        return "the signature"
    return "what the certificate says" if certificate else "what the policy requires (without a certificate)"
