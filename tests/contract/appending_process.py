"""A process that appends until it is killed: run as a script, its place and tenant in argv.

Each turn that was acknowledged is one line on stdout: its position and its text. A line `ready`
says that the memory is open.
"""

import sys
from itertools import count

from smriti_es.engine import Engine
from smriti_es.settings import Settings


def say(line: str) -> None:
    """Let whoever listens have a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(place: str, tenant: str, name: str) -> None:
    """Add turns and say each that stands."""
    quiet = Settings(embed_in_background=False)
    options = {"tenant": tenant, "embedder": None, "extractor": None, "settings": quiet}
    with Engine.open(place, **options) as engine:  # type: ignore[arg-type]
        say("ready")
        head = engine.head
        for number in count():
            text = f"{name} says {number}"
            (position,) = engine.add(text, session=name).positions
            if not head < position <= engine.head:
                raise AssertionError(f"{position} stands neither behind {head} nor in the log")
            head = position
            say(f"{position} {text}")


if __name__ == "__main__":
    main(*sys.argv[1:])
