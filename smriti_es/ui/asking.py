"""What a request of the page asks for: its fields, each of a bounded length, and as of when."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException

from smriti_es.cli.time_options import known_time
from smriti_es.events.errors import InvalidInput

FIELD_MAX: Final = 4_000
FIELDS_MAX: Final = 40
POSITION_MAX: Final = 2**53 - 1
_FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class AsOf:
    """The two times at which the memory is read, as they were typed; "" is now.

    Attributes:
        valid_at: When something must hold in the world.
        known_at: What the memory knew: a time, or a position of the log.
    """

    valid_at: str = ""
    known_at: str = ""

    @property
    def world(self) -> str | None:
        """The world time as the engine takes it."""
        return self.valid_at or None

    @property
    def known(self) -> int | str | None:
        """The knowledge time as the engine takes it."""
        return known_time(self.known_at) if self.known_at else None

    @property
    def fields(self) -> dict[str, str]:
        """What a link must carry, so that it leads to the same times."""
        given = {"valid_at": self.valid_at, "known_at": self.known_at}
        return {name: value for name, value in given.items() if value}

    def link(self, path: str, fragment: str = "", **fields: object) -> str:
        """Give the address of a page at the same times; fields that are None or "" are left out."""
        given = {name: str(value) for name, value in fields.items() if value not in (None, "")}
        query = urlencode(given | self.fields)
        return path + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")


@dataclass(frozen=True, slots=True)
class Asked:
    """The fields of a request.

    Attributes:
        fields: By their names; of one that is given twice, the last.
    """

    fields: Mapping[str, str]

    @classmethod
    def of(cls, encoded: bytes) -> "Asked":
        """Read fields as a browser sends them, in an address or in a body.

        Raises:
            HTTPException: 400: they are no such fields.
            InvalidInput: There are too many, or one is too long.
        """
        try:
            text = encoded.decode("ascii")
            read = parse_qsl(text, keep_blank_values=True, errors="strict")
        except ValueError as error:
            raise HTTPException(400, "the fields of the request cannot be read") from error
        if len(read) > FIELDS_MAX:
            raise InvalidInput(f"there are more than {FIELDS_MAX} fields")
        for name, value in read:
            if len(value) > FIELD_MAX:
                raise InvalidInput(
                    f"{name[:40]} is longer than {FIELD_MAX:,} characters", field=name[:40]
                )
        return cls(dict(read))

    def text(self, name: str) -> str:
        """Give a field without the white space around it; "" where it is not given."""
        return self.fields.get(name, "").strip()

    def position(self, name: str) -> int | None:
        """Give a position of the log, or None where none is given.

        Raises:
            InvalidInput: It is none.
        """
        given = self.text(name)
        return position_of(given, name) if given else None

    @property
    def as_of(self) -> AsOf:
        """As of when the memory is to be read."""
        return AsOf(self.text("valid_at"), self.text("known_at"))


def position_of(text: str, name: str = "position") -> int:
    """Read a position of the log.

    Raises:
        InvalidInput: It is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= POSITION_MAX):
        raise InvalidInput(f"{text[:40]!r} is no position of the log", field=name)
    return int(text)


def assert_form(content_type: str) -> None:
    """Refuse a body that no form of ours sends.

    Raises:
        HTTPException: 415: it is another kind of content.
    """
    if content_type.partition(";")[0].strip().lower() != _FORM:
        raise HTTPException(415, f"only {_FORM} is read")
