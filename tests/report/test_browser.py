"""The page in a real browser that has no network: what a reader sees, at two widths, in light and dark."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from measurand.report import board_document, comparison_document, render_html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from measurand.analyze.board import Board
    from measurand.analyze.comparison import Comparison

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


LAUNCH = """
import fcntl, os, sys
commands, answers = (fcntl.fcntl(int(pipe), fcntl.F_DUPFD, 10) for pipe in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Chromium reads commands from descriptor 3 and writes answers to descriptor 4."""


class Browser:
    """A headless Chromium driven over a pipe by the DevTools protocol."""

    def __init__(self, program: str, profile: Path) -> None:
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()
        pipes = [str(to_browser), str(from_browser)]
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            [
                sys.executable,
                "-c",
                LAUNCH,
                *pipes,
                program,
                *FLAGS,
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=0,
            uploadThroughput=0,
        )

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._read, 1 << 20)
            assert part, "the browser has ended"
            self._buffer += part
        message, self._buffer = self._buffer.split(b"\0", 1)
        parsed: dict[str, Any] = json.loads(message)
        return parsed

    def open(self, path: Path, *, width: int, dark: bool = False) -> None:
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")

    def value(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    @property
    def complaints(self) -> list[str]:
        """What the page wrote to the console, security violations included."""
        return [
            json.dumps(event["params"])
            for event in self.events
            if event.get("method")
            in {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"}
        ]

    @property
    def requests(self) -> list[str]:
        """Addresses that the page asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def close(self) -> None:
        os.write(self._write, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no Chromium on the PATH: the page was not tried in a browser")
    opened = Browser(program, tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, board: Board, hostile_board: Board, comparison: Comparison
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    documents = {
        "board": board_document(board),
        "hostile": board_document(hostile_board),
        "comparison": comparison_document(comparison),
    }
    for name, document in documents.items():
        (folder / f"{name}.html").write_text(render_html(document), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in documents}


SHOWN_FIGURES = """
[...document.querySelectorAll("svg.figure")].filter(svg => getComputedStyle(svg).display !== "none")
  .map(svg => { const box = svg.getBoundingClientRect(); return [box.width, box.height]; })
"""


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["board", "hostile", "comparison"])
def test_a_page_shows_its_figures_and_fits(
    browser: Browser, pages: dict[str, Path], name: str, width: int, *, dark: bool
) -> None:
    browser.open(pages[name], width=width, dark=dark)
    assert browser.complaints == []
    assert browser.requests == [pages[name].as_uri()]
    figures = browser.value(SHOWN_FIGURES)
    assert len(figures) == (1 if name == "comparison" else 2)
    assert all(box[0] > 200 and box[1] > 50 for box in figures)
    assert all(box[0] <= width for box in figures)
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_the_colours_follow_the_readers_preference(browser: Browser, pages: dict[str, Path]) -> None:
    shown = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('svg.wide .f-ink')).fill]"
    browser.open(pages["board"], width=1280)
    light = browser.value(shown)
    browser.open(pages["board"], width=1280, dark=True)
    dark = browser.value(shown)
    assert light == ["rgb(255, 255, 255)", "rgb(28, 38, 48)"]
    assert dark == ["rgb(18, 24, 30)", "rgb(228, 233, 237)"]


def test_print_is_light_and_keeps_names_readable(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["board"], width=720, dark=True)
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    browser.call("Emulation.setEmulatedMedia", media="print", features=[dark])
    assert (
        browser.value("getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()")
        == "#ffffff"
    )
    assert (
        browser.value("document.querySelector('#standings tbody th.name').getBoundingClientRect().width")
        > 100
    )
    assert browser.value("document.documentElement.scrollWidth") <= 720
    assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    browser.call("Emulation.setEmulatedMedia", media="")


def test_the_policy_is_in_force(browser: Browser, pages: dict[str, Path]) -> None:
    """A style attribute set by a script of the test itself is refused, so that the policy is known to be read."""
    browser.open(pages["board"], width=1280)
    colour = browser.value(
        "document.body.setAttribute('style', 'color: rgb(1, 2, 3)'), getComputedStyle(document.body).color"
    )
    assert colour != "rgb(1, 2, 3)"


def test_hostile_names_stay_text(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["hostile"], width=1280)
    assert browser.value("document.scripts.length") == 0
    names = browser.value(
        "[...document.querySelectorAll('#standings tbody tr:not(.band) bdi')].map(e => e.textContent)"
    )
    assert "<script>alert(1)</script>" in names
    assert "x" * 500 in names
    assert browser.value("document.querySelectorAll('svg svg, svg script, td b').length") == 0


def test_a_table_downloads_as_csv(browser: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    browser.open(pages["board"], width=1280)
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.value("document.querySelector('a[download=\"standings.csv\"]').click()")
    target = tmp_path / "standings.csv"
    for _ in range(100):
        if target.exists() and target.stat().st_size:
            break
        browser.value("new Promise(done => setTimeout(done, 50))")
    assert target.read_text(encoding="utf-8").startswith("rank,tier,agent,")
    assert browser.complaints == []
