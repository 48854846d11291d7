"""The wheel holds all that the command needs: templates, styles, type marker, entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
TABLE = "agent,task,verdict\n" + "".join(
    f"{a},t{n},{'pass' if n % 2 else 'fail'}\n" for a in ("kite", "lark") for n in range(6)
)


def _run(arguments: Sequence[str | Path], folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own commands
        arguments, cwd=folder, env=os.environ | env, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the installed wheel and nothing else."""
    for module in ("hatchling", "build", "pip"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: the wheel cannot be built without a network")
    folder = tmp_path_factory.mktemp("wheel")
    build = ("build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    built = _run([sys.executable, "-m", *map(str, build)], folder)
    assert built.returncode == 0, built.stdout + built.stderr
    wheel = next(folder.glob("*.whl"))
    target = folder / "target"
    pip = ("pip", "install", "--no-deps", "--no-index", "--target", target, wheel)
    done = _run([sys.executable, "-m", *map(str, pip)], folder, PIP_DISABLE_PIP_VERSION_CHECK="1")
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def test_the_installed_command_reads_a_table_and_writes_its_page(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(TABLE, encoding="utf-8")
    command = installed / "bin" / "measurand"
    done = _run([command, "report", "runs.csv", "--html", "page.html"], tmp_path, PYTHONPATH=str(installed))
    assert done.returncode == 0, done.stderr
    assert "kite" in done.stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<style" in page
    assert "kite" in page


def test_the_installed_command_is_the_one_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = (
        "import measurand, measurand.sources.registry as r; print(measurand.__file__, *r.installed().sources)"
    )
    done = _run([sys.executable, "-c", code], tmp_path, PYTHONPATH=str(installed))
    where, *sources = done.stdout.split()
    assert Path(where).is_relative_to(installed)
    assert "table" in sources


def test_the_wheel_holds_every_file_of_the_package_and_no_other(installed: Path) -> None:
    def files(folder: Path) -> set[str]:
        return {
            path.relative_to(folder).as_posix()
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }

    assert files(installed / "measurand") == files(ROOT / "src" / "measurand")
    assert (installed / "measurand" / "py.typed").is_file()
