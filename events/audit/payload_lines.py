"""Disclosed payloads, one line each, and the position it belongs to."""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from smriti_es.events.audit.bundle_files import lines_of
from smriti_es.events.audit.layout import PAYLOAD_BYTES_MAX, PAYLOADS
from smriti_es.events.errors import IntegrityError, InvalidInput
from smriti_es.events.verification import Finding

_LINE: Final = re.compile(
    rb'\{"body":"([A-Za-z0-9+/]*={0,2})","key":"([0-9a-f]{64})","pos":(0|[1-9][0-9]{0,15})\}'
)
_LINE_BYTES_MAX: Final = PAYLOAD_BYTES_MAX * 4 // 3 + 256


@dataclass(frozen=True, slots=True)
class DisclosedPayload:
    """A payload that the bundle shows."""

    position: int
    key: bytes
    body: bytes

    def to_line(self) -> bytes:
        """Write it, in its one form, with its line end.

        Raises:
            InvalidInput: It is larger than a bundle can hold.
        """
        if len(self.body) > PAYLOAD_BYTES_MAX:
            raise InvalidInput(
                f"the payload at position {self.position} has {len(self.body)} bytes, a bundle "
                f"holds at most {PAYLOAD_BYTES_MAX}",
                hint="Withhold it: disclose other positions.",
            )
        body, key = base64.b64encode(self.body), self.key.hex().encode()
        return b'{"body":"%b","key":"%b","pos":%d}\n' % (body, key, self.position)


def payload_of(line: bytes) -> DisclosedPayload:
    """Read what `to_line` wrote, without the line end.

    Raises:
        IntegrityError: It is anything else.
    """
    form = _LINE.fullmatch(line)
    if form is None:
        raise IntegrityError("it is not written as a payload is")
    try:
        body = base64.b64decode(form[1], validate=True)
    except ValueError as error:
        raise IntegrityError(f"its body is no base64: {error}") from error
    if base64.b64encode(body) != form[1]:
        raise IntegrityError("its base64 is not in canonical form")
    return DisclosedPayload(int(form[3]), bytes.fromhex(form[2].decode()), body)


class PayloadReader:
    """Gives the disclosed payloads beside the headers, each when its position has come.

    Attributes:
        findings: What was wrong with them.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.findings: list[Finding] = []
        self._payloads = self._read(file)
        self._next = next(self._payloads, None)

    def at(self, position: int) -> DisclosedPayload | None:
        """Give the payload of a position, which must rise from call to call."""
        self._pass_over(position)
        found = self._next
        if found is None or found.position != position:
            return None
        self._next = next(self._payloads, None)
        return found

    def end(self) -> None:
        """Read what is left, which belongs to nothing."""
        self._pass_over(None)

    def _pass_over(self, position: int | None) -> None:
        while self._next is not None and (position is None or self._next.position < position):
            self._found(self._next.position, "belongs to no event of the bundle")
            self._next = next(self._payloads, None)

    def _read(self, file: BinaryIO) -> Iterator[DisclosedPayload]:
        last, number = -1, 0
        try:
            for line in lines_of(file, _LINE_BYTES_MAX):
                number += 1
                payload = payload_of(line)
                if payload.position <= last:
                    self._found(payload.position, f"stands out of order, in line {number}")
                    continue
                last = payload.position
                yield payload
        except IntegrityError as error:
            self._found(None, f"line {number}: {error}")

    def _found(self, position: int | None, problem: str) -> None:
        self.findings.append(Finding(position, PAYLOADS, problem))
