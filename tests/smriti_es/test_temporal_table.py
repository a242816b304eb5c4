"""Relative dates by example: each row is a day and what annotating its text on that day gives.

To add a row, write the day, a bar, and the text with the expected label after each mention.
"""

import re
from datetime import date

import pytest

from smriti_es.recall.temporal import annotate

_LABEL = re.compile(r" \[[0-9]{4}(?:-[0-9]{2}){0,2}(?:\.\.[0-9]{4}-[0-9]{2}-[0-9]{2})?\]")

# 2023-05-08 is a Monday, 2023-05-06 a Saturday, 2023-05-07 a Sunday, 2024-02-29 a Thursday.
DAYS = """
2023-05-08 | We met yesterday [2023-05-07] at the park.
2023-05-08 | Yesterday evening [2023-05-07] we cooked.
2023-05-08 | It rained the day before yesterday [2023-05-06].
2023-05-08 | She flies the day after tomorrow [2023-05-10].
2023-05-08 | I slept badly last night [2023-05-07].
2023-05-08 | last evening [2023-05-07] was calm
2023-05-08 | Today [2023-05-08] is the day.
2023-05-08 | I ran this morning [2023-05-08] and swim tonight [2023-05-08].
2023-05-08 | earlier today [2023-05-08] he called, later today [2023-05-08] I call back
2023-05-08 | This afternoon [2023-05-08] we rest, this evening [2023-05-08] we dance.
2023-05-08 | See you tomorrow morning [2023-05-09]!
2023-05-08 | yesterday's [2023-05-07] match and tomorrow\u2019s [2023-05-09] exam
2023-05-08 | TOMORROW [2023-05-09] WE WIN
2024-03-01 | yesterday [2024-02-29] was a leap day
2023-03-01 | yesterday [2023-02-28] was none
2023-01-01 | yesterday [2022-12-31] we stayed up
2023-12-31 | tomorrow [2024-01-01] we sleep
2023-05-08 | I saw it the other day [2023-05-01..2023-05-07].
2023-05-08 | the other night [2023-05-01..2023-05-07] we danced
2023-05-08 | It feels like yesterday that we met.
2023-05-08 | It seems like it was just yesterday.
2023-05-08 | I was not born yesterday.
2023-05-08 | Live as if there were no tomorrow.
2023-05-08 | Children grow up fast in today's world.
"""

AGO = """
2023-05-08 | I bought it 3 days ago [2023-05-05].
2023-05-08 | three nights ago [2023-05-05] the owl came back
2023-05-08 | A week ago [2023-05-01..2023-05-07] I moved.
2023-05-08 | two weeks ago [2023-04-24..2023-04-30] I started
2023-05-07 | two weeks ago [2023-04-17..2023-04-23], said on a Sunday
2023-05-08 | a fortnight ago [2023-04-24..2023-04-30]
2023-05-08 | a couple of months ago [2023-03] we met
2023-05-08 | a couple weeks ago [2023-04-24..2023-04-30]
2023-05-08 | couple of days ago [2023-05-06]
2023-05-08 | one month ago [2023-04] and 12 months ago [2022-05]
2023-05-08 | five years ago [2018] I learnt to swim
2023-05-08 | twenty-five years ago [1998] and twenty five years ago [1998]
2023-05-08 | A house from 100 years ago [1923].
2023-05-08 | a few days ago [2023-05-04..2023-05-06] it broke
2023-05-08 | few days ago [2023-05-04..2023-05-06] it broke
2023-05-08 | a few weeks ago [2023-04-10..2023-04-30]
2023-05-08 | a few months ago [2023-01-01..2023-03-31]
2023-05-08 | a few years ago [2019-01-01..2021-12-31]
2023-05-08 | a day or two ago [2023-05-06..2023-05-07]
2023-05-08 | a week or so ago [2023-05-01..2023-05-07]
2023-05-08 | 2-3 weeks ago [2023-04-17..2023-04-30]
2023-05-08 | two or three days ago [2023-05-05..2023-05-06]
2023-05-08 | 3 to 4 months ago [2023-01-01..2023-02-28]
2023-05-08 | one weekend ago [2023-05-06..2023-05-07]
2023-05-07 | one weekend ago [2023-04-29..2023-04-30], said on a Sunday
2023-05-06 | one weekend ago [2023-04-29..2023-04-30], said on a Saturday
2023-05-08 | two weekends ago [2023-04-29..2023-04-30]
2023-05-08 | two Fridays ago [2023-04-28]
2023-05-08 | two summers ago [2021-06-01..2021-08-31] in Rome
2023-05-08 | half a year ago [2022-11] I quit
2023-08-31 | half a year ago [2023-02] I quit
2023-05-08 | a year and a half ago [2021-11]
2023-05-08 | two and a half years ago [2020-11]
2023-05-08 | a week ago today [2023-05-01], three years ago today [2020-05-08]
2024-02-29 | a year ago today [2023-02-28] it was cold
2023-05-08 | two weeks ago yesterday [2023-04-23]
2023-05-08 | Friday two weeks ago [2023-04-28] or two weeks ago on Friday [2023-04-28]
2023-05-08 | three years ago [2020] Friday was my day off
2023-05-08 | a year ago [2022] this month
2023-03-31 | a month ago [2023-02] it froze
2024-02-29 | a year ago [2023] I was here
2023-05-08 | over a year ago we met
2023-05-08 | more than two weeks ago, at least a month ago, less than 3 days ago
2023-05-08 | over a week ago today we left
2023-05-08 | a while ago, long ago, years ago, many moons ago
2023-05-08 | 1.5 years ago and 1,000 years ago
2023-05-08 | a hundred and five days ago
2023-05-08 | a year and two months ago
2023-05-08 | half a century ago
2023-05-08 | 0 days ago, 999 years ago
2023-05-08 | quite a few years ago
2023-05-08 | ten minutes ago in Chicago
"""

AHEAD = """
2023-05-08 | My exam is in two weeks [2023-05-22..2023-05-28].
2023-05-08 | I'm leaving in 3 days [2023-05-11]!
2023-05-08 | I am so excited for the trip in two weeks [2023-05-22..2023-05-28].
2023-05-08 | We have a recital in a month [2023-06].
2023-05-08 | See you in a few days [2023-05-10..2023-05-12]!
2023-05-08 | I'll be back in a week or two [2023-05-15..2023-05-28].
2023-05-08 | In two weeks [2023-05-22..2023-05-28] we will be in Rome.
2023-05-08 | In two weeks [2023-05-22..2023-05-28]!
2023-05-08 | I lost my job and in a month [2023-06] I am moving.
2023-05-08 | It opens in two weeks' time [2023-05-22..2023-05-28].
2023-05-08 | He retires in 2 years time [2025].
2023-05-08 | She will graduate in a year [2024].
2023-05-08 | a week from now [2023-05-15..2023-05-21] I fly
2023-05-08 | a week from today [2023-05-15] I fly
2023-05-08 | a week from tomorrow [2023-05-16] I fly
2023-05-08 | two months from now [2023-07]
2023-01-31 | a month from today [2023-02-28]
2024-02-29 | a year from today [2025-02-28]
2023-05-08 | from now on I save
2023-05-08 | I lost 5 kg in two weeks.
2023-05-08 | In two weeks I lost 5 kg.
2023-05-08 | In two weeks, I've lost 5 kg.
2023-05-08 | twice in a month
2023-05-08 | We haven't talked in a few days.
2023-05-08 | Rome wasn't built in a day.
2023-05-08 | I read four books in a week.
2023-05-08 | It was the best day in three years.
2023-05-08 | I have not slept well in 3 days.
2023-05-08 | You can learn a lot in a year.
2023-05-08 | In a week of training I ran 50 km.
2023-05-08 | I have been sick for the last two weeks.
2023-05-08 | We trained for three weeks and rest for a day.
2023-05-08 | Within two weeks he was fit again.
2023-05-08 | The last two weeks were hard, the next few days are free.
"""

WEEKS_MONTHS_YEARS = """
2023-05-08 | Last week [2023-05-01..2023-05-07] I met her.
2023-05-08 | I called her last week [2023-05-01..2023-05-07].
2023-05-07 | last week [2023-04-24..2023-04-30], said on a Sunday
2023-05-08 | this week [2023-05-08..2023-05-14] and next week [2023-05-15..2023-05-21]
2023-05-08 | last month [2023-04], this month [2023-05], next month [2023-06]
2023-01-15 | last month [2022-12] and next month [2023-02]
2023-12-15 | next month [2024-01]
2023-03-31 | last month [2023-02], next month [2023-04]
2024-02-29 | last year [2023], this year [2024], next year [2025]
2023-05-08 | last quarter [2023-01-01..2023-03-31]
2023-05-08 | this past month [2023-04], this coming week [2023-05-15..2023-05-21]
2023-05-08 | the coming year [2024], the upcoming month [2023-06]
2023-05-08 | last year's [2022] trip, next month's [2023-06] rent
2023-05-10 | earlier this week [2023-05-08..2023-05-10]
2023-05-08 | earlier this week [2023-05-08], said on a Monday
2023-05-08 | earlier this month [2023-05-01..2023-05-08]
2023-05-31 | earlier this month [2023-05], on its last day
2023-05-08 | earlier this year [2023-01-01..2023-05-08]
2023-05-10 | later this week [2023-05-10..2023-05-14]
2023-05-08 | later this year [2023-05-08..2023-12-31]
2023-05-08 | early next month [2023-06-01..2023-06-10]
2023-05-08 | mid last month [2023-04-11..2023-04-20]
2023-05-08 | late next month [2023-06-21..2023-06-30]
2023-05-08 | late last year [2022-09-01..2022-12-31]
2023-05-08 | at the end of this month [2023-05-21..2023-05-31]
2023-05-08 | in the beginning of next year [2024-01-01..2024-04-30]
2023-05-08 | early next week [2023-05-15..2023-05-17]
2023-05-08 | the week before last [2023-04-24..2023-04-30]
2023-05-08 | the month before last [2023-03], the year before last [2021]
2023-05-08 | the night before last [2023-05-06]
2023-05-08 | the week after next [2023-05-22..2023-05-28]
2023-05-08 | the week before last Friday [2023-05-05]
2023-05-08 | the last week of March
2023-05-08 | last week of school
2023-05-08 | my last week, your next year, the next day
2023-05-08 | the last week was hard and the next week was worse
2023-05-08 | At last, a week. What next? Year after year.
2023-05-08 | last-week blues and next-year-old plans
"""

WEEKENDS_AND_WEEKDAYS = """
2023-05-08 | last weekend [2023-05-06..2023-05-07]
2023-05-06 | last weekend [2023-04-29..2023-04-30], said on a Saturday
2023-05-07 | last weekend [2023-04-29..2023-04-30], said on a Sunday
2023-05-05 | last weekend [2023-04-29..2023-04-30], said on a Friday
2023-05-08 | this past weekend [2023-05-06..2023-05-07]
2023-05-08 | over the past weekend [2023-05-06..2023-05-07]
2023-05-08 | this weekend [2023-05-13..2023-05-14]
2023-05-06 | this weekend [2023-05-06..2023-05-07], said on a Saturday
2023-05-07 | this weekend [2023-05-06..2023-05-07], said on a Sunday
2023-05-08 | this coming weekend [2023-05-13..2023-05-14]
2023-05-08 | the coming weekend [2023-05-13..2023-05-14]
2023-05-08 | next weekend [2023-05-20..2023-05-21]
2023-05-07 | next weekend [2023-05-13..2023-05-14], said on a Sunday
2023-05-08 | the weekend before last [2023-04-29..2023-04-30]
2023-05-08 | the weekend after next [2023-05-27..2023-05-28]
2023-05-08 | Any plans for the weekend? I read over the weekend.
2023-05-08 | last Friday [2023-05-05] we went out
2023-05-08 | last Monday [2023-05-01] and next Monday [2023-05-15]
2023-05-08 | this Friday [2023-05-12], this past Friday [2023-05-05]
2023-05-12 | this Monday [2023-05-08], said on a Friday
2023-05-08 | this coming Friday [2023-05-12]
2023-05-08 | Last Fri [2023-05-05] I ran, next Tues [2023-05-09] I rest.
2023-05-08 | last Saturday night [2023-05-06]
2023-05-08 | Friday of last week [2023-05-05], Tuesday next week [2023-05-16]
2023-05-08 | last week on Tuesday [2023-05-02]
2023-05-08 | Last week, on Friday [2023-05-05], we met.
2023-05-08 | the Friday before last [2023-04-28]
2023-05-08 | On Friday we leave, and I last sat down on Saturday.
2023-05-08 | the last Friday of May
"""

SEASONS_MONTHS_FEASTS = """
2023-05-08 | last summer [2022-06-01..2022-08-31] in Spain
2023-07-15 | last summer [2022-06-01..2022-08-31], said in summer
2023-05-08 | this past winter [2022-12-01..2023-02-28]
2024-05-08 | last winter [2023-12-01..2024-02-29] was a leap one
2023-01-15 | this winter [2022-12-01..2023-02-28], said inside it
2023-05-08 | this winter [2023-12-01..2024-02-29]
2023-05-08 | this summer [2023-06-01..2023-08-31]
2023-05-08 | this spring [2023-03-01..2023-05-31]
2023-05-08 | next spring [2024-03-01..2024-05-31]
2023-05-08 | next fall [2023-09-01..2023-11-30] or next autumn [2023-09-01..2023-11-30]
2023-05-08 | earlier this spring [2023-03-01..2023-05-08]
2023-05-08 | the summer before last [2021-06-01..2021-08-31]
2023-05-08 | last March [2023-03], last May [2022-05], next June [2023-06]
2023-05-08 | this August [2023-08], this past August [2022-08]
2023-05-08 | This May [2023-05] is warm.
2023-05-08 | This may help, and what comes next may not.
2023-05-08 | We march on; this march was long.
2023-05-08 | Does this fall under the warranty?
2023-05-08 | last Christmas [2022-12-25], next Halloween [2023-10-31]
2023-05-08 | last New Year's Eve [2022-12-31], next Valentine\u2019s Day [2024-02-14]
2023-12-25 | last Christmas [2022-12-25], said on Christmas Day
2023-05-08 | the last summer of the war
2023-05-08 | in March, March 5, 2019, in 2019, Friday, recently, May 2023
"""

EDGES_OF_TIME = """
0001-01-01 | yesterday, last week, 3 days ago, two years ago, half a year ago
0001-01-01 | tomorrow [0001-01-02] and this year [0001]
0001-01-02 | the other day, last winter, this winter [0001-12-01..0002-02-28]
9999-12-31 | tomorrow, next month, in two weeks' time, a year from now
9999-12-31 | yesterday [9999-12-30] and this year [9999]
9999-12-31 | this week, this weekend, next winter
"""


def _rows(*blocks: str) -> list[str]:
    return [line for block in blocks for line in block.strip().splitlines()]


ROWS = _rows(
    DAYS,
    AGO,
    AHEAD,
    WEEKS_MONTHS_YEARS,
    WEEKENDS_AND_WEEKDAYS,
    SEASONS_MONTHS_FEASTS,
    EDGES_OF_TIME,
)


@pytest.mark.parametrize("row", ROWS)
def test_annotation_says_what_the_words_mean_on_that_day(row: str) -> None:
    day, _, expected = row.partition(" | ")
    text = _LABEL.sub("", expected)
    assert annotate(text, date.fromisoformat(day), limit=99) == expected


def test_every_row_of_the_table_is_another_case() -> None:
    assert len(set(ROWS)) == len(ROWS) >= 100
