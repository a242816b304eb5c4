"""The verbs that look whether a memory is well, and repair what can be made anew."""

from smriti_es.attesting import Attesting
from smriti_es.doctor import QUESTIONS, Diagnosis, check_questions, diagnose
from smriti_es.embedder_verbs import EmbedderVerbs
from smriti_es.events.errors import NotAllowed
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.repairing import Repair, mend


class DoctorVerbs(EmbedderVerbs, Attesting):
    """The engine has them, a view of the past does not."""

    def doctor(self, *, questions: int = QUESTIONS, progress: Progress = no_progress) -> Diagnosis:
        """Look whether everything is as it should be; nothing is changed.

        The log is verified, and what it rests on is looked at: the storage, whether commits are
        durable, versions, room on the disk, rights on files, checkpoints, the embedder, and what
        broken-off work left. Projections are folded anew and compared, as `check` does. The graph
        of the vectors, where there are enough for one, is read from its file and asked for the
        nearest of some questions; what it finds is compared with what comparing every vector finds.

        Args:
            questions: How many questions it is asked, 1 to 10,000.
            progress: Called with phase, done and total.

        Raises:
            InvalidInput: It is not to be asked so many.
        """
        check_questions(questions)
        verified = self.verify(projections=False, progress=progress).log
        return diagnose(self._opened, verified, questions, progress)

    def repair(self, *, questions: int = QUESTIONS, progress: Progress = no_progress) -> Repair:
        """Make anew what `doctor` finds wrong and the log can give again; for owners only.

        Projections that differ or cannot be read are rebuilt beside and switched to, a graph that
        is damaged, stale or finds too little is built anew, files that others may read are closed
        to them, and what rebuilds, switches of the embedder or crashes left behind is deleted: a
        switch that broke off begins anew. The log is read, and never written to. Where it is not
        what was written, nothing that is derived from it is made anew.

        Args:
            questions: As in `doctor`.
            progress: Called with phase, done and total.

        Returns:
            What was found, what was done, what could not be done and why, and what is found now.

        Raises:
            InvalidInput: The graph is not to be asked so many questions.
            NotAllowed: The engine was opened to read only, or not as an owner.
        """
        opened = self._opened
        opened.guarding.assert_owner()
        if opened.database.read_only:
            raise NotAllowed("the memory was opened to read only", hint="Open it to write.")
        before = self.doctor(questions=questions, progress=progress)
        steps = tuple(mend(opened, before, progress))
        after = self.doctor(questions=questions, progress=progress) if steps else before
        return Repair(before, steps, after)
