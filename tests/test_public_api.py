"""What users may rely on: the names, the errors, quick imports, and a library that does not talk."""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import measurand
from measurand import errors
from measurand.model.table import Trials, trials_frame
from measurand.model.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Callable

HEAVY = (
    "polars",
    "numpy",
    "scipy",
    "rich",
    "jinja2",
    "vl_convert",
    "pyarrow",
    "pandas",
    "narwhals",
    "click",
    "yaml",
)


def loaded(code: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after ``code``."""
    program = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("name", measurand.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    """Each public name can be had, and says what it is."""
    value = getattr(measurand, name)
    if name == "__version__":
        assert value.count(".") >= 2
        return
    doc = inspect.getdoc(value)
    assert doc
    assert len(doc) > 20
    assert not doc.startswith(f"{name}(")


def test_nothing_else_is_public() -> None:
    """Looking at the package shows its public names, sorted, and no others; a wrong name is no attribute."""
    assert dir(measurand) == sorted(measurand.__all__)
    assert len(set(measurand.__all__)) == len(measurand.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = measurand.nonsense


def test_star_import_brings_the_public_names() -> None:
    """A star import brings each public name."""
    brought: dict[str, Any] = {}
    exec("from measurand import *", brought)  # noqa: S102 - the import itself is under test
    assert set(measurand.__all__) <= set(brought)


def test_public_names_have_annotated_signatures() -> None:
    """Each public function says the type of every argument and of its result."""
    for name in measurand.__all__:
        value = getattr(measurand, name)
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in signature.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, (name, parameter.name)


def test_every_module_lists_names_that_it_has() -> None:
    """Each module's ``__all__`` names things that are in it."""
    root = Path(measurand.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = ".".join(("measurand", *path.relative_to(root).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        if name.endswith("__main__"):
            continue
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            assert hasattr(module, public), (name, public)


def test_import_is_light() -> None:
    """``import measurand`` loads no heavy package."""
    assert not set(HEAVY) & loaded("import measurand")


def test_errors_are_light() -> None:
    """Catching our errors needs no heavy package."""
    assert not set(HEAVY) & loaded("from measurand.errors import MeasurandError")


def test_inference_stands_alone() -> None:
    """The inference core loads neither the records nor the store nor Polars."""
    root = Path(measurand.__file__).parent / "infer"
    names = ["measurand.infer", *(f"measurand.infer.{path.stem}" for path in root.glob("[!_]*.py"))]
    modules = loaded("import " + ", ".join(names))
    assert set(names) <= modules
    assert "polars" not in modules
    foreign = (
        "measurand.model",
        "measurand.store",
        "measurand.sources",
        "measurand.analyze",
        "measurand.score",
    )
    assert not [module for module in modules if module.startswith(foreign)]


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "pyarrow"])
def test_reading_takes_frames_of_each_library(kind: str) -> None:
    """The short way of the documentation works with a frame of each library."""
    frame = pl.DataFrame(
        {"agent": ["a", "b"] * 8, "task": [f"t{n // 2}" for n in range(16)], "passed": [1, 0] * 8}
    )
    data = {
        "polars": lambda: frame,
        "lazy": frame.lazy,
        "pandas": frame.to_pandas,
        "pyarrow": frame.to_arrow,
    }[kind]()
    board = measurand.board(measurand.read(data))
    assert (board.test.n_significant, board.test.n_pairs) == (1, 1)


@pytest.mark.parametrize("nonsense", [None, 42, {"agent": "a"}, object()])
def test_reading_refuses_nonsense(nonsense: object) -> None:
    """What is no path and no frame is refused as a wrong call."""
    with pytest.raises(measurand.errors.UsageError):
        measurand.read(nonsense)


def frame(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"agent": ["a", "b"], "task": ["t", "t"], "passed": [1, 0], **columns})


def without_pyarrow() -> None:
    known = sys.modules.get("pyarrow")
    sys.modules["pyarrow"] = None  # type: ignore[assignment]
    try:
        Trials(trials_frame([Trial(suite="s", task="t", agent="a", trial="1", outcome="missing")])).to_arrow()
    finally:
        if known is None:
            del sys.modules["pyarrow"]
        else:
            sys.modules["pyarrow"] = known


RAISED: dict[str, Callable[[], object]] = {
    "UsageError": lambda: measurand.board(measurand.read(frame()), measurand.Choice(agents=("z",))),
    "InputError": lambda: measurand.board(measurand.read(frame().clear())),
    "MappingError": lambda: measurand.read(frame().drop("agent")),
    "FormatError": lambda: measurand.read("no such file.csv"),
    "ValueRangeError": lambda: measurand.read(
        frame(quantity=[-1.0, 1.0], reference=[1.0, 1.0], better=["lower"] * 2)
    ),
    "ConflictError": lambda: measurand.read(frame(agent=["a", "a"], trial=["1", "1"])),
    "ComparabilityError": lambda: measurand.board(measurand.read(frame(suite_version=["1", "2"]))),
    "StoreError": lambda: measurand.open("no such store"),
    "MissingExtraError": without_pyarrow,
}


def test_every_error_is_raised_by_a_call() -> None:
    """Each class of the error tree but its root has a call below that raises it."""
    assert {"MeasurandError", *RAISED} == set(errors.__all__)


@pytest.mark.parametrize("name", RAISED)
def test_error_is_raised_and_says_what_to_do(name: str) -> None:
    """A real call raises the class itself, with what is wrong in its message; the root catches it."""
    kind = getattr(errors, name)
    with pytest.raises(errors.MeasurandError) as caught:
        RAISED[name]()
    assert type(caught.value) is kind
    assert caught.value.what
    assert caught.value.what in str(caught.value)
    assert caught.value.hint in str(caught.value)
    assert inspect.getdoc(kind)


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("UsageError", ValueError),
        ("InputError", ValueError),
        ("StoreError", OSError),
        ("MissingExtraError", ImportError),
    ],
)
def test_errors_are_also_those_of_the_language(name: str, builtin: type[Exception]) -> None:
    """A caller that knows only Python's own errors catches ours too."""
    assert issubclass(getattr(errors, name), builtin)


def test_error_tree_is_drawn_as_it_is() -> None:
    """The drawing at the top of the module names each class."""
    assert errors.__doc__ is not None
    assert all(name in errors.__doc__ for name in errors.__all__)


def test_message_has_place_and_hint() -> None:
    """A message starts with the place and ends with the hint, where there are any."""
    assert (
        str(errors.InputError("it is wrong", where="a.csv:3", hint="mend it"))
        == "a.csv:3: it is wrong\n  mend it"
    )
    assert str(errors.InputError("it is wrong")) == "it is wrong"


def test_library_does_not_talk(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Reading, importing, judging and comparing print nothing on either stream."""
    path = tmp_path / "a.csv"
    frame(trial=["1", "1"], cost_usd=[-1.0, 1.0]).write_csv(path)
    measurand.import_into(tmp_path / "store", path)
    trials = measurand.read(tmp_path / "store")
    measurand.board(trials)
    measurand.compare(trials, "a", "b")
    measurand.open(tmp_path / "store").info(verify=True)
    assert capfd.readouterr() == ("", "")
