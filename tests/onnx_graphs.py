"""The few pieces of ONNX's protobuf that the tiny models of tests are made of."""

from typing import Final

FLOAT: Final = 1
INT32: Final = 6
INT64: Final = 7


def varint(number: int) -> bytes:
    rest, low = number >> 7, number & 0x7F
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def field(number: int, value: int | str | bytes) -> bytes:
    """One protobuf field: a varint, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_info(name: str, kind: int, *dimensions: str) -> bytes:
    shape = b"".join(field(1, field(2, dimension)) for dimension in dimensions)
    tensor = field(1, kind) + field(2, shape)
    return field(1, name) + field(2, field(1, tensor))


def node(operation: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    return (
        b"".join(field(1, one) for one in inputs)
        + field(2, output)
        + field(4, operation)
        + b"".join(field(5, one) for one in attributes)
    )
