"""``measurand tiers``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from measurand.cli import options
from measurand.infer.differences.permutation import NULLS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Run


def test_the_answer_comes_first_and_every_pair_has_an_interval(measurand: Run, results: Path) -> None:
    """Tiers, pairs and what each null finds."""
    code, out, _ = measurand("tiers", results)
    assert code == 0
    assert (
        out.index("What can be concluded") < out.index("Pairs of agents") < out.index("What each null finds")
    )
    assert "3 of 3 agents tested" in out
    assert "Exact p" in out


def test_json_has_every_pair_and_null(measurand: Run, results: Path) -> None:
    """All fields of the record in the versioned envelope."""
    code, out, _ = measurand("tiers", results, "--null", "bootstrap", "--seed", "3", "--json")
    envelope = json.loads(out)
    assert (code, envelope["kind"]) == (0, "tiers")
    test = envelope["data"]["test"]
    assert (test["null"], test["seed"], len(test["pairs"])) == ("bootstrap", 3, 3)
    assert [row["null"] for row in test["agreement"]] == ["bootstrap", "signs", "labels"]
    assert {"low", "high", "p_exact", "p_adjusted"} <= set(test["pairs"][0])


def test_top_chooses_the_family(measurand: Run, results: Path) -> None:
    """The head of the standings, or all."""
    assert "2 of 3 agents tested" in measurand("tiers", results, "--top", "2").out
    assert "3 of 3 agents tested" in measurand("tiers", results, "--top", "all").out


def test_markdown_and_html(measurand: Run, results: Path, tmp_path: Path) -> None:
    """The same document in every form."""
    page = tmp_path / "tiers.html"
    code, out, _ = measurand("tiers", results, "--markdown", "--html", page)
    assert code == 0
    assert out.startswith("# Tiers of")
    assert "What each null finds" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("--null", "normal"), "'normal' is not one of"), (("--top", "1"), "1 is not in the range")],
)
def test_wrong_calls(measurand: Run, results: Path, arguments: tuple[str, ...], message: str) -> None:
    """End with 2 and say what there is to choose from."""
    code, _, err = measurand("tiers", results, *arguments)
    assert code == 2
    assert message in err


def test_the_option_offers_every_null() -> None:
    """The names are written out, so that the command line need not load the tests to print its help."""

    @options.null
    def command() -> None: ...

    (option,) = command.__click_params__  # type: ignore[attr-defined]
    assert list(option.type.choices) == list(NULLS)
