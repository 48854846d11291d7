"""Members of zips, read in place."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from measurand.errors import FormatError
from measurand.sources.reading.zip_members import ZipMembers

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.inspect_logs.conftest import WriteZip

DATA = b"some text, " * 1000
LINK = 0o120777


@pytest.mark.parametrize("method", [0, 8, 93])
@pytest.mark.parametrize("end", ["whole", "cut"])
def test_methods(method: int, end: str, tmp_path: Path, write_zip: WriteZip) -> None:
    """Stored, deflated and Zstandard members are read, with the directory and without."""
    path = write_zip(tmp_path / "a.zip", {"x/a": DATA, "b": b""}, method=method, cut=end == "cut")
    with ZipMembers(path, "a.zip") as archive:
        assert archive.cut is (end == "cut")
        assert list(archive.members) == ["x/a", "b"]
        assert archive.read("x/a", len(DATA)) == DATA
        assert archive.read("b", 0) == b""
        assert "c" not in archive


def test_zip_of_the_standard_library(tmp_path: Path) -> None:
    """Folders are no members; of two members of one name the last counts."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as written:
        written.mkdir("folder")
        written.writestr("folder/a", b"old")
        with pytest.warns(UserWarning, match="Duplicate name"):
            written.writestr("folder/a", DATA)
    with ZipMembers(tmp_path / "a.zip", "a.zip") as archive:
        assert list(archive.members) == ["folder/a"]
        assert archive.read("folder/a", 10**6) == DATA


@pytest.mark.parametrize("name", ["../a", "a/../b", "/a", "..\\a", "c:/a", ""])
def test_names_that_lead_out(name: str, tmp_path: Path, write_zip: WriteZip) -> None:
    """A member whose name leads out of the archive is refused by name, with the directory and without."""
    for cut in (False, True):
        path = write_zip(tmp_path / "a.zip", {"good": DATA, name: DATA}, cut=cut)
        with ZipMembers(path, "a.zip") as archive:
            assert list(archive.members) == ["good"]
            assert archive.refused == ((name, "a name that leads out of the archive"),)


@pytest.mark.parametrize(("lie", "why"), [({"mode": LINK}, "a link"), ({"flags": 1}, "encrypted")])
def test_links_and_encrypted_members(
    lie: dict[str, int], why: str, tmp_path: Path, write_zip: WriteZip
) -> None:
    """Links and encrypted members are refused; a zip of nothing else has no members."""
    with pytest.raises(FormatError, match="a zip without members"):
        ZipMembers(write_zip(tmp_path / "a.zip", {"a": DATA}, lies=lie), "a.zip")
    joined = write_zip(tmp_path / "b.zip", {"a": DATA}, lies=lie)
    with zipfile.ZipFile(joined, "a") as more:
        more.writestr("good", DATA)
    with ZipMembers(joined, "b.zip") as archive:
        assert archive.refused == (("a", why),)
        assert list(archive.members) == ["good"]


@pytest.mark.parametrize("method", [0, 8, 93])
@pytest.mark.parametrize(
    "lie",
    [{"crc": 1}, {"size": len(DATA) - 1}, {"size": len(DATA) + 1}, {"size": 2**31}, {"stated_method": 12}],
)
def test_members_that_lie(method: int, lie: dict[str, int], tmp_path: Path, write_zip: WriteZip) -> None:
    """A length, a checksum or a method that is not the true one is told, and no more is unpacked than was said."""
    path = write_zip(tmp_path / "a.zip", {"a": DATA}, method=method, lies=lie)
    told = pytest.raises(FormatError, match=r"damaged|larger")
    with ZipMembers(path, "a.zip") as archive, told as caught:
        archive.read("a", 10**6)
    assert caught.value.where == "a.zip: a"


def test_limit(tmp_path: Path, write_zip: WriteZip) -> None:
    """A member beyond the limit is not unpacked."""
    path = write_zip(tmp_path / "a.zip", {"a": DATA})
    with ZipMembers(path, "a.zip") as archive, pytest.raises(FormatError, match="larger than 100 bytes"):
        archive.read("a", 100)


def test_damaged_contents(tmp_path: Path, write_zip: WriteZip) -> None:
    """Contents that cannot be unpacked are damaged, and so is a member that is not where the directory says."""
    for method in (8, 93):
        path = write_zip(tmp_path / "a.zip", {"a": DATA}, method=method)
        data = path.read_bytes()
        path.write_bytes(data[:31] + b"\xff" * 20 + data[51:])
        with ZipMembers(path, "a.zip") as archive, pytest.raises(FormatError, match="damaged"):
            archive.read("a", 10**6)
    path.write_bytes(b"x" * 4 + data[4:])
    with ZipMembers(path, "a.zip") as archive, pytest.raises(FormatError, match="no member where"):
        archive.read("a", 10**6)


def test_zip_that_breaks_off(tmp_path: Path, write_zip: WriteZip) -> None:
    """Members that are whole are found; the one that is cut is not."""
    path = write_zip(tmp_path / "a.zip", {"a": DATA, "b": DATA}, method=0)
    path.write_bytes(path.read_bytes()[: len(DATA) + 200])
    with ZipMembers(path, "a.zip") as archive:
        assert archive.cut
        assert list(archive.members) == ["a"]


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"PK\5\6" + bytes(18), b"nothing of the kind" * 10])
def test_what_is_no_zip(content: bytes, tmp_path: Path) -> None:
    """A file without members, or none at all, is refused, and named."""
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(FormatError) as caught:
        ZipMembers(tmp_path / "a.zip", "a.zip")
    assert caught.value.where == "a.zip"
    with pytest.raises(FormatError, match="cannot be read"):
        ZipMembers(tmp_path / "missing.zip", "missing.zip")
