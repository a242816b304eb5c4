"""A name that announces a credential, and the value behind it: `password: …`, `API_KEY=…`.

The value of such a pair has no shape of its own, so it is judged by how it is written: what is
quoted or looks made up is taken for the secret; a word in the middle of a sentence, a type, a
variable or a call in code is not. Source: design page on trust, "Secrets and egress".
"""

import re
from typing import Final

# Of what these announce, anything may be the value.
_STRONG: Final = (
    r"pass(?:word|wd|phrase|code)|pwd|(?<![a-z])pw(?![a-z])|passwort|kennwort"
    r"|mot de passe|contrase[nñ]a|senha|пароль|密码|密碼|パスワード"
    r"|api[ _\-]?key|secret[ _\-]?(?:access[ _\-]?)?key|private[ _\-]?key|encryption[ _\-]?key"
    r"|account[ _\-]?key|client[ _\-]?secret|(?:access|auth|refresh|bearer|session|api)[ _\-]?token"
)
# These are words of other trades, too: only a value that looks made up is one.
_WEAK: Final = r"secret|token|credentials?"
PAIR_HINTS: Final = (
    "pass",
    "pwd",
    "pw",
    "kennwort",
    "contrase",
    "senha",
    "пароль",
    "密码",
    "密碼",
    "パスワード",
    "key",
    "secret",
    "token",
    "credential",
)
_IS: Final = r"is|was|lautet|ist"
# Without one of these nothing is announced.
PAIR_MARKS: Final = (
    *(":", "=", " is ", " was ", "--", " - ", " \u2013 "),
    *("\uff1a", "是", "为", " ist ", " lautet "),
)
# A closing bracket counts behind a quote alone: "[redacted: password]" announces nothing.
_CLOSED: Final = r"(?:\\?[\"'`]\]?|\*\*)?"
# "The password for the router is ...": what it is for may stand between.
_FOR: Final = r"(?:[ \t](?:for|to|of|on|at|in|f\u00fcr)[ \t][^\r\n:=.,;\"'`()]{1,48}?)?"
_SAID: Final = (
    rf"(?P<between>{_FOR}"
    r"(?:"
    rf"{_CLOSED}[ \t]{{0,4}}(?:(?:{_IS})[ \t]{{0,2}})?(?:=>|:=|==?|[:\uff1a])(?:\*\*)?[ \t]{{0,4}}"
    rf"|[ \t]{{1,4}}(?:{_IS}|[-\u2013])[ \t]{{1,4}}|[ \t]?[是为][ \t]?))"
)
_VALUE: Final = (
    r"(?:\\\"(?P<escaped>[^\"\\\r\n]{1,512})\\\""
    r"|\"(?P<double>(?:[^\"\\\r\n]|\\.){1,512})\""
    r"|'(?P<single>(?:[^'\\\r\n]|\\.){1,512})'"
    r"|`(?P<code>[^`\r\n]{1,512})`"
    r"|(?P<bare>[^\s\"'`,;&<>(){}\[\]\\]{4,256}))"
)
PAIR: Final = re.compile(
    rf"(?:(?P<strong>{_STRONG})|(?P<weak>{_WEAK})){_SAID}{_VALUE}", re.IGNORECASE
)
# On a command line the value follows the option.
OPTION: Final = re.compile(
    r"(?<![\w\-])--(?:[a-z0-9]{1,20}-){0,3}(?P<strong>password|passwd|passphrase|token|api-key|secret)"
    rf"(?P<between>[ =]){_VALUE}"
)
_STRONG_NAME: Final = re.compile(rf"(?:[\w.\- ]*[_.\- ])?(?:{_STRONG})", re.IGNORECASE)
_CAMEL_NAME: Final = re.compile(
    r"[a-z0-9]{1,40}(?:Password|Passphrase|ApiKey|Secret|SecretKey|Token)"
)
_WEAK_NAME: Final = re.compile(rf"(?:[\w.\- ]*[_.\- ])?(?:{_WEAK})", re.IGNORECASE)
_GROUPS: Final = ("escaped", "double", "single", "code", "bare")

_KEYWORD: Final = re.compile(r"pass|pwd|secret|token|key|cred", re.IGNORECASE)
_NAME_IN_CODE: Final = re.compile(r"[A-Za-z_][A-Za-z_]*(?:\.[A-Za-z_]+)+|\$[A-Z_][A-Z0-9_]*|%\w+%")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]+")
_MASK: Final = re.compile(r"[*•●xX.#_\-…?:]+")
_DATE_OR_VERSION: Final = re.compile(r"\d{4}-\d\d|v?\d+\.\d|https?://|/|\./")
_TECHNIQUE: Final = re.compile(
    r"(?:base|sha|md|utf|argon|aes|pbkdf|ed|x|oauth|rs|hs|es|iso|rot|crc|v|bcrypt)-?\d",
    re.IGNORECASE,
)
_SYMBOL: Final = re.compile(r"[!@#$%^*+=?~|€£§]")
_PLAIN: Final = re.compile(r"[^\W\d_]+(?:[\-/_.'\u2019][^\W\d_]+){0,2}")
# The value is the last word of its line or clause.
_CLAUSE_END: Final = re.compile(r"[,;.]|[:!?)\]}\"'`]{0,3}[ \t]{0,4}(?=\r|\n|\\n|$)")
# What forms, types and messages put there.
_NO_SECRET: Final = re.compile(
    r"string|text|bytes|optional|required|none|null|undefined|true|false|boolean|number"
    r"|integer|float|varchar|object|unknown|missing|empty|blank|hidden|masked|redacted"
    r"|removed|omitted|encrypted|hashed|forgotten|changed|reset|expired|invalid|incorrect"
    r"|wrong|correct|valid|rotated|revoked|updated|saved|stored|protected|disabled|enabled"
    r"|enter|below|above|yes|same|later|todo|example|placeholder|default|private|public"
    r"|generated|pending|needed|mandatory",
    re.IGNORECASE,
)
_KINDS: Final = ((re.compile("key", re.I), "api key"), (re.compile("token", re.I), "token"))


def secret_in_pair(match: re.Match[str]) -> tuple[int, int] | None:
    """Give where the value of a pair stands if it is a secret, else None."""
    group = next(name for name in _GROUPS if match[name] is not None)
    value, (start, end) = match[group], match.span(group)
    if group == "bare":
        trimmed = value.rstrip(".:?")
        end -= len(value) - len(trimmed)
        value = trimmed
        if match.string[end : end + 1] in ("(", "[", "{"):
            return None
    if not _may_be_secret(value):
        return None
    is_strong = match["strong"] is not None
    if group != "bare":
        secret = len(value) >= 4 if is_strong else _is_made_up(value, 8)
    elif not is_strong:
        secret = _is_made_up(value, 12)
    elif _is_spoken(match["between"]):
        secret = len(value) >= 6 and _looks_chosen(value)
    else:
        secret = _is_announced(match, value, end)
    return (start, end) if secret else None


def kind_of_pair(name: str) -> str:
    """Say what a name announces: api key, token, secret or password."""
    for expression, kind in _KINDS:
        if expression.search(name):
            return kind
    return "secret" if "secret" in name.lower() or "cred" in name.lower() else "password"


def secret_under(name: str, value: str) -> bool:
    """Tell whether the value that a map holds under a name is a secret."""
    if not value or not _may_be_secret(value) or _NO_SECRET.fullmatch(value):
        return False
    if _STRONG_NAME.fullmatch(name) or _CAMEL_NAME.fullmatch(name):
        return True
    return _WEAK_NAME.fullmatch(name) is not None and _is_made_up(value, 8)


def _may_be_secret(value: str) -> bool:
    """Refuse placeholders, masks, variables, and what names the secret instead of giving it."""
    if value.startswith(("[redacted: ", "${", "{{", "<", "%(", "$(")):
        return False
    return not (_MASK.fullmatch(value) or _NAME_IN_CODE.fullmatch(value))


def _is_spoken(between: str) -> bool:
    return not any(mark in between for mark in "=:\uff1a")


def _is_announced(match: re.Match[str], value: str, end: int) -> bool:
    """Judge what follows a colon or an equals sign, unquoted."""
    last = _CLAUSE_END.match(match.string, end) is not None
    if value.isdecimal():
        return kind_of_pair(match["strong"]) == "password" and (last or len(value) >= 6)
    if _IDENTIFIER.fullmatch(value) and _KEYWORD.search(value):
        return False
    word = value.rstrip("!")
    if _PLAIN.fullmatch(word):
        hyphens = sum(word.count(mark) for mark in "-/_.")
        named = _NO_SECRET.fullmatch(word) or _KEYWORD.search(word)
        assigned = "=" in match["between"] and not match["between"].startswith(" ")
        return not hyphens and not named and len(word) >= 6 and (last or assigned)
    if _DATE_OR_VERSION.match(value) or _TECHNIQUE.match(value):
        return False
    return last or _looks_chosen(value)


def _looks_chosen(value: str) -> bool:
    """Tell a password from a word: it mixes digits with letters, or holds signs."""
    if _TECHNIQUE.match(value) or _DATE_OR_VERSION.match(value):
        return False
    has_letter = any(character.isalpha() for character in value)
    if _SYMBOL.search(value):
        return has_letter or any(character.isdecimal() for character in value)
    return has_letter and any(character.isdecimal() for character in value) and "-" not in value


def _is_made_up(value: str, length_min: int) -> bool:
    """Tell a generated value from a word: long, in one piece, letters and digits mixed."""
    if len(value) < length_min or any(character.isspace() for character in value):
        return False
    if _DATE_OR_VERSION.match(value) or _TECHNIQUE.match(value):
        return False
    return any(map(str.isdecimal, value)) and any(map(str.isalpha, value))
