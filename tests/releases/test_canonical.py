"""One content, one text: whatever reads the same and is written otherwise is refused."""

from __future__ import annotations

import json
from random import Random

import msgspec
import pytest

from hartley import release
from hartley.errors import PolicyError
from hartley.model.demand import Target
from hartley.releases.certificate import Certificate
from hartley.releases.policy import Cluster, Policy
from hartley.releases.record import Record

READERS = {"policy": Policy, "certificate": Certificate, "record": Record}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("canonical")
    (folder / "in.csv").write_text("größe,s,k\n1,ä,😀\n2,b,😀\n3,ä,u\n4,b,u\n", encoding="utf-8")
    result = release(
        folder / "in.csv",
        folder / "out.csv",
        require=Target("distinct_l", 2),
        sensitive="s",
        public="größe",
        keep="k",
    )
    return {role: getattr(result, role).read_bytes() for role in READERS}


@pytest.mark.parametrize("role", READERS)
def test_documents_are_ascii_and_read_back_to_the_byte(made: dict[str, bytes], role: str) -> None:
    content = made[role]
    assert content.isascii()
    assert b"gr\\u00f6\\u00dfe" in content
    assert READERS[role].read_json(content).to_json() == content


@pytest.mark.parametrize("role", READERS)
def test_other_bytes_of_the_same_content_are_refused(made: dict[str, bytes], role: str) -> None:
    content = made[role]
    document = json.loads(content)
    others = [
        content.rstrip(b"\n"),
        content + b"\n",
        b" " + content,
        b"\xef\xbb\xbf" + content,
        json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n",
        json.dumps(document, separators=(",", ":")).encode(),
        json.dumps(document, indent=2, sort_keys=True).encode() + b"\n",
        json.dumps(dict(reversed(document.items())), indent=2).encode() + b"\n",
        content.replace(b"\\u00f6", b"\\u00F6"),
        content.replace(b"\n", b"\r\n"),
        content.replace(b'"hartley', b'"\\u0068artley', 1),
    ]
    for other in others:
        assert other != content
        with pytest.raises(PolicyError):
            READERS[role].read_json(other)


@pytest.mark.parametrize("role", READERS)
def test_a_key_that_stands_twice_is_refused_wherever_it_is(made: dict[str, bytes], role: str) -> None:
    lines = made[role].decode().splitlines(keepends=True)
    keyed = [number for number, line in enumerate(lines) if '": ' in line and line.rstrip().endswith(",")]
    for number in Random(role).sample(keyed, min(40, len(keyed))):
        twice = [*lines[: number + 1], lines[number], *lines[number + 1 :]]
        with pytest.raises(PolicyError, match=r"not as it was written|damaged"):
            READERS[role].read_json("".join(twice).encode())


@pytest.mark.parametrize("role", READERS)
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b"{}"]
)
def test_what_is_no_document_is_one_clear_line(role: str, content: bytes) -> None:
    with pytest.raises(PolicyError) as caught:
        READERS[role].read_json(content)
    assert "\n" not in str(caught.value)


def test_equal_texts_of_a_policy_of_several_columns_are_read_once() -> None:
    row = '{"label": ["a", null], "members": [["a long text", null], ["a long text", "b"]]}'
    one, other = msgspec.json.decode(f"[{row}, {row}]", type=list[Cluster])
    assert one.members == (("a long text", None), ("a long text", "b"))
    assert one.members[0][0] is other.members[1][0]
