"""The owner's verb of subject access, which an engine has and a view does not."""

import os
from typing import TYPE_CHECKING, cast

from smriti_es.opened import Opened
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.subject_access.conversations import (
    ExportedConversations,
    export_conversations,
)
from smriti_es.subject_access.export import Exported, Form, Others, export_about

if TYPE_CHECKING:
    from smriti_es.view import View


class SubjectAccess:
    """Tells whoever asks what is held on them. It is for an owner and for no agent."""

    _opened: Opened

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        about: str,
        form: Form = "jsonl",
        others: Others = "whole",
        progress: Progress = no_progress,
    ) -> Exported:
        """Write everything that is held on somebody to a new file that only its owner can read.

        Facts of every state (believed, superseded, proposed, turned down, taken back, withheld)
        with each belief about them; turns that they said, that name them, or that such facts came
        from; what models replied to these; what was decided about it, and in which answers it was
        handed out; each with its place in the log and its hash. What is said on somebody else is
        left out, though it rest on something of theirs; but what others said of them, or with them,
        is not theirs alone: read it before you hand it over.

        Args:
            path: The file, which must not be there. It appears whole or not at all.
            about: A name; every alias is meant. `user` is whoever speaks in that role.
            form: "jsonl": one record a line, for programs; "markdown": a page for people.
            others: "excerpts" writes of what others said only the sentences that name the person,
                and nothing that a model replied.
            progress: Called with "look", events done and in all.

        Returns:
            What was written, and what was not looked at.

        Raises:
            InvalidInput: Something is at the path already, or a value cannot be used.
            NotFound: A space that is read does not exist.
            StorageUnavailable: The file cannot be written.

        Cost: Two passes over the log, and one byte of memory for each event of it.
        """
        return export_about(
            self._opened, path, about=about, form=form, others=others, progress=progress
        )

    def export_conversations(
        self,
        path: str | os.PathLike[str],
        *,
        form: Form = "jsonl",
        progress: Progress = no_progress,
    ) -> ExportedConversations:
        """Write the conversations of the space that is read to a new file only its owner can read.

        What is withheld or erased is not in it. As JSON lines it can be imported again: the turns
        are equal then, apart from positions and from when they were recorded. A turn that nobody
        had dated is dated by when it was recorded; coarse dates are meant in the memory's zone.

        Args:
            path: The file, which must not be there. It appears whole or not at all.
            form: "jsonl": a message a line; "markdown": a page for people.
            progress: Called with "export file", sessions done and in all.

        Raises:
            InvalidInput: Something is at the path, or several spaces are read.
            StorageUnavailable: The file cannot be written.
        """
        return export_conversations(
            cast("View", self), self._opened, path, form=form, progress=progress
        )
