"""Who was evaluated on what: the suite, the agent with its configuration, the environment, the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from measurand.model.digests import agent_digest, task_digest
from measurand.model.imports import Declaration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from measurand.sources.inspect_logs.records import Header, Sample, Spec

__all__ = ["Evaluation", "content_digest", "declaration", "evaluation"]

_NO_MODEL: Final = ("none", "none/none")
_LIMITS: Final = (
    "message_limit",
    "token_limit",
    "token_limit_type",
    "turn_limit",
    "time_limit",
    "working_limit",
    "cost_limit",
    "approval",
)
"""Settings of the evaluation that change what an agent can do."""
_OPERATION: Final = {
    "max_retries",
    "timeout",
    "attempt_timeout",
    "max_connections",
    "adaptive_connections",
    "cache",
    "batch",
}
"""Settings of generation that change how requests are sent, not what is answered."""
_EMPTY: Final[tuple[Any, ...]] = (None, {}, [], "")


class Evaluation(NamedTuple):
    """What all samples of a log have in common."""

    suite: str
    suite_version: str | None
    agent: str
    agent_digest: str
    model: str
    job: str | None
    seed: int | None
    harness_version: str | None
    sandbox: Any
    limits: dict[str, Any]


def evaluation(header: Header) -> Evaluation:
    """Read what a header says of its samples."""
    spec = header.eval
    agent = _agent(header)
    version = spec.packages.get("inspect_ai")
    seed = spec.model_generate_config.get("seed")
    return Evaluation(
        suite=spec.task,
        suite_version=_suite_version(spec),
        agent=agent,
        agent_digest=agent_digest(agent, _configuration(header)),
        model=spec.model,
        job=spec.task_id or spec.eval_id or spec.run_id or None,
        seed=seed if isinstance(seed, int) and abs(seed) < 2**63 else None,
        harness_version=version if isinstance(version, str) else None,
        sandbox=spec.sandbox,
        limits=_limits(spec),
    )


def declaration(header: Header) -> Declaration:
    """Say what was planned: the samples, and the epochs of each."""
    spec = header.eval
    epochs = spec.config.get("epochs", 1)
    return Declaration(
        suite=spec.task,
        suite_version=_suite_version(spec),
        tasks=_planned_tasks(spec),
        trials=epochs if isinstance(epochs, int) and 0 < epochs < 2**31 else None,
    )


def _planned_tasks(spec: Spec) -> int | None:
    """Samples that were to be run; a limit leaves part of the data set out, which older logs count all the same."""
    if spec.dataset.sample_ids is not None:
        return len({str(one) for one in spec.dataset.sample_ids}) or None
    limit, samples = spec.config.get("limit"), spec.dataset.samples
    if limit is not None and not isinstance(limit, int):
        return None
    return min((n for n in (limit, samples) if n is not None and n > 0), default=None)


def _suite_version(spec: Spec) -> str | None:
    """Version of the task, with the arguments that were passed to it: they may make it another one."""
    arguments = spec.task_args if spec.task_args_passed is None else spec.task_args_passed
    shown = [f"{name}={_plain(value)}" for name, value in sorted(arguments.items())]
    version = [] if spec.task_version is None else [_plain(spec.task_version)]
    return " ".join(version + shown) or None


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()


def _agent(header: Header) -> str:
    """The model, and the solver where it was chosen; without a model, what the solver is called."""
    spec = header.eval
    if spec.model in _NO_MODEL:
        return spec.solver or ", ".join(_solvers(header.plan)) or spec.model
    return f"{spec.model} ({spec.solver})" if spec.solver else spec.model


def _limits(spec: Spec) -> dict[str, Any]:
    return {name: spec.config[name] for name in _LIMITS if spec.config.get(name) is not None}


def _solvers(plan: Mapping[str, Any]) -> Iterator[str]:
    steps = plan.get("steps")
    for step in steps if isinstance(steps, list) else []:
        if isinstance(step, dict) and isinstance(step.get("solver"), str):
            yield step["solver"]


def _configuration(header: Header) -> dict[str, Any]:
    """All that makes the agent answer as it does. What is empty says nothing."""
    spec, plan = header.eval, header.plan
    settings = plan.get("config")
    parts = {
        "model": spec.model,
        "model_args": {name: value for name, value in spec.model_args.items() if value is not None},
        "model_roles": spec.model_roles,
        "generate": _generation(spec.model_generate_config),
        "solver": spec.solver,
        "solver_args": spec.solver_args,
        "steps": _steps(plan),
        "finish": plan.get("finish"),
        "plan_generate": _generation(settings if isinstance(settings, dict) else {}),
        "limits": _limits(spec),
    }
    return {name: value for name, value in parts.items() if value not in _EMPTY}


def _steps(plan: Mapping[str, Any]) -> list[Any]:
    """Solvers and their parameters; which of them were passed and which are defaults makes no difference."""
    steps = plan.get("steps")
    return [
        {name: value for name, value in step.items() if name != "params_passed"}
        for step in (steps if isinstance(steps, list) else [])
        if isinstance(step, dict)
    ]


def _generation(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in _OPERATION and value is not None}


def content_digest(sample: Sample) -> str:
    """Digest of what the task is: input, setup, files, and choices in any order or else the target."""
    choices = sample.choices if isinstance(sample.choices, list) else None
    return task_digest(
        {
            "input": _without_ids(sample.input),
            "setup": sample.setup,
            "files": sorted(map(str, sample.files)) if isinstance(sample.files, list) else None,
            "choices": sorted(map(str, choices)) if choices else None,
            "target": None if choices else sample.target,
        }
    )


def _without_ids(messages: Any) -> Any:
    """Input as messages has ids that are drawn anew in each run."""
    if not isinstance(messages, list):
        return messages
    return [
        {name: value for name, value in message.items() if name != "id"}
        if isinstance(message, dict)
        else message
        for message in messages
    ]
