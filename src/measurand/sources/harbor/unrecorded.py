"""Trials of a Harbor job without a result: only counted by the job, never ended, or planned and never begun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from measurand.errors import FormatError
from measurand.model.outcomes import Outcome
from measurand.sources.harbor.config import environment_digest, task_name
from measurand.sources.harbor.jobs import MOST, Planned, eval_parts, short_name
from measurand.sources.harbor.outcomes import Ending, ending
from measurand.sources.harbor.rewards import Rewards, reward_file
from measurand.sources.harbor.tree import CONFIG, LOCK, RESULT
from measurand.sources.reading.capped_files import is_file, read_object
from measurand.sources.reading.folder_files import name_below
from measurand.sources.reading.loose_values import object_of, text

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.model.trial import Trial
    from measurand.sources.harbor.jobs import Job, Listed, Plan
    from measurand.sources.harbor.rows import Rows

__all__ = ["Unrecorded"]

_NOTHING = Rewards({})


class Unrecorded:
    """Makes rows of trials without a result."""

    def __init__(self, rows: Rows, plan: Plan) -> None:
        self.rows = rows
        self.plan = plan

    def listed(self, listed: Listed, job: Job) -> Trial:
        """A trial of which only the statistics of the job are left."""
        rows = self.rows
        rows.log.rows_read += 1
        where = f"{job.where}/{RESULT}: {listed.trial}"
        rows.log.add("note", "trial without a folder: read from the statistics of its job", where)
        scaffold, model, dataset = eval_parts(listed.eval)
        planned = self.plan.take_named(listed.trial)
        rewards = Rewards(listed.rewards)
        failures = [{"exception_info": {"exception_type": name}} for name in listed.exceptions]
        result: dict[str, Any] = {"verifier_result": {"rewards": listed.rewards}}
        result |= {"reward_valid": bool(listed.rewards), **(failures[0] if failures else {})}
        result |= {"step_results": failures[1:]}
        ended = ending(result, rewards, rows.choices.keys.get("verdict"), rows.choices.words)
        fields = self._planned(planned, dataset, short_name(listed.trial), where)
        fields |= {
            "trial": listed.trial,
            "job": rows.job.id or rows.job.name,
            "attempts": rows.attempts(listed.trial, where),
        }
        agent = rows.counted_agent(scaffold, model, planned.agent if planned else {})
        return rows.build(agent, ended, rewards, where, fields)

    def unfinished(self, folder: Path) -> Trial | None:
        """A trial whose folder has no result: the runner was ended before it. ``None`` when it was run again since."""
        rows = self.rows
        rows.log.rows_read += 1
        where = folder.name if folder == rows.root else name_below(folder, rows.root)
        config = self._object(folder / CONFIG)
        task, settings = object_of(config.get("task")), object_of(config.get("agent"))
        planned = self.plan.take(task, settings)
        if planned is None and self.plan.size:
            rows.log.add("dropped", "interrupted, and run again under another name", where)
            return None
        said = reward_file(folder, rows.root)
        reason = "no result.json" + ("; the verifier had written a reward" if said else "")
        if planned is None:
            lock = self._object(folder / LOCK) if is_file(folder / LOCK) else {}
            planned = Planned(task | object_of(lock.get("task")), settings, config)
        fields = self._planned(planned, text(task.get("source")), task_name(planned.task), where)
        fields |= {
            "trial": text(config.get("trial_name")) or folder.name,
            "job": rows.job.id or text(config.get("job_id")) or rows.job.name,
        }
        ended = Ending(Outcome.INTERRUPTED, None, reason, valid=False)
        return rows.build(rows.agent(settings), ended, _NOTHING, where, fields)

    def _object(self, file: Path) -> dict[str, Any]:
        """A file of the trial; empty, and noted, where it cannot be read."""
        where = name_below(file, self.rows.root)
        try:
            return read_object(file, where, self.rows.root, MOST)
        except FormatError as error:
            self.rows.log.add("note", f"{file.name} of a trial: {error.what}", error.where)
            return {}

    def missing(self, planned: Planned, number: int) -> Trial:
        """A planned trial of which there is nothing."""
        rows = self.rows
        rows.log.rows_read += 1
        name = task_name(planned.task)
        where = f"{rows.job.where}/{LOCK}: {name}"
        fields = self._planned(planned, text(planned.task.get("source")), name, where)
        fields |= {"trial": f"planned {number}", "job": rows.job.id or rows.job.name}
        ended = Ending(Outcome.MISSING, None, "planned, and never recorded", valid=False)
        return rows.build(rows.agent(planned.agent), ended, _NOTHING, where, fields)

    def _planned(self, planned: Planned | None, source: str | None, name: str, where: str) -> dict[str, Any]:
        """What the plan says of a trial."""
        task = planned.task if planned else {}
        suite, version = self.rows.suite(text(task.get("source")) or source, where)
        return {
            "suite": suite,
            "suite_version": version,
            "task": self.rows.task(task, name),
            "task_digest": text(task.get("digest")),
            "environment_digest": environment_digest(planned.lock) if planned else None,
        }
