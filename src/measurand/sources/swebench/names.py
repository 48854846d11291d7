"""How SWE-bench's folders and files name splits, submissions, models and runs; the metadata of a submission."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.sources.base import ImportLog

__all__ = ["SIZES", "SPLITS", "Metadata", "read_metadata", "report_names", "split_of_folder"]

SPLITS: Final = {
    "verified": "swebench_verified",
    "bash-only": "swebench_verified",
    "lite": "swebench_lite",
    "test": "swebench_test",
    "multilingual": "swebench_multilingual",
    "multimodal": "swebench_multimodal",
}
"""Split -> suite. ``bash-only`` holds the 500 tasks of Verified, run with one scaffold."""

SIZES: Final = {
    "swebench_verified": 500,
    "swebench_lite": 300,
    "swebench_test": 2294,
    "swebench_multilingual": 300,
}
"""Suite -> number of its tasks."""

_ASSET: Final = re.compile(r"s3://swe-bench-(?:experiments|submissions)/([\w-]+)/")
_SUBSETS: Final = {
    "swe-bench": "swebench",
    "swe-bench_lite": "swebench_lite",
    "swe-bench_verified": "swebench_verified",
    "swe-bench-m": "swebench_multimodal",
    "swe-bench_multimodal": "swebench_multimodal",
    "swe-bench_multilingual": "swebench_multilingual",
}
_LARGEST: Final = 2**20
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Metadata(NamedTuple):
    """What ``metadata.yaml`` says of a submission."""

    models: tuple[str, ...] = ()
    suite: str | None = None


class ReportNames(NamedTuple):
    """What the name of a report says."""

    agent: str
    job: str | None
    suite: str | None = None


def read_metadata(path: Path | None, where: str, log: ImportLog) -> Metadata:
    """Read the models and the split of a submission. What cannot be read is noted, and unknown."""
    if path is None:
        log.add("note", "submission without metadata: its model is unknown", where)
        return Metadata()
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("larger than 1 MiB")  # noqa: TRY301 - all that is wrong ends in one note
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a safe loader: plain values only
    except Exception as error:  # noqa: BLE001 - metadata are optional, whatever a parser raises on foreign text
        log.add("note", f"unreadable metadata: the model is unknown ({type(error).__name__})", where)
        return Metadata()
    if not isinstance(content, dict):
        log.add("note", "unreadable metadata: the model is unknown (not a mapping)", where)
        return Metadata()
    return Metadata(_models(content), _suite(content))


def _models(content: dict[Any, Any]) -> tuple[str, ...]:
    tags = content.get("tags")
    named = tags.get("model") if isinstance(tags, dict) else None
    listed = named if isinstance(named, list) else [named]
    return tuple(dict.fromkeys(model.strip() for model in listed if isinstance(model, str) and model.strip()))


def _suite(content: dict[Any, Any]) -> str | None:
    assets = content.get("assets")
    for asset in assets.values() if isinstance(assets, dict) else ():
        if isinstance(asset, str) and (match := _ASSET.match(asset)) and match[1] in SPLITS:
            return SPLITS[match[1]]
    return None


def split_of_folder(folder: Path) -> str | None:
    """Suite that the name of a split's folder says: a known split, or any folder directly in ``evaluation``."""
    if folder.name in SPLITS:
        return SPLITS[folder.name]
    if folder.parent.name == "evaluation":
        return "swebench_" + re.sub(r"[^a-z0-9]+", "_", folder.name.lower()).strip("_")
    return None


def report_names(stem: str) -> ReportNames:
    """Read the file name of a report: ``MODEL.RUN`` (harness) or ``SUBSET__SPLIT__RUN`` (sb-cli)."""
    parts = stem.split("__", 2)
    if len(parts) == 3 and parts[0] in _SUBSETS:
        subset, split, run = parts
        whole = split == "test" and subset != "swe-bench"
        return ReportNames(run, run, _SUBSETS[subset] if whole else f"{_SUBSETS[subset]}_{split}")
    model, dot, run = stem.rpartition(".")
    return ReportNames(model, run) if dot and model and run else ReportNames(stem, None)
