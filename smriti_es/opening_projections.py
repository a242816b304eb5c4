"""The projections of a memory, put together around its log when it is opened."""

from smriti_es.embedders import Embedder
from smriti_es.embedding import vectors_by
from smriti_es.events.log import EventLog
from smriti_es.projections.entities import EntitiesProjection
from smriti_es.projections.extractions import ExtractionsProjection
from smriti_es.projections.facts import FactsProjection
from smriti_es.projections.inline import InlineFolding
from smriti_es.projections.lexical.projection import LexicalProjection
from smriti_es.projections.lineage import LineageProjection
from smriti_es.projections.projector import Projector
from smriti_es.projections.receipts import ReceiptsProjection
from smriti_es.projections.revisions import RevisionsProjection
from smriti_es.projections.trust import TrustProjection
from smriti_es.projections.turns import TurnsProjection
from smriti_es.projections.vectors.projection import VectorsProjection


def projector_of(log: EventLog, embedder: Embedder | None) -> Projector:
    """Make the projector of a log; an embedder makes its vectors, or nothing does."""
    vectors = VectorsProjection(None) if embedder is None else vectors_by(embedder, log)
    projector = Projector(
        log,
        [
            TurnsProjection(),
            EntitiesProjection(),
            LineageProjection(),
            TrustProjection(),
            FactsProjection(),
            RevisionsProjection(),
            ExtractionsProjection(),
            LexicalProjection(),
            ReceiptsProjection(),
            vectors,
        ],
    )
    InlineFolding(projector)
    return projector
