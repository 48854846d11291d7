"""What became of a Harbor trial: its exceptions and rewards as an outcome and a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from measurand.model.outcomes import COUNTS_AS, CountsAs, Outcome, Verdict
from measurand.sources.harbor.rewards import PASS, Rewards, rewards_of
from measurand.sources.reading.loose_values import list_of, object_of, text, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Ending", "ending"]

_BY_OUTCOME: Final = {
    Outcome.AGENT_TIMEOUT: ("AgentTimeoutError",),
    Outcome.LIMIT: (
        "ContextWindowExceededError",
        "ContextLengthExceededError",
        "OutputTokenExceededError",
        "OutputLengthExceededError",
    ),
    Outcome.AGENT_ERROR: (
        "NonZeroAgentExitCodeError",
        "AgentSafetyRefusalError",
        "ContentPolicyViolationError",
    ),
    Outcome.GRADER_ERROR: (
        "VerifierTimeoutError",
        "RewardFileNotFoundError",
        "RewardFileEmptyError",
        "VerifierOutputParseError",
        "AddTestsDirError",
        "DownloadVerifierDirError",
        "RegradeError",
    ),
    Outcome.CANCELLED: ("CancelledError", "KeyboardInterrupt"),
    Outcome.INFRA_ERROR: (
        "EnvironmentStartTimeoutError",
        "SandboxBuildFailedError",
        "AgentSetupTimeoutError",
        "HealthcheckError",
        "SandboxLikelyOutOfMemoryError",
        "MemoryLimitExceededError",
        "SSHAccessError",
        "GKEExecStreamClosedError",
        "GKEPodNotFoundError",
        "RuntimeRequestError",
        "ApiError",
        "ApiRateLimitError",
        "ApiInternalServerError",
        "ApiOverloadedError",
        "ApiConnectionClosedError",
        "ApiResponseStalledError",
        "ApiConnectionError",
        "ApiUsageLimitError",
        "ApiProviderResourceNotFoundError",
        "UnknownApiError",
        "NetworkConnectionError",
        "RateLimitError",
        "InternalServerError",
        "ServiceUnavailableError",
        "APIConnectionError",
        "APIError",
        "Timeout",
        "AgentAuthenticationError",
        "AuthenticationError",
        "PermissionDeniedError",
        "ModelNotFoundError",
        "NotFoundError",
    ),
}
_BY_NAME: Final = {name: outcome for outcome, names in _BY_OUTCOME.items() for name in names}
"""Exception -> outcome. Those that are not here are judged by the phase they fell in, then by the recorded policy."""
_LONGEST: Final = 300
"""Characters of a message in a reason."""


class Ending(NamedTuple):
    """What became of a trial."""

    outcome: Outcome
    verdict: Verdict | None
    reason: str | None
    valid: bool
    """Whether Harbor counts the reward."""


class _Failure(NamedTuple):
    """An exception, with the phases of the trial or step it fell in."""

    step: str | None
    name: str
    message: str
    policy: dict[str, Any]
    phases: dict[str, Any]


def _exceptions_of(result: Mapping[str, Any]) -> list[_Failure]:
    """Exceptions of a trial: its own first, then those of its steps in their order."""
    steps = [step for step in list_of(result.get("step_results")) if isinstance(step, dict)]
    found = []
    for phases in (result, *steps):
        info = phases.get("exception_info")
        if isinstance(info, dict):
            name = text(info.get("exception_type")) or "exception without a name"
            message = text(info.get("exception_message")) or ""
            step = None if phases is result else text(phases.get("step_name"))
            found.append(_Failure(step, name, message, object_of(info.get("policy")), dict(phases)))
    return found


def ending(
    result: Mapping[str, Any], rewards: Rewards, key: str | None, words: Mapping[str, Outcome]
) -> Ending:
    """Say what became of a finished trial.

    Args:
        result: the trial's ``result.json``.
        rewards: what its verifier gave.
        key: reward that holds the verdict; by default ``rewards.key``.
        words: exception -> outcome, where the user says it.
    """
    failures = _exceptions_of(result)
    judged = [(words.get(one.name) or _outcome(one), one) for one in failures]
    without = [one for one in judged if COUNTS_AS[one[0]] is CountsAs.NO_VERDICT]
    decisive = next(iter(without or judged), None)
    key = key or rewards.key
    reward = None if key is None else rewards.values.get(key)
    valid = _is_valid(result, rewards, judged)
    if decisive is None:
        return _unbroken(result, rewards, reward, valid=valid)
    outcome, failure = decisive
    reason = f"{failure.name}: {failure.message}".removesuffix(": ")[:_LONGEST]
    reason = f"step {failure.step}: {reason}" if failure.step else reason
    return Ending(outcome, _verdict(outcome, reward if valid else None), reason, valid)


def _unbroken(result: Mapping[str, Any], rewards: Rewards, reward: float | None, *, valid: bool) -> Ending:
    """A trial that came to its end."""
    config = object_of(result.get("config"))
    if rewards.unusable and reward is None:
        return Ending(
            Outcome.GRADER_ERROR,
            None,
            f"reward that is no number: {', '.join(rewards.unusable)}",
            valid=False,
        )
    if reward is not None:
        return Ending(Outcome.COMPLETED, _verdict(Outcome.COMPLETED, reward), None, valid)
    if rewards.values:
        reason = "several rewards, none of them called reward or gate"
    elif truth(object_of(config.get("verifier")).get("disable")):
        reason = "the verifier was disabled"
    elif truth(config.get("install_only")):
        reason = "only the installation was run"
    else:
        return Ending(Outcome.GRADER_ERROR, None, "no reward", valid=False)
    return Ending(Outcome.COMPLETED, None, reason, valid)


def _verdict(outcome: Outcome, reward: float | None) -> Verdict | None:
    counts = COUNTS_AS[outcome]
    if counts is CountsAs.NO_VERDICT or (counts is CountsAs.BY_GATE and reward is None):
        return None
    passed = reward is not None and reward >= PASS and counts is not CountsAs.FAIL
    return Verdict.PASS if passed else Verdict.FAIL


def _is_valid(result: Mapping[str, Any], rewards: Rewards, judged: list[tuple[Outcome, _Failure]]) -> bool:
    """Whether Harbor counts the reward: as the result says, else by the policies, else by what the exceptions mean."""
    if not rewards.values:
        return False
    said = truth(result.get("reward_valid"))
    if said is not None:
        return said
    for outcome, failure in judged:
        policy = truth(failure.policy.get("has_valid_reward"))
        if not (COUNTS_AS[outcome] is not CountsAs.NO_VERDICT if policy is None else policy):
            return False
    return True


def _outcome(failure: _Failure) -> Outcome:
    known = _BY_NAME.get(failure.name)
    if known is not None:
        return known
    graded = bool(rewards_of(failure.phases).values)
    started = {
        name: object_of(failure.phases.get(name)).get("started_at") is not None
        for name in ("agent_execution", "verifier")
    }
    if started["verifier"] and not graded:
        return Outcome.GRADER_ERROR
    stepped = bool(list_of(failure.phases.get("step_results")))
    if not (started["agent_execution"] or graded or stepped):
        return Outcome.INFRA_ERROR
    if truth(failure.policy.get("has_valid_reward")) is False:
        return Outcome.INFRA_ERROR
    return Outcome.AGENT_ERROR
