"""Where files of ours lie that belong to a database on a server, on this machine."""

import os
from pathlib import Path
from typing import Final

# Names another folder than the user's own.
VARIABLE: Final = "SMRITI_ES_STATE"


def state_folder() -> Path:
    """Give the folder of the signing keys and newest checkpoints of memories on a server.

    It is made, readable to nobody else, when it is not there.
    """
    named = os.environ.get(VARIABLE)
    if named:
        folder = Path(named)
    else:
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
        folder = Path(home) / "smriti-es"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
