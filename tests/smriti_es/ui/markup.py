"""Reads a page as a browser would take it apart, for tests of what is in it."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_EMPTY = frozenset({"meta", "link", "input", "img", "br", "hr"})


@dataclass(slots=True)
class Element:
    """An element: its name, attributes, what stands in it, and in what it stands."""

    name: str
    attributes: dict[str, str]
    above: "Element | None" = None
    parts: "list[Element | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """What a reader sees of it, with single spaces."""
        return " ".join(self._text().split())

    def __getitem__(self, attribute: str) -> str:
        return self.attributes[attribute]

    def all(self, name: str, /, **wanted: str) -> "list[Element]":
        """Everything below it with a name and attributes (`_class` is class)."""
        asked = {key.lstrip("_").replace("_", "-"): value for key, value in wanted.items()}
        found = []
        for part in self.parts:
            if isinstance(part, Element):
                fits = all(part.attributes.get(key) == value for key, value in asked.items())
                if name in ("*", part.name) and fits:
                    found.append(part)
                found += part.all(name, **wanted)
        return found

    def one(self, name: str, /, **wanted: str) -> "Element":
        """The only one."""
        found = self.all(name, **wanted)
        assert len(found) == 1, f"{len(found)} of {name} {wanted}"
        return found[0]

    def _text(self) -> str:
        return "".join(each if isinstance(each, str) else each._text() for each in self.parts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.at = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.parts.append(made)
        if tag not in _EMPTY:
            self.at = made

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.parts.append(Element(tag, {name: value or "" for name, value in attrs}, self.at))

    def handle_endtag(self, tag: str) -> None:
        assert self.at.name == tag, f"<{self.at.name}> is ended by </{tag}>"
        assert self.at.above is not None
        self.at = self.at.above

    def handle_data(self, data: str) -> None:
        self.at.parts.append(data)


def read(html: str) -> Element:
    """Take a page apart; every element must be ended where it belongs."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.at is reader.root, f"<{reader.at.name}> is never ended"
    return reader.root
