"""A tenant's name leads to its log, and to no other."""

import hashlib
import hmac
import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, select

from smriti_es.events import registry
from smriti_es.events.catalogue import LogOpened, TurnRecorded
from smriti_es.events.database import Database
from smriti_es.events.errors import IntegrityError, InvalidInput, NotFound
from smriti_es.events.header import Actor
from smriti_es.events.records import NewEvent
from smriti_es.events.registry import Founding, open_log, tenants
from smriti_es.events.tables import keyring_table
from smriti_es.events.verification import verify_log

FOUNDING = Founding(timezone="Asia/Kolkata", engine="smriti-es/1.2.3")


def test_founding_records_who_opened_the_log_for_whom(database: Database, clock: Any) -> None:
    log = open_log(database, "asha", clock=clock, founding=FOUNDING)
    (genesis,) = log.read()
    assert isinstance(genesis.event, LogOpened)
    assert genesis.event.tenant == "asha"
    assert genesis.event.timezone == "Asia/Kolkata"
    assert genesis.event.engine == "smriti-es/1.2.3"
    assert genesis.header.actor == Actor("engine", "smriti-es")
    assert genesis.header.commit == (0, 1)


def test_the_first_event_holds_the_check_value_of_the_log_s_own_key(
    database: Database, clock: Any
) -> None:
    log = open_log(database, "asha", clock=clock, founding=FOUNDING)
    with database.read() as connection:
        key = connection.execute(select(keyring_table.c.hmac_key)).scalar_one()
    genesis = next(log.read()).event
    assert isinstance(genesis, LogOpened)
    by_hand = hmac.new(key, b"smriti-es/key-check/1\0", hashlib.sha256).hexdigest()
    assert len(key) == 32
    assert genesis.key_check == by_hand


def test_opening_a_log_again_gives_the_same_one_and_writes_nothing(
    database: Database, clock: Any
) -> None:
    first = open_log(database, "asha", clock=clock, founding=FOUNDING)
    again = open_log(database, "asha", clock=clock, founding=Founding("UTC", "another"))
    assert (again.log, again.log_id) == (first.log, first.log_id)
    assert again.head == 0
    assert tenants(database) == ["asha"]


def test_a_log_keeps_its_id_of_32_hex_digits(database: Database, clock: Any) -> None:
    ids = {open_log(database, "asha", clock=clock, founding=FOUNDING).log_id for _ in range(2)}
    (log_id,) = ids
    assert re.fullmatch("[0-9a-f]{32}", log_id)


def test_a_tenant_that_is_not_there_is_an_error_without_a_founding(
    database: Database, clock: Any
) -> None:
    with pytest.raises(NotFound, match="no tenant 'asha'"):
        open_log(database, "asha", clock=clock)
    assert tenants(database) == []


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb", "a\x00b", "\ud800", "a\u202eb"], ids=repr)
def test_a_name_that_is_empty_too_long_or_unprintable_is_refused(
    database: Database, clock: Any, name: str
) -> None:
    with pytest.raises(InvalidInput, match="1 to 200 printable"):
        open_log(database, name, clock=clock, founding=FOUNDING)
    assert tenants(database) == []


@pytest.mark.parametrize("name", ["x" * 200, "\u0906\u0936\u093e", "with space", "o'brien; --"])
def test_any_other_name_is_taken_as_it_is(database: Database, clock: Any, name: str) -> None:
    log = open_log(database, name, clock=clock, founding=FOUNDING)
    assert tenants(database) == [name]
    assert verify_log(log).ok


def test_tenants_share_neither_chain_nor_positions_nor_key(
    database: Database, clock: Any, turn: Callable[..., NewEvent], owner: Actor
) -> None:
    asha = open_log(database, "asha", clock=clock, founding=FOUNDING)
    bela = open_log(database, "bela", clock=clock, founding=FOUNDING)
    asha.append([turn("of asha"), turn("of asha")], actor=owner)
    bela.append([turn("of bela")], actor=owner)
    assert tenants(database) == ["asha", "bela"]
    assert (asha.head, bela.head) == (2, 1)
    assert asha.log_id != bela.log_id
    said = [r.event.text for r in bela.read(1) if isinstance(r.event, TurnRecorded)]
    assert said == ["of bela"]
    with database.read() as connection:
        keys = connection.execute(select(keyring_table.c.hmac_key)).scalars().all()
    assert len(set(keys)) == 2
    assert verify_log(asha).ok
    assert verify_log(bela).ok


def test_a_log_that_another_process_founds_first_is_opened_and_not_founded_twice(
    database: Database, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_log(database, "asha", clock=clock, founding=FOUNDING)
    find = registry._find
    answers = [None]  # as if the first look came before the other process was done

    def late(connection: Connection, tenant: str) -> Any:
        return answers.pop() if answers else find(connection, tenant)

    monkeypatch.setattr(registry, "_find", late)
    assert open_log(database, "asha", clock=clock, founding=FOUNDING).log_id == first.log_id
    assert first.head == 0


def test_a_registry_whose_row_is_gone_is_not_taken_for_a_new_tenant(
    database: Database, clock: Any, tamper: Callable[..., int]
) -> None:
    open_log(database, "asha", clock=clock, founding=FOUNDING)
    tamper("DELETE FROM log")
    with pytest.raises(IntegrityError, match="not in the registry"):
        open_log(database, "asha", clock=clock, founding=FOUNDING)
    assert tenants(database) == []
