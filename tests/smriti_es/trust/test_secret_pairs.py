"""The value behind `password:` and its like goes; prose, types and code about passwords stay."""

import pytest

from smriti_es.redaction import Redactor

# What stands before the secret, the secret, what stands after it, and what it is called.
PAIRS = [
    ("password: ", "hunter2", "", "password"),
    ("Password: ", "swordfish", "", "password"),
    ("Password: ", "swordfish", ". Do not tell.", "password"),
    ("user: ana, password: ", "swordfish", ", host: db", "password"),
    ("passwd=", "hunter2", "&next=/", "password"),
    ("DB_PASSWORD=", "correcthorse", "\n", "password"),
    ("export PGPASSWORD='", "it is mine", "'", "password"),
    ('{"password": "', "correct horse battery", '"}', "password"),
    ('{\\"password\\": \\"', "hunter2", '\\"}', "password"),
    ("password: `", "hunter2", "`", "password"),
    ("the passphrase is: ", "Summer2024!", "", "password"),
    ("my password is ", "hunter2", "", "password"),
    ("The wifi password is ", "Blue42Sky", ", write it down", "password"),
    ("the password for the router: ", "blue42sky", "", "password"),
    ("The password to my mail is ", "Blue42sky!", "", "password"),
    ("Password - ", "hunter2", "", "password"),
    ("user bob, pw: ", "hunter2", "", "password"),
    ("its password was ", "t0p$ecret", " before", "password"),
    ("**Password:** ", "hunter2", "", "password"),
    ("**Password**: `", "swordfish", "`", "password"),
    ('options["password"] = "', "swordfish", '"', "password"),
    ("pwd := ", "abc123!x", "", "password"),
    ("pin and passcode: ", "4711", "", "password"),
    ("Passwort: ", "geheim99", "", "password"),
    ("Das Kennwort lautet ", "Sommer23", "", "password"),
    ("contraseña: ", "gato77negro", "", "password"),
    ("пароль: ", "кошка99", "", "password"),
    ("密码：", "abc12345", "", "password"),
    ("密码是", "abc12345", "", "password"),
    ("api_key: ", "0a1b2c3d", "", "api key"),
    ("x-api-key: ", "abc-123-def", "", "api key"),
    ("apiKey = '", "abcd", "'", "api key"),
    ("aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "", "api key"),
    ("client_secret=", "q1w2e3r4", "", "secret"),
    ("access_token=", "q1w2e3r4", "&x=1", "token"),
    ("refresh token: ", "q1w2-e3r4-t5", "", "token"),
    ("token: ", "abc123def456ghi", "", "token"),
    ("secret = '", "abc123de", "'", "secret"),
    ("mysql --password ", "hunter2x", " -h db", "password"),
    ("tool --api-key=", "zz99zz99", "", "api key"),
]
LEFT_ALONE = """\
The secret: always salt the water.
The secret is to salt the water in 2 steps.
Token: the smallest unit of text that a model reads
The token is base64-encoded.
password: you can reset it in the settings
Password: required
Password: must contain 8 characters
password is incorrect
The password is case-sensitive and was changed in 2019.
The password is sha256-hashed.
password: sha256
My password manager is Bitwarden.
The password for the account is at least 12 characters long.
The password to remember is yours to choose.
the key to success is practice
Password - required
A secret of mine is that I sing.
I keep my passwords in a drawer.
I forgot my password: again!
Did you pass: yes or no?
def login(user: str, password: str, token: Token) -> None:
password: String
password: Optional[str] = None
password = os.environ["PW"]
password = getpass.getpass()
password = settings.DB_PASSWORD
password=password, token=token
username, password = index_url_user_password
private_key: CERTIFICATE_PRIVATE_KEY_TYPES,
ACCESS_TOKEN = 1256
password = ":****"
api_key=api_key
password: ${DB_PASSWORD}
password: $DB_PASSWORD
password: {{ vault_password }}
password: %PASSWORD%
password: <your password>
password: ********
password: xxxxxxxx
password: [redacted: password]
password: [redacted: password]: hunter2
api key: see the vault
token = next(tokens)
token = tokenizer.encode(text)
if token == "EOF": break
max_tokens: 200000
"completion_tokens": 1234567890123
token: 2023-05-08T10:00:00Z
secret: https://example.com/a1b2c3d4e5f6
session token: expires in 3600 seconds
key: value
primary key: user_id
The key: 42 steps to the north
monkey: bananas99
keyboard = mechanical65
compass: 350degrees
passport: no
tokenizer: bert-base-uncased-v2
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
id 550e8400-e29b-41d4-a716-446655440000
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
md5 d41d8cd98f00b204e9800998ecf8427e, crc 1c291ca3
http://localhost:8080/users/@me
https://user@example.com/path
git@github.com:example/repository.git
mailto:ana@example.com
ratio 3:4@home
bearer of internationalization news
the bearer shall be entitled to 25000000000000000 shares
pip install scikit-learn sk-learn-contrib-packages-for-everyone
risk-management-2024-report-abcdef and task-force-meeting-number-12345678
ask-me-anything-about-python-3-11-features
ASIAN CUISINE AND AKIA WOODEN BOWLS
-----BEGIN PRIVATE KEY----- is how such a file begins.
docker run -u 1000:1000 image; curl -u 1000:1000 x
xoxo-from-grandma
eyJ is how a token begins.
SK hynix and SG.1 are names.
The year 2026: 365 days, 8,760 hours.
"""


@pytest.mark.parametrize(("before", "secret", "after", "kind"), PAIRS)
def test_the_value_behind_a_name_of_credentials_goes(
    before: str, secret: str, after: str, kind: str
) -> None:
    redacted = Redactor().text(f"{before}{secret}{after}")
    assert redacted == f"{before}[redacted: {kind}]{after}"


@pytest.mark.parametrize("line", LEFT_ALONE.splitlines())
def test_ordinary_text_stays_as_it_is(line: str) -> None:
    assert Redactor().text(line) == line


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"password": "swordfish"}, {"password": "[redacted: password]"}),
        ({"password": 471100}, {"password": "[redacted: password]"}),
        ({"db": {"PASSWORD": "x1"}}, {"db": {"PASSWORD": "[redacted: password]"}}),
        ({"userPassword": "abc"}, {"userPassword": "[redacted: password]"}),
        ({"api-key": "abc"}, {"api-key": "[redacted: api key]"}),
        ([{"token": "abc123de"}], [{"token": "[redacted: token]"}]),
        ({"a": ["password: hunter2"]}, {"a": ["password: [redacted: password]"]}),
    ],
)
def test_in_a_map_the_value_under_such_a_name_goes(given: object, expected: object) -> None:
    assert Redactor().value(given) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"password": ""},
        {"password": None},
        {"password": "required"},
        {"password": {"type": "string"}},
        {"password": True},
        {"token": "noun"},
        {"token": 15},
        {"max_tokens": 4096, "tokens": "abc123def"},
        {"key": "abc123def"},
        {"n": 1, "list": [1, 2.5, None, True], "text": "hi"},
    ],
)
def test_a_map_without_credentials_comes_back_as_the_same_object(value: object) -> None:
    assert Redactor().value(value) is value
