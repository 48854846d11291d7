"""The command as a user runs it: a process of its own, a fresh home, an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import pytest

COMMAND = Path(sys.executable).with_name("measurand")
PATIENCE = 120


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str


@dataclass
class Terminal:
    """A working folder in which to run the command."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start ``measurand ARGUMENTS`` and return at once."""
        return self.start_into(subprocess.PIPE, *arguments)

    def start_into(self, stdout: IO[bytes] | int, *arguments: str) -> subprocess.Popen[str]:
        """Start ``measurand ARGUMENTS > STDOUT`` and return at once."""
        return subprocess.Popen(  # noqa: S603 - our own command
            [COMMAND, *arguments],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def run(self, *arguments: str) -> Done:
        """Run ``measurand ARGUMENTS`` to its end."""
        return self.run_all(arguments)[0]

    def run_all(self, *commands: tuple[str, ...]) -> list[Done]:
        """Run several commands at once, to their ends."""
        processes = [self.start(*arguments) for arguments in commands]
        ended = [process.communicate(timeout=PATIENCE) for process in processes]
        return [
            Done(process.returncode, out, err) for process, (out, err) in zip(processes, ended, strict=True)
        ]

    def write(self, name: str, content: str | bytes) -> str:
        """Write a file into the folder and return its name."""
        data = content.encode() if isinstance(content, str) else content
        (self.folder / name).write_bytes(data)
        return name

    def files(self) -> set[str]:
        """All files and folders below the working folder."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    env = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}
    return Terminal(folder, env)
