"""What the metadata of an OpenHands evaluation say: agent, model, suite, version."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from measurand.model.digests import agent_digest
from measurand.model.trial import UNNAMED
from measurand.sources.reading.loose_values import object_of, text

__all__ = ["Setup", "plain_settings", "setup_of", "suite_of"]

_BRAND: Final = "OpenHands"
_OF_THE_RUN: Final = {
    "eval_output_dir",
    "start_time",
    "dataset",
    "data_split",
    "dataset_split",
    "eval_limit",
    "selected_instances_file",
    "workspace_type",
    "base_resource_factor",
    "max_resource_factor",
    "lmnr",
    "log_completions",
    "log_completions_folder",
}
"""Metadata of the evaluation, not of the agent."""
_DEPTH: Final = 40
"""Levels of settings that are looked at."""
_SECRET: Final = re.compile(r"key|token$|secret|password|base_url", re.IGNORECASE)
_SWEBENCH: Final = re.compile(
    r"swe-?bench(?:[_-](?P<kind>verified|lite|multimodal|multilingual|live|pro))?(?![a-z])"
)
_SPLIT: Final = re.compile(r"(?P<name>.+)-(?P<split>test|dev|train|validation)")


class Setup(NamedTuple):
    """What ran."""

    agent: str
    agent_digest: str
    model: str | None
    suite: str | None
    version: str | None
    limits: dict[str, Any]


def setup_of(metadata: dict[str, Any]) -> Setup:
    """Read metadata, of whichever version of OpenHands."""
    model = text(object_of(metadata.get("llm_config")).get("model"))
    model = model or text(object_of(metadata.get("llm")).get("model"))
    scaffold = " ".join(filter(None, (_BRAND, text(metadata.get("agent_class")))))
    name = f"{model} ({scaffold})" if model else scaffold
    split = text(metadata.get("data_split")) or text(metadata.get("dataset_split"))
    return Setup(
        agent=name,
        agent_digest=agent_digest(name, plain_settings(metadata)),
        model=model,
        suite=suite_of(text(metadata.get("dataset")), split),
        version=text(metadata.get("git_commit")),
        limits={"max_iterations": metadata["max_iterations"]} if metadata.get("max_iterations") else {},
    )


def plain_settings(settings: Any, deepest: int = _DEPTH) -> Any:
    """Give settings of the agent without those of the run, and without secrets; what lies too deep is left out."""
    if isinstance(settings, list):
        return [plain_settings(entry, deepest - 1) for entry in settings] if deepest else None
    if not isinstance(settings, dict):
        return settings
    kept = {
        key: value for key, value in settings.items() if key not in _OF_THE_RUN and not _SECRET.search(key)
    }
    return {key: plain_settings(value, deepest - 1) for key, value in kept.items()} if deepest else None


def suite_of(dataset: str | None, split: str | None) -> str | None:
    """Return the suite that a data set is, as other sources of SWE-bench call it.

    >>> suite_of("princeton-nlp/SWE-bench_Verified", "test"), suite_of("princeton-nlp__SWE-bench_Lite-dev", None)
    ('swebench_verified', 'swebench_lite_dev')
    """
    if dataset is None:
        return None
    plain = dataset.replace("__", "/").lower()
    if named := _SPLIT.fullmatch(plain):
        plain, split = named["name"], split or named["split"]
    last = plain.rstrip("/").rpartition("/")[2]
    found = _SWEBENCH.search(last)
    if found is None:
        return re.sub(r"[^a-z0-9]+", "_", last).strip("_") or UNNAMED
    if found["kind"] is None:
        return f"swebench_{split or 'test'}"
    return f"swebench_{found['kind']}" + ("" if split in {None, "test"} else f"_{split}")
