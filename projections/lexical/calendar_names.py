"""The names of months and weekdays in English, lower case."""

# "Sat" and "sun" are words of their own, so the weekend has no short names.
WEEKDAY_NAMES = (
    "monday mon",
    "tuesday tues tue",
    "wednesday wed",
    "thursday thurs thur thu",
    "friday fri",
    "saturday",
    "sunday",
)
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS = {name: day for day, names in enumerate(WEEKDAY_NAMES) for name in names.split()}
MONTHS = {name: month for month, name in enumerate(_MONTH_NAMES, 1)}
SHORT_MONTHS = {name[:3]: month for name, month in MONTHS.items() if name != "may"} | {"sept": 9}


def one_of(*words: str) -> str:
    """Give a pattern that matches any of the words, the longest first."""
    return f"(?:{'|'.join(sorted(words, key=len, reverse=True))})"
