import string
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.events.catalogue import EntityAliased, FactEnded, FactRetracted
from smriti_es.events.errors import InvalidInput
from smriti_es.extraction.fact_digest import FactDigest
from smriti_es.redaction import Redactor, redactor_of

PIECES = [
    "password",
    "Password: ",
    "is ",
    "hunter2",
    "[redacted: ",
    "]",
    '"',
    "'",
    "\\n",
    "\n",
    " ",
    "=",
    "://",
    "a:b@c",
    "sk-",
    "token",
    "Bearer ",
    "a1B2c3D4e5F6g7H8i9J0",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "eyJ",
    ".",
    "--",
    "curl -u ",
    "key",
    "ghp_",
    "ü",
    "密码",
]
MEGABYTE = 1_000_000
# Each begins many matches, or one long one, that come to nothing.
ADVERSARIES = {
    "prefixes": "sk-" * (MEGABYTE // 3),
    "web tokens": "eyJaaaaaaaa." * (MEGABYTE // 12),
    "armour": "-----BEGIN PRIVATE KEY-----" * (MEGABYTE // 27),
    "armour and lines": ("-----BEGIN PRIVATE KEY-----\n" + "A" * 15 + "\n") * (MEGABYTE // 44),
    "armour and blank lines": "-----BEGIN PRIVATE KEY-----" + "\n" * MEGABYTE,
    "armour and escapes": "-----BEGIN PRIVATE KEY-----" + "\\n" * (MEGABYTE // 2),
    "names": "password : " * (MEGABYTE // 11),
    "open quotes": 'password:"' * (MEGABYTE // 10),
    "backslashes": 'token="' + "\\" * MEGABYTE,
    "words": "password is " * (MEGABYTE // 12),
    "purposes": "password for " * (MEGABYTE // 13),
    "blanks": ("password" + " " * 20) * (MEGABYTE // 28),
    "addresses": ("ab://x:" + "y" * 250 + " ") * (MEGABYTE // 258),
    "one scheme": "a" * MEGABYTE + "://",
    "bearers": "bearer " + "a" * MEGABYTE,
    "logins": "curl -u " * (MEGABYTE // 8),
    "options": "--password " * (MEGABYTE // 11),
    "organisations": "aaaaaaaaaaaaaa.atlasv1." * (MEGABYTE // 23),
    "letters": "a" * MEGABYTE + "password",
    "digits": "1" * MEGABYTE + ":AA",
    "anything": "".join(Random(1).choices(string.printable, k=MEGABYTE)),
}


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = Redactor().text(text)
    assert Redactor().text(once) == once


@given(st.text(alphabet=string.ascii_lowercase + " ,.!?\n", max_size=300))
def test_plain_letters_come_back_as_they_are(text: str) -> None:
    quiet = text.replace("is ", "").replace("was ", "")
    assert Redactor().text(quiet) == quiet


# An expression that tried again what it has read would need hours for these.
@pytest.mark.parametrize("name", ADVERSARIES)
def test_a_megabyte_made_to_mislead_is_read_in_one_pass(name: str) -> None:
    assert Redactor().text(ADVERSARIES[name])


def test_a_credential_in_a_megabyte_is_found() -> None:
    text = "word " * (MEGABYTE // 5) + "sk-" + "a1" * 20
    assert Redactor().text(text).endswith("word [redacted: api key]")


def test_what_was_found_is_counted_by_kind() -> None:
    found: Counter[str] = Counter()
    Redactor().text("password: hunter2 and sk-" + "a1" * 20 + " and sk-" + "b2" * 20, found)
    assert found == {"password": 1, "api key": 2}


def test_text_without_credentials_comes_back_as_the_same_object() -> None:
    text = "Nothing to see here."
    assert Redactor().text(text) is text


def test_an_event_without_credentials_comes_back_as_the_same_object() -> None:
    event = EntityAliased(alias="Bea", canonical="Beatrice", reason="they said so")
    assert Redactor().fields_of(event) is event


def test_every_text_of_an_event_is_redacted() -> None:
    event = FactRetracted(fact=7, reason="password: hunter2")
    expected = FactRetracted(fact=7, reason="password: [redacted: password]")
    assert Redactor().fields_of(event) == expected


def test_the_object_of_a_fact_about_a_password_goes_wherever_it_stands() -> None:
    fact = FactDigest("The server password swordfish", "server", "password", "swordfish")
    expected = FactDigest(
        "The server password [redacted: password]", "server", "password", "[redacted: password]"
    )
    assert Redactor().fields_of(fact) == expected


def test_a_short_secret_goes_from_its_own_places_alone() -> None:
    fact = FactDigest("a server has the password a", "a server", "password", "a", "project:a")
    redacted = Redactor().fields_of(fact)
    assert (redacted.object, redacted.subject, redacted.scope) == (
        "[redacted: password]",
        "a server",
        "project:a",
    )


def test_an_event_without_a_sentence_loses_its_object_all_the_same() -> None:
    event = FactEnded(
        space="main", subject="server", predicate="password", object="xyz", valid_to=2, said_at=1
    )
    assert Redactor().fields_of(event).object == "[redacted: password]"


def test_a_pattern_of_ones_own_is_added() -> None:
    redactor = Redactor({"badge number": r"BN-[0-9]{6}"})
    assert redactor.text("I am BN-123456.") == "I am [redacted: badge number]."


def test_a_pattern_of_ones_own_leaves_the_known_ones() -> None:
    redactor = Redactor({"badge number": r"BN-[0-9]{6}"})
    assert redactor.text("password: hunter2") == "password: [redacted: password]"


def test_a_group_named_secret_is_all_that_a_pattern_of_ones_own_replaces() -> None:
    redactor = Redactor({"badge number": r"badge (?P<secret>[0-9]{6})"})
    assert redactor.text("badge 123456") == "badge [redacted: badge number]"


def test_a_group_that_matched_nothing_replaces_nothing() -> None:
    redactor = Redactor({"badge": r"badge(?P<secret>[0-9]*)"})
    assert redactor.text("badge and badge12") == "badge and badge[redacted: badge]"


def test_kinds_are_listed_with_ones_own() -> None:
    kinds = Redactor({"badge number": r"BN-[0-9]{6}"}).kinds
    assert {"api key", "badge number", "password", "private key"} <= set(kinds)


@pytest.mark.parametrize("wanted", [True, {}, {"badge": "BN"}])
def test_redaction_is_turned_on_by_true_or_by_patterns(wanted: Any) -> None:
    assert isinstance(redactor_of(wanted), Redactor)


def test_redaction_is_turned_off_by_false() -> None:
    assert redactor_of(False) is None


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("yes", "redact is of type str"),
        ({"a": "("}, "redact: the pattern of 'a' is no regular expression"),
        ({"a": "x*"}, "redact: the pattern of 'a' fits an empty text"),
        ({"a": 5}, "redact: the pattern of 'a' is of type int"),
        ({"a]b": "x"}, "redact: 'a]b' cannot name a credential"),
        ({"": "x"}, "redact: '' cannot name a credential"),
        ({7: "x"}, "redact: 7 cannot name a credential"),
    ],
)
def test_what_cannot_be_a_pattern_is_refused(wanted: Any, told: str) -> None:
    with pytest.raises(InvalidInput, match=told.replace("(", r"\(").replace("]", r"\]")):
        redactor_of(wanted)


def test_what_is_nested_without_end_is_refused_at_once() -> None:
    endless: list[Any] = []
    endless += [endless, endless]
    with pytest.raises(InvalidInput, match="nested more than 64 deep"):
        Redactor().value(endless)
