"""The tasks of the example: sixteen small corpora, each generated from a seed, so that nothing is downloaded.

Every generator takes a seeded random generator and returns 100 to 400 kB of one kind of data.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.random import Generator

__all__ = ["CORPORA", "corpus"]

WORDS: Final = [
    *(
        "the",
        "of",
        "a",
        "to",
        "and",
        "in",
        "that",
        "is",
        "it",
        "for",
        "was",
        "on",
        "with",
        "as",
        "by",
        "at",
        "from",
    ),
    *(
        "this",
        "which",
        "river",
        "stone",
        "light",
        "winter",
        "garden",
        "letter",
        "window",
        "morning",
        "silver",
    ),
    *(
        "carry",
        "follow",
        "answer",
        "number",
        "signal",
        "table",
        "engine",
        "harbour",
        "market",
        "bridge",
        "candle",
    ),
    *(
        "figure",
        "measure",
        "between",
        "without",
        "another",
        "because",
        "through",
        "against",
        "during",
        "nothing",
    ),
    *("little", "quiet", "heavy", "narrow"),
]
SYLLABLES: Final = [a + b for a in "bdfgklmnprstvw" for b in "aeiou"]


def corpus(kind: str, seed: int) -> bytes:
    """Generate the corpus of one kind; the same seed gives the same bytes."""
    return CORPORA[kind](np.random.default_rng([seed, *kind.encode()]))


def web_log(rng: Generator) -> bytes:
    """Lines of a web server's access log."""
    pages = [f"/{word}/{rng.integers(100)}.html" for word in WORDS]
    lines = [
        f"10.0.{rng.integers(4)}.{rng.integers(256)} - - [03/May/2026:{second // 3600:02}:{second // 60 % 60:02}:"
        f'{second % 60:02} +0000] "GET {rng.choice(pages)} HTTP/1.1" {rng.choice([200, 200, 304, 404])} '
        f"{rng.integers(200, 90_000)}"
        for second in range(2_500)
    ]
    return "\n".join(lines).encode()


def json_records(rng: Generator) -> bytes:
    """One JSON object a line, with repeated keys and varying values."""
    records = [
        {
            "id": number,
            "name": f"{rng.choice(WORDS)}-{rng.choice(WORDS)}",
            "active": bool(rng.integers(2)),
            "tags": rng.choice(WORDS, 3).tolist(),
            "balance": round(float(rng.normal(500, 120)), 2),
        }
        for number in range(1_800)
    ]
    return "\n".join(json.dumps(record) for record in records).encode()


def csv_numbers(rng: Generator) -> bytes:
    """A table of measurements: a clock and three slowly drifting sensors."""
    sensors = 20 + rng.normal(0, 0.05, (6_000, 3)).cumsum(axis=0)
    rows = [
        f"{1_760_000_000 + 60 * minute},{a:.2f},{b:.2f},{c:.2f}" for minute, (a, b, c) in enumerate(sensors)
    ]
    return "\n".join(["time,inside,outside,cellar", *rows]).encode()


def source_code(rng: Generator) -> bytes:
    """Text that looks like a program: few keywords, many repeated names."""
    functions = []
    for number in range(900):
        first, second, third = rng.choice(WORDS, 3)
        functions.append(
            f"def {first}_{second}_{number}({third}: int, limit: int = {rng.integers(1_000)}) -> int:\n"
            f'    """Return the {second} {first} of {third}."""\n'
            f"    if {third} > limit:\n        return {third} - {rng.integers(1_000)}\n"
            f"    return {third} * {rng.integers(100)} + limit\n"
        )
    return "\n\n".join(functions).encode()


def prose(rng: Generator) -> bytes:
    """Prose-like text from a Markov chain: each word prefers a few successors."""
    successors = rng.dirichlet(np.full(len(WORDS), 0.08), size=len(WORDS)).cumsum(axis=1)
    text, word = [], 0
    for draw in rng.random(40_000):
        word = min(int(np.searchsorted(successors[word], draw)), len(WORDS) - 1)
        text.append(WORDS[word])
    return " ".join(text).encode()


def dna(rng: Generator) -> bytes:
    """A genome: random bases with long copies, each slightly mutated."""
    bases = np.frombuffer(b"ACGT", dtype=np.uint8)
    unit = rng.choice(bases, 40_000)
    copies = []
    for _ in range(6):
        copy = unit.copy()
        mutated = rng.random(copy.size) < 0.002
        copy[mutated] = rng.choice(bases, int(mutated.sum()))
        copies.append(copy)
    return np.concatenate(copies).tobytes()


def sparse_bitmap(rng: Generator) -> bytes:
    """A bitmap of one bit a pixel in which few pixels are set."""
    return np.packbits(rng.random(2_400_000) < 0.004).tobytes()


def gradient_image(rng: Generator) -> bytes:
    """A grey image, 512 x 512: a smooth gradient under a little noise."""
    row, column = np.mgrid[0:512, 0:512]
    smooth = 128 + 60 * np.sin(row / 90) + 60 * np.cos(column / 70)
    noise = rng.random((512, 512)) < 0.02
    return bytes((smooth + noise).astype(np.uint8))


def binary_integers(rng: Generator) -> bytes:
    """Increasing 64-bit integers, as a database index holds them."""
    return rng.integers(1, 200, 32_000).cumsum().astype("<i8").tobytes()


def repeated_blocks(rng: Generator) -> bytes:
    """Random blocks of 4 kB that come back in random order, often from far away."""
    blocks = [rng.bytes(4_096) for _ in range(24)]
    return b"".join(blocks[number] for number in rng.integers(len(blocks), size=64))


def xml_document(rng: Generator) -> bytes:
    """A catalogue in XML: much markup, little content."""
    entries = [
        f'  <entry id="{number}" state="{rng.choice(["open", "closed"])}">\n'
        f"    <title>{rng.choice(WORDS)} {rng.choice(WORDS)}</title>\n"
        f'    <price currency="EUR">{rng.integers(10_000) / 100:.2f}</price>\n  </entry>'
        for number in range(1_700)
    ]
    return "\n".join(["<catalogue>", *entries, "</catalogue>"]).encode()


def key_value_settings(rng: Generator) -> bytes:
    """Settings of many hosts, one key and value a line."""
    keys = [f"{a}.{b}" for a in WORDS[:12] for b in WORDS[12:18]]
    lines = []
    for host in range(120):
        lines.append(f"[host-{host:03}]")
        lines += [f"{key} = {rng.choice([0, 1, 10, 60, int(rng.integers(10**6))])}" for key in keys]
    return "\n".join(lines).encode()


def base64_log(rng: Generator) -> bytes:
    """A web log packed as base64, as mail attachments are."""
    return base64.encodebytes(web_log(rng))


def utf16_text(rng: Generator) -> bytes:
    """Prose in UTF-16: every second byte is zero."""
    return prose(rng)[:120_000].decode().encode("utf-16")


def sorted_words(rng: Generator) -> bytes:
    """A sorted list of made-up words, as a spelling dictionary holds them."""
    words = {"".join(rng.choice(SYLLABLES, rng.integers(2, 6))) for _ in range(22_000)}
    return "\n".join(sorted(words)).encode()


def mostly_random(rng: Generator) -> bytes:
    """Noise that nobody can shrink, a part of which comes again 120 kB later."""
    noise = rng.bytes(120_000)
    return noise + noise[:80_000]


CORPORA: Final[Mapping[str, Callable[[Generator], bytes]]] = {
    "web-log": web_log,
    "json-records": json_records,
    "csv-numbers": csv_numbers,
    "source-code": source_code,
    "prose": prose,
    "dna": dna,
    "sparse-bitmap": sparse_bitmap,
    "gradient-image": gradient_image,
    "binary-integers": binary_integers,
    "repeated-blocks": repeated_blocks,
    "xml-document": xml_document,
    "key-value-settings": key_value_settings,
    "base64-log": base64_log,
    "utf16-text": utf16_text,
    "sorted-words": sorted_words,
    "mostly-random": mostly_random,
}
"""Name of a task -> generator of its corpus."""
