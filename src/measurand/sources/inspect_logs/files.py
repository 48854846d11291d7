"""Logs of Inspect AI on disk: ``.eval`` (a zip with one member a sample, or many in the chunked layout) and ``.json``.

A log is read sample by sample, so that what is in memory is one sample, not the log.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, Protocol

from measurand.errors import FormatError
from measurand.sources.inspect_logs.decode import (
    Decoded,
    decode_header,
    decode_sample,
    decode_scores,
    decode_summaries,
)
from measurand.sources.reading import loose_json
from measurand.sources.reading.json_spans import split_array
from measurand.sources.reading.loose_values import list_of
from measurand.sources.reading.zip_members import MAGIC, ZipMembers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from measurand.sources.base import ImportLog
    from measurand.sources.inspect_logs.records import Header, Sample, Score

__all__ = ["HEADER", "MOST_OF_A_HEADER", "START", "Loaded", "OpenLog", "Record", "open_log"]

MOST_OF_A_SAMPLE: Final = 2**29
"""Bytes of JSON that a sample may have: one that is larger is left out rather than filling the memory."""
MOST_OF_A_HEADER: Final = 2**27
HEADER: Final = "header.json"
START: Final = "_journal/start.json"
_SUMMARIES: Final = "summaries.json"
_SAMPLES: Final = "samples/"
_WHOLE: Final = re.compile(r"samples/.+_epoch_\d+\.json", re.DOTALL)
_SHELL: Final = re.compile(r"(samples/.+_epoch_\d+)/sample\.json", re.DOTALL)
_PART: Final = re.compile(r"(samples/.+_epoch_\d+)/.+", re.DOTALL)
_CHUNK: Final = re.compile(r"(samples/.+_epoch_\d+)/(events|attachments)/(\d{1,18})\.json", re.DOTALL)
_JOURNALLED: Final = re.compile(r"_journal/summaries/\d+\.json")


class Loaded(NamedTuple):
    """A sample in memory. Its events and attachments are read when they are asked for."""

    decoded: Decoded[Sample]
    events: Callable[[], Iterator[bytes]]
    """Lists of events as JSON, in their order."""
    attachments: Callable[[], dict[str, Any]]
    """Long texts by the name under which the sample refers to them."""


class Record(NamedTuple):
    """A sample of a log, not yet read."""

    where: str
    load: Callable[[], Loaded]
    """Reads it. Raises FormatError when it is damaged."""
    scores: Callable[[], dict[str, Score]]
    """Reads its scores alone. Raises FormatError."""


class OpenLog(Protocol):
    """A log that is open for reading."""

    where: str
    header: Header

    def records(self) -> Iterator[Record]:
        """Yield the samples in the order of the file."""
        ...

    def scores(self) -> Iterator[dict[str, Score]]:
        """Yield the scores of each sample, read as cheaply as the log allows; damaged samples are passed over."""
        ...


@contextmanager
def open_log(path: Path, where: str, log: ImportLog) -> Iterator[OpenLog]:
    """Open a log and read its header; ``log`` is told what is wrong with the file as such.

    Raises:
        FormatError: it is no log, or nothing of it can be read.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=where) from error
    with file:
        if file.read(len(MAGIC)) != MAGIC:
            file.seek(0)
            yield _JsonLog(file, where, log)
            return
    with ZipMembers(path, where) as archive:
        yield _ZipLog(archive, log)


class _ZipLog:
    def __init__(self, archive: ZipMembers, log: ImportLog) -> None:
        self.archive = archive
        self.where = archive.where
        self.header = self._header(log)
        if archive.cut:
            log.add("note", "the zip has lost its directory: read as far as it goes", self.where)
        for name, why in archive.refused:
            self._tell_unread(name, why, log)
        whole = {found[1] for found in map(_SHELL.fullmatch, archive.members) if found}
        parts = {found[1] for found in map(_PART.fullmatch, archive.members) if found}
        for base in sorted(parts - whole):
            self._tell_unread(base, "a sample without its sample.json", log)
        for name in archive.members:
            if name.startswith(_SAMPLES) and not (_WHOLE.fullmatch(name) or _PART.fullmatch(name)):
                self._tell_unread(name, "its name is that of no sample", log)

    def _tell_unread(self, name: str, why: str, log: ImportLog) -> None:
        """Samples that are not read are records all the same; other members are not."""
        where = f"{self.where}: {name}"
        if name.startswith(_SAMPLES):
            log.rows_read += 1
            log.add("dropped", f"member of the zip that is not read: {why}", where)
        else:
            log.add("note", f"member of the zip that is not read: {why}", where)

    def _header(self, log: ImportLog) -> Header:
        for name in (HEADER, START):
            if name not in self.archive:
                continue
            where = f"{self.where}: {name}"
            try:
                header = decode_header(self.archive.read(name, MOST_OF_A_HEADER), where).record
            except FormatError as error:
                if name == START or START not in self.archive:
                    raise
                log.add("note", f"{HEADER} cannot be read: {error.what}", where)
                continue
            if name == START:
                log.add("note", "no header: the evaluation did not come to its end", self.where)
            return header
        raise FormatError(
            f"a zip without {HEADER} and {START}",
            where=self.where,
            hint="expected a log of Inspect AI",
        )

    def records(self) -> Iterator[Record]:
        for name in self.archive.members:
            if _WHOLE.fullmatch(name):
                yield self._whole(name)
            elif found := _SHELL.fullmatch(name):
                yield self._chunked(found[1])

    def scores(self) -> Iterator[dict[str, Score]]:
        members = self.archive.members
        names = [_SUMMARIES] if _SUMMARIES in members else list(filter(_JOURNALLED.fullmatch, members))
        try:
            summaries = [
                scores
                for name in names
                for scores in decode_summaries(self._read(name), f"{self.where}: {name}")
            ]
        except FormatError:
            summaries = []
        return iter(summaries) if summaries else _scores_of(self.records())

    def _read(self, name: str) -> bytes:
        return self.archive.read(name, MOST_OF_A_SAMPLE)

    def _whole(self, name: str) -> Record:
        where = f"{self.where}: {name}"
        return Record(
            where,
            lambda: _monolith(self._read(name), where),
            lambda: decode_scores(self._read(name), where),
        )

    def _chunked(self, base: str) -> Record:
        where = f"{self.where}: {base}"
        shell = f"{base}/sample.json"

        def load() -> Loaded:
            decoded = decode_sample(self._read(shell), where)
            if f"{base}/metadata.json" in self.archive:
                metadata = loose_json.decode(self._read(f"{base}/metadata.json"), where)
                decoded.record.metadata = metadata if isinstance(metadata, dict) else {}
            return Loaded(
                decoded,
                lambda: (self._read(name) for name in self._chunks(base, "events")),
                lambda: dict(enumerate_texts(self._chunks(base, "attachments"))),
            )

        def enumerate_texts(names: list[str]) -> Iterator[tuple[str, Any]]:
            texts = (text for name in names for text in list_of(loose_json.decode(self._read(name), where)))
            return ((str(number), text) for number, text in enumerate(texts))

        return Record(where, load, lambda: decode_scores(self._read(shell), where))

    def _chunks(self, base: str, sequence: str) -> list[str]:
        return self._sequences.get((base, sequence), [])

    @cached_property
    def _sequences(self) -> dict[tuple[str, str], list[str]]:
        """Members of each sequence of each chunked sample, in the order of the number that each is named by."""
        found: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for name in self.archive.members:
            if part := _CHUNK.fullmatch(name):
                found.setdefault((part[1], part[2]), []).append((int(part[3]), name))
        return {key: [name for _, name in sorted(numbered)] for key, numbered in found.items()}


class _JsonLog:
    def __init__(self, file: BinaryIO, where: str, log: ImportLog) -> None:
        self.file = file
        self.where = where
        split = split_array(file, "samples", MOST_OF_A_HEADER, where)
        self.header = decode_header(split.rest, where).record
        self.spans = split.spans
        if not split.complete:
            log.add("note", "the file breaks off: the samples before that are read", where)

    def records(self) -> Iterator[Record]:
        for number, (start, end) in enumerate(self.spans):
            yield self._record(f"{self.where}: samples[{number}]", start, end)

    def scores(self) -> Iterator[dict[str, Score]]:
        return _scores_of(self.records())

    def _record(self, where: str, start: int, end: int) -> Record:
        def read() -> bytes:
            if end - start > MOST_OF_A_SAMPLE:
                raise FormatError(f"larger than {MOST_OF_A_SAMPLE} bytes", where=where)
            self.file.seek(start)
            return self.file.read(end - start)

        return Record(where, lambda: _monolith(read(), where), lambda: decode_scores(read(), where))


def _monolith(data: bytes, where: str) -> Loaded:
    decoded = decode_sample(data, where)
    sample = decoded.record

    def attachments() -> dict[str, Any]:
        found = loose_json.decode(bytes(sample.attachments), where)
        return found if isinstance(found, dict) else {}

    return Loaded(decoded, lambda: iter([bytes(sample.events)]), attachments)


def _scores_of(records: Iterator[Record]) -> Iterator[dict[str, Score]]:
    for record in records:
        try:
            yield record.scores()
        except FormatError:
            continue
