"""Patterns of what somebody speaks, studies, plays, owns, uses and plans."""

from smriti_es.extraction.pattern_form import (
    Pattern,
    began,
    dated,
    due,
    group,
    left,
    plans,
    state,
    stops,
    value,
)
from smriti_es.extraction.pattern_likings import activity
from smriti_es.extraction.pattern_pursuits import (
    DOING as DOINGS,
)
from smriti_es.extraction.pattern_pursuits import (
    GIVEN_UP,
    doing,
    given_up,
    kept,
    named_school,
    played,
    practised,
    pursued,
    school,
    subjects,
    trip,
)
from smriti_es.extraction.pattern_shapes import (
    bought,
    car,
    car_sold,
    languages,
    possession,
    ride,
    tool,
    tool_new,
    tool_old,
    vehicle,
)
from smriti_es.extraction.pattern_words import KEPT_THINGS

_HAVE = "I (?:have )?"
_BEGAN = rf"{_HAVE}(?:started|began)"
_GAVE_UP = rf"{_HAVE}(?:gave up|given up|quit|stopped)"
_TOOK_UP = rf"{_HAVE}(?:took up|taken up|picked up)"

_LEARNING = (
    *group(
        "speaks",
        value(languages),
        state("speak", "I (?:can )?speak …"),
        state("fluent", "I am fluent in …"),
    ),
    *group(
        "native_language",
        value(languages),
        state("language tongue", "My (?:native language|first language|mother tongue) is …"),
    ),
    *group(
        "learns",
        value(languages),
        state("learn", "I learn …"),
        began("learning learn", f"{_BEGAN} (?:learning|to learn) …"),
    ),
    *group(
        "studies_at",
        value(named_school),
        state("study", r"I study (?:[\w ]+? )?at …"),
        state("student", r"I am a (?:[\w-]+ ){0,4}student (?:at|in) …"),
        left("graduated dropped", f"{_HAVE}(?:graduated|dropped out) (?:from|of) …"),
    ),
    *group(
        "studies_at",
        value(school),
        state("go attend", "I (?:go to|attend) …"),
        began("enrolled", f"{_HAVE}enrolled (?:at|in) …"),
        began(
            "started",
            rf"{_HAVE}started (?:studying|school|college|university|uni|my [\w']+)"
            r"(?: [\w ]+?)? at …",
        ),
    ),
    *group("graduated_from", value(named_school), began("graduated", f"{_HAVE}graduated from …")),
    *group(
        "studies",
        value(subjects),
        state("study major majoring", "I (?:study|major in|am majoring in) …"),
        state("major", "My major is …"),
    ),
)

_HOBBIES = (
    *group(
        "plays",
        value(played),
        state("play", "I (?:can )?play …"),
        began("playing play learning", f"{_BEGAN} (?:playing|to play|learning) …"),
        began("took taken picked", f"{_TOOK_UP} …"),
        left("gave given quit stopped", f"{_GAVE_UP}(?: playing)? …"),
    ),
    *group(
        "practises",
        value(practised),
        state("do practise practice", "I (?:do|practi[sc]e) …"),
        began("started began", rf"{_BEGAN}(?: doing| practi[sc]ing)? …"),
        began("took taken", f"{_TOOK_UP} …"),
        left("gave given quit stopped", rf"{_GAVE_UP}(?: doing| practi[sc]ing)? …"),
    ),
    *group(
        "practises",
        value(pursued),
        dated(began("started began", f"{_BEGAN} …")),
        began("took taken", f"{_TOOK_UP} …"),
        left("gave given quit stopped", f"{_GAVE_UP} …"),
    ),
    *group("practises", given_up, stops(" ".join(GIVEN_UP), rf"I (?P<verb>{'|'.join(GIVEN_UP)})")),
)

_WORKSITE = r"(?:the office|work|school|uni|university|college|campus)"
_HABIT = (
    r"(?: every (?:day|morning)| each (?:day|morning)| most days| daily)?"
    r"(?:,.*| (?:because|and|with|in) .*)?"
)
_SWITCHED = rf"{_HAVE}switched(?: over)?(?: from (?P<old>[\w.+# -]+?))?"

_THINGS = (
    *group(
        "drives",
        value(car),
        state("drive", "I drive …"),
        state("car", "My car is …"),
    ),
    *group("drives", car_sold, left("sold", f"{_HAVE}sold my (?:old )?(?:car|(?P<value>[A-Z].*))")),
    *group(
        "owns",
        value(possession),
        state("own", "I own …"),
    ),
    *group(
        "owns",
        value(bought),
        began("bought purchased", f"{_HAVE}(?:bought|purchased) (?:myself |ourselves )?…"),
    ),
    *group(
        "uses",
        value(tool),
        state("use", "I use …"),
        began("using", f"{_BEGAN} using …"),
        left("instead", "I use .+? instead of …"),
    ),
    *group("uses", tool_new, began("switched", f"{_SWITCHED} to (?P<new>.+)")),
    *group("uses", tool_old, left("switched", f"{_SWITCHED} to (?P<new>.+)")),
    *group(
        "commutes_by",
        ride,
        state(
            "cycle bike walk drive run jog",
            rf"I (?P<ride>cycle|bike|walk|drive|run|jog) to {_WORKSITE}{_HABIT}",
        ),
        state("commute", rf"I commute (?:by|on|via) (?:the |my )?(?P<ride>[\w-]+){_HABIT}"),
        state(
            "go get come",
            rf"I (?:go|get|come) to {_WORKSITE} (?:by|on) (?:the |my )?(?P<ride>[\w-]+){_HABIT}",
        ),
        began(
            "cycling biking walking driving running",
            rf"{_BEGAN} (?P<ride>cycling|biking|walking|driving|running) to {_WORKSITE}{_HABIT}",
        ),
        began("switched", rf"{_HAVE}switched to (?:the |my )?(?P<ride>[a-z-]+)"),
        stops("cycle bike drive walk", "I (?P<ride>cycle|bike|drive|walk)"),
    ),
    *group(
        "commutes_by",
        vehicle,
        state("take", rf"I take (?:the|my) (?P<ride>[\w-]+){_HABIT}"),
        state(
            "take ride catch",
            rf"I (?:take|ride|catch) (?:the|my|a) (?P<ride>[\w-]+) to {_WORKSITE}{_HABIT}",
        ),
        began(
            "taking",
            rf"{_BEGAN} taking (?:the|my|a) (?P<ride>[\w-]+)(?: to {_WORKSITE})?{_HABIT}",
        ),
    ),
    *group(
        "located_in",
        kept,
        state(
            f"keep {' '.join(KEPT_THINGS)}",
            r"I keep (?P<whose>my|our|the) (?P<thing>[\w' -]+?) "
            "(?P<value>(?:in|under|on|behind|inside|at|above|below|beneath|with) .+)",
        ),
    ),
)

_PLANS = (
    *group(
        "plans_to",
        value(activity),
        plans("plan planning intend", "I (?:plan|am planning|intend) to …"),
        due(
            "going will",
            r"I (?:am going to|will) (?P<value>"
            r"(?=[a-z])(?!(?:be|have|let|see|try|the|an?|my|our|get|do|not|never|keep|check"
            r"|miss|need|know|love|like|hate|feel|think|remember|forget|regret|die|lose|turn)\b).+)",
        ),
    ),
    *group("plans_to", doing, due(" ".join(DOINGS), rf"I am (?P<doing>{'|'.join(DOINGS)}) …")),
    *group(
        "plans_to",
        trip,
        plans(
            "planning",
            r"I am planning (?P<value>an? (?:\w+ )?(?:trip|holiday|vacation|journey|cruise) .+)",
        ),
    ),
)

DOING: tuple[Pattern, ...] = (*_LEARNING, *_HOBBIES, *_THINGS, *_PLANS)
