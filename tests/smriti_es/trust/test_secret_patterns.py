"""Every shape of credential that is known is found, whatever it stands in.

Each example is put together from two pieces, so that this file holds none that a scanner would
report.
"""

import string

import pytest

from smriti_es.redaction import Redactor
from smriti_es.secret_patterns import TOKEN_PATTERNS

ALPHABET = string.ascii_letters + string.digits
HEX = "0123456789abcdef" * 5


def letters(count: int) -> str:
    """So many letters and digits, a digit among the first few."""
    return ("a1B2c3D4e5F6g7H8i9J0" + ALPHABET * 4)[:count]


# Kind, the prefix that gives it away, the rest.
TOKENS = [
    ("private key", "AGE-SECRET-", "KEY-1" + "Q" * 58),
    ("json web token", "eyJ", f"{letters(20)}.eyJ{letters(30)}.{letters(40)}"),
    ("json web token", "eyJ", f"{letters(20)}.eyJ{letters(30)}."),
    ("api key", "sk-", letters(48)),
    ("api key", "sk-", string.ascii_lowercase),
    ("api key", "sk-", f"proj-{letters(40)}_x-{letters(20)}"),
    ("api key", "sk-", f"ant-api03-{letters(60)}"),
    ("api key", "sk-", f"or-v1-{HEX[:64]}"),
    ("api key", "gsk_", letters(52)),
    ("api key", "xai-", letters(80)),
    ("api key", "pplx-", letters(48)),
    ("api key", "tvly-", f"dev-{letters(32)}"),
    ("api key", "AIza", letters(35)),
    ("access token", "ya29.", letters(60)),
    ("client secret", "GOCSPX-", letters(28)),
    ("access token", "hf_", letters(34)),
    ("access token", "r8_", letters(37)),
    ("api key", "nvapi-", letters(64)),
    ("aws access key", "AKIA", "IOSFODNN7EXAMPLE"),
    ("aws access key", "ASIA", "IOSFODNN7EXAMPLE"),
    *(("github token", f"gh{letter}_", letters(36)) for letter in "pousr"),
    ("github token", "github_pat_", f"{letters(22)}_{letters(59)}"),
    ("gitlab token", "glpat-", letters(20)),
    ("gitlab token", "glptt-", HEX[:40]),
    *(("slack token", f"xox{letter}-", f"1234567890-{letters(24)}") for letter in "abeoprs"),
    ("slack token", "xapp-", f"1-A1234-5678-{HEX[:40]}"),
    ("stripe key", "sk_live_", letters(24)),
    ("stripe key", "rk_test_", letters(24)),
    ("webhook secret", "whsec_", letters(32)),
    ("npm token", "npm_", letters(36)),
    ("pypi token", "pypi-", f"AgEIcHlwaS5vcmc{letters(60)}"),
    ("sendgrid key", "SG.", f"{letters(22)}.{letters(43)}"),
    ("twilio key", "SK", HEX[:32]),
    ("mailgun key", "key-", HEX[:32]),
    ("telegram token", "123456789:", f"AA{letters(33)}"),
    ("digitalocean token", "dop_v1_", HEX[:64]),
    ("shopify token", "shpat_", HEX[:32]),
    ("databricks token", "dapi", HEX[:32]),
    ("linear key", "lin_api_", letters(40)),
    ("notion token", "ntn_", letters(46)),
    ("notion token", "secret_", letters(43)),
    ("vault token", "hvs.", letters(90)),
    ("postman key", "PMAK-", f"{HEX[:24]}-{HEX[:34]}"),
    ("grafana token", "glsa_", f"{letters(32)}_{HEX[:8]}"),
    ("terraform token", letters(14), f".atlasv1.{letters(67)}"),
]
# Kind, what stands before the credential, the credential, what stands after it.
PARTS = [
    ("webhook address", "https://hooks.slack.com/services/", f"T0001/B0002/{letters(24)}", "!"),
    ("webhook address", "https://discord.com/api/webhooks/", f"123456789/{letters(60)}", " x"),
    ("azure key", "AccountName=a;AccountKey=", f"{letters(60)}==", ";EndpointSuffix=b"),
    ("azure key", "Endpoint=sb://a/;SharedAccessKey=", f"{letters(42)}=", ""),
    ("azure signature", "https://a.blob.example/c?sv=1&sig=", f"{letters(40)}%3D", "&se=2"),
    ("password", "postgres://app:", "s3cr3t", "@db.example.com:5432/app"),
    ("password", "mongodb+srv://app:", "p@ss:w%2Frd", "@cluster.example.net/?x=1"),
    ("password", "redis://:", "hunter2", "@localhost:6379/0"),
    ("password", "https://ana:", "hunter2", "@example.com/path"),
    ("bearer token", "Authorization: Bearer ", letters(40), ""),
    ("bearer token", "bearer ", f"{letters(20)}==", " then"),
    ("password", "Authorization: Basic ", "YW5hOmh1bnRlcjI=", ""),
    ("password", "curl -s -u admin:", "hunter2", " https://example.com"),
    ("password", "curl --user=admin:", "hunter2", ""),
]
KEY_BLOCK = "-----BEGIN {0}PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA1234567890abcdefgh\n" * 3 + "{1}"
KEYS = [
    KEY_BLOCK.format(kind, f"-----END {kind}PRIVATE KEY-----")
    for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")
]


def surrounded(text: str) -> list[str]:
    """The places in which a credential is found in real text."""
    return [
        f"{text}",
        f"Use {text} for it.",
        f'{{"value":"{text}"}}',
        f"X={text}",
        f"(see {text})",
        f"first\\n{text}\\nlast",
        f"值{text}。",
    ]


@pytest.mark.parametrize(("kind", "prefix", "rest"), TOKENS, ids=[f"{t[0]} {t[1]}" for t in TOKENS])
def test_a_credential_with_a_shape_is_replaced_wherever_it_stands(
    kind: str, prefix: str, rest: str
) -> None:
    secret = prefix + rest
    redactor = Redactor()
    assert [redactor.text(text) for text in surrounded(secret)] == [
        text.replace(secret, f"[redacted: {kind}]") for text in surrounded(secret)
    ]


@pytest.mark.parametrize(("kind", "before", "secret", "after"), PARTS)
def test_of_an_address_or_a_header_only_the_credential_goes(
    kind: str, before: str, secret: str, after: str
) -> None:
    text = f"Take {before}{secret}{after}"
    assert Redactor().text(text) == f"Take {before}[redacted: {kind}]{after}"


@pytest.mark.parametrize("block", KEYS)
def test_a_private_key_goes_with_its_armour(block: str) -> None:
    assert Redactor().text(f"before\n{block}\nafter") == "before\n[redacted: private key]\nafter"


def test_a_private_key_whose_line_breaks_are_escaped_goes() -> None:
    block = KEYS[1].replace("\n", "\\n")
    assert Redactor().text(f'{{"k": "{block}"}}') == '{"k": "[redacted: private key]"}'


def test_a_private_key_that_was_cut_off_goes_as_far_as_it_is_there() -> None:
    cut = KEY_BLOCK.format("RSA ", "MIIEpAIBAAKCAQEA12")
    assert (
        Redactor().text(f"{cut}\n\nIs this right?") == "[redacted: private key]\n\nIs this right?"
    )


def test_a_certificate_is_no_private_key() -> None:
    block = KEYS[0].replace("PRIVATE KEY", "CERTIFICATE")
    assert Redactor().text(block) == block


def test_several_credentials_in_one_text_all_go() -> None:
    text = " ".join([prefix + rest for _, prefix, rest in TOKENS])
    expected = " ".join(f"[redacted: {kind}]" for kind, _, _ in TOKENS)
    assert Redactor().text(text) == expected


def test_every_row_of_the_table_has_an_example() -> None:
    examples = [prefix + rest for _, prefix, rest in TOKENS] + KEYS
    examples += [before + secret + after for _, before, secret, after in PARTS]
    unseen = [
        row.regex.pattern
        for row in TOKEN_PATTERNS
        if not any(row.regex.search(example) for example in examples)
    ]
    assert unseen == []


def test_every_hint_stands_in_what_its_row_finds() -> None:
    examples = [prefix + rest for _, prefix, rest in TOKENS] + KEYS
    examples += [before + secret + after for _, before, secret, after in PARTS]
    missed = [
        (row.kind, example)
        for row in TOKEN_PATTERNS
        for example in examples
        if row.regex.search(example) and not any(hint in example.lower() for hint in row.hints)
    ]
    assert missed == []
