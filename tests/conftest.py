"""Fixtures of all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder of real logs and example cases, beside the checkout or where MEASURAND_SHARED says."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    path = Path(os.environ.get("MEASURAND_SHARED", beside))
    if not path.is_dir():
        pytest.skip(f"../shared is absent: {path}")
    return path
