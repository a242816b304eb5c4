"""The verbs about the embedder of a memory: which it is, and a switch to another one."""

from typing import Literal

from smriti_es.embedder_switching import (
    EmbedderState,
    EmbedderSwitch,
    SwitchEmbedder,
    embedder_state,
)
from smriti_es.embedders import Embedder
from smriti_es.fact_reads import FactReads
from smriti_es.projections.projector import Progress, no_progress


class EmbedderVerbs(FactReads):
    """The engine has them, a view of the past does not."""

    def embedder_state(self) -> EmbedderState:
        """Say whose vectors serve, whether the engine has that embedder, and what is being made."""
        return embedder_state(self._opened)

    def switch_embedder(
        self,
        embedder: Embedder | Literal["auto"],
        *,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> EmbedderSwitch:
        """Make the vectors anew with another embedder, and let it take over in one step.

        Reads and writes go on meanwhile, with the old vectors; no read ever mixes the two. This
        engine then embeds questions and new turns with the new one; engines that have the old one
        find by words and say so until they are opened with the new one, or switched to it, too.

        What breaks off loses nothing: call it again with the same embedder, and it goes on where it
        stopped. To give it up, switch to the embedder that serves.

        Args:
            embedder: The new one. "auto": MiniLM where installed, else by hashing.
            dry_run: Change nothing; say what it would cost, after embedding up to 128 of the texts.
            progress: Called with phase, done and total (events).

        Raises:
            InvalidInput: It cannot be used as an embedder.
            EgressRefused: The profile does not allow where it sends text.
            EmbedderError: It is out of reach, or refuses everything; the old vectors serve on.
            StorageBusy: Another process is making vectors anew.
            NotAllowed: The engine was opened to read only, or not as an owner.
        """
        self._opened.guarding.assert_owner()
        switch = SwitchEmbedder.to(self._opened, embedder)
        return switch.surveyed(progress) if dry_run else switch.done(progress)
