"""What each character means to a search: the folding of one character, and the classes of scripts.

A *word* is what spaces part; a *run* is text of a script that is written without them; a
*pictograph* stands for itself. The ranges are written out, so that no release of Unicode moves a
character from one class to another; whether it is a letter at all is what the interpreter says.
"""

import re
import unicodedata

# Bodies of regular-expression classes.
IDEOGRAPHS = "\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
BOPOMOFO = "\u3105-\u312f\u31a0-\u31bf"
SOUTH_EAST_ASIAN = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ece\u0edc-\u0edf"  # Lao
    "\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
)
UNSPACED = IDEOGRAPHS + HANGUL + KANA + BOPOMOFO + SOUTH_EAST_ASIAN
UNSPACED_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074"
    "\u1082-\u108d\u108f\u109a-\u109d"
    "\u17b4-\u17d3\u17dd"
    "\u3099\u309a"
)
PICTOGRAPHS = "\u2300-\u23ff\u2600-\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001faff"
FLAG_LETTERS = "\U0001f1e6-\U0001f1ff"
JOINER = "\u200d"

_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u00b4\u2032\uff07"
_TRADE_SIGNS = "\u2122\u00ae\u00a9\u2120"
# Read before normalisation, which would make letters of the signs ("Foo™" -> "FooTM") and a space
# of the acute accent that some keyboards give for an apostrophe.
BEFORE_NORMALISATION: dict[int, str] = str.maketrans(
    dict.fromkeys(_APOSTROPHES, "'") | dict.fromkeys(_TRADE_SIGNS, " ")
)

# Latin letters that Unicode does not take apart into a base letter and an accent.
_PLAIN_LETTERS = {
    "\u0131": "i",  # the i without a dot
    "ø": "o", "đ": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
    "Ø": "O", "Đ": "D", "Ł": "L", "Ħ": "H", "Ŧ": "T", "Ð": "D", "Þ": "TH", "Æ": "AE", "Œ": "OE",
}  # fmt: skip
# Letters that writers of one language use for one another, or leave the mark of out.
_SAME_LETTERS = {
    # Alef with hamza or madda, and of the article; yeh without dots and of Persian; kaf of Persian;
    # the feminine ending.
    "\u0623": "\u0627", "\u0625": "\u0627", "\u0622": "\u0627", "\u0671": "\u0627",
    "\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643", "\u0629": "\u0647",
    # Devanagari: the moon dot, and letters that hold a dot below.
    "\u0901": "\u0902", "\u0929": "\u0928", "\u0931": "\u0930", "\u0934": "\u0933",
}  # fmt: skip
# Before a consonant of its kind a Devanagari nasal may be written as a dot: "hindi" has two ways.
DEAD_NASAL = re.compile("[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939])")
NASAL_DOT = "\u0902"
# Cyrillic letters in their own right: unlike ё, nobody types them without the mark.
_OWN_LETTERS = frozenset("йЙўЎїЇ")
_MADE_ASCII = {"\u02bc": "'", "\u2010": "-", "\u2011": "-", "\u2044": "/", "\u200b": " "}
_MADE_ASCII |= {"\u066c": ",", "\u066b": "."}  # separators between Arabic digits
_LAST_ACCENTED = 0x52F  # Latin, Greek and Cyrillic base letters lie up to here

_IGNORED = re.compile(
    "["
    "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # accents
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points, seldom written
    "\u0640\u064b-\u0652\u0670"  # Arabic stretching and vowel points, seldom written
    "\u093c"  # the Devanagari dot below, often left out
    "\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors
    "\U0001f3fb-\U0001f3ff"  # skin tones
    "]"
)
_PICTOGRAPH = re.compile(f"[{PICTOGRAPHS}]")


class Folding(dict[int, str | None]):
    """A table for `str.translate` that folds one character and remembers what it came to.

    Accents fall away from Latin, Greek and Cyrillic letters; case stays, for it shows where an
    identifier is put together. Marks of Indic, Arabic and South-East Asian scripts stay, save those
    that writers leave out: vowel points of Arabic and Hebrew, the dot below of Devanagari. So do
    letters, save those that stand for one another, such as the forms of the Arabic alef. Decimal
    digits of every script become ASCII digits. Invisible characters vanish; whatever is neither
    letter, number, mark nor pictograph becomes a space.
    """

    def __missing__(self, code: int) -> str | None:
        folded = self[code] = _fold(chr(code))
        return folded


def _fold(character: str) -> str | None:
    if character.isascii():
        return character if character.isprintable() else " "
    if character in _MADE_ASCII:
        return _MADE_ASCII[character]
    if _IGNORED.match(character):
        return None
    if character == JOINER or _PICTOGRAPH.match(character):
        return character
    return _fold_by_category(character, unicodedata.category(character))


def _fold_by_category(character: str, category: str) -> str | None:
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category in {"Cf", "Me"}:
        return None
    if category[0] not in "LMN":
        return " "
    return _without_accent(character)


def _without_accent(character: str) -> str:
    if character in _SAME_LETTERS:
        return _SAME_LETTERS[character]
    if character in _OWN_LETTERS:
        return character
    base = unicodedata.normalize("NFD", character)[0]
    if ord(base) > _LAST_ACCENTED:
        return character
    return _PLAIN_LETTERS.get(base, base)
