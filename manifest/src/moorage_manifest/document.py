"""YAML, as much of it as JSON could say, and where each value stands.

A manifest comes from strangers. So nothing is loaded: the events of libyaml are read one by one
and counted, and what YAML can do beyond JSON is refused where it appears, before it can cost
anything: anchors and aliases (bombs, cycles), tags, merge keys, further documents, keys that are no
text. Plain words mean what YAML 1.2 says: `no` is text, `1.10` is a number.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import yaml
from yaml import cyaml

from moorage_manifest.faults import Fault, Place, dotted

PARSER: Any = cast(Any, cyaml).CParser
"""libyaml: every wheel of PyYAML has it. It reads as it goes and recurses nowhere."""

LARGEST = 256 * 1024
DEEPEST = 24
MOST_NODES = 20_000
LARGEST_NUMBER = 2**53 - 1

# Characters that cannot be seen, that end a line for some readers only, or that turn the direction
# of what follows: a person would read another text than the program.
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
INTEGER = re.compile(r"[-+]?[0-9]+")
OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
NOT_A_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(frozen=True)
class Position:
    """A line and a column, both from 1."""

    line: int
    column: int


START = Position(1, 1)


class Unreadable(Exception):
    """The text cannot be read further. Reported as a fault, never raised to a caller."""

    def __init__(self, position: Position, message: str, place: Place = ()) -> None:
        super().__init__(message)
        self.position = position
        self.message = message
        self.place = place


@dataclass
class Document:
    """A text as plain data, with the place of everything in it."""

    file: str
    data: Any = None
    values: dict[Place, Position] = field(default_factory=dict[Place, Position])
    keys: dict[Place, Position] = field(default_factory=dict[Place, Position])
    written: dict[Place, str] = field(default_factory=dict[Place, str])
    """How a plain scalar was written that did not become text."""
    faults: list[Fault] = field(default_factory=list[Fault])
    readable: bool = True

    def where(self, place: Place, *, key: bool = False) -> Position:
        """The position of a value, or of its key; of what holds it, where it is not there."""
        for length in range(len(place), -1, -1):
            found = (self.keys if key else self.values).get(place[:length])
            found = found or self.values.get(place[:length])
            if found is not None:
                return found
        return START

    def fault(self, place: Place, message: str, *, key: bool = False) -> Fault:
        return self._at(self.where(place, key=key), place, message)

    def _at(self, position: Position, place: Place, message: str) -> Fault:
        return Fault(self.file, position.line, position.column, dotted(place), message)

    def note(self, position: Position, place: Place, message: str) -> None:
        self.faults.append(self._at(position, place, message))


def parse(text: str | bytes, *, file: str) -> Document:
    """Read a text. Faults are in the document, which may not be `readable` at all."""
    document = Document(file)
    try:
        document.data = _Reader(document, _checked(text)).read()
    except Unreadable as err:
        document.note(err.position, err.place, err.message)
        document.readable = False
    return document


def _checked(text: str | bytes) -> str:
    """The text without a byte order mark, if it is UTF-8, not too long, and can all be seen."""
    if isinstance(text, bytes):
        text = _decoded(text)
    text = text.removeprefix("\ufeff")
    if len(text) > LARGEST or len(text.encode("utf-8", "surrogatepass")) > LARGEST:
        raise Unreadable(START, f"the file is larger than {LARGEST // 1024} KiB")
    if match := UNSEEN.search(text):
        raise Unreadable(_position_of(text, match.start()), _unseen(match[0]))
    return text


def _decoded(content: bytes) -> str:
    if len(content) > LARGEST + 3:
        raise Unreadable(START, f"the file is larger than {LARGEST // 1024} KiB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as err:
        position = _position_of(content[: err.start].decode("utf-8"), None)
        raise Unreadable(position, "this is not UTF-8 text: save the file as UTF-8") from err


def _position_of(text: str, offset: int | None) -> Position:
    before = text if offset is None else text[:offset]
    lines = re.split("\r\n|\r|\n", before)
    return Position(len(lines), len(lines[-1]) + 1)


def _unseen(character: str) -> str:
    return f"the character U+{ord(character):04X} cannot be seen and is refused: take it out"


@dataclass
class _Frame:
    """A mapping or a sequence that is being read."""

    place: Place
    held: dict[str, Any] | list[Any]
    key: str | None = None
    """The key whose value comes next."""
    skip: bool = False
    """Whether that value is read and thrown away, its key being a second one."""


class _Reader:
    def __init__(self, document: Document, text: str) -> None:
        self.document = document
        self.parser = PARSER(text)
        self.open: list[_Frame] = []
        self.nodes = 0
        self.root: Any = None

    def read(self) -> Any:
        try:
            for event in self._events():
                self._take(event)
        except yaml.MarkedYAMLError as err:
            raise _syntax(err) from err
        except yaml.YAMLError as err:
            raise Unreadable(START, "this is not YAML") from err
        finally:
            self.parser.dispose()
        return self.root

    def _events(self) -> Iterator[Any]:
        documents = 0
        while (event := self.parser.get_event()) is not None:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    said = "a second document begins here: a file holds one"
                    raise Unreadable(_mark(event), said)
                if event.version or event.tags:
                    raise Unreadable(_mark(event), "directives ('%…') are refused")
            yield event
        if documents == 0:
            raise Unreadable(START, "the file is empty")

    def _take(self, event: Any) -> None:
        handlers: dict[Any, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.AliasEvent: self._alias,
            yaml.SequenceStartEvent: self._begin,
            yaml.MappingStartEvent: self._begin,
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
        }
        if type(event) in handlers:
            handlers[type(event)](event)

    def _alias(self, event: Any) -> None:
        said = f"'*{event.anchor}' stands for something elsewhere: write it out"
        raise Unreadable(_mark(event), said, self._place())

    def _count(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise Unreadable(_mark(event), f"the file has more than {MOST_NODES:,} values")
        if event.anchor is not None:
            said = f"'&{event.anchor}' is an anchor: anchors and aliases are refused, write it out"
            raise Unreadable(_mark(event), said, self._place())
        if event.tag is not None:
            said = f"'{event.tag}' is a tag: tags are refused"
            raise Unreadable(_mark(event), said, self._place())

    def _begin(self, event: Any) -> None:
        self._count(event)
        frame = self.open[-1] if self.open else None
        if frame is not None and isinstance(frame.held, dict) and frame.key is None:
            raise Unreadable(_mark(event), "a key must be text", self._place())
        if len(self.open) >= DEEPEST:
            raise Unreadable(_mark(event), f"this is nested deeper than {DEEPEST} levels")
        place = self._place()
        if frame is not None and frame.skip:
            place = (*place, "")  # What stands below a second key hides nothing of the first.
        held: dict[str, Any] | list[Any] = (
            {} if isinstance(event, yaml.MappingStartEvent) else list[Any]()
        )
        self._put(held, event)
        self.open.append(_Frame(place, held))

    def _end(self, event: Any) -> None:
        self.open.pop()

    def _scalar(self, event: Any) -> None:
        self._count(event)
        frame = self.open[-1] if self.open else None
        if match := UNSEEN.search(event.value):
            self.document.note(_mark(event), self._place(), _unseen(match[0]))
        if frame is not None and isinstance(frame.held, dict) and frame.key is None:
            self._key(frame, frame.held, event)
            return
        plain = not event.style
        value = self._resolved(event) if plain else event.value
        if plain and not isinstance(value, str):
            self.document.written[self._place()] = event.value
        self._put(value, event)

    def _key(self, frame: _Frame, held: dict[str, Any], event: Any) -> None:
        key, at = str(event.value), _mark(event)
        place = (*frame.place, key)
        frame.key, frame.skip = key, key in held
        if not event.style and key == "<<":
            raise Unreadable(at, "'<<' merges other values: write them out", frame.place)
        if not event.style and not isinstance(self._resolved(event, quiet=True), str):
            said = f"a key must be text: write it in quotes, '{key[:40]}'"
            self.document.note(at, frame.place, said)
        if frame.skip:
            before = self.document.keys[place].line
            self.document.note(at, place, f"stands here a second time; first in line {before}")
        else:
            self.document.keys[place] = at

    def _resolved(self, event: Any, *, quiet: bool = False) -> Any:
        """A plain scalar by YAML 1.2's core schema."""
        text = str(event.value)
        if text in WORDS:
            return WORDS[text]
        number = _number(text)
        if number is not None and not math.isfinite(number):
            if not quiet:
                said = (
                    "this number is too large, or none: write it in quotes if it is meant as text"
                )
                self.document.note(_mark(event), self._place(), said)
            return 0
        return text if number is None else number

    def _place(self) -> Place:
        if not self.open:
            return ()
        frame = self.open[-1]
        if isinstance(frame.held, list):
            return (*frame.place, len(frame.held))
        return frame.place if frame.key is None else (*frame.place, frame.key)

    def _put(self, value: Any, event: Any) -> None:
        place = self._place()
        frame = self.open[-1] if self.open else None
        if frame is None:
            self.root = value
        elif isinstance(frame.held, list):
            frame.held.append(value)
        else:
            assert frame.key is not None
            if frame.skip:
                frame.key = None
                return
            frame.held[frame.key] = value
            frame.key = None
        self.document.values[place] = _mark(event)


def _number(text: str) -> int | float | None:
    """The number that a plain scalar says; infinite where it is larger than JSON's readers keep."""
    if INTEGER.fullmatch(text) or OTHER_BASE.fullmatch(text):
        if len(text) > 20:
            return math.inf
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        whole = int(text[2:] if base != 10 else text, base)
        return whole if abs(whole) <= LARGEST_NUMBER else math.inf
    if NOT_A_NUMBER.fullmatch(text):
        return math.inf
    if NUMBER.fullmatch(text):
        return float(text) if len(text) <= 40 else math.inf
    return None


def _mark(event: Any) -> Position:
    return Position(event.start_mark.line + 1, event.start_mark.column + 1)


def _syntax(err: Any) -> Unreadable:
    mark = err.problem_mark or err.context_mark
    position = Position(mark.line + 1, mark.column + 1) if mark else START
    return Unreadable(position, f"this is not YAML: {err.problem or err.context}")
