"""Bring an embedder of your own, then change to another one without losing anything."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from smriti_es import CallableEmbedder, Engine


def letters(texts: list[str]) -> np.ndarray:
    """Embed a text by how often each letter occurs: not clever, but a model could stand here."""
    counts = [[1 + text.lower().count(letter) for letter in "abcdefgh"] for text in texts]
    return np.array(counts, np.float32)


def vowels(texts: list[str]) -> np.ndarray:
    """Embed a text by its vowels alone."""
    counts = [[1 + text.lower().count(letter) for letter in "aeiou"] for text in texts]
    return np.array(counts, np.float32)


first = CallableEmbedder(letters, model="letters", dimension=8)
second = CallableEmbedder(vowels, model="vowels", dimension=5)

with TemporaryDirectory() as folder:
    memory = Path(folder) / "letters.db"
    with Engine.open(memory, embedder=first) as engine:
        engine.add("The kiln is fired on Tuesdays.", session="pottery", wait_for="vectors")

    with Engine.open(memory, embedder=second) as engine:
        print("before:", *engine.search("When is the kiln fired?").degraded)
        report = engine.rebuild("vectors")
        print("generation", report.generation, "was built from", report.events, "events")
        print("after:", engine.search("When is the kiln fired?").degraded or "nothing is degraded")
