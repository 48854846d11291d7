"""Every Eval Ever: aggregates and samples."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.every_eval_ever.source import EveryEvalEverSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadSource, Survives, TracesOf

SOURCE = EveryEvalEverSource()
UUID = "4d3d1c9e-1111-4222-8333-944444444444"


def result(name: str = "sorting.exact", **fields: Any) -> dict[str, Any]:
    metric = {
        "metric_name": "accuracy",
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 1.0,
    }
    return {
        "evaluation_result_id": f"{name}/r",
        "evaluation_name": name,
        "source_data": {
            "dataset_name": "sorting",
            "source_type": "hf_dataset",
            "hf_repo": "sky/sorting",
            "hf_revision": "v2",
        },
        "metric_config": metric | fields.pop("metric", {}),
        "score_details": {"score": fields.pop("score", 0.5)},
        "generation_config": {"generation_args": {"temperature": 0.5}},
    } | fields


def aggregate(*results: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.2.2",
        "evaluation_id": "sorting/sky_kite-2/1770463617",
        "retrieved_timestamp": "1770569425.7",
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "Sky",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "inspect_ai", "version": "0.3"},
        "model_info": {"name": "Kite 2", "id": "sky/kite-2", "developer": "sky"},
        "evaluation_results": list(results or [result()]),
    } | fields


def sample(id_: str = "s1", score: Any = 1.0, *, correct: Any = True, **fields: Any) -> dict[str, Any]:
    evaluation = {"score": score, "is_correct": correct} | fields.pop("evaluation", {})
    return {
        "schema_version": "0.2.2",
        "evaluation_id": "sorting/sky_kite-2/1770463617",
        "model_id": "sky/kite-2",
        "evaluation_name": "sorting.exact",
        "evaluation_result_id": "sorting.exact/r",
        "sample_id": id_,
        "sample_hash": f"hash of {id_}",
        "interaction_type": "single_turn",
        "input": {"raw": "Sort 2, 1", "reference": ["1, 2"]},
        "output": {"raw": ["1, 2"]},
        "answer_attribution": [],
        "evaluation": evaluation,
    } | fields


AGENTIC: dict[str, Any] = {
    "interaction_type": "agentic",
    "output": None,
    "messages": [
        {"turn_idx": 0, "role": "user", "content": "Sort 2, 1"},
        {
            "turn_idx": 1,
            "role": "assistant",
            "content": "I sort",
            "reasoning_trace": "hm",
            "tool_calls": [{"id": "c1", "name": "bash", "arguments": {"cmd": "sort"}}],
        },
        {"turn_idx": 2, "role": "tool", "content": "1, 2", "tool_call_id": ["c1"]},
        {"turn_idx": 3, "role": "assistant", "content": "1, 2"},
    ],
    "evaluation": {"num_turns": 2, "tool_calls_count": 1},
}


def write(folder: Path, *samples: dict[str, Any] | bytes, about: dict[str, Any] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if about is not None:
        (folder / f"{UUID}.json").write_bytes(msgspec.json.encode(about))
    if samples:
        lines = [line if isinstance(line, bytes) else msgspec.json.encode(line) for line in samples]
        (folder / f"{UUID}_samples.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return folder


def test_fields_of_a_sample(tmp_path: Path, read_source: ReadSource) -> None:
    """The aggregate says the data set, its version, the model and the harness; the sample says the rest."""
    usage = {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_tokens_cache_read": 30,
        "reasoning_tokens": 5,
    }
    write(tmp_path, sample(token_usage=usage, performance={"latency_ms": 1500}), about=aggregate())
    row = read_source(SOURCE, tmp_path).frame.row(0, named=True)
    wanted = {
        "suite": "sorting",
        "suite_version": "v2",
        "task": "s1",
        "task_digest": "sample_hash:hash of s1",
        "family": "sorting.exact",
        "agent": "sky/kite-2",
        "model_requested": "sky/kite-2",
        "trial": "1",
        "job": "sorting/sky_kite-2/1770463617",
        "outcome": "completed",
        "verdict": "pass",
        "quantity": None,
        "official_score": None,
        "input_tokens": 70,
        "cached_tokens": 30,
        "cache_write_tokens": None,
        "output_tokens": 20,
        "reasoning_tokens": 5,
        "total_tokens": None,
        "cost_usd": None,
        "steps": 1,
        "wall_s": 1.5,
        "harness": "inspect_ai",
        "harness_version": "0.3",
        "source_ref": f"{UUID}_samples.jsonl:1",
    }
    assert {name: row[name] for name in wanted} == wanted


def test_input_that_leaves_cached_tokens_out(tmp_path: Path, read_source: ReadSource) -> None:
    """The total tells whether the input holds cached tokens: here it does not, and nothing is taken off."""
    usage = {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 160,
        "input_tokens_cache_read": 30,
        "input_tokens_cache_write": 10,
    }
    write(tmp_path, sample(token_usage=usage))
    assert read_source(SOURCE, tmp_path).rows("input_tokens", "cached_tokens", "cache_write_tokens") == [
        (100, 30, 10)
    ]


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"score": 0.0, "correct": False}, ("completed", "fail", None)),
        ({"score": None}, ("grader_error", None, "no score")),
        ({"score": 0.0, "correct": None}, ("grader_error", None, "no is_correct")),
        ({"score": 0.0, "correct": False, "output": {"raw": [" "]}}, ("no_output", "fail", "no output")),
        (
            {"score": 0.0, "correct": False, "error": "Error code: 503"},
            ("infra_error", None, "Error code: 503"),
        ),
        ({"score": 0.0, "correct": False, "error": "refusal"}, ("agent_error", "fail", "refusal")),
        ({"error": "timed out after 60 s"}, ("agent_timeout", "pass", "timed out after 60 s")),
        (
            {"score": 0.0, "correct": False, "error": "context length exceeded"},
            ("limit", "fail", "context length exceeded"),
        ),
    ],
)
def test_outcomes(
    tmp_path: Path, read_source: ReadSource, fields: dict[str, Any], wanted: tuple[str | None, ...]
) -> None:
    """An error of the provider is no verdict; one of the agent is a fail, unless the answer was right."""
    write(tmp_path, sample(**fields), about=aggregate())
    assert read_source(SOURCE, tmp_path).rows("outcome", "verdict", "reason") == [wanted]


def test_nan_is_no_verdict(tmp_path: Path, read_source: ReadSource) -> None:
    """A score that is not finite, and the level that means unknown, are no verdict."""
    nan = msgspec.json.encode(sample("a", 0.125)).replace(b"0.125", b"NaN")
    about = aggregate(result(metric={"score_type": "levels", "has_unknown_level": True}))
    write(tmp_path, nan, sample("b", -1.0, correct=False), sample("c"), about=about)
    assert read_source(SOURCE, tmp_path).rows("task", "verdict") == [("a", None), ("b", None), ("c", "pass")]


def test_graded_metric(tmp_path: Path, read_source: ReadSource) -> None:
    """Scores between right and wrong are a quantity on the metric's scale, in its direction; is_correct is the official word."""
    metric = {"lower_is_better": True, "min_score": 0, "max_score": 10, "metric_unit": "edits"}
    write(tmp_path, sample("a", 2.5, correct=False), sample("b", 0.0), about=aggregate(result(metric=metric)))
    table = read_source(SOURCE, tmp_path)
    assert table.rows(
        "verdict", "quantity", "better", "kind", "baseline", "reference", "unit", "official_score"
    ) == [
        ("pass", 2.5, "lower", "interval", 10.0, 0.0, "edits", -2.5),
        ("pass", 0.0, "lower", "interval", 10.0, 0.0, "edits", -0.0),
    ]
    assert table.frame["verdicts"].to_list() == [
        [{"name": "official", "passed": False}],
        [{"name": "official", "passed": True}],
    ]


def test_unbounded_metric(tmp_path: Path, read_source: ReadSource) -> None:
    """A scale without finite ends has no anchors."""
    metric = {"min_score": "-Infinity", "max_score": "Infinity"}
    write(tmp_path, sample("a", 2.5), about=aggregate(result(metric=metric)))
    assert read_source(SOURCE, tmp_path).rows("quantity", "baseline", "reference") == [(2.5, None, None)]


def test_several_metrics_of_a_sample(tmp_path: Path, read_source: ReadSource) -> None:
    """A sample that two metrics score is one trial, judged by the first of the aggregate; the other is a further verdict."""
    other = {"evaluation_name": "sorting.loose", "evaluation_result_id": "sorting.loose/r"}
    lines = [
        sample("a", 0.0, correct=True, **other),
        sample("a", 0.0, correct=False),
        sample("b"),
        sample("b", **other),
    ]
    write(tmp_path, *lines, about=aggregate(result(), result("sorting.loose")))
    table = read_source(SOURCE, tmp_path)
    assert table.rows("task", "verdict") == [("a", "fail"), ("b", "pass")]
    assert [verdicts[0] for verdicts in table.frame["verdicts"]] == 2 * [
        {"name": "sorting.loose/r", "passed": True}
    ]
    assert table.log.rows_read == 2
    assert table.notes() == {"further metric of a sample: a further verdict of its trial": 2}


def test_epochs_and_repeated_lines(tmp_path: Path, read_source: ReadSource) -> None:
    """A sample that stands more than once was tried more than once; metadata may number its trials."""
    write(tmp_path, sample("a"), sample("a", 0.0, correct=False), sample("b", metadata={"epoch": "7"}))
    assert read_source(SOURCE, tmp_path).rows("task", "trial", "verdict") == [
        ("a", "1", "pass"),
        ("a", "2", "fail"),
        ("b", "7", "pass"),
    ]


def test_samples_that_are_numbered_alike(tmp_path: Path, read_source: ReadSource) -> None:
    """Where two evaluations number their samples alike, the task names the evaluation too."""
    write(
        tmp_path,
        sample("0", sample_hash="x"),
        sample("0", sample_hash="y", evaluation_name="swim", evaluation_result_id=None),
    )
    assert read_source(SOURCE, tmp_path).frame["task"].to_list() == ["sorting.exact/0", "swim/0"]


def test_samples_without_an_aggregate(tmp_path: Path, read_source: ReadSource) -> None:
    """The evaluation's name is the suite, and the model the agent."""
    write(tmp_path, sample())
    assert read_source(SOURCE, tmp_path).rows("suite", "agent", "harness") == [
        ("sorting.exact", "sky/kite-2", None)
    ]
    assert read_source(SOURCE, tmp_path, suite="mine").frame["suite"].to_list() == ["mine"]


def test_one_half_brings_the_other(tmp_path: Path, read_source: ReadSource) -> None:
    """Aggregate or samples named alone are read with the other half beside them; a path that leads elsewhere is not followed."""
    details = {"format": "jsonl", "file_path": f"../../etc/{UUID}_samples.jsonl", "total_rows": 1}
    write(tmp_path, sample(), about=aggregate(detailed_evaluation_results=details))
    for name in (f"{UUID}.json", f"{UUID}_samples.jsonl"):
        table = read_source(SOURCE, tmp_path / name)
        assert table.rows("suite", "task", "verdict") == [("sorting", "s1", "pass")]
        assert table.notes() == {}


def test_what_the_aggregate_says_of_the_samples(tmp_path: Path, read_source: ReadSource) -> None:
    """Another number of rows, another checksum and another model are noted."""
    details = {
        "file_path": f"{UUID}_samples.jsonl",
        "total_rows": 5,
        "hash_algorithm": "sha256",
        "checksum": "00",
    }
    write(tmp_path, sample(model_id="sky/lark"), about=aggregate(detailed_evaluation_results=details))
    assert read_source(SOURCE, tmp_path).notes("note") == {
        "the aggregate counts 5 rows, and there are 1": 1,
        "the file is not the one whose checksum the aggregate gives": 1,
        "model_id sky/lark is not that of the aggregate": 1,
    }
    content = (tmp_path / f"{UUID}_samples.jsonl").read_bytes()
    details |= {"total_rows": 1, "checksum": hashlib.sha256(content).hexdigest()}
    write(tmp_path, about=aggregate(detailed_evaluation_results=details))
    assert list(read_source(SOURCE, tmp_path).notes("note")) == [
        "model_id sky/lark is not that of the aggregate"
    ]


def test_aggregate_without_samples(tmp_path: Path, read_source: ReadSource) -> None:
    """Each result is a row with a score and no verdict; the log says that it is a mean."""
    odd = result("swim", score=None)
    write(
        tmp_path, about=aggregate(result(score=0.75), result(score=0.25, metric={"metric_name": "f1"}), odd)
    )
    table = read_source(SOURCE, tmp_path)
    assert table.rows("suite", "task", "trial", "verdict", "official_score", "quantity", "reference") == [
        ("sorting", "sorting.exact [accuracy]", "aggregate", None, 0.75, 0.75, 1.0),
        ("sorting", "sorting.exact [f1]", "aggregate", None, 0.25, 0.25, 1.0),
    ]
    assert table.log.rows_read == 3
    assert table.notes() == {
        "aggregate without samples: one row that is a mean, its spread unknown": 2,
        "result without a score": 1,
    }


def test_agents(tmp_path: Path, read_source: ReadSource) -> None:
    """A scaffold among the model's details is part of the agent; settings are part of its digest."""
    info = {"name": "k", "id": "sky/kite-2", "additional_details": {"agent_name": "Nest"}}
    write(tmp_path / "a", sample(), about=aggregate(model_info=info))
    warm = result(generation_config={"generation_args": {"temperature": 1.0}})
    write(tmp_path / "b", sample(evaluation_id="b"), about=aggregate(warm, evaluation_id="b"))
    write(
        tmp_path / "c",
        sample(evaluation_id="c"),
        about=aggregate(evaluation_id="c", eval_library={"name": "unknown"}),
    )
    table = read_source(SOURCE, tmp_path)
    assert table.frame["agent"].to_list() == ["Nest / sky/kite-2", "sky/kite-2", "sky/kite-2"]
    assert table.frame["agent_digest"].n_unique() == 3
    assert table.frame["harness"].to_list() == ["inspect_ai", "inspect_ai", None]


def test_stated(tmp_path: Path) -> None:
    """The scores of the aggregate are what it states."""
    write(
        tmp_path,
        sample(),
        about=aggregate(
            result(score=0.75),
            result("dive", score=None),
            result("swim", score=0.5, metric={"metric_unit": "proportion"}),
        ),
    )
    assert [(one.agent, one.name, one.value, one.unit, one.where) for one in SOURCE.stated(tmp_path)] == [
        (
            "sky/kite-2",
            "sorting.exact",
            0.75,
            "",
            f"{UUID}.json: evaluation_results[0].score_details.score",
        ),
        ("sky/kite-2", "swim", 0.5, "proportion", f"{UUID}.json: evaluation_results[2].score_details.score"),
    ]


def test_trace_of_messages(tmp_path: Path, traces_of: TracesOf, read_source: ReadSource) -> None:
    """Messages become events: what the model said and called, and what the tool answered to which call."""
    write(tmp_path, sample(**AGENTIC))
    (events,) = traces_of(SOURCE, tmp_path)
    assert [(event.kind, event.cause) for event in events] == [
        ("trial_start", None),
        ("observation", None),
        ("model_call", None),
        ("decision", 2),
        ("action", 2),
        ("observation", 4),
        ("model_call", None),
        ("decision", 6),
        ("trial_end", None),
    ]
    assert events[4].payload == {"id": "c1", "tool": "bash", "arguments": {"cmd": "sort"}}
    assert events[5].payload == {"action": "c1", "text": "1, 2"}
    assert events[2].payload["reasoning"] == "hm"
    assert read_source(SOURCE, tmp_path).rows("steps", "tool_calls", "trace_digest") == [(2, 1, None)]


def test_trace_of_a_single_turn(tmp_path: Path, traces_of: TracesOf) -> None:
    """Prompt, answer and error of a single turn are its events."""
    write(tmp_path, sample(error="refusal", score=0.0, correct=False))
    (events,) = traces_of(SOURCE, tmp_path)
    assert [event.kind for event in events] == [
        "trial_start",
        "observation",
        "model_call",
        "decision",
        "error",
        "trial_end",
    ]
    assert events[-1].payload == {"outcome": "agent_error", "verdict": "fail"}


def test_damaged_lines(tmp_path: Path, read_source: ReadSource) -> None:
    """Lines that are cut, no objects or without an id are dropped with their place; dirty text is kept."""
    dirty = msgspec.json.encode(sample("d", input={"raw": "x"})).replace(b'"x"', b'"\\ud800 \xff \\u001b[2J"')
    write(tmp_path, b'{"a": 1', b"[1]", b"", sample(""), dirty, sample("s2"))
    table = read_source(SOURCE, tmp_path / f"{UUID}_samples.jsonl")
    assert table.frame["task"].to_list() == ["d", "s2"]
    assert table.log.rows_read == 5
    assert sum(table.notes("dropped").values()) == 3
    assert table.places("not an object") == (f"{UUID}_samples.jsonl:2",)


def test_damaged_aggregate(tmp_path: Path, read_source: ReadSource) -> None:
    """Among others it is dropped; alone it is refused."""
    write(tmp_path / "a", about=aggregate())
    write(tmp_path / "b", about=aggregate(model_info={}))
    table = read_source(SOURCE, tmp_path)
    assert (table.frame.height, table.log.rows_read, len(table.notes("dropped"))) == (1, 2, 1)
    with pytest.raises(FormatError, match="no model_info and evaluation_results"):
        read_source(SOURCE, tmp_path / f"b/{UUID}.json")


def test_sniffing_and_refusals(tmp_path: Path, read_source: ReadSource) -> None:
    """Aggregates, samples and their folders are claimed; other JSON is not."""
    write(tmp_path / "x", sample(), about=aggregate())
    for one in (tmp_path, tmp_path / "x", tmp_path / f"x/{UUID}.json", tmp_path / f"x/{UUID}_samples.jsonl"):
        match = SOURCE.sniff(one)
        assert match is not None
        assert match.confidence >= 90
    long = tmp_path / "long_samples.jsonl"
    long.write_bytes(msgspec.json.encode(sample(input={"raw": "x" * 2**21})))
    assert SOURCE.sniff(long) is not None
    other = tmp_path / "other.jsonl"
    other.write_text('{"evaluation_id": "a"}\n')
    assert SOURCE.sniff(other) is None
    with pytest.raises(FormatError, match="nothing of Every Eval Ever"):
        read_source(SOURCE, other)
    with pytest.raises(UsageError, match="--map"):
        read_source(SOURCE, tmp_path, mapping={"task": "x"})


def test_samples_of_others(shared: Path) -> None:
    """Nothing that other tools wrote is claimed."""
    folders = list((shared / "samples").iterdir())
    assert [folder.name for folder in folders if SOURCE.sniff(folder)] == []


def damage(survives: Survives, data: st.DataObject) -> None:
    lines = [sample(), sample("s2", 0.5, **AGENTIC), sample("s3", error="x")]
    files = {
        f"d/{UUID}.json": msgspec.json.encode(aggregate(result(), result("sorting.loose"))),
        f"d/{UUID}_samples.jsonl": b"\n".join(map(msgspec.json.encode, lines)),
    }
    survives(SOURCE, files, data)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Damaged files are refused or dropped, or what is kept adds up."""
    damage(survives, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=1000, deadline=None)
def test_more_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    damage(survives, data)
