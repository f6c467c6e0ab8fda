"""The error that a reader sees: one sentence with what was wrong, what was expected, what to do."""

import difflib


class HeedError(Exception):
    """Something that the reader can put right: one sentence that says what was wrong and what to do.

    A notebook shows the sentence, not the stack; `python -m heed` and make print it and end with code 2.
    """

    def __init__(self, sentence: str):
        super().__init__(" ".join(sentence.splitlines()))  # what a library says may have several lines

    def _render_traceback_(self):  # IPython's protocol
        return [f"heed: {self}"]


def why(error: object) -> str:
    """What a library says of a file, in one line: some quote the whole file."""
    said = " ".join(str(error).split())
    return said if len(said) <= 300 else f"{said[:300]} …"


def nearest_of(name: object, known, alike: float = 0.6) -> str | None:
    """The one of `known` that is most like the name, if it is so much alike (0 to 1): difflib's ratio.

    Case and spaces around a name don't count.
    """
    plain = {str(one).strip().casefold(): str(one) for one in known}
    near = difflib.get_close_matches(str(name).strip().casefold(), plain, n=1, cutoff=alike)
    return plain[near[0]] if near else None


def nearest(name: object, known, alike: float = 0.6) -> str:
    """` Did you mean ...?` with the one of `known` that is most like the name; nothing if none is."""
    near = nearest_of(name, known, alike)
    return "" if near is None else f" Did you mean {near!r}?"


def choose(kind: str, name: str, known) -> str:
    """Return `name` if it is one of `known`; else raise HeedError: the nearest, and all if they are few."""
    known = sorted(known)
    if name in known:
        return name
    few = known if len(known) <= 50 else [*known[:5], f"… ({len(known)} in all)"]
    raise HeedError(f"unknown {kind} {name!r}.{nearest(name, known)} Choose one of: {', '.join(few)}.")
