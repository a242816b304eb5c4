"""What the patterns must leave alone, by example: no line below states a fact that they may take.

To add a row, write the sentence on a line of its own, under what makes it one to leave.
"""

import pytest

from smriti_es.events.instants import parse_instant
from smriti_es.extraction.contract import SourceTurn
from smriti_es.extraction.patterns import PatternExtractor

SAID_AT = parse_instant("2026-06-02T10:00:00Z").at

QUESTIONS = """
Do I live in Berlin?
I live in Berlin?
Where do I work?
Should I move to Oslo?
Is my dog called Rex?
Did I tell you my name is Ana?
What if I moved to Lima?
You know that I'm vegan, right?
Am I allergic to peanuts?
Is my favourite colour teal?
How long have I worked at Siemens?
I love hiking, do you?
Can I say I'm from Rome?
"""

HYPOTHETICALS = """
If I lived in Paris, I'd be happy.
If I work at Google, I earn more.
I might move to Berlin.
I could live in Oslo.
I would love a dog.
I'd love to live in Kyoto.
I'd prefer tea over coffee.
I wish I lived in Paris.
Imagine I live in Paris.
Suppose my name is Ana.
Let's say I'm 34 years old.
Maybe I live in the wrong city.
Perhaps I'll join Globex in May.
I'm probably allergic to cats.
I think I'm allergic to cats.
I guess I like jazz.
I may move to Graz next month.
I should move to Graz next month.
I hope to move to Porto.
I want to move to Porto.
I want to work at Globex.
I want a dog.
I'm thinking of moving to Porto.
I'm considering a job at Globex.
I was going to move to Porto.
I almost moved to Porto.
I nearly joined Globex.
I would say I live in Berlin.
In my dreams I live in Bali.
Unless I move to Bern, I stay.
I'm looking for a job at Globex.
I applied for a job at Globex.
I have an interview at Globex tomorrow.
I dreamt I lived in Paris.
Assuming I work at Globex, I pay tax there.
I wonder whether I like jazz.
I'd move to Porto tomorrow.
I can move to Porto next month.
I need to move to Porto next month.
I'm trying to move to Porto.
I'd rather live in Rome.
I'm hoping to join Globex in May.
I have to decide whether I join Globex.
I plan on it.
"""

HEARSAY = """
She said she lives in Paris.
She said I live in Paris.
He told me he works at Google.
My doctor says I'm allergic to cats.
Tom claims I live in Rome.
According to Ana, I work at Siemens.
They asked me and I said I live in Rome.
I told him I live in Rome.
I heard Ana lives in Paris.
I read that Ana works at Renault.
Rumour has it I live in Rome.
People think I live in Rome.
Everyone assumed I'm from Spain.
I pretended my name is Bob.
I lied and said my name is Bob.
It says here that I live in Rome.
I wrote that I work at Globex.
Ana told me she lives in Paris.
Word is that Ana lives in Paris.
The article says Ana works at Renault.
Ana believes I live in Rome.
"""

QUOTATIONS = """
The sign reads "I live in Rome".
"I live in Rome" is a good opening line.
“I work at Siemens and I love it.”
> I live in Berlin.
```I live in Berlin.```
`I live in Berlin`
His song goes "my name is Luka and I live upstairs".
The first sentence is: I live in Berlin.
Her motto: I hate mondays.
'I live in Rome' was the answer.
"""

MADE_UP = """
Translate to French: I live in Berlin.
Translate this. I live in Berlin.
Please rephrase the following. I work at Siemens.
Write a story about a nurse. My name is Ana and I live in Rome.
Proofread this: I am living in Rome since 2019.
Let's role-play. I'm a detective at Scotland Yard.
Pretend I live in Mordor.
For example, I live in Berlin.
Write me a poem. I love rainy days.
Continue the dialogue. I live in Rome.
Fix the grammar. I lives in Rome and I works at Globex.
Act as a tutor. My name is Bob.
Here is an example: I live in Rome.
Compose a song about me. I love rainy days.
Roleplay: I live in Gondor.
Complete the story. I live in Rome.
"""

OTHERS = """
He lives in Paris.
She works at Siemens.
They moved to Oslo last year.
It lives in the pond.
Everyone loves pizza.
Nobody lives in Pripyat.
Someone works at the bank.
My mom lives in Florida.
My sister lives in Paris.
My neighbour works at Siemens.
My wife is allergic to cats.
My friend is moving to Lima next month.
Your dog is called Rex.
His name is Tom.
Her favourite colour is teal.
This is called a lemma.
The company moved to Berlin.
The cat lives in the barn.
Who lives in Paris is lucky.
You live in Berlin.
You love jazz.
You can say you live in Oslo.
Live in the moment.
Move to Berlin!
Join Globex today!
Use Vim for editing.
Stop smoking.
Call me maybe.
Call me tomorrow.
Call me back.
Mine is 34 years old.
Others love jazz.
Globex is based in Munich.
The team moved to Slack.
My character lives in Gondor.
My boss's cat is called Tom.
"""

NEGATED = """
I don't live in Berlin.
I do not work at Siemens.
I'm not from Spain.
I'm not a nurse at Charité.
I'm not vegan.
I'm not allergic to peanuts.
My name is not Bob.
I don't have a dog.
I have no dog.
I don't speak French.
I can't speak French.
I don't play the guitar.
I never lived in Paris.
I have never been to Paris.
I haven't moved to Oslo yet.
I don't drive a Tesla.
I don't use Vim.
I didn't join Globex.
I never worked at Globex.
I don't smoke.
I'm not married.
I'm not 34.
My favourite colour is not teal.
I don't plan to move.
I don't own a boat.
I barely speak French.
I hardly speak French.
I will never move to Rome.
I won't move to Rome next month.
I no longer want a dog.
"""

PAST = """
I lived in Paris.
I lived in Paris in 2019.
I lived in Paris for two years.
I worked at Siemens until 2019.
I was a nurse at Charité.
When I was young, I lived in Rome.
I lived there as a child.
I moved to Rome when I was ten.
I moved to Rome for a year.
I had a dog as a kid.
I loved jazz back then.
Before that, I worked at Globex.
I once lived in Rome.
After college I moved to Rome.
I worked as a waiter.
My favourite colour used to be teal.
I have lived in Rome.
I have worked at Globex.
I visited Rome last year.
I stayed in Rome for a month.
We had a cat called Luna.
My old boss Linda lives nearby.
I miss my dog Rex.
My late dog Rex loved snow.
In memory of my cat Luna.
I used to be young.
"""

OTHER_MEANINGS = """
I live in fear.
I live in a small flat.
I live for the weekend.
I live in hope.
I live in sweatpants.
I moved to the couch.
I moved to Linux last year.
I moved to Notion.
I moved to the next chapter.
I'm from the marketing department.
I'm from a small town.
I come from a big family.
I was born in the eighties.
I was born in a hospital.
I work at night.
I work for myself.
I work at home.
I work for free.
I work at a steady pace.
I work as hard as I can.
I work as a team with Tom.
I work on the Atlas project.
I joined Ana for lunch.
I joined the call.
I joined in.
I started at noon.
I started at the bottom.
I got a call at work.
I got a present for Tom.
I'm a fan at heart.
I'm a regular at Joe's.
I'm a guest at Tom's wedding.
I'm in a good mood.
I'm in a hurry.
I'm on a call.
I'm on the road.
I'm 5 minutes away.
I'm 20 minutes late.
I'm 100% sure.
I'm 50/50 on that.
I turned 18 pages.
I'm 1.80 m tall.
My name is on the list.
My name is hard to spell.
My birthday is next week.
My birthday is in June.
My birthday was great.
I have a feeling.
I have a dog problem.
I have a cat allergy test tomorrow.
I have kids' books.
I got a dog treat for him.
I got a job interview.
I love you.
I love it!
I love that idea.
I love your dog.
I love how you did it.
I love the new logo.
I love this song.
I like where this is going.
I like the sound of that.
I like to think so.
I like my job.
I like that.
I like pizza when it rains.
I hate when that happens.
I hate to say it.
I can't stand it.
I enjoyed the concert.
I like Tuesday for the meeting.
I like apples are red.
I feel like pizza.
It looks like rain.
I'm like a brother to him.
I'm into it.
I'm allergic to mornings.
I'm allergic to work.
I prefer it that way.
I prefer this one.
I prefer not to.
My favourite part is the end.
My favourite thing is when it snows.
My favourite is the second one.
This is my favourite colour.
That's my favourite song.
I speak from experience.
I speak to Tom daily.
I drive a hard bargain.
I drive a bus for a living.
I drive to the sea sometimes.
I study hard.
I study for exams.
I study abroad.
I play with fire.
I play a lot.
I play in the garden.
I play the long game.
I own it.
I own up.
I own that mistake.
I bought milk.
I bought a cake.
I bought a toy car.
I use it daily.
I use humour to cope.
I use my hands.
I use this for that.
I take the point.
I take the blame.
I take a bus tour tomorrow.
I walk the dog.
I cycle a lot.
I keep my cool in meetings.
I keep the kids in line.
The meeting is in the morning.
The key is to relax.
The kids are in the park.
My keys are mine.
I plan ahead.
I plan to do it.
I plan to be there.
I'm going to bed.
I'm going to do it tomorrow.
I'm going to make dinner.
I'm taking notes.
I'm visiting Tom.
I'm having lunch.
I quit the app.
I quit Vim with :q.
I gave up.
I gave up on him.
I stopped at the shop.
I stopped eating at noon.
I broke up the fight.
I'm single-handedly done.
I'm married to my work.
I married the two datasets.
I retired the old server.
I was fired up.
I have to work at it.
I moved on to Python.
I smoke salmon on weekends.
I'm vegan-curious.
Vegan food is great.
I'm from HR.
I'm from Google.
I moved to Marketing last year.
I moved to Senior Engineer in May.
I moved to Chapter 3.
We moved to Slack in 2020.
We moved to Snowflake last year.
Moved to Done.
I live in Excel.
I moved to Ana's.
I moved to Ana's place.
I moved to Windows 11.
I joined Ana.
I joined Ana yesterday.
I joined Reddit in 2015.
I joined the call on Monday.
Joined Ana for lunch.
I started at Level 1.
I started with Python.
I started for the better.
I started working on the report.
I got a job to do.
I'm a nurse at heart.
I'm a child at Christmas.
I'm the new guy at Globex.
I'm a shareholder at Globex.
I became a fan of Globex.
I was fired up by the talk.
I quit my job search.
I left the gym at five.
I left Globex at five.
I lost my jobs list.
I graduated from diapers.
I started painting at noon.
I started cooking.
I started reading the paper.
I use Saturdays for chores.
I use Tom as an excuse.
I use Tom's car.
I switched to Plan B.
I switched to French.
I switched seats.
I switched from Biology to Chemistry.
I bought a Coke.
I bought a chocolate bunny.
I got a stuffed rabbit.
I got a hot dog.
I take a walk every day.
I take the bus to the airport.
I take the stairs.
I ride a bike.
I drive my kids to school.
I avoid conflict.
I don't drink coffee after noon.
I don't drink and drive.
I'm two years older than Tom.
I am in year 12.
I'm 34 weeks pregnant.
My number is 42.
I have a girl friend over.
I have a child lock.
I have a great dog walker.
I bought a dog bed.
I adopted a dog for my sister.
My new partner Initech signed, said our lawyer.
Our partner Initech signed today.
My friend's brother is here.
I study maps closely.
I study Tom's code.
I study best at night.
I go to High Street.
I go to Rome.
I will win tomorrow.
I'll miss Tom next week.
I'm going to love it tomorrow.
I'm going to go.
I speak Truth to power.
I smoke a lot of fish.
I prefer Tuesday.
I prefer option B.
I prefer the second option.
My favourite food is out of stock.
My favourite shop is closing.
My favourite restaurant is expensive.
My favourite player is injured.
My favourite author is coming to town.
My favourite show is back.
My main concern is cost.
My main point is that it works.
My preferred option is B.
I like Python better.
I like Tom's cooking.
I like people who listen.
I like books that make me think.
I love the colours and the texture.
I love the feeling of being free.
I love a good story.
I love spending time with you.
I love seeing your progress.
I love getting lost in books.
I love creating a safe, welcoming place for people.
I like doing nothing.
I used to it.
I am used to noise.
My key is to stay calm.
My keys are on me.
We have a winner.
We are family.
We are one.
We love what you did.
We broke up the team.
We got engaged in a debate.
We are moving on.
My email is full.
My email is down.
My phone number is private.
"""

TIMES_THAT_DO_NOT_FIT = """
I live in Berlin in the summer.
I live in Berlin until March.
I work at Globex this week.
I moved to Berlin next month.
I moved to Berlin by 2019.
I take the tram today.
I'm moving to Porto last month.
I joined Globex before 2019.
I speak French on Mondays.
I have lived in Rome in 2019.
I moved to Rome for two years.
I joined Globex between 2019 and 2020.
I moved from 2019 to 2020 to Rome.
I play tennis tomorrow.
"""

NO_WORDS = """
...
!!!
12345
I
my
I'm
I live in
I live in.
My name is
I love
I work at
My favourite is
I'm from
"""

GROUPS = {
    "questions": QUESTIONS,
    "hypotheticals": HYPOTHETICALS,
    "hearsay": HEARSAY,
    "quotations": QUOTATIONS,
    "made up": MADE_UP,
    "others": OTHERS,
    "negated": NEGATED,
    "past": PAST,
    "other meanings": OTHER_MEANINGS,
    "times that do not fit": TIMES_THAT_DO_NOT_FIT,
    "no words": NO_WORDS,
}
ROWS = [(name, line) for name, text in GROUPS.items() for line in text.strip().splitlines()]


@pytest.mark.parametrize(("_why", "text"), ROWS)
def test_what_states_no_fact_gives_none(_why: str, text: str) -> None:
    turn = SourceTurn(0, "user", None, text, SAID_AT, "owner")

    assert PatternExtractor().extract([turn], timezone="UTC").facts == ()


def test_the_table_is_as_long_as_it_should_be() -> None:
    assert len(ROWS) >= 150
