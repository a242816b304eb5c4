"""The verb that takes in what other programs wrote."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from smriti_es.checked_values import Place, checked_tags, checked_text
from smriti_es.fact_verbs import FactVerbs
from smriti_es.importers.formats import find_source
from smriti_es.importing import Import, Imported, ImportOptions, Memory, Mode, refuse_faults
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.roles import checked_origin
from smriti_es.settings import Settings


class Importing(FactVerbs):
    """Takes in exports of chats and what other memories held."""

    _command: Any
    _add_part: Any

    def import_file(  # noqa: PLR0913  everything that may be chosen, each with a default
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "auto",
        dry_run: bool = False,
        strict: bool = False,
        session_prefix: str = "",
        origin: str | None = None,
        tags: Sequence[str] = (),
        readmit: bool = False,
        progress: Progress = no_progress,
    ) -> Imported:
        """Record the conversations, and the facts if any, of a file of another program.

        It is recorded in parts, each whole, so that calling it again after a crash goes on, and
        calling it again at any time adds only what is new. Original ids and times are kept.

        Args:
            path: A file, an archive as it was downloaded, or a folder; see docs/importing.md.
            format: One of `smriti_es.importers.FORMATS`; "auto" tells it from what is there.
            dry_run: Decide everything, and write nothing.
            strict: Record nothing at all if a record cannot be understood; the file is read twice.
            session_prefix: Put before the name of every session.
            origin: Lowers the origin of everything: agent, tool, untrusted.
            tags: Added to the tags of each turn.
            readmit: Record turns again that were erased.
            progress: Called with "import file", bytes read and in all.

        Returns:
            What was recorded, and every record that was left out, with its place and why.

        Raises:
            NotFound: There is nothing at the path.
            InvalidInput: It is in no known format, damaged, or hostile; or with `strict`, a record
                cannot be understood. What came before a damaged part is recorded.
            MissingExtra: The format needs a package that is not installed.
            StorageError: The database could not take it; calling it again goes on.
        """
        options = ImportOptions(
            session_prefix=checked_text(session_prefix, Place("session_prefix")),
            origin=None if origin is None else checked_origin(origin, Place("origin")),
            tags=sorted(checked_tags(tags, Place("tags"), self._opened.settings.limits)),
            readmit=readmit,
        )
        source = find_source(Path(os.fspath(path)), format)
        parts = (self._opened, self._command, self._add_part)
        with ExitStack() as stack:
            if strict:
                trial = Memory(*parts, _scratch(stack))
                refuse_faults(Import(trial, source, options, "check", progress).run())
            facts = _scratch(stack) if dry_run else self
            mode: Mode = "rehearse" if dry_run else "record"
            tally = Import(Memory(*parts, facts), source, options, mode, progress).run()
        return tally.done(source, dry_run=dry_run, head=self._opened.log.head)


def _scratch(stack: ExitStack) -> Any:
    """Open a memory that is gone afterwards, to try facts on."""
    from smriti_es.engine import Engine

    settings = Settings(embed_in_background=False, extract_in_background=False)
    return stack.enter_context(
        Engine.open(":memory:", embedder=None, extractor=None, settings=settings)
    )
