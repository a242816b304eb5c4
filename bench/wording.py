"""How people of the generated histories put things: several wordings for whatever is said.

Written before any extractor was tried on them, and not bent to suit one. `{v}` is the value,
`{date}` a day, `{month}` a month with its year, `{scope}` a project, `{name}` who is asked about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that is said of people, and every way of saying it.

    Attributes:
        predicate: The predicate.
        values: What may be said.
        now: It holds, with no time given.
        dated: It began on a day.
        late: It began in a month long past; said after what followed it.
        planned: It will begin on a day.
        ended: It ceased to hold on a day.
        again: It still holds.
        never: It never held.
        asks: The question about now.
        asked: The question about a month of the past.
        will: The question about a month of the future.
        many: A person has several such values at once.
        scoped: It may be said of a project alone.
    """

    predicate: str
    values: Sequence[str]
    now: Sequence[str]
    asks: str
    dated: Sequence[str] = ()
    late: Sequence[str] = ()
    planned: Sequence[str] = ()
    ended: Sequence[str] = ()
    again: Sequence[str] = ()
    never: Sequence[str] = ()
    asked: str = ""
    will: str = ""
    many: bool = False
    scoped: bool = False


@dataclass(frozen=True, slots=True)
class Chatter:
    """What is said besides.

    Attributes:
        idle: About nothing that is asked.
        tempting: It names a value and says nothing about the speaker.
    """

    idle: Sequence[str]
    tempting: Sequence[str]


PEOPLE: Final = (
    ("Ada", "Bruno"),
    ("Clara", "Dmitri"),
    ("Elena", "Farid"),
    ("Greta", "Hugo"),
    ("Ines", "Jonas"),
)
PROJECTS: Final = ("Atlas", "Borealis")

_CITIES: Final = (
    "Lisbon", "Oslo", "Krakow", "Valencia", "Ghent", "Turin", "Leipzig", "Porto", "Bergen", "Graz",
    "Nantes", "Cork", "Malmo", "Tartu", "Bilbao", "Utrecht", "Zagreb", "Bristol", "Kyoto", "Quito",
)  # fmt: skip
_COMPANIES: Final = (
    "Northwind", "Calderon Labs", "Bluepeak", "Ostrava Steel", "Fennel & Co", "Harrow Media",
    "Quillon", "Tessera", "Ironbridge", "Luma Foods", "Pinecrest", "Verdant", "Marlow Bank",
    "Skylark", "Obsidian Works", "Juniper Health", "Redwater", "Solstice", "Kestrel Air", "Aldgate",
)  # fmt: skip
_ROLES: Final = (
    "accountant", "data engineer", "nurse", "translator", "product manager", "electrician",
    "teacher", "paralegal", "chemist", "architect", "copywriter", "physiotherapist", "chef",
    "civil engineer", "librarian", "recruiter",
)  # fmt: skip
_CARS: Final = (
    "Skoda Octavia", "Fiat Panda", "Volvo V60", "Toyota Yaris", "Renault Zoe", "Mazda 3",
    "Honda Jazz", "Seat Leon", "Kia Niro", "Dacia Duster", "Peugeot 208", "Volkswagen Golf",
)  # fmt: skip
_TEAMS: Final = (
    "Platform", "Payments", "Growth", "Search", "Logistics", "Mobile", "Security", "Billing",
)  # fmt: skip
_COLOURS: Final = (
    "teal", "crimson", "ochre", "violet", "indigo", "olive", "turquoise", "amber", "maroon",
)  # fmt: skip
_RIDES: Final = ("tram", "bus", "train", "ferry", "bike", "metro")
_DIETS: Final = ("vegan", "vegetarian", "pescatarian", "keto", "paleo", "kosher")
_UNIVERSITIES: Final = (
    "Lund University", "Utrecht University", "Ghent University", "Charles University",
    "Aalto University", "Leiden University", "Uppsala University", "Bologna University",
)  # fmt: skip
_CODE: Final = ("Rust", "Python", "Kotlin", "Go", "Elixir", "Scala", "Haskell", "Swift", "Zig")
_EDITORS: Final = ("Helix", "Emacs", "Vim", "Zed", "Kate", "Nano", "Micro")

ONE_AT_A_TIME: Final = (
    Subject(
        "lives_in",
        _CITIES,
        now=("I live in {v} now.", "I've moved to {v}.", "I'm based in {v} these days."),
        dated=(
            "I moved to {v} on {date}.",
            "Since {date} I live in {v}.",
            "I settled in {v} on {date}, boxes everywhere.",
        ),
        late=(
            "Actually, back in {month} I moved to {v}, I never told you.",
            "I forgot to say: in {month} I moved to {v} for a while.",
            "Come to think of it, I was living in {v} from {month} on.",
        ),
        planned=("I'm moving to {v} on {date}.", "From {date} I'll be living in {v}."),
        ended=("I moved out of {v} on {date}.", "I no longer live in {v}, since {date}."),
        again=("I still live in {v}, by the way.", "No change here, I live in {v}."),
        never=(
            "I have to take that back, I never lived in {v}.",
            "What I said about {v} was wrong, I have never lived there.",
        ),
        asks="Where does {name} live?",
        asked="Where did {name} live in {month}?",
        will="Where will {name} live in {month}?",
    ),
    Subject(
        "works_at",
        _COMPANIES,
        now=("I work at {v} now.", "I've got a new job at {v}.", "I'm working for {v} these days."),
        dated=(
            "I started at {v} on {date}.",
            "I joined {v} on {date}.",
            "Since {date} I work at {v}.",
        ),
        late=(
            "Actually, back in {month} I started at {v}, I just never mentioned it.",
            "I joined {v} in {month}, that was before all this.",
            "In {month} I started working for {v}, come to think of it.",
        ),
        planned=("I'm starting at {v} on {date}.", "From {date} I'll be working at {v}."),
        ended=("I left {v} on {date}.", "I quit my job at {v} on {date}."),
        again=("I still work at {v}, as ever.", "Work is the same, I work at {v}."),
        never=(
            "I have to take that back, I never worked at {v}.",
            "What I said about {v} was wrong, I never worked there.",
        ),
        asks="Where does {name} work?",
        asked="Where did {name} work in {month}?",
        will="Where will {name} work in {month}?",
    ),
    Subject(
        "job_title",
        _ROLES,
        now=("I work as {a} now.", "I'm {a} by profession.", "My job title is {v}."),
        dated=("Since {date} I work as {a}.", "I became {a} on {date}."),
        late=(
            "Actually, back in {month} I became {a}, I never told you.",
            "In {month} I started working as {a}.",
        ),
        planned=("I'm starting as {a} on {date}.", "From {date} I'll be working as {a}."),
        ended=("I no longer work as {a}, since {date}.", "I stopped working as {a} on {date}."),
        again=("I still work as {a}.",),
        never=("I have to take that back, I never worked as {a}.",),
        asks="What does {name} work as?",
        asked="What did {name} work as in {month}?",
        will="What will {name} work as in {month}?",
    ),
    Subject(
        "drives",
        _CARS,
        now=("I drive a {v} now.", "My car is a {v}.", "I've bought a {v}, it's my only car."),
        dated=("Since {date} I drive a {v}.", "On {date} I switched to a {v} and drive it daily."),
        late=(
            "Actually, since {month} I was driving a {v}, I never told you.",
            "I drove a {v} from {month} on, before the one you know.",
        ),
        planned=("From {date} I'll be driving a {v}.",),
        ended=("I sold my {v} on {date}.", "I no longer drive a {v}, since {date}."),
        again=("I still drive a {v}.",),
        never=("I have to take that back, I never drove a {v}.",),
        asks="Which car does {name} drive?",
        asked="Which car did {name} drive in {month}?",
        will="Which car will {name} drive in {month}?",
    ),
    Subject(
        "assigned_to",
        _TEAMS,
        now=("I'm on the {v} team now.", "They put me on the {v} team."),
        dated=("Since {date} I'm on the {v} team.", "I was moved to the {v} team on {date}."),
        late=("Actually, back in {month} I was moved to the {v} team.",),
        planned=("I'm moving to the {v} team on {date}.", "From {date} I'll be on the {v} team."),
        ended=("I left the {v} team on {date}.", "I'm no longer on the {v} team, since {date}."),
        again=("I'm still on the {v} team.",),
        never=("I have to take that back, I was never on the {v} team.",),
        asks="Which team is {name} on?",
        asked="Which team was {name} on in {month}?",
        will="Which team will {name} be on in {month}?",
    ),
    Subject(
        "studies_at",
        _UNIVERSITIES,
        now=("I study at {v} now.", "I'm a student at {v}."),
        dated=("I enrolled at {v} on {date}.", "Since {date} I study at {v}."),
        late=("Actually, back in {month} I enrolled at {v}, I never mentioned it.",),
        planned=("From {date} I'll be studying at {v}.", "I'm starting at {v} on {date}."),
        ended=("I dropped out of {v} on {date}.", "I no longer study at {v}, since {date}."),
        again=("I still study at {v}.",),
        never=("I have to take that back, I never studied at {v}.",),
        asks="Where does {name} study?",
        asked="Where did {name} study in {month}?",
        will="Where will {name} study in {month}?",
    ),
    Subject(
        "favourite_colour",
        _COLOURS,
        now=("My favourite colour is {v}.", "{V} is my favourite colour now."),
        dated=("Since {date} my favourite colour is {v}.",),
        late=("Actually, from {month} on my favourite colour was {v}.",),
        again=("My favourite colour is still {v}.",),
        never=("I have to take that back, my favourite colour never was {v}.",),
        asks="What is {name}'s favourite colour?",
        asked="What was {name}'s favourite colour in {month}?",
    ),
    Subject(
        "commutes_by",
        _RIDES,
        now=("I take the {v} to work now.", "I go to the office by {v}.", "I commute by {v}."),
        dated=("Since {date} I commute by {v}.", "On {date} I switched to the {v} for my commute."),
        late=("Actually, since {month} I was commuting by {v}.",),
        planned=("From {date} I'll be commuting by {v}.",),
        again=("I still commute by {v}.",),
        never=("I have to take that back, I never commuted by {v}.",),
        asks="How does {name} get to work?",
        asked="How did {name} get to work in {month}?",
        will="How will {name} get to work in {month}?",
    ),
    Subject(
        "diet",
        _DIETS,
        now=("I'm {v} now.", "I eat a {v} diet."),
        dated=("Since {date} I'm {v}.", "I went {v} on {date}."),
        late=("Actually, back in {month} I went {v}.",),
        again=("I'm still {v}.",),
        never=("I have to take that back, I was never {v}.",),
        asks="What diet does {name} follow?",
        asked="What diet did {name} follow in {month}?",
    ),
)

PER_PROJECT: Final = (
    Subject(
        "primary_programming_language",
        _CODE,
        now=(
            "For project {scope}, my main programming language is {v}.",
            "In the {scope} project my primary programming language is {v}.",
        ),
        again=("For project {scope}, my main programming language is still {v}.",),
        asks="What is {name}'s main programming language?",
        scoped=True,
    ),
    Subject(
        "primary_editor",
        _EDITORS,
        now=(
            "For project {scope}, my main editor is {v}.",
            "In the {scope} project my main editor is {v}.",
        ),
        again=("For project {scope}, my main editor is still {v}.",),
        asks="What is {name}'s main editor?",
        scoped=True,
    ),
)
# The same without a project.
EVERYWHERE: Final[Mapping[str, Sequence[str]]] = {
    "primary_programming_language": (
        "My main programming language is {v}.",
        "{V} is my primary programming language, in general.",
    ),
    "primary_editor": ("My main editor is {v}.", "My default editor is {v} these days."),
}

SEVERAL_AT_ONCE: Final = (
    Subject(
        "speaks",
        ("French", "German", "Spanish", "Polish", "Greek", "Turkish", "Swedish", "Czech", "Welsh"),
        now=("I speak {v}.", "I'm fluent in {v}, did I say that?", "I also speak {v}."),
        asks="Which languages does {name} speak?",
        many=True,
    ),
    Subject(
        "plays",
        ("piano", "cello", "guitar", "drums", "violin", "flute", "trumpet", "accordion"),
        now=("I play the {v}.", "I've taken up the {v}.", "I started playing the {v}."),
        ended=("I stopped playing the {v} on {date}.", "I gave up the {v} on {date}."),
        asks="Which instruments does {name} play?",
        many=True,
    ),
    Subject(
        "allergic_to",
        ("peanuts", "shellfish", "pollen", "cats", "soy", "kiwis", "penicillin", "latex", "eggs"),
        now=(
            "I'm allergic to {v}.",
            "I have an allergy to {v}, so careful.",
            "{V} make me ill, I'm allergic to {v}.",
        ),
        asks="What is {name} allergic to?",
        many=True,
    ),
)

CHATTER: Final = Chatter(
    idle=(
        "How was your weekend?",
        "The rain did not stop all day.",
        "I finally fixed the shelf in the hallway.",
        "That film you recommended was far too long.",
        "Sorry for the late answer, the phone died.",
        "We should have lunch one of these days.",
        "My neighbour's dog barked half the night.",
        "I slept badly and it shows.",
        "Did you see the match yesterday?",
        "I am reading a book about lighthouses.",
        "The queue at the post office was endless.",
        "Let's talk about the budget some other day.",
    ),
    tempting=(
        "I read a long article about {v}.",
        "My cousin keeps talking about {v}.",
        "Somebody on the train mentioned {v}.",
        "There was a documentary on {v} last night.",
        "What do you think of {v}?",
        "A colleague dreams of {v}.",
    ),
)
