"""What a report says, whatever its format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measurand.analyze.records import Estimate, FamilyErrors, SaturationRow
from measurand.model.imports import Conflict, Declaration, ImportReport, NoteGroup
from measurand.report import board_document, comparison_document, import_document
from measurand.report.board.standings import tidy_table
from measurand.report.numbers import DASH, MINUS
from measurand.report.parts import listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from measurand.analyze.board import Board
    from measurand.analyze.comparison import Comparison
    from measurand.report.document import Document, Section, Table

    Change = Callable[..., Any]


def section(document: Document, name: str) -> Section:
    return next(section for section in document.sections if section.id == name)


def column(table: Table, key: str) -> list[str]:
    place = [column.key for column in table.columns].index(key)
    return [row.cells[place].full for row in table.rows]


def test_the_answer_comes_first(board: Board) -> None:
    answer = board_document(board).sections[0]
    assert answer.lead
    assert answer.sentences[0] == (
        "The 10 agents tested fall into 3 tiers: 21 of 45 pairs differ significantly"
        " (sign-flip max-T test at the family-wise 5% level; 154 tasks)."
    )
    text = " ".join(answer.sentences)
    assert "Any of 4 agents may be the best" in text
    assert "4 more agents are listed by rank and not tested" in text
    assert "S = 0.58, moderate" in text
    assert "S is not a p-value" in text


def test_sections_stand_in_the_order_of_reading(board: Board) -> None:
    names = [section.id for section in board_document(board).sections]
    assert names == ["answer", "standings", "tiers", "differences", "saturation", "costs", "data", "methods"]


def test_without_a_possible_test_the_reason_is_the_answer(untestable_board: Board) -> None:
    document = board_document(untestable_board)
    first = document.sections[0].sentences[0]
    assert first.startswith("It cannot be said which agents differ. With 5 tasks")
    everything = " ".join(sentence for section in document.sections for sentence in section.sentences)
    assert "tier:" not in everything
    assert "one tier" not in everything
    assert "1 tier" not in everything
    assert "may be the best" not in everything
    assert not section(document, "tiers").tables
    assert "tier" not in [
        column.key for column in section(document, "standings").tables[0].columns if column.shown
    ]


def test_a_lack_of_differences_is_no_equality(board: Board, changed: Change) -> None:
    test = changed(board.test, n_significant=0, tiers=board.test.tiers[:1])
    first = board_document(changed(board, tests=(test,))).sections[0].sentences[0]
    assert first.startswith("None of the 45 pairs among the 10 agents tested was shown to differ")
    assert first.endswith("That is no evidence that they are equal.")


def test_one_agent(lonely_board: Board) -> None:
    document = board_document(lonely_board)
    assert "one agent, and nothing to compare" in document.sections[0].sentences[0]
    assert section(document, "costs").sentences[0].startswith("No cost was recorded")
    assert "differences" not in [section.id for section in document.sections]


def test_no_agent(board: Board, changed: Change) -> None:
    empty = changed(
        board, standings=(), tests=(changed(board.test, pairs=(), tiers=()),), saturation=(), n_agents=0
    )
    assert board_document(empty).sections[0].sentences == ("There is no agent to report on.",)


def test_rows_that_must_not_be_compared_carry_a_banner(board: Board, untestable_board: Board) -> None:
    assert board_document(board).banner == ""
    assert board_document(untestable_board).banner.startswith("Not comparable")


def test_costs_are_exact_bounded_or_unknown_and_never_zero(board: Board, changed: Change) -> None:
    row = board.standings[2]
    tokens = changed(row.meters[1], known=154, total=9e6, mean_known=9e6 / 154)
    row = changed(row, meters=(row.meters[0], tokens))
    table = section(
        board_document(changed(board, standings=(*board.standings[:2], row, *board.standings[3:]))), "costs"
    ).tables[0]
    assert column(table, "cost_usd_total")[:3] == ["$64.68", "≥ $72.48 (151/154)", "unknown"]
    assert column(table, "cost_usd_per_success")[2] == "unknown"
    assert column(table, "tokens_total")[2] == "9.00M"
    assert column(table, "tokens_per_success")[0] == "no success"
    assert not any(text.startswith("$0.00") for text in column(table, "cost_usd_total"))


def test_agents_without_any_cost_are_counted_instead_of_listed(board: Board) -> None:
    costs = section(board_document(board), "costs")
    assert costs.sentences == (
        "4 agents have no recorded cost at all: unknown, not zero, and left out of the table.",
    )
    assert len(costs.tables[0].rows) == 10


def test_a_board_by_gate_rate_is_written_in_percent(board: Board, changed: Change) -> None:
    rows = tuple(changed(row, scores=()) for row in board.standings)
    test = changed(board.test, score="gate", spread=0.034, detectable=Estimate(value=0.062))
    saturation = (changed(board.saturation[0], score="gate", category="very_high"),)
    document = board_document(
        changed(board, score="gate", standings=rows, tests=(test,), saturation=saturation)
    )
    text = " ".join(document.sections[0].sentences)
    assert "First and last are 3.4 points apart under gate rate" in text
    assert "a true difference of 6.2 points" in text
    assert "very high" in text
    shown = [column.label for column in section(document, "standings").tables[0].columns if column.shown]
    assert shown[3] == "Gate rate"
    assert shown.count("Gate rate") == 1
    forest = section(document, "tiers").figures[0]
    assert forest.data is not None
    assert column(forest.data, "mean")[0] == "94.8%"


def test_rates_show_their_denominators(board: Board) -> None:
    table = section(board_document(board), "standings").tables[0]
    assert column(table, "passes")[0] == "146/154"
    assert column(table, "gate_planned")[0] == "94.8% [88.8, 100.0]"
    assert column(table, "gate_evaluated")[2] == "90.7% [88.3, 90.9]"
    assert column(table, "tasks")[3] == "153/154"
    assert column(table, "rank_low")[0] == f"1{DASH}3"


def test_the_evaluated_rate_is_left_out_when_every_trial_has_a_verdict(board: Board, changed: Change) -> None:
    rows = tuple(row for row in board.standings if row.gate.trials_evaluated == row.gate.trials_planned)
    table = section(board_document(changed(board, standings=rows)), "standings").tables[0]
    assert "gate_evaluated" not in [column.key for column in table.columns if column.shown]


def test_untested_agents_have_no_tier(board: Board) -> None:
    table = section(board_document(board), "standings").tables[0]
    assert column(table, "tier")[9:11] == ["3", DASH]
    assert [row.band for row in table.rows][9:11] == [3, None]


def test_a_missing_mean_is_not_drawn_and_not_zero(board: Board, changed: Change) -> None:
    row = board.standings[0]
    gap = changed(
        row, scores=(changed(row.scores[0], mean=Estimate(value=None, reason="no task")), row.scores[1])
    )
    document = board_document(changed(board, standings=(gap, *board.standings[1:])))
    assert column(section(document, "standings").tables[0], "score_objective")[0] == DASH
    figure = section(document, "tiers").figures[0]
    assert figure.data is not None
    assert row.agent not in column(figure.data, "agent")


def test_a_large_family_has_no_matrix_and_a_cut_table(large_board: Board, changed: Change) -> None:
    names = tuple(row.agent for row in large_board.standings[:60])
    pairs = tuple(
        changed(large_board.test.pairs[0], better=a, worse=b) for a in names for b in names if a < b
    )
    test = changed(large_board.test, family=names, pairs=pairs, n_pairs=len(pairs))
    shown = section(board_document(changed(large_board, tests=(test,))), "differences")
    assert not shown.figures
    assert "not drawn" in shown.sentences[0]
    assert len(shown.tables[0].rows) == 300


def test_the_forest_is_kept_lean(large_board: Board) -> None:
    forest = section(board_document(large_board), "tiers").figures[0]
    assert forest.data is not None
    assert len(forest.data.rows) == 50
    assert "The lowest 124 untested agents by rank" in forest.note


def test_findings_stand_with_the_gravest_first(board: Board) -> None:
    items = section(board_document(board), "data").items
    assert [item.label for item in items] == ["problem: coverage", "warning: verdicts", "info: cost"]


def test_methods_name_level_resamples_and_seed(board: Board) -> None:
    tests = section(board_document(board), "methods").items[-1].details
    assert "family-wise level 5%; 154 tasks; 10,000 random resamples, seed 1" in tests[0]


def test_families_of_tasks_are_named(board: Board, changed: Change) -> None:
    test = changed(
        board.test, n_units=12, unit="family of tasks", exact=True, resamples=4096, missing_cells=0
    )
    details = section(board_document(changed(board, tests=(test,))), "methods").items[-1].details
    assert "154 tasks in 12 families of tasks; 4,096 resamples, enumerated in full." in details[0]


def test_saturation_counts_tiers_and_says_why_a_value_is_absent(board: Board) -> None:
    shown = section(board_document(board), "saturation")
    table = shown.tables[0]
    assert column(table, "tiers")[0] == "3 (4 + 4 + 2)"
    assert column(table, "s") == ["0.58", DASH]
    assert "key: n < 2" in shown.sentences


def test_families_show_both_standard_errors_and_both_means(board: Board, changed: Change) -> None:
    errors = FamilyErrors(
        mean_tasks=0.625,
        mean_families=0.65,
        naive=0.125,
        clustered=0.191366,
        corrected=0.193901,
        low=0.03,
        high=1.0,
        level=0.95,
        families=5,
    )
    rows = tuple(changed(row, family_errors=errors) for row in board.standings)
    shown = section(board_document(changed(board, standings=rows)), "families")
    assert column(shown.tables[0], "naive")[0] == "0.1250"
    assert column(shown.tables[0], "clustered")[0] == "0.1914"
    assert column(shown.tables[0], "mean_families")[0] == "0.650"
    assert column(shown.tables[0], "families")[0] == "5"


def test_an_undefined_saturation_is_no_number(board: Board, changed: Change) -> None:
    row: SaturationRow = changed(board.saturation[0], index=None, reason="There is one agent.")
    text = " ".join(board_document(changed(board, saturation=(row,))).sections[0].sentences)
    assert "The saturation of the head of the board is not available: There is one agent." in text


def test_keys_of_data_are_unique(board: Board) -> None:
    tables = [table for section in board_document(board).sections for table in section.tables]
    for table in [*tables, tidy_table(board)]:
        keys = [column.key for column in table.columns]
        assert len(keys) == len(set(keys))


def test_a_comparison_starts_with_its_conclusion(comparison: Comparison) -> None:
    document = comparison_document(comparison)
    assert document.sections[0].sentences[0] == comparison.conclusion
    assert (
        document.sections[0]
        .sentences[1]
        .endswith("is +0.210 (95% interval [+0.120, +0.310]) over 154 tasks; p ≤ 0.0001, t = 4.40.")
    )
    assert column(section(document, "tasks").tables[0], "difference") == ["+2.800", f"{MINUS}0.900"]
    assert column(section(document, "costs").tables[0], "total")[:2] == ["$64.68", "$120.12"]


def test_a_comparison_of_few_tasks_says_what_they_can_show(comparison: Comparison, changed: Change) -> None:
    few = changed(comparison, n_tasks=4, least_attainable_p=0.125, exact=True, resamples=16, p=0.125)
    assert "the least p-value that any result could give is 0.125" in " ".join(
        comparison_document(few).sections[0].sentences
    )


def test_a_comparison_without_common_tasks(comparison: Comparison, changed: Change) -> None:
    apart = changed(
        comparison, difference=Estimate(value=None), t=None, p=None, largest=(), meters_a=(), meters_b=()
    )
    document = comparison_document(apart)
    assert (
        "The difference is not available: the agents have no common task." in document.sections[0].sentences
    )
    assert section(document, "costs").sentences[0].startswith("No cost was recorded for either agent")
    assert not section(document, "difference").figures


def test_an_import_says_what_was_kept_and_lost() -> None:
    report = ImportReport(
        source="table",
        paths=("results.csv",),
        rows_read=10,
        rows_kept=8,
        duplicates=1,
        conflicts=(Conflict("a", "t", "1", ("verdict",), ("results.csv:4", "results.csv:9")),),
        conflict_policy="no-verdict",
        notes=(
            NoteGroup("note", "a time zone was assumed", 8, ()),
            NoteGroup("dropped", "no agent", 1, ("results.csv:3",)),
        ),
        mapped={"agent": "model"},
        ignored=("comment",),
        declarations=(Declaration("s", "1", tasks=5, trials=2, absent_is_fail=True),),
    )
    document = import_document(report)
    assert document.sections[0].sentences == (
        "8 of 10 rows were kept.",
        "1 row repeats another record of the same trial and was merged with it.",
        "The suite s 1 declares 5 tasks, 2 trials of each agent on each; a task without a record counts as failed.",
    )
    assert [item.label for item in section(document, "notes").items] == ["not kept", "note"]
    assert "these trials have no verdict" in section(document, "conflicts").sentences[0]
    assert section(document, "columns").sentences == ("Not used: comment.",)


def test_a_clean_import_is_one_sentence() -> None:
    document = import_document(ImportReport(source="table", paths=("a.csv",), rows_read=3, rows_kept=3))
    assert document.sections[0].sentences == ("3 of 3 rows were kept.", "Nothing was lost.")
    assert len(document.sections) == 1


def test_lists_of_names_are_cut() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([str(i) for i in range(9)], 2) == "0, 1 and 7 more"


@pytest.mark.parametrize(("units", "folded"), [(19, False), (20, True)])
def test_below_twenty_tasks_each_pairs_own_p_stands_in_the_text(
    board: Board, changed: Change, units: int, *, folded: bool
) -> None:
    """SPEC 12.1: with few tasks the pairwise p stands beside the adjusted one."""
    test = changed(board.test, n_units=units)
    table = section(board_document(changed(board, tests=(test,))), "differences").tables[0]
    assert table.detail is folded
    assert {"p_raw", "p_adjusted"} <= {column.key for column in table.columns}
