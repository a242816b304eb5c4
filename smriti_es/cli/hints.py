"""What an error says to do, in the words of the command line.

The library speaks to programs: it names methods, arguments and settings. Whoever types has verbs
and options instead, so each of those is written as what stands for it here.
"""

import re
from typing import Final

# A hint of which nothing fits, in full, and what is said instead; before any term is looked at.
_SENTENCES: Final = {
    "Open it once writable, without read_only, to migrate it.": (
        "`smriti-es init` brings it up to date."
    ),
    "Open it without read_only.": "Use a verb that writes.",
    "Try again; raise busy_timeout_ms if writers are many or slow.": (
        "Try again when the other program is done writing."
    ),
    "Open the memory with an embedder.": "Name one with --embedder.",
    "Open the memory with an extractor.": "Name one with --extractor.",
    "Open the memory with that embedder, or switch to this one.": (
        "Name that one with --embedder, or run `smriti-es embedder switch`."
    ),
    "Repair the cause and rebuild it, or skip the event as its owner.": (
        "Repair the cause, then run `smriti-es projections rebuild`."
    ),
    'Decode the source with errors="replace", or drop that character.': (
        "Drop that character, or convert the text to UTF-8."
    ),
    'Give "all", "none", or a Disclosed(positions=…, sessions=…, types=…).': (
        "Name --position, --session or --type, or give --no-content."
    ),
    "Convert it to str before the call.": "Write it as text.",
    "Give writer=DigestWriter(ChatModel(url, model)).": "Name a model with --llm URL#MODEL.",
    "engine.names_of(name) gives an entity's names.": "Name what `smriti-es alias` was given.",
}
# The rest of a sentence, or a term in it, as it is written here.
_TERMS: Final = tuple(
    (re.compile(pattern), written)
    for pattern, written in (
        (r", or open it with read_only=True\.", "."),
        (r" or engine\.sessions\(\)", ""),
        (r"engine\.(explain|facts|history|sessions|status|turns)\(\)", r"`smriti-es \1`"),
        (r"engine\.quarantines\(\)", "`smriti-es quarantine list`"),
        (r"engine\.holds\(\)", "`smriti-es hold list`"),
        (r"engine\.review\(\)", "`smriti-es review list`"),
        (r"`change_trust`", "`smriti-es trust`"),
        (
            r"one of turn, session, fact, origin, actor",
            "one of --turn, --session, --fact, --origin, --actor",
        ),
        (
            r"one of turn, session, fact, origin, entity, space, before",
            "one of --turn, --session, --fact, --origin, --entity, --whole-space, --before",
        ),
        (
            r"one of turn, session, fact, entity, space",
            "one of --turn, --session, --fact, --entity, --whole-space",
        ),
        (r"`extract_pending`", "`smriti-es extract retry`"),
        (r"`wait_for_vectors`", "`smriti-es projections catch-up`"),
        (r", a datetime, or seconds since 1970", ", or a part of it"),
        (r"; give `tokenizer` when the tokenizer lies elsewhere", ""),
        (r", a Turn, or a list of these; turn a client.*", ", or a list of these."),
        (r"Leave allowed_hosts out", "Leave --allow-host out"),
        (r'with allowed_hosts=\["(.*?)"\]', r"with --allow-host \1"),
        (r'Add "(.*?)" to allowed_hosts', r"Give --allow-host \1"),
        (r'\bprofile(?:=| )"(\w+)"', r"--profile \1"),
        (r"\bsingle_valued=\['?(.*?)'?\]", r"--single-valued \1"),
        (r"^Write \w+=\[.*\]\.$", "Repeat the option for each."),
    )
)


def in_cli_terms(hint: str) -> str:
    """Write a hint of the library as one for the command line."""
    written = _SENTENCES.get(hint, hint)
    for term, here in _TERMS:
        written = term.sub(here, written)
    return written
