"""ALE-Bench's summary, the folders of its evaluation, and its rating."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError, UsageError
from measurand.sources.ale_bench.rating import Contest, rating
from measurand.sources.ale_bench.source import AleBenchSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import Imported, ReadSource, Survives

SOURCE = AleBenchSource()


def result(problem: str = "ahc001", **changes: Any) -> dict[str, Any]:
    return {
        "problem_id": problem,
        "code_language": "cpp20",
        "overall_judge_result": "ACCEPTED",
        "overall_absolute_score": 1000,
        "overall_relative_score": None,
        "rank": 10,
        "performance": 1500,
        "input_tokens": 100,
        "output_tokens": 200,
        "total_tokens": 300,
        "cost": 0.25,
    } | changes


def block(refinements: int, *results: Any, mean: float | None = 1500.0) -> dict[str, Any]:
    statistics = {"all": {"mean": mean}, "short": {"mean": 1.0}}
    means = {"rank": statistics, "performance": statistics, "cost": {"all": {"mean": 0.25}}}
    return {"num_self_refine": refinements, **means, "results": list(results)}


def model(name: str, *blocks: Any) -> dict[str, Any]:
    return {"model_name": name, "detail_path": f"data/{name}.json", "overall_results": list(blocks)}


@pytest.fixture
def read_summary(tmp_path: Path, read_source: ReadSource) -> Any:
    def read(*models: Any) -> Imported:
        (tmp_path / "results_summary.json").write_text(json.dumps(list(models)))
        return read_source(SOURCE, tmp_path / "results_summary.json")

    return read


def test_fields_of_a_result(read_summary: Any) -> None:
    """The model and how often it may refine are the agent; the performance is the official score."""
    row = read_summary(model("kite", block(16, result()))).frame.row(0, named=True)
    wanted = {
        "suite": "ale_bench",
        "task": "ahc001",
        "agent": "kite (self-refine 16)",
        "model_requested": "kite",
        "trial": "1",
        "outcome": "completed",
        "verdict": "pass",
        "official_score": 1500.0,
        "quantity": 1000.0,
        "kind": "interval",
        "better": None,
        "cost_usd": 0.25,
        "price_table": "self-reported by ale_bench",
        "input_tokens": 100,
        "output_tokens": 200,
        "total_tokens": 300,
        "source_ref": "results_summary.json: record 1: kite (self-refine 16): ahc001",
    }
    assert {name: row[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("word", "ended"),
    [
        ("WRONG_ANSWER", ("completed", "fail", "WRONG_ANSWER", None)),
        ("JudgeResult.TIME_LIMIT_EXCEEDED", ("completed", "fail", "TIME_LIMIT_EXCEEDED", None)),
        ("COMPILATION_ERROR", ("invalid_output", "fail", "COMPILATION_ERROR", None)),
        ("INTERNAL_ERROR", ("grader_error", None, "INTERNAL_ERROR", 1000.0)),
        (None, ("completed", None, "no word of the judge", 1000.0)),
    ],
)
def test_words_of_the_judge(read_summary: Any, word: str | None, ended: tuple[Any, ...]) -> None:
    """A program that is not accepted fails, and its score is no quantity; an error of the judge is no verdict."""
    table = read_summary(model("kite", block(2, result(overall_judge_result=word))))
    assert table.rows("outcome", "verdict", "reason", "quantity") == [ended]
    assert table.frame["official_score"][0] == 1500


def test_direction_is_told_by_the_ranks(read_summary: Any) -> None:
    """A score that grows where the rank gets better is better higher; one result alone does not tell."""
    results = [
        [result("up", overall_absolute_score=score, rank=rank) for score, rank in ((10, 3), (20, 1))],
        [result("down", overall_absolute_score=score, rank=rank) for score, rank in ((10, 1), (20, 3))],
    ]
    models = [
        model(f"m{n}", block(2, up, down, result("one", rank=n)))
        for n, (up, down) in enumerate(zip(*results, strict=True))
    ]
    table = read_summary(*models)
    assert dict(table.rows("task", "better")) == {"up": "higher", "down": "lower", "one": None}
    assert table.places("too few different results to tell which way the score is better") == ("one",)


def test_negative_performance(read_summary: Any) -> None:
    """A performance may be negative, and its mean is the official average."""
    table = read_summary(model("kite", block(4, result(performance=-200), result("ahc002", performance=900))))
    assert table.frame["official_score"].mean() == 350


def test_unusable_values(read_summary: Any) -> None:
    """A performance or cost that is no number is unknown; a cost of 0 with tokens stays, and is noted."""
    results = [result(performance="NaN", cost="?"), result("ahc002", cost=0), result("ahc003", cost=-1)]
    table = read_summary(model("kite", block(4, *results)))
    assert table.frame["official_score"].to_list() == [None, 1500.0, 1500.0]
    assert table.frame["cost_usd"].to_list() == [None, 0.0, None]
    assert table.notes("unknown") == {
        "performance is no finite number": 1,
        "cost is no finite number": 1,
        "cost_usd negative or not finite": 1,
    }
    assert table.notes("note")["cost is 0 though tokens were used: a free endpoint, or no price"] == 1


def test_repeated_sampling_is_told(read_summary: Any) -> None:
    """Without refinement the meters cover one sample of several, which the log says once a configuration."""
    table = read_summary(model("kite", block(1, result(), result("ahc002"))))
    assert (
        table.notes("note")["one sample of several: tokens and cost leave out the others that were drawn"]
        == 1
    )


def test_damaged_results_are_dropped(tmp_path: Path, read_source: ReadSource) -> None:
    """Results without problem, configurations without count and models that break off are dropped, others read."""
    models = [
        model("kite", block(2, result(), {"rank": 1}, 3), {"num_self_refine": None, "results": [result()]})
    ]
    content = json.dumps([*models, model("lark", block(2, result()))])
    (tmp_path / "results_summary.json").write_text(content[:-60])
    table = read_source(SOURCE, tmp_path)
    assert table.frame["agent"].to_list() == ["kite (self-refine 2)"]
    assert table.log.rows_read == 1 + sum(table.notes("dropped").values())


def test_stated_means(tmp_path: Path) -> None:
    """The means of each configuration are stated; one that has none states none."""
    models = [model("kite", block(1, result(), mean=700.5), block(2, result(), mean=None))]
    (tmp_path / "s.json").write_text(json.dumps(models))
    stated = [(one.agent, one.name, one.value, one.unit) for one in SOURCE.stated(tmp_path / "s.json")]
    assert stated == [
        ("kite (self-refine 1)", "average performance", 700.5, ""),
        ("kite (self-refine 1)", "average rank", 700.5, ""),
        ("kite (self-refine 1)", "average cost", 0.25, "USD"),
        ("kite (self-refine 2)", "average cost", 0.25, "USD"),
    ]


def evaluation(root: Path) -> Path:
    folder = root / "kite_2026-01-01_00-00-00"
    results = folder / "ahc001/results"
    results.mkdir(parents=True)
    (folder / "ahc001/ale_bench_results").mkdir()
    (folder / "experiment_settings.json").write_text('{"model_name": "kite-1"}')
    (folder / "aggregated_results.json").write_text("{}")
    final = {
        "repeated_sampling": result() | {"model_name": "other"},
        "self_refine_16": result(performance=None, rank=None, error="container lost"),
        "magic": result(),
    }
    for method in final.values():
        del method["overall_judge_result"], method["cost"], method["total_tokens"]
    (results / "final_results.json").write_text(json.dumps(final))
    (results / "total_cost.json").write_text('{"repeated_sampling": {"total_tokens": 70, "total_cost": 0.5}}')
    judged = folder / "ahc001/ale_bench_results/private_result_repeated_sampling.json"
    judged.write_text('{"overall_judge_result": "ACCEPTED"}')
    return folder


def test_folder_of_an_evaluation(tmp_path: Path, read_source: ReadSource) -> None:
    """Final results, costs, settings and the judge's word of a problem are joined; an error is no verdict."""
    folder = evaluation(tmp_path)
    for path in (tmp_path, folder, folder / "ahc001"):
        match = SOURCE.sniff(path)
        assert match is not None
        assert match.confidence == 93
    table = read_source(SOURCE, folder)
    assert table.rows("agent", "outcome", "verdict", "reason", "total_tokens", "cost_usd") == [
        ("kite-1 (self-refine 1)", "completed", "pass", None, 70, 0.5),
        ("kite-1 (self-refine 16)", "grader_error", None, "container lost", None, None),
    ]
    assert table.notes("dropped") == {"method that is not known, or without a model": 1}


def test_links_beside_the_results(tmp_path: Path, read_source: ReadSource) -> None:
    """Costs behind a link that leaves the folder are not read."""
    folder = evaluation(tmp_path / "in")
    secret = tmp_path / "cost.json"
    secret.write_text('{"repeated_sampling": {"total_cost": 99}}')
    (folder / "ahc001/results/total_cost.json").unlink()
    (folder / "ahc001/results/total_cost.json").symlink_to(secret)
    table = read_source(SOURCE, folder)
    assert table.frame["cost_usd"].to_list() == [None, None]
    assert table.notes("dropped")["link that leaves the folder: not followed"] == 1


def test_sniffing(tmp_path: Path, read_source: ReadSource) -> None:
    """A summary is claimed, other lists are not."""
    (tmp_path / "x.json").write_text('[{"model_name": "a"}]')
    assert SOURCE.sniff(tmp_path) is None
    with pytest.raises(FormatError, match="no results of ALE-Bench"):
        read_source(SOURCE, tmp_path)
    (tmp_path / "s.json").write_text(json.dumps([model("kite", block(1, result()))]))
    match = SOURCE.sniff(tmp_path)
    assert match is not None
    assert match.confidence == 95
    with pytest.raises(UsageError, match="--outcome"):
        read_source(SOURCE, tmp_path, outcomes={"a": "b"})


def test_rating_of_the_published_example() -> None:
    """The ten problems of the documented example: mean 1879.3; their rating is 2222 with contest dates within days."""
    performances = (1189, 1652, 2446, 1457, 1980, 1331, 1965, 1740, 2880, 2153)
    ends = (
        *("2022-02-26", "2022-06-05", "2022-10-29", "2022-11-13", "2023-09-23"),
        *("2023-10-22", "2023-11-12", "2023-12-04", "2024-11-10", "2025-05-11"),
    )
    last = dt.date.fromisoformat(ends[-1])
    contests = [
        Contest(performance, (last - dt.date.fromisoformat(end)).days, 0.5 if end == ends[-1] else 1.0)
        for performance, end in zip(performances, ends, strict=True)
    ]
    assert sum(performances) / 10 == 1879.3
    assert rating(contests) == pytest.approx(2222, abs=5)


@given(
    st.lists(st.tuples(st.floats(-500, 3500), st.floats(0, 2000)), min_size=1, max_size=8),
    st.floats(-500, 3500),
)
def test_rating_properties(known: list[tuple[float, float]], more: float) -> None:
    """The order of contests does not matter, a further one lowers the rating by rounding at most, and it is positive."""
    contests = [Contest(*one) for one in known]
    value = rating(contests)
    assert value is not None
    assert value > 0
    assert rating(reversed(contests)) == pytest.approx(value)
    longer = rating([*contests, Contest(more, 0.0)])
    assert longer is not None
    assert longer >= value - 1e-4


FILES = {
    "results_summary.json": json.dumps(
        [
            model("kite", block(1, result(), result("ahc002", rank=5, overall_absolute_score=7))),
            model("lark", block(2, result(rank=1))),
        ]
    ).encode(),
    "e/ahc001/results/final_results.json": json.dumps(
        {"repeated_sampling": result() | {"model_name": "m"}}
    ).encode(),
    "e/ahc001/results/total_cost.json": b'{"repeated_sampling": {"total_tokens": 70, "total_cost": 0.5}}',
    "e/experiment_settings.json": b'{"model_name": "kite-1"}',
}


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_damage(survives: Survives, data: st.DataObject) -> None:
    """Whatever is damaged, there is no traceback, and what is read adds up."""
    survives(SOURCE, FILES, data)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=300, deadline=None)
def test_much_damage(survives: Survives, data: st.DataObject) -> None:
    """The same, more often."""
    survives(SOURCE, FILES, data)
