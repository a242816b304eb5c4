"""Bring a log's projections to this release when it is opened."""

from typing import Final

from smriti_es.events.errors import (
    ProjectionFailed,
    SchemaNewer,
    SchemaOutdated,
    StorageBusy,
)
from smriti_es.projections.folding_together import fold_together
from smriti_es.projections.generation import ACTIVE, BUILDING, HALTED, RETIRED, Generation
from smriti_es.projections.projection import Projection
from smriti_es.projections.projector import Projector
from smriti_es.projections.rebuild import rebuild
from smriti_es.projections.sweeping import sweep

# How long to wait for another process's rebuild before looking whether it is done, seconds.
_LOOK_S: Final = 0.2


def prepare_projections(projector: Projector) -> None:
    """Begin what is new, rebuild what another version built, and catch up what lags.

    A projection that halts meanwhile does not keep the memory from being opened: it says so in the
    status, and writes that need it are refused.
    """
    with projector.log.database.write() as connection:
        projector.begin(connection)
    for projection in projector.projections.values():
        if projection.inline:
            _bring_to_version(projector, projection)
        else:
            _begin_anew(projector, projection)
    sweep(projector)
    while _advance_together(projector):
        pass
    for projection in projector.projections.values():
        if projection.inline:
            _catch_up(projector, projection)


def assert_readable(projector: Projector) -> None:
    """Refuse a memory whose projections this release cannot read and may not rebuild.

    Raises:
        SchemaOutdated: One is missing, or an older release built it.
        SchemaNewer: A newer release built one.
    """
    with projector.log.database.read() as connection:
        serving = projector.serving(connection)
    for name, projection in projector.projections.items():
        version = serving[name].version if name in serving else 0
        if version > projection.version:
            raise SchemaNewer(f"a newer release built projection {name}, as version {version}")
        if version < projection.version:
            found = f"was built as version {version}" if version else "is not there yet"
            raise SchemaOutdated(f"projection {name} {found}")


def _bring_to_version(projector: Projector, projection: Projection) -> None:
    """Rebuild beside until this release's version serves, here or by another process."""
    while _serving(projector, projection).version != projection.version:
        try:
            rebuild(projector, projection.name, wait_s=_LOOK_S)
        except StorageBusy:
            continue
        except ProjectionFailed:
            _serve_halted(projector, projection)


def _serve_halted(projector: Projector, projection: Projection) -> None:
    """Let an unfinished rebuild serve, as far as it came.

    What served until now cannot be read by this release, so going on with it is no choice.
    """
    with projector.log.database.write() as connection:
        old = projector.serving(connection)[projection.name]
        for generation in projector.generations(connection):
            if generation.name == projection.name and generation.state == BUILDING:
                projector.set_state(connection, old, RETIRED)
                projector.set_state(connection, generation, HALTED, generation.error)


def _begin_anew(projector: Projector, projection: Projection) -> None:
    """Begin with empty tables what another version built and the background will fill."""
    with projector.log.database.write() as connection:
        old = projector.serving(connection)[projection.name]
        if old.version != projection.version:
            projector.set_state(connection, old, RETIRED)
            projector.add_generation(connection, projection, ACTIVE, detail=None)


def _advance_together(projector: Projector) -> bool:
    """Fold the next events into all that serve and stand where the last one stands."""
    with projector.log.database.read() as connection:
        active = [
            generation
            for generation in projector.serving(connection).values()
            if generation.state == ACTIVE and projector.projections[generation.name].inline
        ]
    return fold_together(projector, active)


def _catch_up(projector: Projector, projection: Projection) -> None:
    try:
        projector.catch_up(projection.name)
    except ProjectionFailed:
        return  # it has halted, and the status says so


def _serving(projector: Projector, projection: Projection) -> Generation:
    with projector.log.database.read() as connection:
        return projector.serving(connection)[projection.name]
