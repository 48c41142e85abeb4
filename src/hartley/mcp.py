"""A gate for agents: a server whose tools read tables and never show a cell of one.

It speaks the Model Context Protocol. Four tools, all read-only: ``describe`` a table's columns, ``audit`` it
(alone or against its original), ``verify`` a release, ``explain`` an audit in sentences. Answers hold names
of columns, counts and bits. A path must lie in the folder given at the start, wherever links lead. An
argument that no tool has is refused: a misspelt requirement would pass unasked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import hartley
from hartley.errors import HartleyError, OptionError, TableError
from hartley.report.words import audit as words
from hartley.report.words.against import against_headline
from hartley.tables.sources.source import required
from hartley.workflow.describe_table import describe
from hartley.workflow.study import audit
from hartley.workflow.verify_release import verify

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.tools import Tool

    from hartley.workflow.audit_table import AuditResult

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")

INSTRUCTIONS = (
    "Check a table for disclosure before its rows leave this machine. Call describe first, then audit with "
    "the columns to protect (sensitive) and to publish (public). No tool returns a cell of a table."
)


@dataclass(frozen=True)
class ColumnAnswer:
    """A column, without any cell."""

    name: str
    kind: str | None
    values: int | None
    missing: int | None
    identifier: str | None


@dataclass(frozen=True)
class DescribeAnswer:
    """A table's size and columns."""

    rows: int
    columns: list[ColumnAnswer]


@dataclass(frozen=True)
class RequirementAnswer:
    """What was required, and what was found."""

    name: str
    column: str | None
    wanted: float
    found: float
    holds: bool


@dataclass(frozen=True)
class AgainstAnswer:
    """People of the original, and what the file gives away about them."""

    people: int
    found: int
    disclosed_right: int
    disclosed_wrong: int
    guessed_right: int
    guessed_right_by_marginals: int
    singled_out: int
    unique_rows_matched: int


@dataclass(frozen=True)
class AuditAnswer:
    """What a reader of the public columns learns about the sensitive ones."""

    verdict: str
    rows: int
    people_most_exposed: int
    distinct_l: int
    row_k: int
    l0_bits: float
    istar_bits: float
    likeliest_guess: float | None
    identifiers: list[str]
    requirements: list[RequirementAnswer]
    holds: bool
    against: AgainstAnswer | None


@dataclass(frozen=True)
class CheckAnswer:
    """One check of a release."""

    name: str
    holds: bool


@dataclass(frozen=True)
class VerifyAnswer:
    """Whether a release is what its documents say."""

    holds: bool
    checks: list[CheckAnswer]


@dataclass(frozen=True)
class ExplainAnswer:
    """An audit in sentences."""

    verdict: str
    sentences: list[str]


@dataclass(frozen=True)
class Tools:
    """What agents may ask, about files of one folder."""

    folder: Path

    def path(self, name: str) -> str:
        """Return a file of the folder; raise where it is none, or lies elsewhere."""
        if "\0" in name:
            raise TableError("a path has no null character; name a file of the folder")
        found = (self.folder / name).resolve()
        if not found.is_relative_to(self.folder.resolve()):
            raise TableError("that path is not in the folder that this server may read; name a file in it")
        if not found.is_file():
            raise TableError("there is no such file in the folder that this server may read")
        return str(found)

    def describe(self, table: str) -> DescribeAnswer:
        """List the columns of a table: kinds, different values, missing cells, whether they name people."""
        found = describe(self.path(table))
        return DescribeAnswer(
            found.rows,
            [
                ColumnAnswer(one.name, one.kind, one.values, one.missing, one.identifier)
                for one in found.columns
            ],
        )

    def audit(
        self,
        table: str,
        sensitive: list[str],
        public: list[str],
        require: list[str] | None = None,
        against: str | None = None,
    ) -> AuditAnswer:
        """Count the people whose sensitive values a reader of the public columns of a table can work out.

        ``require`` takes conditions such as distinct-l=5, row-k=10, istar=0; ``against`` names the original
        of a recoded or synthetic file, with disclosed-at-most=0 as a further condition.
        """
        found = self._audit(table, sensitive, public, require, against)
        counts = found.against
        return AuditAnswer(
            verdict=_verdict(found),
            rows=found.audit.rows,
            people_most_exposed=found.audit.narrowest_rows,
            distinct_l=found.audit.distinct_l,
            row_k=found.audit.row_k,
            l0_bits=found.audit.l0_bits,
            istar_bits=found.audit.istar_bits,
            likeliest_guess=max((one.guess_share for one in found.by_sensitive), default=None),
            identifiers=sorted(found.identifiers),
            requirements=[RequirementAnswer(**one.to_dict()) for one in found.requirements],
            holds=found.holds,
            against=None
            if counts is None
            else AgainstAnswer(**{one.name: getattr(counts, one.name) for one in fields(AgainstAnswer)}),
        )

    def verify(self, released: str, original: str, policy: str, certificate: str) -> VerifyAnswer:
        """Count everything about a release again from its files, and say which checks hold."""
        found = verify(
            self.path(released),
            original=self.path(original),
            policy=self.path(policy),
            certificate=self.path(certificate),
        )
        return VerifyAnswer(found.holds, [CheckAnswer(one.name, one.holds) for one in found.checks])

    def explain(self, table: str, sensitive: list[str], public: list[str]) -> ExplainAnswer:
        """Say in sentences what a reader of the public columns of a table learns about the sensitive ones."""
        found = self._audit(table, sensitive, public)
        said = [
            words.candidates_left(found.audit),
            words.for_certain(found.audit),
            words.worst_bits(found.audit),
            words.at_least(found.audit),
        ]
        if found.by_sensitive:
            said.append(words.likeliest_guess(found.by_sensitive))
        return ExplainAnswer(_verdict(found), said)

    def _audit(
        self,
        table: str,
        sensitive: list[str],
        public: list[str],
        require: list[str] | None = None,
        against: str | None = None,
    ) -> AuditResult:
        if not sensitive or not public:
            raise OptionError("name at least one sensitive and one public column")
        return audit(
            self.path(table),
            sensitive=sensitive,
            public=public,
            require=require or None,
            against=None if against is None else self.path(against),
        )


def _verdict(found: AuditResult) -> str:
    top = (
        words.headline(found.audit, holds=found.holds, left=found.by_sensitive)
        if found.against is None
        else against_headline(found.against, found)
    )
    return f"{top.word}: {top.sentence}"


def server(folder: Path) -> MCPServer:
    """Return the server of a folder; raise where there is none, or the package is not there."""
    if not folder.is_dir():
        raise OptionError(f"there is no folder {str(folder)!r}; name the one that agents may read")
    required("mcp", "a server for agents", "mcp")
    from mcp.server import MCPServer

    tools = Tools(folder)
    every = (tools.describe, tools.audit, tools.verify, tools.explain)
    return MCPServer(
        "hartley",
        instructions=INSTRUCTIONS,
        version=hartley.__version__,
        tools=[_offered(tool) for tool in every],
        log_level="WARNING",
    )


def _offered(tool: Callable[..., Any]) -> Tool:
    """Return a tool as agents see it: it only reads, and takes no argument that it does not have."""
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import ToolAnnotations

    hints = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
    made = Tool.from_function(_refusing(tool), annotations=hints)
    made.fn_metadata.arg_model.model_config["extra"] = "forbid"
    made.fn_metadata.arg_model.model_rebuild(force=True)
    made.parameters["additionalProperties"] = False
    return made


def _refusing(tool: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Let a tool refuse in one line; what else goes wrong is not told, because it may quote a cell."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def told(*given: Arguments.args, **named: Arguments.kwargs) -> Answer:
        try:
            return tool(*given, **named)
        except HartleyError as error:
            raise ToolError(str(error)) from None
        except Exception as error:
            raise ToolError(f"internal error ({type(error).__name__}); this is a bug in hartley") from None

    return told
