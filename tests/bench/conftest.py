"""What the tests of the benches share; without a checkout there are no benches to test."""

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

collect_ignore_glob = [] if find_spec("bench") else ["test_*.py"]

# Two conversations in LoCoMo's form, one of each split, with labels as untidy as the real ones.
SAMPLES: Sequence[dict[str, Any]] = (
    {
        "sample_id": "conv-26",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I adopted a parrot yesterday."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "What do you call it?"},
                {
                    "speaker": "Ada",
                    "dia_id": "D1:3",
                    "text": "Pirate, of course!",
                    "blip_caption": "a photo of a green parrot",
                },
            ],
            "session_2_date_time": "9:05 am on 1 June, 2023",
            "session_2": [
                {"speaker": "Bo", "dia_id": "D2:1", "text": "My bicycle was stolen in Utrecht."}
            ],
            "session_3_date_time": "9:00 am on 2 June, 2023",
        },
        "qa": [
            {
                "question": "What is the name of Ada's parrot?",
                "answer": "Pirate",
                "evidence": ["D1:3; D1:1"],
                "category": 1,
            },
            {
                "question": "Where was Bo's bicycle stolen?",
                "answer": "Utrecht",
                "evidence": ["D2:1"],
                "category": 4,
            },
            {"question": "When?", "answer": 2023, "evidence": ["D9:9"], "category": 2},
            {"question": "A trap", "adversarial_answer": "x", "evidence": ["D1:1"], "category": 5},
        ],
    },
    {
        "sample_id": "conv-30",
        "conversation": {
            "session_1_date_time": "12:09 am on 13 December, 2022",
            "session_1": [{"speaker": "Cy", "dia_id": "D1:1", "text": "I paint rivers."}],
        },
        "qa": [
            {
                "question": "What does Cy paint?",
                "answer": "rivers",
                "evidence": ["D1:1"],
                "category": 4,
            }
        ],
    },
)


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    """A small file in LoCoMo's form."""
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(SAMPLES), "utf-8")
    return path
