"""Golden values that were computed outside this project."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = Path(os.environ.get("MEASURAND_SHARED", Path(__file__).parents[2] / ".." / "shared"))


@pytest.fixture
def oracle() -> Callable[[str], Any]:
    """Load ``oracles/<name>.json``, or skip the test where the golden values are not at hand."""

    def load(name: str) -> Any:
        path = SHARED / "oracles" / f"{name}.json"
        if not path.is_file():
            pytest.skip(
                f"golden values {name!r} not found; set MEASURAND_SHARED to the folder that holds oracles/"
            )
        return json.loads(path.read_text(encoding="utf-8"))

    return load
