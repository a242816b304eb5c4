"""What the patterns understand, by example; all of it is said on 2026-06-02 (a Tuesday) in UTC.

A row is a sentence, an arrow, and the facts in it: `predicate = object`. A subject other than the
user stands before it (`Ana: lives_in = Oslo`), `-` marks what has ended, `@` the time since when it
holds (or when it ended) with its precision, `#` the scope. An indented line goes on with the row.
"""

import re
from collections.abc import Iterator
from datetime import date

import pytest

from smriti_es.events.instants import format_instant, parse_instant
from smriti_es.extraction.contract import ExtractedFact, SourceTurn
from smriti_es.extraction.pattern_clauses import clauses, sentences
from smriti_es.extraction.pattern_rewriting import expanded, first_person, statement
from smriti_es.extraction.pattern_table import PATTERNS
from smriti_es.extraction.patterns import PatternExtractor

SAID_AT = parse_instant("2026-06-02T10:00:00Z").at

HOME = """
I live in Hyderabad. -> lives_in = Hyderabad
i live in Hyderabad -> lives_in = Hyderabad
I'm living in Oslo. -> lives_in = Oslo
I currently live in Portland, Oregon. -> lives_in = Portland, Oregon
We live in the Netherlands now. -> lives_in = the Netherlands
I live in New York City with my wife. -> lives_in = New York City
I live in St. Louis. -> lives_in = St. Louis
I reside in Addis Ababa. -> lives_in = Addis Ababa
I'm based in Singapore. -> lives_in = Singapore
My home is in Valparaíso. -> lives_in = Valparaíso
I have lived in Oslo since 2019. -> lives_in = Oslo @2019-01-01 year
I've lived in Oslo for three years. -> lives_in = Oslo @2023-01-01 year
I've been living in Łódź since March 2024. -> lives_in = Łódź @2024-03-01 month
Since last summer I live in Bergen. -> lives_in = Bergen @2025-06-01 year
I moved to Bengaluru on June 1st. -> lives_in = Bengaluru @2026-06-01 day
I moved to Porto. -> lives_in = Porto
I've just moved to Porto! -> lives_in = Porto
Just moved to Porto! -> lives_in = Porto
I moved back to Lima last month. -> lives_in = Lima @2026-05-01 month
I moved from Kyoto to Osaka in March 2024. -> lives_in = Osaka @2024-03-01 month
I moved to Berlin from Paris last year. -> lives_in = Berlin @2025-01-01 year
In March 2024, I moved to Quito because of the weather. -> lives_in = Quito @2024-03-01 month
In March 2024 I moved to Quito. -> lives_in = Quito @2024-03-01 month
We relocated to Cape Town in 2021. -> lives_in = Cape Town @2021-01-01 year
Yesterday we moved to Ghent. -> lives_in = Ghent @2026-06-01 day
I moved to Ghent a few weeks ago. -> lives_in = Ghent @2026-05-04 month
I moved to Ghent years ago. -> lives_in = Ghent
I settled down in Asheville in 2015. -> lives_in = Asheville @2015-01-01 year
I'm moving to Porto next month. -> lives_in = Porto @2026-07-01 month
We're moving to Lyon on July 15th. -> lives_in = Lyon @2026-07-15 day
I will be moving to Tallinn in August. -> lives_in = Tallinn @2026-08-01 month
I'm going to move to Graz in two weeks. -> lives_in = Graz @2026-06-15 week
I'm relocating to Accra soon. -> plans_to = move to Accra
I no longer live in Paris. -> -lives_in = Paris
I don't live in Paris anymore. -> -lives_in = Paris
I don't live in Paris any more. -> -lives_in = Paris
I'm no longer living in Paris. -> -lives_in = Paris
I used to live in Paris. -> -lives_in = Paris
I moved out of Paris in April. -> -lives_in = Paris @2026-04-01 month
I'm originally from Ljubljana. -> comes_from = Ljubljana
I come from Dakar. -> comes_from = Dakar
Hi, I'm from Mumbai! -> comes_from = Mumbai
I was born in Hanoi. -> born_in = Hanoi
I was born and raised in Hanoi. -> born_in = Hanoi
I grew up in Alice Springs. -> grew_up_in = Alice Springs
"""

WORK = """
I work at Siemens. -> works_at = Siemens
I work for the University of Oslo. -> works_at = the University of Oslo
I work part-time at a bakery. -> works_at = a bakery
I work at a small law firm in Leeds. -> works_at = a small law firm
I work at a startup called Brightwell. -> works_at = Brightwell
I'm working at Initech now. -> works_at = Initech
I've been working at Initech since 2019. -> works_at = Initech @2019-01-01 year
I have worked for Initech for two years. -> works_at = Initech @2024-01-01 year
I work in marketing at Unilever. -> works_at = Unilever
I'm employed by Maersk. -> works_at = Maersk
My employer is Maersk. -> works_at = Maersk
I work as a nurse. -> job_title = nurse
I work as a nurse at St. Mary's. -> works_at = St. Mary's; job_title = nurse
I work as Head of Sales at Initech. -> works_at = Initech; job_title = Head of Sales
I'm a software engineer at Globex. -> works_at = Globex; job_title = software engineer
I'm an architect by profession. -> job_title = architect
My job title is Staff Engineer. -> job_title = Staff Engineer
I was promoted to team lead in May. -> job_title = team lead @2026-05-01 month
I joined Initech in March 2024. -> works_at = Initech @2024-03-01 month
I joined Initech Labs. -> works_at = Initech Labs
I joined Initech on May 4th. -> works_at = Initech @2026-05-04 day
I joined Initech as a data analyst last week. ->
    works_at = Initech @2026-05-25 week; job_title = data analyst @2026-05-25 week
I started at Globex on Monday. -> works_at = Globex @2026-06-01 day
I started working at Globex last month. -> works_at = Globex @2026-05-01 month
I started a new job at Globex yesterday. -> works_at = Globex @2026-06-01 day
I started a new job as a teacher last week. -> job_title = teacher @2026-05-25 week
I got a job at Globex. -> works_at = Globex
I was hired by Globex in 2022. -> works_at = Globex @2022-01-01 year
I'm starting at Globex next week. -> works_at = Globex @2026-06-08 week
I will join Globex in September. -> works_at = Globex @2026-09-01 month
I'm joining Globex soon. -> plans_to = join Globex
I quit my job in May. -> -works_at = @2026-05-01 month
I quit my job. -> -works_at =
I lost my job at Globex last month. -> -works_at = Globex @2026-05-01 month
I was laid off from Globex last week. -> -works_at = Globex @2026-05-25 week
Lost my job at Globex yesterday. -> -works_at = Globex @2026-06-01 day
Started at Globex last week! -> works_at = Globex @2026-05-25 week
I got fired yesterday. -> -works_at = @2026-06-01 day
I retired in 2020. -> -works_at = @2020-01-01 year
I resigned from Globex on May 3rd. -> -works_at = Globex @2026-05-03 day
I no longer work at Globex. -> -works_at = Globex
I don't work for Globex any more. -> -works_at = Globex
I stopped working at Globex in 2023. -> -works_at = Globex @2023-01-01 year
I used to work at Globex. -> -works_at = Globex
I'm assigned to team Blue. -> assigned_to = team Blue
I'm on the Platform team. -> assigned_to = team Platform
I joined the Platform team in March. -> assigned_to = team Platform @2026-03-01 month
I was moved to the Platform team last week. -> assigned_to = team Platform @2026-05-25 week
Kestrel is assigned to team Blue. -> Kestrel: assigned_to = team Blue
Kestrel was moved to team Green. -> Kestrel: assigned_to = team Green
Kestrel was reassigned to Project Heron on May 4th. ->
    Kestrel: assigned_to = project Heron @2026-05-04 day
Kestrel will be transferred to team Red next month. ->
    Kestrel: assigned_to = team Red @2026-07-01 month
I joined a book club last week. -> member_of = book club @2026-05-25 week
I'm in a rock band. -> member_of = rock band
I volunteer at the Red Cross. -> volunteers_at = the Red Cross
"""

PEOPLE = """
My name is Ana. -> named = Ana
my name's Ana Torres -> named = Ana Torres
You can call me Bob. -> goes_by = Bob
Everyone calls me Bo. -> goes_by = Bo
My birthday is June 1st. -> birthday = 1 June
My birthday is on 14 March. -> birthday = 14 March
My birthday's March 14, 1990. -> birthday = 14 March 1990
I was born on June 3, 1990 in Delhi. -> birthday = 3 June 1990
I was born in 1990. -> birth_year = 1990
I'm 34. -> aged = 34
I am 34 years old. -> aged = 34
I'm thirty-four years old. -> aged = 34
I'm 34 and I live in Oslo. -> aged = 34; lives_in = Oslo
I turned 40 yesterday. -> aged = 40 @2026-06-01 day
I'm turning 40 next month. -> aged = 40 @2026-07-01 month
My email address is ana.t@example.org. -> email = ana.t@example.org
My phone number is +49 30 1234567. -> phone_number = +49 30 1234567
My wife is called Maria. -> married_to = Maria
My husband's name is Tom. -> married_to = Tom
I'm married to Tom. -> married_to = Tom
I married Tom in 2015. -> married_to = Tom @2015-01-01 year
I'm married with two kids. -> marital_status = married
I'm single. -> marital_status = single
We got married in May. -> marital_status = married @2026-05-01 month
I got divorced in 2020. ->
    -married_to = @2020-01-01 year; marital_status = divorced @2020-01-01 year
I'm engaged to Lena. -> engaged_to = Lena
I'm dating Kim. -> partner = Kim
We broke up last week. -> -partner = @2026-05-25 week
I broke up with Kim yesterday. -> -partner = Kim @2026-06-01 day
My girlfriend and I split up in April. -> -partner = @2026-04-01 month
My girlfriend's name is Kim. -> partner = Kim
I have two kids. -> has_child = two kids
I have a son called Tim. -> has_child = Tim
My daughter's name is Mia. -> has_child = Mia
Yesterday my son Tim learnt to swim. -> has_child = Tim
I have a brother and two sisters. -> has_sibling = brother; has_sibling = two sisters
My brother Joe came over. -> has_sibling = Joe
My best friend Priya is a baker. -> has_friend = Priya
My boss Linda liked it. -> has_manager = Linda
I have a dog. -> has_pet = dog
I have two cats called Luna and Milo. -> has_pet = Luna; has_pet = Milo
We have a dog and a cat. -> has_pet = dog; has_pet = cat
My dog is called Rex. -> has_pet = Rex
My dog's name is Rex. -> has_pet = Rex
Our cat Luna sleeps all day. -> has_pet = Luna
We adopted a puppy named Pip last week. -> has_pet = Pip @2026-05-25 week
I got a kitten yesterday. -> has_pet = kitten @2026-06-01 day
My dog Rex died in April. -> -has_pet = Rex @2026-04-01 month
Our cat passed away last week. -> -has_pet = cat @2026-05-25 week
"""

TASTES = """
My favourite colour is teal. -> favourite_colour = teal
My favorite color is teal. -> favourite_colour = teal
My favourite film is Spirited Away because of the music. -> favourite_film = Spirited Away
My all-time favourite book is "The Left Hand of Darkness". ->
    favourite_book = The Left Hand of Darkness
My favourite film is 1917. -> favourite_film = 1917
Autumn is my favourite season. -> favourite_season = Autumn
My favourite colours are teal and grey. -> favourite_colour = teal and grey
I love hiking. -> attitude_to:hiking = positive
I really like spicy soup. -> attitude_to:spicy_soup = positive
I enjoy spicy soup. -> attitude_to:spicy_soup = positive
I cannot stand spicy soup any more. -> attitude_to:spicy_soup = negative
I hate mushrooms. -> attitude_to:mushrooms = negative
I don't like olives. -> attitude_to:olives = negative
I don't like olives any more. -> attitude_to:olives = negative
I no longer like olives. -> attitude_to:olives = negative
I used to love jazz. -> -attitude_to:jazz = positive
I can't stand loud music. -> attitude_to:loud_music = negative
I dislike crowds, so I stay home. -> attitude_to:crowds = negative
I'm a big fan of Studio Ghibli. -> attitude_to:studio_ghibli = positive
I'm not a fan of horror films. -> attitude_to:horror_films = negative
I'm into birdwatching. -> attitude_to:birdwatching = positive
I'm not into golf. -> attitude_to:golf = negative
I love tea, jazz and rainy days. ->
    attitude_to:tea = positive; attitude_to:jazz = positive; attitude_to:rainy_days = positive
I love fish and chips. -> attitude_to:fish_and_chips = positive
I like to cook Thai food. -> attitude_to:cooking_thai_food = positive
I love to swim. -> attitude_to:swimming = positive
I've always loved trains. -> attitude_to:trains = positive
I fell in love with ceramics last year. -> attitude_to:ceramics = positive @2025-01-01 year
I've never liked beer. -> attitude_to:beer = negative
I love the sea. -> attitude_to:sea = positive
I prefer tea to coffee. -> prefers = tea over coffee
I prefer window seats. -> prefers = window seats
I like cats more than dogs. -> prefers = cats over dogs
My main editor is Helix. -> primary_editor = Helix
My preferred airline is KLM. -> preferred_airline = KLM
I'm allergic to peanuts. -> allergic_to = peanuts
I'm severely allergic to peanuts and shellfish. -> allergic_to = peanuts; allergic_to = shellfish
I have a peanut allergy. -> allergic_to = peanut
I have an allergy to penicillin. -> allergic_to = penicillin
I'm lactose intolerant. -> intolerant_to = lactose
I have asthma. -> has_condition = asthma
I have type 2 diabetes. -> has_condition = type 2 diabetes
I was diagnosed with celiac disease in 2018. -> has_condition = celiac disease @2018-01-01 year
I'm vegan. -> diet = vegan
I'm a vegetarian, by the way. -> diet = vegetarian
I've been a vegan for two years. -> diet = vegan @2024-01-01 year
I went vegan in January. -> diet = vegan @2026-01-01 month
I'm on a keto diet. -> diet = keto
I'm not a vegetarian any more. -> -diet = vegetarian
I'm no longer vegan. -> -diet = vegan
I don't eat pork. -> avoids = pork
I never drink alcohol. -> avoids = alcohol
I stopped eating meat in 2020. -> avoids = meat @2020-01-01 year
I gave up sugar last month. -> avoids = sugar @2026-05-01 month
I don't eat meat any more. -> avoids = meat
I smoke. -> smokes = yes
I quit smoking two years ago. -> avoids = smoking @2024-01-01 year; -smokes = yes @2024-01-01 year
"""

DOING = """
I speak French. -> speaks = French
I speak French and a little German. -> speaks = French; speaks = German
I'm fluent in Swahili. -> speaks = Swahili
My native language is Telugu. -> native_language = Telugu
I'm learning Spanish. -> learns = Spanish
I started learning Japanese in April. -> learns = Japanese @2026-04-01 month
I speak French at home. -> speaks = French #location:home
I study physics. -> studies = physics
I'm studying physics at the University of Oslo. ->
    studies_at = the University of Oslo; studies = physics
I'm a PhD student at Charles University. -> studies_at = Charles University
I go to Lund University. -> studies_at = Lund University
I enrolled at Lund University in 2023. -> studies_at = Lund University @2023-01-01 year
I graduated from MIT in 2015. ->
    -studies_at = MIT @2015-01-01 year; graduated_from = MIT @2015-01-01 year
My major is economics. -> studies = economics
I play the guitar. -> plays = guitar
I play tennis and the piano. -> plays = tennis; plays = piano
I started playing chess last year. -> plays = chess @2025-01-01 year
I took up the cello in 2021. -> plays = cello @2021-01-01 year
I stopped playing tennis in March. -> -plays = tennis @2026-03-01 month
I don't play tennis any more. -> -plays = tennis
I do yoga every morning. -> practises = yoga
I took up surfing five years ago. -> practises = surfing @2021-01-01 year
I drive a Tesla Model 3. -> drives = Tesla Model 3
I started knitting last winter. -> practises = knitting @2025-12-01 year
I drive an old Volvo. -> drives = Volvo
My car is a Honda Civic. -> drives = Honda Civic
I sold my car last week. -> -drives = @2026-05-25 week
I own a small boat. -> owns = small boat
I bought a house in Leeds last year. -> owns = house @2025-01-01 year
I bought a Fairphone yesterday. -> owns = Fairphone @2026-06-01 day
I use Vim. -> uses = Vim
I use Vim for editing. -> uses = Vim
i use vim for editing -> uses = vim
I use Firefox instead of Chrome. -> uses = Firefox; -uses = Chrome
I switched from Spotify to Tidal. -> uses = Tidal; -uses = Spotify
I switched from Notion to Obsidian last month. ->
    uses = Obsidian @2026-05-01 month; -uses = Notion @2026-05-01 month
I no longer use Notion. -> -uses = Notion
I stopped using Notion in May. -> -uses = Notion @2026-05-01 month
For project Atlas, I use Postgres. -> uses = Postgres #project:atlas
In the Atlas project I use Redis. -> uses = Redis #project:atlas
I use Slack at work. -> uses = Slack #location:work
I cycle to the office. -> commutes_by = bicycle
I walk to work every day. -> commutes_by = foot
I take the tram now. -> commutes_by = tram
I bought an iPhone 15 in April. -> owns = iPhone 15 @2026-04-01 month
I take the bus to work. -> commutes_by = bus
I commute by train. -> commutes_by = train
I go to work by ferry. -> commutes_by = ferry
I started cycling to work in April. -> commutes_by = bicycle @2026-04-01 month
I gave up cycling; I take the tram now. -> -commutes_by = bicycle; commutes_by = tram
I no longer cycle to work. -> -commutes_by = bicycle
The spare key is under pot nine. -> spare key: located_in = under pot nine
I keep my passport in the top drawer. -> user's passport: located_in = in the top drawer
My passport is in the blue folder. -> user's passport: located_in = in the blue folder
I plan to run a marathon in October. -> plans_to = run a marathon @2026-10-01 month
I'm planning to visit my parents. -> plans_to = visit their parents
I'm going to repaint the kitchen next weekend. -> plans_to = repaint the kitchen @2026-06-13 week
I'm flying to Nairobi on Friday. -> plans_to = fly to Nairobi @2026-06-05 day
I'm planning a trip to Patagonia. -> plans_to = go on a trip to Patagonia
"""

SEVERAL = """
I'm 34, live in Oslo, and I work at Equinor. -> aged = 34; works_at = Equinor
I moved to Oslo last year and work at Equinor as a geologist. ->
    lives_in = Oslo @2025-01-01 year; works_at = Equinor; job_title = geologist
I live in Rome, but I'm from Naples. -> lives_in = Rome; comes_from = Naples
Well, I love tea and I hate coffee. -> attitude_to:tea = positive; attitude_to:coffee = negative
Ana lives in Paris and works at Renault. -> Ana: lives_in = Paris; Ana: works_at = Renault
My sister Ana lives in Paris. -> Ana: lives_in = Paris; has_sibling = Ana
Ana doesn't live in Paris any more. -> Ana: -lives_in = Paris
Ana is allergic to cats. -> Ana: allergic_to = cats
Ana's favourite colour is teal. -> Ana: favourite_colour = teal
Ana's birthday is May 5th. -> Ana: birthday = 5 May
Mel, I live in Ghent! -> lives_in = Ghent
Do you know it? I live in Ghent. -> lives_in = Ghent
"""


CONTINUED = re.compile(r"\n {4}(?=\S)")
TABLES = (HOME, WORK, PEOPLE, TASTES, DOING, SEVERAL)


def written(fact: ExtractedFact) -> str:
    """Write a fact as the rows above do."""
    subject = "" if fact.subject == "user" else f"{fact.subject}: "
    text = f"{subject}{'-' if fact.ends else ''}{fact.predicate} = {fact.object}".rstrip()
    at = fact.valid_to if fact.ends else fact.valid_from
    time = "" if at is None else f" @{format_instant(at)[:10]} {fact.precision}"
    return f"{text}{time}{f' #{fact.scope}' if fact.scope else ''}"


def rows(*tables: str) -> list[str]:
    return [line for table in tables for line in CONTINUED.sub(" ", table).strip().splitlines()]


@pytest.mark.parametrize("row", rows(*TABLES))
def test_a_statement_gives_exactly_its_facts(row: str) -> None:
    text, _, expected = row.partition(" -> ")
    turn = SourceTurn(7, "user", None, text, SAID_AT, "owner")

    found = PatternExtractor().extract([turn], timezone="UTC").facts

    assert sorted(map(written, found)) == sorted(expected.split("; "))
    assert all(evidence.quote in text for fact in found for evidence in fact.evidence)


def statements(text: str) -> Iterator[str]:
    """Give what the patterns see of a text."""
    for found in sentences(text, lambda _words: True):
        for clause in clauses(found):
            lacking = clause.shared or clause.elided
            said = expanded(
                f"I {clause.text[0].lower()}{clause.text[1:]}" if lacking else clause.text
            )
            told = statement(said, date(2026, 6, 2))
            plain = first_person(said)
            yield from (one for one in (told and told.text, plain and plain[0]) if one)


def test_every_pattern_has_an_example() -> None:
    seen = [said for row in rows(*TABLES) for said in statements(row.partition(" -> ")[0])]

    without = [
        pattern.form.pattern.pattern
        for pattern in PATTERNS
        if not any(map(pattern.form.pattern.fullmatch, seen))
    ]

    assert not without, without


def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(rows(*TABLES)) >= 150
