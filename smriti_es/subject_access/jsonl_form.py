"""What is held on somebody as JSON Lines: one record a line, for programs."""

import json
from collections import Counter

from smriti_es.subject_access.new_file import Writing
from smriti_es.subject_access.records import Record, Records


def write_json_lines(writing: Writing, head: Record, records: Records) -> dict[str, int]:
    """Write a line on the file itself, one for each record, and a last one that counts them.

    A file without its last line is not whole.

    Returns:
        How many records there are of each kind.
    """
    counts: Counter[str] = Counter()
    writing.line(_line(head))
    for record in records.of_kinds():
        counts[record["record"]] += 1
        writing.line(_line(record))
    told = dict(sorted(counts.items()))
    writing.line(_line({"record": "total", "records": told}))
    return told


def _line(record: Record) -> str:
    # Escaped, so that no reader takes a separator within a text for the end of a line.
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"))
