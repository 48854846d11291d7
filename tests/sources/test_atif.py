"""ATIF documents: what is read of them, their sums, and their events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.errors import FormatError
from measurand.sources.atif.events import Events
from measurand.sources.atif.source import Usage, is_atif, read_trajectory, stated_usage, usage

if TYPE_CHECKING:
    from pathlib import Path

    from measurand.model.trace import Draft
    from measurand.sources.atif.source import Trajectory


def step(number: int, source: str = "agent", message: Any = "look", **more: Any) -> dict[str, Any]:
    return {"step_id": number, "source": source, "message": message} | more


def metrics(prompt: int, output: int, cached: int = 0, cost: float = 0.5, **extra: Any) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "cached_tokens": cached,
        "cost_usd": cost,
        "extra": extra,
    }


def call(name: str, tool: str = "bash", **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": name, "function_name": tool, "arguments": arguments}


def document(*steps: dict[str, Any], version: str = "1.8", **more: Any) -> bytes:
    agent = {"name": "kite", "version": "2", "model_name": "big-1"}
    return json.dumps({"schema_version": f"ATIF-v{version}", "agent": agent, "steps": steps} | more).encode()


def read(*steps: dict[str, Any], **more: Any) -> Trajectory:
    return read_trajectory(document(*steps, **more), "t.json")


def told(*segments: Trajectory) -> list[Draft]:
    return list(Events().of(segments))


def test_tokens_by_class() -> None:
    """Cached and written tokens are taken out of the prompt's; reasoning is part of the output."""
    one = step(1, metrics=metrics(100, 20, 30, cache_creation_input_tokens=10, reasoning_tokens=5))
    other = step(2, metrics={"prompt_tokens": "7", "completion_tokens": 3.0}, model_name="small-1")
    assert usage([read(one, other)]) == Usage(67, 30, 10, 23, 5, 0.5, 2, 0, ("big-1", "small-1"))


def test_copied_context_is_never_counted() -> None:
    """A step that repeats another document adds neither tokens nor calls."""
    copied = step(1, metrics=metrics(100, 10), is_copied_context=True, tool_calls=[call("a")])
    assert usage([read(copied, step(2, metrics=metrics(140, 12, 80)))]) == Usage(
        60, 80, None, 12, None, 0.5, 1, 0, ("big-1",)
    )


def test_calls_of_the_model() -> None:
    """A step says how many calls it stands for: none of a dispatch by rule, several of an aggregate; else one."""
    steps = [
        step(1, llm_call_count=0),
        step(2, llm_call_count=3),
        step(3),
        step(4, "user"),
        step(5, "system"),
    ]
    assert usage([read(*steps)]).model_calls == 4


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"prompt_tokens": 10, "cached_tokens": 11}, Usage(None, 11)),
        ({"prompt_tokens": -1, "completion_tokens": 1.5}, Usage()),
        ({"prompt_tokens": 10**30, "cost_usd": "much"}, Usage()),
        ({"completion_tokens": 5, "extra": {"reasoning_tokens": 6}}, Usage(output_tokens=5)),
        ("none", Usage()),
    ],
)
def test_counts_that_cannot_be(given: Any, wanted: Usage) -> None:
    """Parts larger than the whole, negative, fractional and absurd counts are unknown."""
    got = usage([read(step(1, metrics=given))])
    assert got == Usage(
        wanted.input_tokens,
        wanted.cached_tokens,
        None,
        wanted.output_tokens,
        None,
        None,
        1,
        0,
        ("big-1",),
    )


def test_embedded_subagents_count_once() -> None:
    """A subagent adds its own steps, however often it is referred to; two with one id are one."""
    inner = json.loads(document(step(1, metrics=metrics(5, 1)), trajectory_id="s"))
    again = step(2, observation={"results": [{"subagent_trajectory_ref": [{"trajectory_id": "s"}] * 2}]})
    outer = read(step(1, metrics=metrics(10, 2)), again, subagent_trajectories=[inner, inner])
    assert usage([outer]).input_tokens == 15
    kinds = [(draft.kind, draft.payload.get("trajectory")) for draft in told(outer)]
    assert kinds.count(("model_call", "s")) == 1


def test_stated_sums() -> None:
    """The final metrics hold for the whole trajectory; those of the cache may stand among their additional ones."""
    final = {
        "total_prompt_tokens": 100,
        "total_cached_tokens": 40,
        "total_completion_tokens": 9,
        "total_cost_usd": 0.25,
        "extra": {"total_cache_creation_input_tokens": 10, "reasoning_output_tokens": 4},
    }
    assert stated_usage(read(step(1), final_metrics=final)) == Usage(50, 40, 10, 9, 4, 0.25)
    assert stated_usage(read(step(1))) == Usage()


def test_events_of_a_step() -> None:
    """A call of the model leads to what it said, that to its actions, and each action to what came back."""
    results = [
        {
            "source_call_id": "b",
            "content": [{"type": "text", "text": "x"}, {"type": "image", "source": {"path": "/etc/passwd"}}],
        },
        {"source_call_id": "a", "content": "y", "extra": {"return_code": 1}},
        {"content": "z"},
    ]
    trajectory = read(
        step(1, "user", "do it", timestamp="2026-05-01T10:00:00Z"),
        step(
            2,
            timestamp="2026-05-01T12:00:01+02:00",
            reasoning_content="hm",
            metrics=metrics(10, 2, 4) | {"logprobs": [0.1], "prompt_token_ids": [1]},
            tool_calls=[call("a", command="ls"), call("b", "shot")],
            observation={"results": results},
        ),
    )
    drafts = told(trajectory)
    assert [(draft.kind, draft.cause) for draft in drafts] == [
        ("note", None),
        ("observation", None),
        ("model_call", None),
        ("decision", 2),
        ("action", 3),
        ("action", 3),
        ("observation", 5),
        ("observation", 4),
        ("observation", 5),
    ]
    assert drafts[1].payload == {"from": "user", "step_id": 1, "text": "do it"}
    called = drafts[2].payload
    assert {name: called[name] for name in ("model", "input_tokens", "cached_tokens", "output_tokens")} == {
        "model": "big-1",
        "input_tokens": 6,
        "cached_tokens": 4,
        "output_tokens": 2,
    }
    assert "logprobs" not in called["metrics"]
    assert drafts[3].payload == {"step_id": 2, "text": "look", "reasoning": "hm"}
    assert drafts[4].payload == {"id": "a", "tool": "bash", "arguments": {"command": "ls"}, "step_id": 2}
    assert drafts[6].payload["text"] == "x"
    assert drafts[6].payload["media"] == [{"type": "image", "source": {"path": "/etc/passwd"}}]
    assert drafts[7].payload["extra"] == {"return_code": 1}
    assert str(drafts[2].t) == "2026-05-01 10:00:01+00:00"


def test_dispatch_without_a_model() -> None:
    """A step that calls no model has an action without a model call before it."""
    drafts = told(read(step(1, message="", llm_call_count=0, tool_calls=[call("a")])))
    assert [(draft.kind, draft.cause) for draft in drafts] == [("note", None), ("action", None)]


def test_continuation_tells_nothing_twice() -> None:
    """Copied steps of a document that continues another are named, not told again; of a lone one they are told."""
    copied = step(1, "user", "do it", is_copied_context=True)
    first, second = read(step(1, "user", "do it")), read(copied, step(2))
    alone, together = told(second), told(first, second)
    assert alone[1].payload["text"] == "do it"
    notes = [draft.payload for draft in together if draft.payload.get("what") == "copied context"]
    assert notes == [{"what": "copied context", "step_id": 1, "source": "user"}]


def test_subagent_in_a_file_of_its_own() -> None:
    """A subagent's file is read where it is referred to; its events follow from what it was asked by."""
    inner = read(step(1, "user", "find"), step(2), trajectory_id="s")
    reference = [{"trajectory_path": "sub.json"}, {"trajectory_path": "gone.json"}]
    results = [{"source_call_id": "a", "content": "ok", "subagent_trajectory_ref": reference}]
    outer = read(step(1, tool_calls=[call("a", "delegate")], observation={"results": results}))
    drafts = list(Events(3, {"sub.json": inner}.get).of([outer]))
    assert [(draft.kind, draft.cause, draft.payload.get("trajectory")) for draft in drafts] == [
        ("note", None, None),
        ("model_call", None, None),
        ("decision", 4, None),
        ("action", 5, None),
        ("note", 6, "s"),
        ("observation", 6, "s"),
        ("model_call", 6, "s"),
        ("decision", 9, "s"),
        ("observation", 6, None),
    ]


def test_which_documents_are_atif() -> None:
    """The version stands in the outermost object; elsewhere it is a value of something else."""
    assert is_atif(document(step(1)))
    assert is_atif(b'{"agent": {"name": "a{b}"}, "schema_version" : "ATIF-v1.0"')
    assert not is_atif(b'{"a.json": {"schema_version": "ATIF-v1.8", "steps": 4}}')
    assert not is_atif(b'{"schema_version": "1.8"}')


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[]", "no ATIF document"),
        (b'{"schema_version": "2.0", "steps": []}', "no ATIF document"),
        (b'{"schema_version": "ATIF-v1.8", "steps": {}}', "no list of steps"),
        (document(step(1))[:-20], "not readable JSON"),
        (b'{"schema_version": "ATIF-v1.8", "steps": ' + b"[" * 200_000, "nested too deeply|not readable"),
    ],
)
def test_what_is_refused(data: bytes, message: str) -> None:
    """Other formats and cut files are refused, and the file is named."""
    with pytest.raises(FormatError, match=rf"t\.json.*({message})"):
        read_trajectory(data, "t.json")


def test_loose_json() -> None:
    """NaN, halves of surrogate pairs and bytes that are not UTF-8 do no harm."""
    loose = document(step(1, "user", "\ud800 \x1b[2J"), step(2, metrics=metrics(1, 1, cost=float("nan"))))
    trajectory = read_trajectory(loose.replace(b"look", b"lo\xffk"), "t.json")
    assert usage([trajectory]).cost_usd is None
    assert [draft.payload.get("text") for draft in told(trajectory)][1] == "\\ud800 \x1b[2J"


def test_odd_steps() -> None:
    """Steps, calls, results and subagents of the wrong shape are passed over; damaged subagents are counted."""
    odd = step(2, tool_calls=[3, call("a")], observation={"results": ["x", {"content": 5}]}, metrics=[])
    trajectory = read(step(1), odd, subagent_trajectories=[{"steps": []}, 4])
    document_ = json.loads(document(step(1), odd))
    document_["steps"] += [None, "text", 7]
    loose = read_trajectory(json.dumps(document_).encode(), "t.json")
    assert (trajectory.damaged, usage([trajectory]).tool_calls, usage([loose]).model_calls) == (2, 1, 2)
    assert [draft.kind for draft in told(trajectory)].count("observation") == 1


def test_nesting_has_an_end() -> None:
    """Subagents of subagents are read eight deep."""
    inner = json.loads(document(step(1), trajectory_id="0"))
    for depth in range(1, 12):
        inner = json.loads(document(step(1), trajectory_id=str(depth), subagent_trajectories=[inner]))
    assert usage([read_trajectory(json.dumps(inner).encode(), "t.json")]).model_calls == 9


@settings(max_examples=50)
@given(st.data())
def test_damage(data: st.DataObject) -> None:
    """Whatever is damaged: an error on purpose, or sums and events."""
    content = bytearray(
        document(
            step(1, "user"),
            step(
                2,
                metrics=metrics(9, 2, 1),
                tool_calls=[call("a")],
                observation={"results": [{"content": "x"}]},
            ),
            final_metrics={"total_prompt_tokens": 9},
        )
    )
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=6)):
        content[place : place + 1] = data.draw(st.binary(max_size=2))
    try:
        trajectory = read_trajectory(bytes(content), "t.json")
        usage([trajectory])
        stated_usage(trajectory)
        told(trajectory)
    except FormatError:
        pass


def test_samples(shared: Path) -> None:
    """Real documents of all versions: as many steps and calls as their own reader counts, and their own sums."""
    expected = json.loads((shared / "samples/harbor/expected.json").read_bytes())
    documents = {name: value for name, value in expected.items() if "schema_version" in value}
    assert len(documents) == 28
    for name, wanted in documents.items():
        trajectory = read_trajectory((shared / "samples/harbor" / name).read_bytes(), name)
        steps = list(trajectory.steps())
        calls = sum(len(one.get("tool_calls") or []) for one in steps)
        assert (trajectory.version, len(steps), calls) == tuple(wanted.values()), name
        stated, counted = stated_usage(trajectory), usage([trajectory])
        if stated.output_tokens is not None:
            for one, other in (
                (counted.input_tokens, stated.input_tokens),
                (counted.cached_tokens, stated.cached_tokens),
                (counted.output_tokens, stated.output_tokens),
                (counted.cost_usd, stated.cost_usd),
            ):
                assert one == pytest.approx(other), name


def test_agents_of_other_projects(shared: Path) -> None:
    """Documents of two agents: sums of steps, and stated sums where subagents or a lost call come on top."""
    folder = shared / "samples/harbor_atif"
    found = {}
    for file in sorted(folder.rglob("*.json")):
        data = file.read_bytes()
        if is_atif(data):
            one = read_trajectory(data, file.name)
            counted, stated = usage([one]), stated_usage(one)
            found[file.name.removeprefix("hello-world").removesuffix(".json")] = (
                counted.input_tokens,
                stated.input_tokens,
                counted.model_calls,
                counted.tool_calls,
                len(told(one)),
            )
    assert found == {
        ".trajectory": (220, 220, 2, 2, 12),
        "-context-summarization.trajectory": (6502, 7802, 7, 7, 33),
        "-context-summarization.trajectory.summarization-1-summary": (500, 500, 1, 0, 7),
        "-invalid-json.trajectory": (2417, 2417, 4, 3, 17),
        "-timeout.trajectory": (882, 982, 3, 3, 14),
    }
