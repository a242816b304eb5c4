"""What credentials look like: one row for each shape that can be told from ordinary text.

A row names a shape by which its issuer lets it be recognised: a prefix, a length, an armour.
Nothing is judged by how random it looks, so hashes, UUIDs, identifiers and prose stay as they are.
Every expression takes time in proportion to the text: each begins at a border that its own body
cannot hold, and no repetition stands inside another over the same characters.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One shape of credential.

    Attributes:
        kind: What it is called, in the placeholder and in counts.
        hints: Lower-case pieces of which one stands in every text that holds such a credential;
            empty for a shape that has none, which is then always looked for.
        regex: Finds it; what is replaced is the group `secret`, or all of it where there is none.
        long: Whether it always holds 16 characters in a row that are no white space.
    """

    kind: str
    hints: tuple[str, ...]
    regex: re.Pattern[str]
    long: bool = False


# Where a credential may begin: not in the middle of a word, but after an escaped line break.
_BEGIN: Final = r"(?:(?<![A-Za-z0-9_\-])|(?<=\\[nrt]))"
_END: Final = r"(?![A-Za-z0-9_\-])"
# A run that holds a digit: what people join with hyphens and underscores seldom does.
_DIGIT_AHEAD: Final = r"(?=[A-Za-z_\-]*+[0-9])"


def _row(kind: str, hints: str, expression: str) -> SecretPattern:
    return SecretPattern(kind, tuple(hints.split()), re.compile(expression))


def _token(kind: str, hints: str, expression: str) -> SecretPattern:
    """A row for a long run of characters that begins and ends where words do."""
    regex = re.compile(f"{_BEGIN}(?:{expression}){_END}")
    return SecretPattern(kind, tuple(hints.split()), regex, long=True)


_ARMOUR: Final = r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_ARMOUR_END: Final = r"-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
# A block that was cut off: lines of base64, also with their line breaks escaped.
_BASE64_LINES: Final = r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/=]{16,}+)++"

TOKEN_PATTERNS: Final = (
    _row(
        "private key",
        "private",
        f"{_ARMOUR}(?:(?:(?!-----|\\[redacted: )[\\s\\S])*+{_ARMOUR_END}|{_BASE64_LINES})",
    ),
    _token("private key", "age-secret-key-1", "AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _token(
        "json web token",
        "eyj",
        r"eyJ[A-Za-z0-9_\-]{8,}+\.eyJ[A-Za-z0-9_\-]{8,}+(?:\.[A-Za-z0-9_\-]*+){1,3}+",
    ),
    # OpenAI, Anthropic, OpenRouter, DeepSeek and others that took the prefix over.
    _token(
        "api key",
        "sk-",
        rf"sk-(?:{_DIGIT_AHEAD}[A-Za-z0-9_\-]{{16,}}+|[A-Za-z]{{20,}}+)",
    ),
    _token("api key", "gsk_ xai- pplx-", r"(?:gsk_|xai-|pplx-)[A-Za-z0-9]{32,}+"),
    _token("api key", "tvly-", rf"tvly-{_DIGIT_AHEAD}[A-Za-z0-9\-]{{20,}}+"),
    _token("api key", "aiza", r"AIza[A-Za-z0-9_\-]{35}"),
    _token("access token", "ya29.", r"ya29\.[A-Za-z0-9_\-]{20,}+"),
    _token("client secret", "gocspx-", r"GOCSPX-[A-Za-z0-9_\-]{20,}+"),
    _token("access token", "hf_ r8_", r"(?:hf_|r8_)[A-Za-z0-9]{30,}+"),
    _token("api key", "nvapi-", r"nvapi-[A-Za-z0-9_\-]{40,}+"),
    _token("aws access key", "akia asia", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    _token("github token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,}+"),
    _token("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}+"),
    _token(
        "gitlab token", "glpat- gldt- glrt- glptt-", r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_\-]{20,}+"
    ),
    _token(
        "slack token",
        "xox",
        rf"xox[abeoprs](?:\.xox[abeoprs])?-{_DIGIT_AHEAD}[A-Za-z0-9\-]{{12,}}+",
    ),
    _token("slack token", "xapp-", r"xapp-[0-9]-[A-Za-z0-9\-]{20,}+"),
    _row(
        "webhook address",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_]{20,}+)",
    ),
    _row(
        "webhook address",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/(?P<secret>[0-9]{5,25}/[A-Za-z0-9_\-]{30,}+)",
    ),
    _token(
        "stripe key",
        "sk_live_ sk_test_ rk_live_ rk_test_",
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}+",
    ),
    _token("webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}+"),
    _token("npm token", "npm_", r"npm_[A-Za-z0-9]{36,}+"),
    _token("pypi token", "pypi-", r"pypi-[A-Za-z0-9_\-]{50,}+"),
    _token("sendgrid key", "sg.", r"SG\.[A-Za-z0-9_\-]{16,}+\.[A-Za-z0-9_\-]{16,}+"),
    _token("twilio key", "sk", r"SK[0-9a-f]{32}"),
    _token("mailgun key", "key-", r"key-[0-9a-f]{32}"),
    _token("telegram token", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_\-]{33}"),
    _token(
        "digitalocean token",
        "dop_v1_ doo_v1_ dor_v1_",
        r"do[opr]_v1_[0-9a-f]{64}",
    ),
    _token("shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token("databricks token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
    _token("linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,}+"),
    _token("notion token", "ntn_ secret_", r"(?:ntn_|secret_)[A-Za-z0-9]{40,}+"),
    _token("vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_\-]{24,}+"),
    _token("postman key", "pmak-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _token("grafana token", "glsa_ glc_", r"(?:glsa|glc)_[A-Za-z0-9+/=_]{32,}+"),
    _token("terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,}+"),
    _row(
        "azure key",
        "accountkey= sharedaccesskey=",
        r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{30,}+={0,2})",
    ),
    _row(
        "azure signature",
        "sig=",
        r"[?&;]sig=(?P<secret>[A-Za-z0-9%+/\-_]{30,}+=?)",
    ),
    # A scheme, a name, and a password before the @ of an address; addresses with a port alone, or
    # with a name alone, are left as they are.
    _row(
        "password",
        "://",
        r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{1,40}://[^\s:/@\[\]\"'<>]{0,128}:"
        r"(?P<secret>(?!\[redacted: |\$\{|\{|<)[^\s/\"'<>]{1,256})@(?=[A-Za-z0-9\[_.\-%])",
    ),
    _row(
        "bearer token",
        "bearer",
        r"(?<![A-Za-z])[Bb](?:earer|EARER)[ \t]{1,4}"
        r"(?P<secret>(?=[A-Za-z_\-.~+/]*+[0-9])[A-Za-z0-9_\-.~+/]{16,}+={0,2})",
    ),
    _row(
        "password",
        "basic",
        r"(?i:authorization)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?i:basic)[ \t]{1,4}"
        r"(?P<secret>[A-Za-z0-9+/]{8,}+={0,2})",
    ),
    _row(
        "password",
        "curl",
        r"(?<!\S)(?:-u|--user)[ =][\"']?[^\s:\"'/]{1,64}:"
        r"(?P<secret>(?!\$|\[redacted: |[0-9]+(?:[\s\"']|$))[^\s\"']{3,256})",
    ),
)
