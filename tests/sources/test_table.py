"""Tables of trials: how columns become fields, and what no table may claim."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import polars as pl
import pytest

from measurand.errors import FormatError, MappingError, UsageError, ValueRangeError
from measurand.sources.base import ImportLog, ReadOptions
from measurand.sources.table.source import TableSource, rows_from_frame

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sources.conftest import ReadText

ANCHORS = "task,direction,baseline,reference,anchored_on\nt,lower,10,5,2026-02-01\n"


def test_obvious_names_are_mapped(read_table: ReadText) -> None:
    """Columns named as other tools do are found, and the log says which was taken for what."""
    table = read_table("Model Name,instance_id,is_resolved,usd,n_steps,colour\nkite,t,true,0.5,7,red\n")
    assert table.rows("agent", "model_requested", "task", "verdict", "cost_usd", "steps") == [
        ("kite", "kite", "t", "pass", 0.5, 7)
    ]
    assert table.log.mapped["cost_usd"] == "usd"
    assert table.log.ignored == ("colour",)


def test_every_row_knows_its_source_and_digest(read_table: ReadText) -> None:
    """Source, reference and the agent's digest are never unknown."""
    frame = read_table("agent,task,passed\na,t,1\nb,t,0\n").frame
    assert frame.select("source", "source_ref", "agent_digest").null_count().sum_horizontal().item() == 0
    assert frame["agent_digest"].n_unique() == 2


def test_trials_are_numbered_where_no_column_does(read_table: ReadText) -> None:
    """Without a trial column, rows of one agent and task are numbered in their order, and the log says so."""
    table = read_table("agent,task,passed\na,t,1\na,u,1\na,t,0\n")
    assert table.rows("task", "trial") == [("t", "1"), ("u", "1"), ("t", "2")]
    assert table.notes("note")["no trial column: trials are numbered in the order of the rows"] == 3


def test_suite_is_what_the_user_says(read_table: ReadText) -> None:
    """The user names the suite where the table does not."""
    assert read_table("agent,task,passed\na,t,1\n", suite="mine").rows("suite") == [("mine",)]
    assert read_table("agent,task,passed\na,t,1\n").rows("suite") == [("unnamed",)]
    assert read_table("benchmark,agent,task,passed\nx,a,t,1\n", suite="mine").rows("suite") == [("x",)]


@pytest.mark.parametrize(
    ("header", "options", "message"),
    [
        ("agent,passed", {}, "no column can be mapped to 'task'"),
        ("task,passed", {}, "no column can be mapped to 'agent'"),
        ("agent,task", {}, "no column says how a trial ended"),
        ("agent,task,resolved,success", {}, "the columns 'resolved' and 'success' could both be 'verdict'"),
        ("agent,task,passed", {"cost_usd": "prise"}, "there is no column 'prise'"),
        ("agent,task,passed,price", {"cost_usd": "prise"}, "did you mean 'price'"),
        (
            "agent,task,passed",
            {"cots_usd": "passed"},
            "there is no field 'cots_usd' .did you mean 'cost_usd'",
        ),
        ("agent,task,passed", {"steps": "agent+task"}, "'steps' is not text: it takes one column"),
    ],
)
def test_mapping_that_cannot_be(
    read_table: ReadText, header: str, options: dict[str, str], message: str
) -> None:
    """A field that no column, several columns or an unknown column could fill is refused with a hint."""
    with pytest.raises(MappingError, match=message):
        read_table(f"{header}\n{','.join('1' * len(header.split(',')))}\n", mapping=options)


def test_columns_are_joined(read_table: ReadText) -> None:
    """An agent may be made of two columns."""
    table = read_table("llm,scaffold,task,passed\na,s,t,1\n", mapping={"agent": "llm+scaffold"})
    assert table.rows("agent") == [("a + s",)]


def test_field_is_left_out(read_table: ReadText) -> None:
    """An empty mapping leaves a field unknown although a column bears its name."""
    table = read_table("agent,task,passed,cost\na,t,1,2\n", mapping={"cost_usd": ""})
    assert table.rows("cost_usd") == [(None,)]
    assert table.log.ignored == ("cost",)


def test_constants(read_table: ReadText) -> None:
    """The user gives one value for all rows, but not for a column or field that forbids it."""
    table = read_table("task,passed\nt,1\n", constants={"agent": "kite", "unit": "s"})
    assert table.rows("agent", "unit") == [("kite", "s")]
    with pytest.raises(UsageError, match="has a column 'agent' already"):
        read_table("agent,task,passed\na,t,1\n", constants={"agent": "kite"})
    with pytest.raises(UsageError, match="there is no field 'colour'"):
        read_table("agent,task,passed\na,t,1\n", constants={"colour": "red"})


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("ok", "completed"),
        ("no_submission", "no_output"),
        ("Invalid Submission", "invalid_output"),
        ("timeout", "agent_timeout"),
        ("env-error", "infra_error"),
        ("judge_error", "grader_error"),
        ("cancelled", "cancelled"),
        ("not_run", "missing"),
    ],
)
def test_plain_words_are_outcomes(read_table: ReadText, word: str, outcome: str) -> None:
    """Words of other tools with one plain meaning become outcomes."""
    assert read_table(f"agent,task,status,passed\na,t,{word},\n").rows("outcome") == [(outcome,)]


@pytest.mark.parametrize("word", ["error", "exploded"])
def test_unknown_outcome_word_is_refused(read_table: ReadText, word: str) -> None:
    """A word that does not say whose fault it was is refused, with its row and the way out."""
    with pytest.raises(
        ValueRangeError, match=rf"t\.csv:3: unknown outcome: '{word}'.*\n.*--outcome WORD=OUTCOME"
    ):
        read_table(f"agent,task,status,passed\na,t,ok,1\nb,t,{word},0\n")


def test_user_explains_a_word(read_table: ReadText) -> None:
    """The user's meaning of a word holds, in whatever case and spacing it is written."""
    table = read_table("agent,task,status,passed\na,t,Bad Luck,\n", outcomes={"bad luck": "infra_error"})
    assert table.rows("outcome") == [("infra_error",)]


def test_outcome_words_that_name_the_verdict(read_table: ReadText) -> None:
    """Without a verdict column, passed and failed give the verdict; a quantity of a failed trial is no pass."""
    table = read_table("agent,task,status,value\na,t,failed,3\na,u,passed,3\na,v,ok,3\na,w,ok,\n")
    assert table.rows("outcome", "verdict") == [
        ("completed", "fail"),
        ("completed", "pass"),
        ("completed", "pass"),
        ("completed", None),
    ]


@pytest.mark.parametrize("word", ["", "n/a", "null", "NaN"])
def test_unknown_verdict_is_no_fail(read_table: ReadText, word: str) -> None:
    """An unknown verdict is no verdict, and the trial is missing."""
    table = read_table(f"agent,task,passed\na,t,{word}\n")
    assert table.rows("outcome", "verdict") == [("missing", None)]


def test_ungraded_trial_has_no_verdict(read_table: ReadText) -> None:
    """A trial that was not evaluated has no verdict, whatever stands in the verdict column."""
    table = read_table("agent,task,evaluated,passed\na,t,0,0\na,u,1,0\n")
    assert table.rows("outcome", "verdict") == [("missing", None), ("completed", "fail")]
    assert table.notes()["not evaluated: no verdict"] == 1


def test_verdict_that_is_neither(read_table: ReadText) -> None:
    """A word that is neither pass nor fail is refused with its row."""
    with pytest.raises(ValueRangeError, match=r"t\.csv:3: column 'passed' holds 'maybe'.*and 1 more rows"):
        read_table("agent,task,passed\na,t,1\nb,t,maybe\nc,t,perhaps\n")


def test_further_verdicts(read_table: ReadText) -> None:
    """Columns verdict:NAME become named verdicts; an empty cell names none."""
    table = read_table("agent,task,passed,verdict:strict,verdict:lax\na,t,1,0,\n")
    assert table.rows("verdicts") == [([{"name": "strict", "passed": False}],)]


def test_further_verdicts_from_any_column(read_table: ReadText) -> None:
    """A column can be taken for a further verdict, or for its opposite; the log says which, and what was left over."""
    table = read_table(
        "agent,task,passed,strong,hacked,verdict:lax\na,t,1,1,0,1\na,u,1,0,,1\n",
        mapping={"verdict:strict": "strong", "verdict:clean": "not hacked", "verdict:lax": ""},
    )
    strict, clean = {"name": "strict", "passed": True}, {"name": "clean", "passed": True}
    assert table.rows("verdicts") == [([clean, strict],), ([{**strict, "passed": False}],)]
    assert table.log.mapped["verdict:clean"] == "not hacked"
    assert table.log.ignored == ("verdict:lax",)


def test_the_opposite_of_a_column_can_be_the_verdict(read_table: ReadText) -> None:
    """A column of failures is a verdict turned round; an empty cell stays unknown."""
    table = read_table("agent,task,broken\na,t,1\na,u,0\na,v,\n", mapping={"verdict": "not broken"})
    assert table.rows("verdict") == [("fail",), ("pass",), (None,)]


def test_only_verdicts_have_an_opposite(read_table: ReadText) -> None:
    """There is no column "not x" for other fields, nor one of a column that is not there."""
    for mapping in ({"agent": "not agent"}, {"verdict:s": "not there"}, {"verdict:": "passed"}):
        with pytest.raises(MappingError, match="there is no"):
            read_table("agent,task,passed\na,t,1\n", mapping=mapping)


@pytest.mark.parametrize("field", ["agent", "task", "trial"])
def test_identity_must_be_known(read_table: ReadText, field: str) -> None:
    """A row without agent, task or trial is refused."""
    row = ",".join("" if name == field else "x" for name in ("agent", "task", "trial"))
    with pytest.raises(ValueRangeError, match=rf"t\.csv:2: {field} is empty"):
        read_table(f"agent,task,trial,passed\n{row},1\n")


@pytest.mark.parametrize("cost", ["-0.2", "nan", "inf"])
def test_impossible_cost_becomes_unknown(read_table: ReadText, cost: str) -> None:
    """A cost that is no amount becomes unknown, and the log names its row."""
    table = read_table(f"agent,task,passed,cost\na,t,1,0.5\na,u,1,{cost}\n")
    assert table.rows("cost_usd") == [(0.5,), (None,)]
    assert table.places("cost_usd negative or not finite") == ("t.csv:3",)


def test_text_is_no_number(read_table: ReadText) -> None:
    """Text in a column of numbers is refused with its row."""
    with pytest.raises(
        ValueRangeError, match=r"t\.csv:2: column 'cost' holds 'cheap', which is not a number"
    ):
        read_table("agent,task,passed,cost\na,t,1,cheap\n")


def test_counts_are_whole(read_table: ReadText) -> None:
    """Means of counts are rounded, counts beyond any number become unknown, and both are noted."""
    table = read_table("agent,task,passed,steps\na,t,1,10.4\na,u,1,1e300\n")
    assert table.rows("steps") == [(10,), (None,)]
    assert table.notes("unknown") == {"steps beyond any count": 1}
    assert table.notes("note")["steps rounded to whole numbers"] == 1


@pytest.mark.parametrize(
    "moment",
    [
        "2026-05-01T10:00:00Z",
        "2026-05-01 10:00:00",
        "2026-05-01T10:00",
        "2026-05-01T12:00:00+0200",
        "2026-05-01 12:00+02:00",
        "2026-05-01T10:00:00.000Z",
        "2026-05-01 10:00:00 UTC",
        "1777629600",
        "1777629600000",
    ],
)
def test_moments_in_utc(read_table: ReadText, moment: str) -> None:
    """One column may write moments in several ways; all mean the same moment in UTC."""
    table = read_table(f"agent,task,passed,started_at\na,t,1,2026-05-01\nb,t,1,{moment}\n")
    assert table.frame["started_at"].to_list() == [
        dt.datetime(2026, 5, 1, tzinfo=dt.UTC),
        dt.datetime(2026, 5, 1, 10, tzinfo=dt.UTC),
    ]


def test_moment_that_is_none(read_table: ReadText) -> None:
    """A cell that is no moment is refused with its row."""
    with pytest.raises(ValueRangeError, match=r"t\.csv:2: column 'started_at' holds 'noon'"):
        read_table("agent,task,passed,started_at\na,t,1,noon\n")


def test_anchors_from_a_table(read_table: ReadText, tmp_path: Path) -> None:
    """Anchors come from a table of their own, one row a task."""
    anchors = tmp_path / "anchors.csv"
    anchors.write_text(ANCHORS)
    table = read_table("agent,task,passed,value\na,t,1,7\n", anchors=anchors)
    assert table.rows("quantity", "better", "baseline", "reference", "anchors_id") == [
        (7.0, "lower", 10.0, 5.0, "2026-02-01")
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ANCHORS + "t,lower,10,4,2026-02-01\n", "task 't' has two rows of anchors"),
        (ANCHORS.replace("t,lower", "u,lower"), "task 't' has no anchors"),
        (ANCHORS.replace("lower", "sideways"), "'sideways', which is not a direction"),
        ("task,value\nt,1\n", "no column can be mapped to 'reference'"),
    ],
)
def test_anchors_that_do_not_fit(read_table: ReadText, tmp_path: Path, content: str, message: str) -> None:
    """A table of anchors that is ambiguous or incomplete is refused."""
    anchors = tmp_path / "anchors.csv"
    anchors.write_text(content)
    with pytest.raises((ValueRangeError, MappingError), match=message):
        read_table("agent,task,passed,value\na,t,1,7\n", anchors=anchors)


def test_no_table_of_anchors(read_table: ReadText, tmp_path: Path) -> None:
    """A path that is no table is no table of anchors."""
    with pytest.raises(FormatError, match="no table of anchors"):
        read_table("agent,task,passed,value\na,t,1,7\n", anchors=tmp_path)


def test_rows_of_a_data_frame() -> None:
    """A data frame is read as a file is; its rows are numbered from 1."""
    frame = pl.DataFrame({"agent": ["a"], "task": ["t"], "passed": [True]})
    log = ImportLog("table", "data frame")
    rows = rows_from_frame(frame, ReadOptions(), log)
    assert rows.select("verdict", "source_ref").rows() == [("pass", "row 1")]
    assert log.rows_read == 1


def test_sniffing_goes_by_the_ending(tmp_path: Path) -> None:
    """Files with the ending of a table are claimed, weakly; folders never are."""
    file = tmp_path / "t.csv"
    file.touch()
    (tmp_path / "d.csv").mkdir()
    match = TableSource().sniff(file)
    assert match is not None
    assert match.confidence < 90
    assert TableSource().sniff(tmp_path / "d.csv") is None


@pytest.mark.parametrize(
    ("column", "values"),
    [("agent", [["a"]]), ("wall_s", [dt.time(1)]), ("passed", [{"x": 1}]), ("cost_usd", [[1.0]])],
)
def test_a_type_that_holds_no_plain_value_is_refused(column: str, values: list[object]) -> None:
    """Lists, structs and times of day in a typed table are named with their column, not passed on to break later."""
    plain: dict[str, list[object]] = {"agent": ["a"], "task": ["t"], "passed": [1]}
    with pytest.raises(ValueRangeError, match=f"column '{column}' is of type"):
        rows_from_frame(pl.DataFrame(plain | {column: values}), ReadOptions(), ImportLog("table", "frame"))


def test_a_duration_is_read_as_seconds() -> None:
    """A typed duration needs no conversion by the user."""
    frame = pl.DataFrame({"agent": ["a"], "task": ["t"], "passed": [1], "wall_s": [dt.timedelta(minutes=2)]})
    rows = rows_from_frame(frame, ReadOptions(), ImportLog("table", "frame"))
    assert rows["wall_s"].to_list() == [120.0]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+09:00", "9999-12-31T00:00:00Z", "1e30"])
def test_a_moment_far_off_is_refused(read_table: ReadText, moment: str) -> None:
    """A start in year 1 or 9999 is a mistake of units or zones, and would break every later report."""
    with pytest.raises(ValueRangeError, match="which is not a date and time"):
        read_table(f"agent,task,passed,started_at\na,t,1,{moment}\n")


def test_a_quantity_that_nothing_can_judge_is_refused(read_table: ReadText) -> None:
    """A bare score column is neither a verdict nor has it anchors: a rate of 100 % would be made up."""
    with pytest.raises(MappingError, match="no reference to judge it by"):
        read_table("agent,task,score\na,t,0\n")


def test_a_meaning_that_is_no_outcome_is_refused(read_table: ReadText) -> None:
    """What a word is said to mean must exist, whether the word occurs or not."""
    with pytest.raises(UsageError, match="there is no outcome 'bogus'"):
        read_table("agent,task,passed\na,t,1\n", outcomes={"timeout": "bogus"})


def test_a_quantity_without_its_reference_is_no_pass(read_table: ReadText) -> None:
    """Row by row: where nothing can judge a quantity there is no verdict, whatever the other rows have."""
    table = read_table("agent,task,value,reference,better\na,t,2,1,higher\na,u,2,,higher\n")
    assert table.rows("outcome", "verdict") == [("completed", "pass"), ("missing", None)]
