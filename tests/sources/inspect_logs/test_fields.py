"""Samples of logs that were made here become trials, field by field."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from measurand.errors import MappingError, UsageError

if TYPE_CHECKING:
    from tests.sources.conftest import Read
    from tests.sources.inspect_logs.conftest import ReadLog, WriteLog


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_fields_of_a_sample(name: str, write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Every field comes from its place; cached tokens are no input tokens, waiting is no working, times are UTC."""
    row = read_inspect(write_log(name, sample(metadata={"family": "shell"}))).frame.row(0, named=True)
    wanted = {
        "suite": "repairs",
        "suite_version": "2",
        "task": "a",
        "family": "shell",
        "agent": "lab/kite",
        "model_requested": "lab/kite",
        "model_served": "kite-2026",
        "trial": "1",
        "job": "task-1",
        "outcome": "completed",
        "reason": None,
        "verdict": "pass",
        "verdicts": [{"name": "official", "passed": True}],
        "official_score": 1.0,
        "quantity": None,
        "cost_usd": 0.5,
        "price_table": "self-reported by inspect",
        "total_tokens": None,
        "input_tokens": 10,
        "cached_tokens": 20,
        "cache_write_tokens": 5,
        "output_tokens": 5,
        "reasoning_tokens": 2,
        "steps": 3,
        "tool_calls": None,
        "wall_s": 300.0,
        "waiting_s": 59.5,
        "working_s": 240.5,
        "started_at": dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC),
        "finished_at": dt.datetime(2026, 1, 5, 9, 5, tzinfo=dt.UTC),
        "attempts": 1,
        "harness": "inspect_ai",
        "harness_version": "0.3.285",
        "environment_digest": None,
        "source": "inspect",
        "source_ref": "log.eval: samples/a_epoch_1.json" if name == "log.eval" else "log.json: samples[0]",
        "trace_digest": None,
    }
    assert {field: row[field] for field in wanted} == wanted


@pytest.mark.parametrize(
    ("value", "worth", "verdict"),
    [
        ("C", 1.0, "pass"),
        ("I", 0.0, "fail"),
        ("P", 0.5, "fail"),
        (True, 1.0, "pass"),
        (False, 0.0, "fail"),
        (1, 1.0, "pass"),
        (0.5, 0.5, "fail"),
        ("yes", 1.0, "pass"),
        ("FALSE", 0.0, "fail"),
        ("0.25", 0.25, "fail"),
        (7, 7.0, None),
        (-1, -1.0, None),
        ({"gate": 1, "grade": 0.2}, 1.0, "pass"),
        ("A", None, None),
        ([1, 0], None, None),
    ],
)
def test_values_of_scores(
    value: Any, worth: float | None, verdict: str | None, sample: Any, read_log: ReadLog
) -> None:
    """Letters, Booleans and numbers from 0 to 1 are gates that full marks pass; other values give no verdict."""
    table = read_log(sample(scores={"tests": {"value": value}}))
    assert table.rows("outcome", "official_score", "verdict") == [("completed", worth, verdict)]
    assert bool(table.notes("unknown")) == (worth is None)


def test_scale_of_the_whole_log_decides(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Marks from 1 to 10 pass nothing, not even where one of them is a 1; the log says so."""
    marks = [sample(id=f"t{mark}", scores={"judge": {"value": mark}}) for mark in (1, 7)]
    table = read_inspect(write_log("log.eval", *marks))
    assert table.rows("verdict", "official_score") == [(None, 1.0), (None, 7.0)]
    assert table.notes() == {"score 'judge' goes beyond 0 to 1 in the log: no verdict": 2}


@pytest.mark.parametrize(
    ("reason", "outcome", "shown"),
    [
        (None, "grader_error", "the score is not a number"),
        ("grader_failed", "grader_error", "grader_failed: it rambled"),
        ("scoring_failed", "grader_error", "scoring_failed: it rambled"),
        ("no_response", "no_output", "no_response: it rambled"),
        ("refusal", "no_output", "refusal: it rambled"),
        ("invalid_response_format", "invalid_output", "invalid_response_format: it rambled"),
    ],
)
def test_reasons_of_unscored_samples(
    reason: str | None, outcome: str, shown: str, sample: Any, read_log: ReadLog
) -> None:
    """NaN is no verdict; what the scorer lays on the model is its failure, all else is the grader's."""
    score = {"value": float("nan"), "reason": reason, "explanation": "it rambled" if reason else None}
    table = read_log(sample(scores={"judge": score}))
    assert table.rows("outcome", "verdict", "reason") == [(outcome, None, shown)]
    legacy = {"value": float("nan"), "explanation": "it rambled", "metadata": {"unscored_reason": reason}}
    if reason:
        assert read_log(sample(scores={"judge": legacy})).rows("reason") == [(shown,)]


def test_no_answer_is_a_failure(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """The letter N is an answer that was not given; a refusal that passes is an answer."""
    table = read_inspect(
        write_log(
            "log.eval",
            sample(id="n", scores={"tests": {"value": "N"}}),
            sample(id="r", scores={"tests": {"value": "C", "reason": "refusal"}}),
        )
    )
    assert table.rows("task", "outcome", "verdict") == [
        ("n", "no_output", "fail"),
        ("r", "completed", "pass"),
    ]


def span(kind: str) -> dict[str, Any]:
    return {"event": "span_begin", "type": kind, "id": kind, "name": kind}


CRASH = {"message": "RuntimeError('lost')", "traceback": "", "traceback_ansi": ""}


@pytest.mark.parametrize(
    ("changes", "ending"),
    [
        ({"error": CRASH, "scores": {}}, ("infra_error", None, "RuntimeError('lost')")),
        ({"error": CRASH}, ("agent_error", "pass", "RuntimeError('lost')")),
        (
            {"error": CRASH, "scores": {}, "events": [span("solvers"), span("scorers"), {"event": "error"}]},
            ("grader_error", None, "RuntimeError('lost')"),
        ),
        (
            {
                "error": CRASH,
                "scores": {},
                "events": [{"event": "step", "type": "scorer", "action": "begin"}],
            },
            ("grader_error", None, "RuntimeError('lost')"),
        ),
        (
            {"error": CRASH, "scores": {}, "events": [{"event": "error"}, span("scorers")]},
            ("infra_error", None, "RuntimeError('lost')"),
        ),
        (
            {"error": {"message": "CancelledError()", "traceback": ""}},
            ("cancelled", None, "CancelledError()"),
        ),
        (
            {"error": {"message": "CancelledError()", "traceback": "recovered from crashed eval"}},
            ("interrupted", None, "CancelledError()"),
        ),
        (
            {"error": {"message": "BadRequestError: context_length_exceeded", "traceback": ""}, "scores": {}},
            ("limit", None, "BadRequestError: context_length_exceeded"),
        ),
        ({"limit": {"type": "time", "limit": 2.0}}, ("agent_timeout", "pass", "time limit")),
        (
            {"limit": {"type": "working", "limit": 2.0, "reason": "too long"}},
            ("agent_timeout", "pass", "too long"),
        ),
        ({"limit": {"type": "token", "limit": 2.0}, "scores": {}}, ("limit", None, "token limit")),
        ({"limit": {"type": "operator", "limit": 1.0}}, ("limit", "pass", "operator limit")),
        ({"limit": {"type": "operator", "limit": 1.0}, "scores": {}}, ("cancelled", None, "operator limit")),
        (
            {"invalidation": {"reason": "no network", "author": "ann"}},
            ("cancelled", None, "invalidated: no network (ann)"),
        ),
        ({"scores": {}}, ("completed", None, None)),
    ],
)
def test_how_samples_end(
    changes: dict[str, Any],
    ending: tuple[str, str | None, str | None],
    sample: Any,
    read_log: ReadLog,
) -> None:
    """Errors, limits, cancellation and invalidation each have their outcome; the verdict stays where the gate ran."""
    assert read_log(sample(**changes)).rows("outcome", "verdict", "reason") == [ending]


def test_user_says_what_words_mean(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """A class of error, a limit or a reason can be given another outcome; an unknown outcome is refused."""
    log = write_log(
        "log.eval",
        sample(id="e", error=CRASH, scores={}),
        sample(id="l", limit={"type": "operator", "limit": 1.0}),
        sample(id="i", invalidation={}),
    )
    words = {"RuntimeError": "agent_error", "operator": "cancelled", "invalidated": "completed"}
    assert read_inspect(log, outcomes=words).rows("task", "outcome", "verdict") == [
        ("e", "agent_error", None),
        ("l", "cancelled", None),
        ("i", "completed", "pass"),
    ]
    with pytest.raises(UsageError, match="--outcome operator=stopped: no such outcome"):
        read_inspect(log, outcomes={"operator": "stopped"})


def test_headline_score_is_the_gate(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """The log's headline decides, else its first result, else its first scorer; the others are further verdicts."""
    one = sample(scores={"style": {"value": "I"}, "tests": {"value": {"lint": 1, "unit": 0}}})
    result = {"name": "unit", "scorer": "tests", "metrics": {}}
    for changes, verdict, others in (
        ({}, "fail", {"lint": True, "unit": False, "official": False}),
        ({"results": {"scores": [result]}}, "fail", {"style": False, "lint": True, "official": False}),
        (
            {"results": {"scores": [result], "headline": {"scorer": "tests", "score": "lint"}}},
            "pass",
            {"style": False, "unit": False, "official": True},
        ),
        (
            {"spec": {"scorers": [{"name": "tests"}]}},
            "pass",
            {"style": False, "unit": False, "official": True},
        ),
    ):
        row = read_inspect(write_log("log.eval", one, **changes)).frame.row(0, named=True)
        assert row["verdict"] == verdict
        assert {v["name"]: v["passed"] for v in row["verdicts"]} == others


def test_scores_and_metadata_by_name(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """A user takes fields from scores and metadata; another gate leaves the official verdict as it is."""
    score = {"value": {"gate": 1, "ms": 12.5, "strict": 0}, "metadata": {"best": 10, "text": "x"}}
    log = write_log("log.eval", sample(scores={"speed": score}, metadata={"level": 3}))
    table = read_inspect(
        log,
        mapping={
            "verdict": "strict",
            "quantity": "ms",
            "reference": "speed.metadata.best",
            "family": "metadata.level",
        },
        constants={"better": "lower", "unit": "ms", "baseline": "20"},
    )
    columns = ("verdict", "quantity", "reference", "baseline", "better", "unit", "family")
    assert table.rows(*columns) == [("fail", 12.5, 10.0, 20.0, "lower", "ms", "3")]
    assert {"name": "official", "passed": True} in table.frame["verdicts"][0].to_list()
    assert table.notes() == {}
    unread = read_inspect(log, mapping={"quantity": "speed.metadata.text"})
    assert unread.frame["quantity"][0] is None
    assert unread.notes("unknown") == {"quantity that is no number": 1}
    assert read_inspect(log).notes() == {"score 'ms' is not used: --map quantity=ms takes it": 1}


def test_options_that_mean_nothing(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Names that are in no sample and fields that a log cannot give are refused; a suite is not needed, and said."""
    log = write_log("log.eval", sample())
    with pytest.raises(MappingError, match="no sample has 'speed', which --map quantity names"):
        read_inspect(log, mapping={"quantity": "speed"})
    for options in (
        {"mapping": {"task": "x"}},
        {"constants": {"suite": "x"}},
        {"constants": {"baseline": "x"}},
        {"tasks": log},
    ):
        with pytest.raises(UsageError):
            read_inspect(log, **options)
    assert read_inspect(log, suite="mine").notes() == {"the data say repairs: --suite mine is not used": 1}


def test_agents_are_told_apart_by_all_that_matters(
    write_log: WriteLog, sample: Any, read_inspect: Read
) -> None:
    """Settings, solver and limits make another agent; how requests are sent does not."""

    def agent(**spec: Any) -> tuple[str, str]:
        found: tuple[str, str] = read_inspect(write_log("log.eval", sample(), spec=spec)).rows(
            "agent", "agent_digest"
        )[0]
        return found

    plain = agent()
    assert plain[0] == "lab/kite"
    assert agent(model_generate_config={"max_connections": 9, "timeout": 3, "top_p": None}) == plain
    assert agent(config={"epochs": 1, "max_samples": 4}) == plain
    others = {
        agent(model_generate_config={"temperature": 0.5}),
        agent(model_args={"device": "b"}),
        agent(config={"epochs": 1, "token_limit": 5}),
        agent(solver="react", solver_args={"attempts": 2}),
        agent(solver="react"),
        agent(model="none/none", solver="script"),
    }
    assert len(others | {plain}) == 7
    assert {name for name, _ in others} == {"lab/kite", "lab/kite (react)", "script"}


def test_tasks_are_told_apart_by_their_content(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Input, setup and target make the task; ids of messages, choices shuffled and what the run wrote do not."""

    def digest(**changes: Any) -> str:
        found: str = read_inspect(write_log("log.eval", sample(**changes))).frame["task_digest"][0]
        return found

    message = {"id": "m1", "role": "user", "content": "Repair it."}
    assert digest() == digest(metadata={"seen": 1}, uuid="other", epoch=2)
    assert digest(input=[message]) == digest(input=[message | {"id": "m2"}])
    assert digest(choices=["x", "y"], target="A") == digest(choices=["y", "x"], target="B")
    assert (
        len({digest(), digest(input="Other"), digest(target="2"), digest(setup="apt"), digest(files=["f"])})
        == 5
    )


def test_arguments_of_the_task_make_its_version(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Passed arguments stand beside the version; older logs do not say which were passed."""
    for spec, version in (
        ({"task_args": {"level": 1, "seed": 2}, "task_args_passed": {"level": 1}}, "2 level=1"),
        ({"task_args": {"names": ["b", "a"]}}, '2 names=["b","a"]'),
        ({"task_version": "1.0.0"}, "1.0.0"),
    ):
        assert read_inspect(write_log("log.eval", sample(), spec=spec)).rows("suite_version") == [(version,)]


def test_plan(write_log: WriteLog, sample: Any, read_inspect: Read) -> None:
    """Planned tasks are the samples that were to be run, planned trials the epochs."""
    for spec, plan in (
        ({"config": {"epochs": 4}}, (2, 4)),
        ({"dataset": {"samples": 100}, "config": {"limit": 7}}, (7, 1)),
        ({"dataset": {"samples": 100}, "config": {"limit": [5, 9]}}, (None, 1)),
        ({"dataset": {}}, (None, 1)),
    ):
        (declared,) = read_inspect(write_log("log.eval", sample(), spec=spec)).log.declarations
        assert (declared.suite, declared.suite_version, declared.tasks, declared.trials) == (
            "repairs",
            "2",
            *plan,
        )
