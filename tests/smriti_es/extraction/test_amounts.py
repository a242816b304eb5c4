"""Amounts are added up exactly, unit by unit, and only where they are amounts."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.extraction.amounts import amounts_in, total_line


@pytest.mark.parametrize(
    ("statement", "amounts"),
    [
        ("The user spent $40", ["40 $"]),
        ("It cost $1,234.50.", ["1234.50 $"]),
        ("It cost US$40", ["40 $"]),
        ("It cost 40 dollars, then 2 USD", ["40 $", "2 $"]),
        ("It cost $1.5k and $2 million", ["1500.0 $", "2000000 $"]),
        ("$5 for tea, that is 5 dollars", ["5 $"]),
        ("$5 dollars", ["5 $"]),
        ("$5 for tea and $5 for cake", ["5 $", "5 $"]),
        ("$5 for tea and 6 dollars for cake", ["5 $", "6 $"]),
        ("3 hrs, 1 hour and 20 mins", ["3 hours", "1 hours", "20 minutes"]),
        ("a 40-mile ride in 2 days", ["40 miles", "2 days"]),
        ("10 km, 5 kilometres, 3 miles", ["10 km", "5 km", "3 miles"]),
        ("6 weeks, 2 months, 1 year", ["6 weeks", "2 months", "1 years"]),
    ],
)
def test_amounts_in_figures_are_found(statement: str, amounts: list[str]) -> None:
    assert [f"{each.value} {each.unit}" for each in amounts_in(statement)] == amounts


@pytest.mark.parametrize(
    "statement",
    [
        "2-3 hours",
        "2 to 3 hours",
        "between 2 and 3 hours",
        "$3-$5",
        "60 miles per hour",
        "$40 an hour",
        "$5/hour",
        "$20 each",
        "every 3 days",
        "3 days ago",
        "5 years old",
        "2 hours later",
        "A$40",
        "version 1.2.3 days",
        "room 5, minor works",
        "two hours",
        "40 euros",
        "",
    ],
)
def test_what_is_no_amount_is_left_out(statement: str) -> None:
    assert amounts_in(statement) == []


def test_the_total_of_three_sums_of_money() -> None:
    line = total_line(["A book cost $40", "A lamp cost $120", "A pen cost $25"])
    assert line == "Totals: $185 ($40 + $120 + $25)."


def test_units_are_never_mixed_and_one_amount_has_no_total() -> None:
    statements = ["5 km and 3 miles", "7 km", "90 minutes", "2 hours"]
    assert total_line(statements) == "Totals: 12 km (5 + 7)."
    assert total_line(["5 km", "3 miles", "$2"]) == ""


def test_totals_are_exact() -> None:
    assert total_line(["$0.10", "$0.20"]) == "Totals: $0.30 ($0.10 + $0.20)."
    assert total_line(["0.1 hours", "0.2 hours"]) == "Totals: 0.3 hours (0.1 + 0.2)."
    assert total_line(["$1,000,000", "$0.005"]) == "Totals: $1,000,000.005 ($1,000,000 + $0.005)."


def test_a_sum_that_is_named_twice_in_one_statement_counts_once() -> None:
    assert total_line(["$5 for tea (5 dollars)", "$7"]) == "Totals: $12 ($5 + $7)."
    assert total_line(["$5 for tea (5 dollars)"]) == ""


def test_a_statement_that_stands_twice_counts_once() -> None:
    assert total_line(["$5 for tea", "$5 for tea", "$6 for cake"]) == "Totals: $11 ($5 + $6)."


def test_no_statements_have_no_totals() -> None:
    assert total_line([]) == ""


@given(st.lists(st.integers(1, 10**9), min_size=2, max_size=8, unique=True))
def test_the_total_is_the_sum_of_its_parts(sums: list[int]) -> None:
    line = total_line(f"It cost ${each:,}" for each in sums)
    total, parts = line.removeprefix("Totals: $").removesuffix(").").split(" (")
    shown = [Decimal(part.lstrip("$").replace(",", "")) for part in parts.split(" + ")]
    assert shown == sums
    assert Decimal(total.replace(",", "")) == sum(sums)


@given(st.text(alphabet="$0123456789,.-/ ahoursdlkm", max_size=60))
def test_no_statement_breaks_the_count(statement: str) -> None:
    assert all(each.value >= 0 for each in amounts_in(statement))
    assert isinstance(total_line([statement, statement + "!"]), str)
