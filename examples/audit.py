"""Read the log itself: who recorded what, when, and what it hashes to."""

from pathlib import Path
from tempfile import TemporaryDirectory

from smriti_es import Engine

with (
    TemporaryDirectory() as folder,
    Engine.open(Path(folder) / "audit.db", embedder=None) as engine,
):
    engine.add(
        [
            {"role": "user", "content": "Book the train to Pune."},
            {"role": "assistant", "content": "Booked for Friday, 7:40."},
        ],
        session="travel",
        idempotency_key="travel-1",
    )
    for recorded in engine.events():
        header = recorded.header
        print(header.position, header.type, header.actor.kind, recorded.leaf.hex()[:12])
    report = engine.verify()
    print(report.log.events, "events verified, head", report.log.head[:12])
