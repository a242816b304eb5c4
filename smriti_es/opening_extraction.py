"""What an open memory finds facts with."""

from typing import TYPE_CHECKING, Literal

from smriti_es.arbitrating import Arbitration, current_beside
from smriti_es.beliefs import Fact
from smriti_es.events.catalogue import FactAsserted
from smriti_es.extracting import Extracting
from smriti_es.extraction.arbitration import Arbiter
from smriti_es.extraction.contract import Extractor
from smriti_es.extraction_worker import ExtractionWorker

if TYPE_CHECKING:
    from smriti_es.opened import Opened


def _pattern_extractor() -> Extractor:
    # Its patterns take a while to compile, and many an engine brings its own extractor.
    from smriti_es.extraction.patterns import PatternExtractor

    return PatternExtractor()


def extraction_worker(
    opened: "Opened", extractor: Extractor | Literal["auto"] | None, arbiter: Arbiter | None
) -> ExtractionWorker | None:
    """Give what finds facts in the turns of an open memory; None when nothing shall."""
    if extractor is None:
        return None
    extracting = Extracting(
        opened.projector,
        opened.guarding.extractor(_pattern_extractor() if extractor == "auto" else extractor),
        opened.actor,
        opened.zone.key,
        opened.single,
        opened.space_of,
        None if arbiter is None else _arbitration(opened, arbiter),
    )
    return ExtractionWorker(extracting, background=opened.settings.extract_in_background)


def _arbitration(opened: "Opened", arbiter: Arbiter) -> Arbitration:
    def current(event: FactAsserted) -> list[Fact]:
        with opened.database.read() as connection:
            reader = opened.beliefs(connection, None, event.valid_from)
            return current_beside(reader, event)

    model = str(getattr(arbiter, "model", type(arbiter).__name__))
    guarded = opened.guarding.arbiter(arbiter)
    return Arbitration(guarded, model, lambda: opened.reader.queries, current)
