"""One question at two times: when it held in the world, and when the memory knew it."""

from pathlib import Path
from tempfile import TemporaryDirectory

from smriti_es import Engine

with TemporaryDirectory() as folder, Engine.open(Path(folder) / "memory.db") as engine:
    engine.add("I live in Hyderabad.", session="january", at="2024-01-15T10:00:00Z")
    then = engine.head
    engine.add("I moved to Bengaluru on June 1st.", session="june", at="2024-06-02T10:00:00Z")

    now = engine.facts("user", "lives_in")
    march = engine.facts("user", "lives_in", valid_at="2024-03-01")
    july_as_known_in_january = engine.facts(
        "user", "lives_in", valid_at="2024-07-01", known_at=then
    )
    for asked, facts in (
        ("now", now),
        ("in March", march),
        ("in July, as far as was known in January", july_as_known_in_january),
    ):
        print(asked, "->", *(fact.object for fact in facts))

    for change in engine.diff(then, engine.head):
        print(change.kind, change.after.object, change.after.interval)
