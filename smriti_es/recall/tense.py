"""Which way a question looks: back at what was, ahead to what will be, or neither for sure.

"On Friday" and "in June" are the last ones in "What did I do", and the next ones in "What will I
do". The rules are English and look at the words that carry the tense of a question; a question that
holds words of both kinds looks nowhere.
"""

import re
from enum import Enum


class Tense(Enum):
    """Where a question looks from the day it is asked."""

    BACK = "back"
    AHEAD = "ahead"
    # "Who is visiting?": the days to come, unless what is asked about comes back once a year.
    PRESENT = "present"
    UNKNOWN = "unknown"


_BACK = re.compile(
    r"\b(?:did|didn't|was|wasn't|were|weren't|had|hadn't|happened|occurred|went|came|said|told|got"
    r"|met|saw|ate|bought|made|took|became|began|changed|have\s+(?:i|you|we|they)"
    r"|has\s+(?:he|she|it)"
    # "Who visited?", but not "who is invited" and "what is scheduled".
    r"|(?<!\bam\s)(?<!\bis\s)(?<!\bare\s)(?<!\bbe\s)"
    r"(?!(?:planned|scheduled|supposed|speed|breed|indeed|hundred|naked|sacred)\b)[a-z]{3,}ed)\b"
)
_AHEAD = re.compile(
    r"\b(?:will|won't|shall|gonna|going\s+to|due|plan(?:s|ned|ning)?|scheduled|upcoming"
    r"|coming\s+up|about\s+to)\b|'ll\b"
)
_PRESENT = re.compile(
    r"\b(?:am|is|are|do\s+(?:i|you|we|they)\s+have|does\s+(?:he|she|it)\s+have|should|can)\b"
)


def tense_of(question: str) -> Tense:
    """Tell where a question looks.

    Args:
        question: The question, folded to lower case.
    """
    back, ahead = bool(_BACK.search(question)), bool(_AHEAD.search(question))
    if back != ahead:
        return Tense.BACK if back else Tense.AHEAD
    if not back and _PRESENT.search(question):
        return Tense.PRESENT
    return Tense.UNKNOWN
