"""Who spoke, and how far that is trusted: roles, speakers' names and origins."""

from typing import cast

from smriti_es.captured import ORIGINS, JsonValue, Limits, Origin, Role
from smriti_es.checked_values import Place, checked_label, checked_names, checked_text

_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
_ORIGIN_OF_ROLE: dict[Role, Origin] = {
    "user": "owner",
    "assistant": "agent",
    "system": "agent",
    "tool": "tool",
}


def read_speaker(
    role: object, name: object, index: int, limits: Limits
) -> tuple[Role, str | None, dict[str, JsonValue]]:
    """Tell the role and the speaker's name apart.

    Args:
        role: A role, one of its synonyms in any case, or the name of a speaker.
        name: The speaker's name, or None; wins over a name given as the role.
        index: 0-based place of the message, for errors.
        limits: How long they may be.

    Returns:
        The role, the name or None, and `{"role": ...}` when a role was given that neither of the
        two keeps.

    Raises:
        InvalidInput: The role is missing, or one of them is no usable text.
    """
    place = Place("role", index)
    if role is None:
        raise place.refusal(
            "is missing", 'Say who spoke, for example {"role": "user", "content": "..."}.'
        )
    given = checked_label(role, place, limits.name_length_max).strip()
    spoken_by = _read_name(name, index, limits)
    if known := _ROLES.get(given.lower()):
        return known, spoken_by, {}
    if spoken_by is None or spoken_by == given:
        return "user", given, {}
    return "user", spoken_by, {"role": given}


def _read_name(name: object, index: int, limits: Limits) -> str | None:
    if name is None:
        return None
    place = Place("name", index)
    if not checked_text(name, place).strip():
        return None
    return checked_label(name, place, limits.name_length_max)


def checked_origin(origin: object, place: Place) -> Origin:
    """Check that a value is one of the four origins.

    Raises:
        InvalidInput: It is not.
    """
    if checked_text(origin, place) not in ORIGINS:
        raise place.refusal(f"is {origin!r}", f"Give one of {', '.join(ORIGINS)}, or leave it out.")
    return cast("Origin", origin)


def checked_origins(origins: object) -> tuple[Origin, ...] | None:
    """Check a list of origins that a read is narrowed to; None: any origin.

    Raises:
        InvalidInput: One of them is none, or the list is empty, which nothing could match.
    """
    if origins is None:
        return None
    place = Place("origins")
    named = tuple(checked_origin(each, place) for each in checked_names(origins, place))
    if not named:
        raise place.refusal("is empty, which nothing can match", "Leave it out.")
    return named


def lowered(origin: Origin, most_trusted: Origin) -> Origin:
    """Give the less trusted of two origins."""
    return max(origin, most_trusted, key=ORIGINS.index)


def read_origin(role: Role, wanted: object, index: int, *, holds_results: bool) -> Origin:
    """Decide whom the content of a turn comes from.

    Source: decision 10. A user's or a named speaker's words are the owner's, an assistant's and a
        system's
    the agent's. Whatever holds the result of a tool is a tool's, even in a message of the user,
    because some APIs send results back under that role.

    Args:
        role: Who spoke.
        wanted: The origin that the caller names; None leaves what follows from the role.
        index: 0-based place of the message, for errors.
        holds_results: Whether the content holds the result of a tool.

    Returns:
        The origin.

    Raises:
        InvalidInput: The caller names a more trusted origin than the role has, or none that exists.
    """
    natural: Origin = "tool" if holds_results else _ORIGIN_OF_ROLE[role]
    if wanted is None:
        return natural
    place = Place("origin", index)
    named = checked_origin(wanted, place)
    allowed = ORIGINS[ORIGINS.index(natural) :]
    if named not in allowed:
        raise place.refusal(
            f"cannot be raised from {natural} to {named}",
            f"Leave it out, or give {' or '.join(allowed)}.",
        )
    return named
