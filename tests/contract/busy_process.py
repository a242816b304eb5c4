"""One of several processes that use a memory at once: run as a script, its job as JSON in argv.

It opens the memory, says so, waits for a line on stdin, works, and says what it did as one line of
JSON; every error that reaches it is in there.
"""

import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine
from smriti_es.settings import Settings

Job = dict[str, Any]


class Work:
    """What one process does, and what came of it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.added: list[tuple[str, list[int], bool]] = []
        self.answers = 0
        self.engine = self.open_engine()

    def open_engine(self) -> Engine:
        embeds = self.job.get("embeds", False)

        def embed(texts: list[str]) -> list[list[float]]:
            self.asked.extend(texts)
            return [[1.0, 1.0 + len(text) % 7] for text in texts]

        return Engine.open(
            self.job["path"],
            embedder=CallableEmbedder(embed, model="shared", dimension=2) if embeds else None,
            settings=Settings(embed_in_background=embeds),
        )

    def guarded(self, work: Callable[..., None], *arguments: Any) -> None:
        try:
            work(*arguments)
        except BaseException:  # noqa: BLE001  no error may reach a caller: the test looks at each
            self.errors.append(traceback.format_exc())

    def write(self, name: str) -> None:
        for number in range(self.job["adds"]):
            text = f"{name} says {number} of pears"
            messages = [
                {"role": "user", "content": text},
                {"role": "assistant", "content": f"heard: {text}"},
            ]
            added = self.engine.add(messages, session="shared" if number % 2 else name)
            self.added.append((text, list(added.positions), added.repeated))

    def repeat(self, name: str) -> None:
        """Send what every other thread sends, too, under the same keys."""
        del name
        for number in range(self.job["adds"]):
            text = f"once and for all: {number}"
            added = self.engine.add(text, session="shared", idempotency_key=f"key {number}")
            self.added.append((text, list(added.positions), added.repeated))

    def read(self) -> None:
        heads = [-1]
        for _ in range(self.job["reads"]):
            found = self.engine.search("who says what of pears", k=3)
            listed = self.engine.turns(limit=10, newest=True)
            if found.head < heads[-1] or len(listed) < len(found):
                raise AssertionError("a reader went back in time")
            heads.append(found.head)
            self.answers += 1

    def run(self) -> Job:
        names = [f"p{self.job['process']} t{thread}" for thread in range(self.job["threads"])]
        work = self.repeat if self.job.get("same_keys") else self.write
        writers = [threading.Thread(target=self.guarded, args=(work, name)) for name in names]
        readers = [
            threading.Thread(target=self.guarded, args=(self.read,))
            for _ in range(1 if self.job.get("reads") else 0)
        ]
        for thread in (*readers, *writers):
            thread.start()
        for thread in (*writers, *readers):
            thread.join()
        if self.job.get("embeds"):
            self.guarded(self.engine.wait_for_vectors)
        self.guarded(self.engine.close)
        return {
            "added": self.added,
            "answers": self.answers,
            "asked": self.asked,
            "errors": self.errors,
        }


def main() -> None:
    """Do the job."""
    job = json.loads(sys.argv[1])
    work = Work(job)
    if job.get("dies_at"):
        work.engine._opened.log.on_step = lambda step: (
            os.kill(os.getpid(), signal.SIGKILL) if step == job["dies_at"] else None
        )
    sys.stdout.write("open\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(json.dumps(work.run()) + "\n")


if __name__ == "__main__":
    main()
