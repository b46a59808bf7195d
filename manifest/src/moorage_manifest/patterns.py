"""Regular expressions of strangers.

They are compiled and matched by the Rust engine that pydantic carries. It knows no look-around and
no references back, and its time grows with the text and not beyond. `re` never sees them.
"""

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

LONGEST = 500


class BadPattern(ValueError):
    """The engine does not take this pattern."""


class Pattern:
    """A compiled pattern. It is found anywhere in a text, unless it is anchored."""

    def __init__(self, text: str) -> None:
        """Compile a pattern.

        Raises:
            BadPattern: it is too long, too large once it is compiled, or not understood.
        """
        if len(text) > LONGEST:
            raise BadPattern(f"the pattern is longer than {LONGEST} characters")
        wanted = core_schema.str_schema(pattern=text, regex_engine="rust-regex", strict=True)
        try:
            self._validator = SchemaValidator(wanted)
        except SchemaError as err:
            raise BadPattern(_reason(str(err))) from err

    def is_in(self, text: str) -> bool:
        try:
            self._validator.validate_python(text)
        except ValidationError:
            return False
        return True


def _reason(said: str) -> str:
    if "size limit" in said:
        return "the pattern is too large: repeat less"
    last = said.rstrip().rpartition("error: ")[2].splitlines()[0]
    return f"the pattern is not understood: {last}"
