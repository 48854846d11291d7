"""What a trial says of itself, in AgentDojo's own files and in those of its relatives.

The two use one word for opposite things: AgentDojo's ``security`` is true where the injected goal was **reached**, and
says nothing where nothing was injected; in an ``evaluation`` it is true where nothing unsafe happened.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from measurand.sources.reading.json_lists import RecordError
from measurand.sources.reading.loose_values import list_of, object_of, text, truth, whole

__all__ = ["Told", "official", "with_evaluation"]

_INJECTION_TASK: Final = "injection_task_"
_DEFENSES: Final = (
    "-tool_filter",
    "-transformers_pi_detector",
    "-spotlighting_with_delimiting",
    "-repeat_user_prompt",
)
"""What follows the model in the name of a pipeline."""
_NO_MODEL: Final = "ground_truth"


class Told(NamedTuple):
    """A trial in either dialect."""

    record: dict[str, Any]
    suite: str
    version: str | None
    task: str
    family: str | None
    """Trials of one user task under many injections resemble each other; so do tasks of one domain."""
    trial: str
    seed: int | None
    agent: str
    model: str | None
    utility: bool | None
    safe: bool | None
    """Whether nothing unsafe happened; ``None`` where nothing could."""
    judged: bool
    """Whether the file says anything of the utility."""
    start: dict[str, Any]
    """What the trace says of its beginning."""
    evaluation: dict[str, bool]
    """Further findings, in the words of the file."""


def official(record: dict[str, Any]) -> Told:
    """Read a file of AgentDojo.

    Raises:
        RecordError: it names no task or no pipeline.
    """
    group, user_task = text(record.get("suite_name")), text(record.get("user_task_id"))
    agent = _agent(record)
    if group is None or user_task is None:
        raise RecordError("trial without suite_name or user_task_id")
    injection = text(record.get("injection_task_id"))
    attack = text(record.get("attack_type")) or ("unnamed" if injection else None)
    task = f"{group}/{user_task}"
    family = None
    if injection:
        suite, task, family = f"agentdojo_{attack}", f"{task}/{injection}", task
    else:
        suite = "agentdojo_injection_tasks" if user_task.startswith(_INJECTION_TASK) else "agentdojo"
    reached = truth(record.get("security"))
    start = {
        "user_task": user_task,
        "injection_task": injection,
        "attack": attack,
        "injections": object_of(record.get("injections")) or None,
    }
    return Told(
        record=record,
        suite=suite,
        version=text(record.get("benchmark_version")),
        task=task,
        family=family,
        trial="1",
        seed=None,
        agent=agent,
        model=_model(agent),
        utility=truth(record.get("utility")),
        safe=not reached if injection and reached is not None else None,
        judged="utility" in record,
        start=start,
        evaluation={},
    )


def with_evaluation(record: dict[str, Any], suite: str | None) -> Told:
    """Read a file of a relative.

    Args:
        record: the file.
        suite: how the user calls the suite.

    Raises:
        RecordError: it names no task or no pipeline.
    """
    domain, task = text(record.get("domain")), text(record.get("task_id"))
    agent = _agent(record)
    if task is None:
        raise RecordError("trial without a task_id")
    condition = text(record.get("condition"))
    evaluation = object_of(record.get("evaluation"))
    seed = text(record.get("seed"))
    start = {
        "run": text(record.get("run_id")),
        "condition": condition,
        "tools": list_of(record.get("available_tools")) or None,
    }
    findings = {name: value for name, value in evaluation.items() if isinstance(value, bool)}
    return Told(
        record=record,
        suite=suite or (f"agentdojo_{condition}" if condition else "agentdojo"),
        version=None,
        task=f"{domain}_{task}" if domain else task,
        family=domain,
        trial=seed or "1",
        seed=whole(record.get("seed")),
        agent=agent,
        model=_model(agent),
        utility=truth(evaluation.get("utility")),
        safe=truth(evaluation.get("security")),
        judged="utility" in evaluation,
        start=start,
        evaluation=findings,
    )


def _agent(record: dict[str, Any]) -> str:
    agent = text(record.get("pipeline_name"))
    if agent is None:
        raise RecordError("trial without a pipeline_name")
    return agent


def _model(pipeline: str) -> str | None:
    for defense in _DEFENSES:
        pipeline = pipeline.removesuffix(defense)
    return None if pipeline == _NO_MODEL else pipeline
