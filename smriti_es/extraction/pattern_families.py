"""What is known of each predicate: how many values it has, and how it is said."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """A predicate.

    Attributes:
        single: Whether a subject has one such value at a time.
        says: How a sentence says it of a subject; `{}` is the value, a leading `'s` joins.
        keys: Other words by which it may be looked for.
        kind: profile, preference, event or knowledge.
    """

    single: bool
    says: str
    keys: tuple[str, ...]
    kind: str = "profile"


def _one(says: str, keys: str, kind: str = "profile") -> Family:
    return Family(single=True, says=says, keys=tuple(keys.split(", ")), kind=kind)


def _many(says: str, keys: str, kind: str = "profile") -> Family:
    return Family(single=False, says=says, keys=tuple(keys.split(", ")), kind=kind)


FAMILIES = {
    "lives_in": _one("lives in {}", "home, residence, city, address"),
    "comes_from": _one("comes from {}", "origin, hometown, native of"),
    "born_in": _one("was born in {}", "birthplace, origin"),
    "grew_up_in": _many("grew up in {}", "childhood, raised, hometown"),
    "works_at": _one("works at {}", "job, employer, company, workplace"),
    "job_title": _one("works as {}", "job, profession, occupation, role, career"),
    "named": _one("is named {}", "name, called"),
    "goes_by": _one("goes by {}", "name, nickname, called"),
    "birth_year": _one("was born in {}", "born, birth date, age"),
    "birthday": _one("'s birthday is {}", "born, birth date, date of birth"),
    "aged": _one("is {} years old", "age, years old, born"),
    "married_to": _one("is married to {}", "spouse, wife, husband, marriage"),
    "engaged_to": _one("is engaged to {}", "fiancé, fiancée, partner, wedding"),
    "partner": _one("is together with {}", "girlfriend, boyfriend, relationship, dating"),
    "marital_status": _one("is {}", "relationship, marriage, marital status"),
    "has_child": _many("has {}", "child, kids, family, parent"),
    "has_sibling": _many("has {}", "brother, sister, siblings, family"),
    "has_parent": _many("has {}", "mother, father, parents, family"),
    "has_relative": _many("has {}", "family, relative"),
    "has_friend": _many("has {}", "friend, buddy"),
    "has_colleague": _many("has {}", "coworker, colleague, work"),
    "has_manager": _one("has {}", "boss, manager, supervisor, work"),
    "has_pet": _many("has {}", "pet, animal"),
    "favourite_": _one("'s {}", "favourite, favorite, best, preferred", "preference"),
    "attitude_to:": _one("{}", "preference, taste, opinion", "preference"),
    "prefers": _many("prefers {}", "preference, likes better, rather", "preference"),
    "allergic_to": _many("is allergic to {}", "allergy, intolerance, health, food"),
    "intolerant_to": _many("is {} intolerant", "intolerance, allergy, diet, food"),
    "has_condition": _many("has {}", "health, diagnosis, condition, illness"),
    "diet": _one("follows a {} diet", "diet, food, eats, eating"),
    "avoids": _many("avoids {}", "diet, does not eat, does not drink, abstains"),
    "speaks": _many("speaks {}", "language, fluent, tongue"),
    "native_language": _one("'s native language is {}", "mother tongue, first language"),
    "learns": _many("is learning {}", "studying, practising, lessons"),
    "drives": _one("drives {}", "car, vehicle"),
    "studies_at": _one("studies at {}", "university, school, college, student"),
    "studies": _many("studies {}", "degree, major, subject, student"),
    "graduated_from": _many("graduated from {}", "degree, university, school, alumni", "event"),
    "plays": _many("plays {}", "hobby, sport, instrument, game"),
    "practises": _many("practises {}", "hobby, sport, pastime, exercise"),
    "owns": _many("owns {}", "has, possession, property"),
    "uses": _many("uses {}", "tool, software, app"),
    "commutes_by": _one("commutes by {}", "commute, office, work, get to work, transport, travel"),
    "member_of": _many("is a member of {}", "club, group, member, joined"),
    "volunteers_at": _many("volunteers at {}", "volunteering, charity, helps out"),
    "assigned_to": _one("is assigned to {}", "team, project, assignment, group"),
    "located_in": _one("is kept {}", "where, place, location, stored", "knowledge"),
    "email": _one("'s email address is {}", "mail, contact"),
    "phone_number": _one("'s phone number is {}", "telephone, mobile, contact"),
    "smokes": _one("smokes{}", "smoking, cigarettes"),
    "plans_to": _many("plans to {}", "plan, upcoming, future, going to", "event"),
    "primary_": _one("'s {}", "main, default, mostly uses", "preference"),
    "preferred_": _one("'s {}", "preference, go-to, favourite", "preference"),
}
_OPEN_FAMILIES = ("favourite_", "attitude_to:", "primary_", "preferred_")
_ENDED_WITHOUT_VALUE = {
    "works_at": "has left their job",
    "married_to": "is no longer married",
    "partner": "is no longer with their partner",
    "drives": "no longer has that car",
}


def family_of(predicate: str) -> Family:
    """Give what is known of a predicate; `favourite_colour` belongs to `favourite_`."""
    family = FAMILIES.get(predicate)
    return family or FAMILIES[next(name for name in _OPEN_FAMILIES if predicate.startswith(name))]


def sentence(who: str, predicate: str, value: str, *, ended: bool) -> str:
    """Say a fact in a sentence that stands by itself.

    Args:
        who: The subject, as a sentence begins with it.
        predicate: The predicate, completed.
        value: The value as it is shown; "" where something has ended without being named.
        ended: It holds no longer.
    """
    if not value:
        return f"{who} {_ENDED_WITHOUT_VALUE[predicate]}."
    says = family_of(predicate).says.replace("{}", value)
    if ended and says.startswith("is "):
        says = f"is no longer {says[3:]}"
    elif ended:
        says = f"no longer {says}"
    joint = "" if says.startswith("'s ") else " "
    return f"{who}{joint}{says}."
