"""Patterns of where somebody lives, comes from, works and belongs."""

from smriti_es.extraction.pattern_form import (
    Pattern,
    began,
    begins,
    dated,
    group,
    left,
    state,
    value,
)
from smriti_es.extraction.pattern_values import place
from smriti_es.extraction.pattern_work import (
    employer_joined,
    employer_left,
    employer_of,
    job_left,
    member,
    organisation,
    organisation_joined,
    professed_employer,
    professed_role,
    role,
    role_of,
    team,
    team_or_name,
)

_MOVED = r"(?: back| over| here| out| up| down| away)*(?: from [A-Z][\w' ,-]*?)?"
_MOVING = (
    r"(?:am (?:moving|relocating|going to (?:move|relocate))|will (?:be )?(?:mov|relocat)(?:e|ing))"
)

_HOME = (
    *group(
        "lives_in",
        value(place),
        state("live reside", r"I (?:live|reside) (?:here )?in …"),
        state("based", r"I am based (?:in|out of) …"),
        state("home", r"My home is in …"),
        began("moved relocated", rf"I (?:have )?(?:moved|relocated){_MOVED} to …"),
        began("settled", r"I (?:have )?settled (?:down )?in …"),
        begins("moving move relocating relocate", rf"I {_MOVING}{_MOVED} to …", "move to {}"),
        left("moved", r"I (?:have )?moved (?:out of|away from) …"),
    ),
    *group("comes_from", value(place), state("from", r"I (?:am|come|hail) (?:originally )?from …")),
    *group("born_in", value(place), state("born", r"I was born (?:and raised )?in …")),
    *group("grew_up_in", value(place), state("grew", r"I grew up in …")),
)

_LEFT = r"|,.*| (?:at|with|from|by|because|and|but|so|due|for|to|as|after)\b.*"
_GOT = r"(?:have )?(?:got|gotten|landed|took|taken|accepted|started)"
_A_JOB = r"(?:an?|the|my) (?:new |dream |first )?(?:job|position|role|internship)"
_STARTED = r"(?:have )?(?:started|began)"
_HIRED = rf"(?:{_GOT} {_A_JOB}|(?:was|am|got) hired|{_STARTED} work(?:ing)?)"
_HIRING = "started began job position role internship hired"
_START = r"(?:am (?:starting|going to start)|will (?:be )?start(?:ing)?|start)"
_WORKING = r"(?: working| work| (?:my|a) (?:new )?job)?"
_JOIN = r"(?:am (?:joining|going to join)|will (?:be )?join(?:ing)?)"
_TRANSFER = r"(?:am (?:moving|transferring)|will (?:be )?(?:move|moved|transfer|transferred))"
_TRANSFERRED = r"(?:was |got |have (?:been )?|am )?(?:moved|transferred|switched)"
_BY = r"(?: (?:(?:at|for|with|by) )?[A-Z][\w& ]*?)?"

_WORK = (
    *group(
        "works_at",
        value(organisation),
        state("work", r"I work (?:(?:full|part)[- ]time |remotely )?(?:at|for) …"),
        state("work", r"I work in [\w& ]+? (?:at|for) …"),
        state("employed", r"I am employed (?:at|by) …"),
        state("employer", r"My employer is …"),
        began(_HIRING, rf"I {_HIRED}(?: as .+?)? (?:at|for|with|by) …"),
        began("started began", rf"I {_STARTED}(?: as .+?)? at …"),
        begins(
            "starting start",
            rf"I {_START}{_WORKING}(?: as .+?)? (?:at|for|with) …",
            "start at {}",
        ),
    ),
    *group("works_at", employer_of, state("work", r"I work as …")),
    *group("works_at", professed_employer, state("at", r"I am (?P<value>(?:an?|the) .+)")),
    *group(
        "works_at",
        employer_joined,
        dated(began("joined", r"I (?:have )?joined …")),
        dated(begins("join joining", rf"I {_JOIN} …", "join {}")),
    ),
    *group("works_at", employer_left, dated(left("left quit", r"I (?:have )?(?:left|quit) …"))),
    *group("works_at", organisation_joined, began("joined", r"I (?:have )?joined …")),
    *group(
        "works_at",
        job_left,
        left(
            "job", rf"I (?:have )?(?:quit|left|lost|resigned from) my (?:\w+ )?job(?P<rest>{_LEFT})"
        ),
        left("laid fired let", rf"I (?:was|got|am) (?:laid off|fired|let go)(?P<rest>{_LEFT})"),
        left("resigned retired", r"I (?:have )?(?:resigned|retired)(?P<rest>| from [A-Z].+)"),
    ),
    *group(
        "job_title",
        role_of,
        state("work employed", r"I (?:work|am employed) as …"),
        state("work", r"I work (?:at|for) [A-Z].*? as …"),
        began(f"joined {_HIRING}", rf"I (?:{_HIRED}|{_STARTED}|joined){_BY} as …"),
    ),
    *group(
        "job_title",
        value(role),
        state("profession trade", r"I am (?P<value>(?:an? )?.+?) by (?:profession|trade|training)"),
        state("title", r"My job title is …"),
        began("promoted", r"I (?:was|got|am) promoted to …"),
    ),
    *group(
        "job_title",
        professed_role,
        state("at", r"I am (?P<value>(?:an?|the) .+)"),
        began("became", r"I became (?P<value>(?:an?|the) .+)"),
    ),
)

_BELONGING = (
    *group(
        "assigned_to",
        value(team_or_name),
        state("assigned", r"I am (?:re-?)?assigned to …"),
        began("assigned reassigned", r"I (?:was|got) (?:re-?)?assigned to …"),
    ),
    *group(
        "assigned_to",
        value(team),
        state("team squad project", r"I am (?:on|in|part of) …"),
        began("moved transferred switched joined", rf"I (?:{_TRANSFERRED} to|joined) …"),
        begins(
            "moving move moved transferring transferred join joining",
            rf"I (?:{_TRANSFER} to|{_JOIN}) …",
            "join {}",
        ),
    ),
    *group(
        "member_of",
        value(member),
        state("member", r"I am (?:a|an active) member of …"),
        state("in", r"I am in …"),
        began("joined", r"I (?:have )?joined …"),
        left("quit", r"I (?:have )?quit (?P<value>(?:my|the) .+)"),
    ),
    *group(
        "volunteers_at", value(organisation), state("volunteer", r"I volunteer (?:at|for|with) …")
    ),
)

HOME: tuple[Pattern, ...] = (*_HOME, *_WORK, *_BELONGING)
