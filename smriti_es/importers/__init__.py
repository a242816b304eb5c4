"""Importers: read what other programs wrote, as conversations and facts that a memory takes.

A reader looks at its file and at nothing else, writes nothing, and gives what it understands in
order, together with what it leaves out and where that stands. `Engine.import_file` records it.
"""

from smriti_es.importers.agent_sessions import read_claude_code, read_codex, read_gemini
from smriti_es.importers.chatgpt import read_chatgpt
from smriti_es.importers.claude import read_claude
from smriti_es.importers.documents import Document, documents_at
from smriti_es.importers.formats import FORMATS, Source, find_source
from smriti_es.importers.jsonl import read_jsonl
from smriti_es.importers.locomo import read_locomo
from smriti_es.importers.longmemeval import read_longmemeval
from smriti_es.importers.mem0 import read_mem0
from smriti_es.importers.records import (
    Conversation,
    LeftOut,
    RecordPlace,
    StatedAlias,
    StatedFact,
)
from smriti_es.importers.smriti_json import read_smriti
from smriti_es.importers.smriti_vault import read_vault
from smriti_es.importers.smrti_database import read_smrti
from smriti_es.importers.source import FILE_BYTES_MAX

__all__ = [
    "FILE_BYTES_MAX",
    "FORMATS",
    "Conversation",
    "Document",
    "LeftOut",
    "RecordPlace",
    "Source",
    "StatedAlias",
    "StatedFact",
    "documents_at",
    "find_source",
    "read_chatgpt",
    "read_claude",
    "read_claude_code",
    "read_codex",
    "read_gemini",
    "read_jsonl",
    "read_locomo",
    "read_longmemeval",
    "read_mem0",
    "read_smriti",
    "read_smrti",
    "read_vault",
]
