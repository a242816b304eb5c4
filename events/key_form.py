"""The form in which names are compared: one function, for keys, filters and holds alike."""

import unicodedata


def key_form(name: str) -> str:
    """Bring a name into the form in which it is compared.

    NFC, case-folded, white space collapsed, trimmed: spellings that a reader takes for the same
    give the same key, and the original is kept beside it.
    """
    if name.isascii():  # which has one form, and most names are
        return " ".join(name.lower().split())
    folded = unicodedata.normalize("NFC", name).casefold()
    return " ".join(unicodedata.normalize("NFC", folded).split())
