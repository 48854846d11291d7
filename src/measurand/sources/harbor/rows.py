"""Rows of the trials of one Harbor job, and what its results teach of agents and tasks that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.trial import Trial
from measurand.sources.harbor.config import (
    ADHOC,
    Agent,
    agent_key,
    agent_of,
    suite_version,
    task_key,
    task_name,
)
from measurand.sources.harbor.rewards import PASS, Rewards
from measurand.sources.reading.loose_values import object_of, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from measurand.model.outcomes import Outcome
    from measurand.sources.base import ImportLog
    from measurand.sources.harbor.jobs import Job
    from measurand.sources.harbor.outcomes import Ending

__all__ = ["Choices", "Rows"]

_HARNESS: Final = "harbor"


class Choices(NamedTuple):
    """What the user says."""

    suite: str | None
    version: str | None
    keys: Mapping[str, str]
    """Field -> key of the rewards: verdict, quantity, official_score."""
    constants: Mapping[str, str]
    words: Mapping[str, Outcome]
    """Exception -> outcome."""


class Rows:
    """Builds the rows of one job."""

    def __init__(self, job: Job, root: Path, choices: Choices, log: ImportLog) -> None:
        self.job = job
        self.root = root
        self.choices = choices
        self.log = log
        self.suites: dict[tuple[str, str | None], set[str]] = {}
        """Suite and version -> tasks that have rows."""
        self._agents: dict[bytes, Agent] = {}
        self._by_eval: dict[tuple[str, str | None], Agent] = {}
        self._names: dict[str, str] = {}

    def learn(self, result: dict[str, Any]) -> Agent:
        """Take the names of agent and task from a result, and return the agent."""
        config = object_of(result.get("config"))
        info, settings = object_of(result.get("agent_info")), object_of(config.get("agent"))
        agent = agent_of(info, settings, config.get("user_agent"))
        self._agents.setdefault(agent_key(settings), agent)
        model = text(object_of(info.get("model_info")).get("name"))
        self._by_eval.setdefault((text(info.get("name")) or "", model), agent)
        self._names.setdefault(task_key(object_of(config.get("task"))), text(result.get("task_name")) or "")
        return agent

    def agent(self, settings: dict[str, Any]) -> Agent:
        """The agent of this configuration, as results name it; else by the configuration alone."""
        return self._agents.get(agent_key(settings)) or agent_of({}, settings)

    def counted_agent(self, scaffold: str, model: str | None, settings: dict[str, Any]) -> Agent:
        """The agent that the job counts under this scaffold and model."""
        info = {"name": scaffold, "model_info": {"name": model}}
        return self._by_eval.get((scaffold, model)) or agent_of(info, settings)

    def task(self, task: dict[str, Any], otherwise: str) -> str:
        """Name of a task without a result: as other trials of it have it, else with the prefix that all others have."""
        known = self._names.get(task_key(task))
        if known:
            return known
        name = task_name(task) if task else otherwise
        prefixes = {
            full.removesuffix(short)
            for place, full in self._names.items()
            if full.endswith(short := place.rstrip("/").rpartition("/")[2])
        }
        return f"{prefixes.pop()}{name}" if len(prefixes) == 1 and "/" not in name else name

    def suite(self, source: str | None, where: str) -> tuple[str, str | None]:
        """Suite and version of a trial whose dataset is ``source``."""
        wanted = self.choices.suite
        if source is None:
            return wanted or ADHOC, self.choices.version
        if wanted not in {None, source}:
            self.log.add("note", f"the data say {source}: --suite {wanted} is not used", where)
        return source, suite_version(source, self.job.config.get("datasets"))

    def attempts(self, trial: str, where: str) -> int | None:
        """Starts of a trial, where the job says how often it was tried again."""
        if self.job.retries is None:
            return None
        if self.job.retries[trial]:
            self.log.add("note", "retried: tokens, cost and times are those of the last attempt", where)
        return 1 + self.job.retries[trial]

    def build(
        self, agent: Agent, ended: Ending, rewards: Rewards, where: str, fields: dict[str, Any]
    ) -> Trial:
        """Build the row of a trial.

        Args:
            agent: who was tried.
            ended: what became of it.
            rewards: what the verifier gave.
            where: the record.
            fields: suite, suite_version, task, trial, job and whatever else is known.
        """
        self.suites.setdefault((fields["suite"], fields["suite_version"]), set()).add(fields["task"])
        keys = self.choices.keys
        known: dict[str, Any] = {**self.choices.constants, **fields}
        return Trial(
            agent=agent.name,
            agent_digest=agent.digest,
            model_requested=agent.model,
            outcome=ended.outcome,
            verdict=ended.verdict,
            reason=ended.reason,
            verdicts=self._verdicts(rewards, ended),
            official_score=self._official(rewards, ended),
            quantity=rewards.values.get(keys["quantity"]) if "quantity" in keys else None,
            harness=_HARNESS,
            harness_version=self.job.harness_version,
            source=_HARNESS,
            source_ref=where,
            **known,
        )

    def _verdicts(self, rewards: Rewards, ended: Ending) -> dict[str, bool] | None:
        """The official verdict: what has no reward that counts is not solved."""
        key = self.choices.keys.get("verdict") or rewards.key
        if ended.valid and key not in rewards.values:
            return None
        return {"official": ended.valid and rewards.values.get(key or "", 0.0) >= PASS}

    def _official(self, rewards: Rewards, ended: Ending) -> float | None:
        """The reward; a planned trial without one that counts is worth 0; unknown where none of several is called reward."""
        if not ended.valid:
            return 0.0
        key = self.choices.keys.get("official_score")
        return rewards.main if key is None else rewards.values.get(key)
