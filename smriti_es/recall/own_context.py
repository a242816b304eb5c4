"""Find contexts of ours in text that comes in, and take them out.

A proxy, an agent or a person may paste what `context` gave into what is then said, and so back into
the memory. Kept, it would be recalled as if it had been said, and more of it each time. Our lines
are plain enough to be told: the title, labelled facts, and a day above turns of `user` or
`assistant`. From the first of them on everything goes that has our form, quotes included, up to the
first line that has not; also where the block was cut off, stands behind `> `, or has its line
breaks escaped as in JSON. What is left is kept as it was, less a pair of tags or fences that held
nothing but the block. A day above named speakers alone, with no title and no facts, is not taken
for ours: that is how people keep diaries.
"""

import re
from dataclasses import dataclass
from typing import Final

from smriti_es.beliefs import FactStatus
from smriti_es.recall.render import COUNTING

# The second form is that of a title without a day, as it is and as it once was.
_TITLE: Final = r"\[memory(?:, as of [0-9]|; (?:facts and )?indented )"
_STANDING: Final = "|".join([*(status.upper() for status in FactStatus), "DIGEST"])
_LABEL: Final = rf"(?:{_STANDING}) (?:since|from|on|of|[0-9]{{4}})\b"
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_DATED: Final = rf"# (?:{_DAY} (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)|week of {_DAY})"
_COARSE: Final = "# (?:[0-9]{4}(?:-[0-9]{2})?|undated)"
_ROLES: Final = "user|assistant|system|tool"
# The beginning of a day or of a label, where a block was cut off.
_CUT_OFF: Final = (
    r"#(?: (?:[0-9\-]{0,10}(?: (?:[A-Z][a-z]?)?)?|un?d?a?t?e?|we?e?k?[of0-9 \-]{0,14}))?"
    r"|-(?: (?:\[[A-Z]{0,12}(?: [a-z0-9]{0,5})?)?)?"
)
# Without one of these nothing of ours stands in a text.
_HINTS: Final = ("[memory", "- [", "# ", "[list every")
_ESCAPED_BREAK: Final = "\\n"
_AT_EDGE: Final = ('"', _ESCAPED_BREAK)
_WRAPPERS_MAX: Final = 4
_FENCE: Final = re.compile(r"[ \t>]*(```|~~~)[\w+\-]{0,20}[ \t]*")
_TAG: Final = re.compile(r"[ \t>]*<([A-Za-z][\w:.\-]{0,40})(?: [^<>\r\n]{0,200})?>[ \t]*")
_INDENTED: Final = re.compile(r"(?:[ ]{2}[^\r\n]*(?:\r\n?|\n))+")


@dataclass(frozen=True, slots=True)
class _Form:
    """How lines are parted: really, or by escapes inside a JSON string."""

    begin: str
    part: str
    end: str
    character: str

    def block(self) -> re.Pattern[str]:
        """Write what a whole block of ours looks like."""
        rest = f"(?:{self.character})*+"
        ends = f"[ \\t]*+(?={self.part}|{self.end})"
        dated = f"{_DATED}{ends}"
        title = rf"{_TITLE}(?:(?!\]){self.character}){{0,200}}+\]?"
        titled = f"(?:{title}[ \\t]*+){{1,8}}+{ends}"
        ours = rf"{titled}|{re.escape(COUNTING)}{ends}|- \[{_LABEL}{rest}"
        quote = rf"[ ]{{2}}(?!{ends}){rest}"
        line = f"{ours}|{dated}|{_COARSE}{ends}|{quote}"
        margin = rf"{self.begin}(?P<margin>[ \t>]*+)"
        first = rf"{ours}|{dated}(?={self.part}(?P=margin)[ ]{{2}}(?:{_ROLES}): )"
        next_line = f"{self.part}(?(margin)(?P=margin))"
        return re.compile(
            f"(?:{margin}(?:{first})|{titled})"
            f"(?:{next_line}(?:{line}))*+"
            f"(?:{next_line}(?:{_CUT_OFF}){self.end})?"
        )


_PLAIN: Final = _Form(r"(?:\A|(?<=[\r\n]))", r"(?:\r\n?|\n)", r"\Z", r"[^\r\n]").block()
_ESCAPED: Final = _Form(
    r"(?<=\\n|[^\\]\")", r"(?:\\r)?\\n", r"(?=\"|\Z)", r"[^\"\\\r\n]|\\[^nr\r\n]"
).block()


def may_hold_own_context(text: str) -> bool:
    """Tell, in a fraction of a microsecond, whether a text is worth a closer look."""
    return _HINTS[0] in text or _HINTS[1] in text or _HINTS[2] in text or _HINTS[3] in text


def without_own_context(text: str) -> tuple[str, int]:
    """Take every context of ours out of a text.

    Args:
        text: Any text.

    Returns:
        What is left, and how many blocks were taken out; the same object when there were none.

    Cost: Linear in the text; well under a microsecond where nothing looks like ours.
    """
    return _without_blocks(text) if may_hold_own_context(text) else (text, 0)


def _without_blocks(text: str) -> tuple[str, int]:
    kept, count = _without_plain(text)
    if _ESCAPED_BREAK in kept:
        kept, escaped = _without_escaped(kept)
        count += escaped
    return (kept, count) if count else (text, 0)


def _without_plain(text: str) -> tuple[str, int]:
    blocks = list(_PLAIN.finditer(text))
    if not blocks:
        return text, 0
    first = blocks[0].start()
    # The tail of a block whose beginning was cut off.
    pieces = ["" if _INDENTED.fullmatch(text, 0, first) else text[:first]]
    for number, block in enumerate(blocks):
        stop = blocks[number + 1].start() if number + 1 < len(blocks) else len(text)
        pieces += _unwrapped(pieces.pop(), block[0], text[block.end() : stop])
    last = len(pieces) - 1
    for number, piece in enumerate(pieces):
        begins = piece.lstrip("\r\n") if number else piece
        pieces[number] = begins.rstrip("\r\n") if number < last else begins
    return "\n\n".join(piece for piece in pieces if piece.strip()), len(blocks)


def _unwrapped(before: str, block: str, after: str) -> tuple[str, str]:
    """Take off the tags and fences that stood around a block and now hold nothing."""
    for _ in range(_WRAPPERS_MAX):
        above, _, opening = before.rstrip().rpartition("\n")
        fence, tag = _FENCE.fullmatch(opening), _TAG.fullmatch(opening)
        if fence is None and tag is None:
            break
        closing = f"</{tag[1]}>" if tag is not None else opening.strip(" \t>")[:3]
        below = after.lstrip("\r\n\t >")
        if below.startswith(closing):
            below = below[len(closing) :]
        elif block.rstrip().endswith(closing):
            below = after
        else:
            break
        before, block, after = above, "", below
    return before, after


def _without_escaped(text: str) -> tuple[str, int]:
    pieces, start, count = [], 0, 0
    for block in _ESCAPED.finditer(text):
        pieces.append(text[start : block.start()])
        start, count = block.end(), count + 1
        if not pieces[-1].endswith(_AT_EDGE) and not text.startswith(_AT_EDGE, start):
            pieces.append(_ESCAPED_BREAK * 2)
    return "".join([*pieces, text[start:]]), count
