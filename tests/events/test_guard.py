"""Whether a write transaction is open is known to the code inside it, and to no other."""

import threading

import pytest

from smriti_es.events.errors import SmritiError
from smriti_es.events.guard import (
    CallInsideTransaction,
    assert_outside_transaction,
    transaction_open,
)


def test_a_call_outside_of_a_transaction_is_let_through() -> None:
    assert_outside_transaction("a model")


def test_a_call_inside_a_transaction_is_refused_by_name_with_what_to_do() -> None:
    with transaction_open(), pytest.raises(CallInsideTransaction, match="a model") as caught:
        assert_outside_transaction("a model")
    assert isinstance(caught.value, SmritiError)
    assert "before the command is appended" in caught.value.hint


def test_the_end_of_an_inner_block_does_not_end_the_outer_one() -> None:
    with transaction_open():
        with transaction_open():
            pass
        with pytest.raises(CallInsideTransaction):
            assert_outside_transaction("a model")
    assert_outside_transaction("a model")


def test_a_transaction_that_failed_is_over() -> None:
    with pytest.raises(LookupError), transaction_open():
        raise LookupError
    assert_outside_transaction("a model")


def test_another_thread_is_not_inside() -> None:
    refused: list[CallInsideTransaction] = []

    def call() -> None:
        try:
            assert_outside_transaction("a model")
        except CallInsideTransaction as error:
            refused.append(error)

    with transaction_open():
        other = threading.Thread(target=call)
        other.start()
        other.join()
    assert refused == []
